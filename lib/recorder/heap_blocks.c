/* SPDX-License-Identifier: MIT */
/* Writes HEAP_DATA blocks and summaries of heap snapshots. */
#include "recorder/heap_blocks.h"

#include "writer/writer.h"

#include <string.h>

void heap_blocks_init(heap_blocks *blocks, const mprof_allocator *allocator, recorder_output *output,
		      field_queue *fields)
{
	memset(blocks, 0, sizeof(*blocks));
	blocks->output = output;
	blocks->fields = fields;
	heap_batch_init(&blocks->batch, allocator);
	heap_sums_init(&blocks->sums, allocator);
}

void heap_blocks_destroy(heap_blocks *blocks)
{
	heap_batch_destroy(&blocks->batch);
	heap_sums_destroy(&blocks->sums);
}

void heap_blocks_note_lost(heap_blocks *blocks, mprof_loss_cause cause, uint64_t count)
{
	if (count > 0)
		output_count_lost(blocks->output, cause, count);
	if (count > 0 && blocks->snapshot.is_open)
		blocks->snapshot.is_incomplete = 1;
}

/* Writes a block. Returns 1 if it is in the log; otherwise its events are counted as lost. */
static int write_heap_block(heap_blocks *blocks, uint32_t flags, const mprof_event *events, uint32_t count)
{
	recorder_output *output = blocks->output;
	mprof_status status;

	field_queue_write(blocks->fields, output);
	if (!output_is_writing(output)) {
		heap_blocks_note_lost(blocks, output_loss_cause(output), count);
		return 0;
	}
	status = mprof_writer_write_heap(output->writer, blocks->batch_snapshot, flags,
					 output_counter(output, blocks->batch_counter), events, count);
	if (status == MPROF_ERR_MEMORY) {
		/* The writer continues after this error, and so does the recorder. */
		heap_blocks_note_lost(blocks, MPROF_LOSS_NO_MEMORY, count);
		return 0;
	}
	output_note_status(output, status);
	if (status == MPROF_OK)
		output_note_events(output, count);
	else
		heap_blocks_note_lost(blocks, output_loss_cause(output), count);
	output_count_lost(output, MPROF_LOSS_LIMIT, writer_take_refused_events(output->writer));
	/* If the dialect has no HEAP_DATA blocks, the writer has left it out. */
	return status == MPROF_OK && output->has_heap_blocks;
}

void heap_blocks_flush(heap_blocks *blocks)
{
	uint32_t flags = 0;

	if (blocks->batch.count == 0)
		return;
	if (blocks->batch_snapshot != 0 && !blocks->snapshot.has_block)
		flags = MPROF_HEAP_FLAG_FIRST;
	if (write_heap_block(blocks, flags, blocks->batch.events, blocks->batch.count) && blocks->batch_snapshot != 0)
		blocks->snapshot.has_block = 1;
	heap_batch_clear(&blocks->batch);
}

int heap_blocks_begin_batch(heap_blocks *blocks)
{
	heap_blocks_flush(blocks);
	if (heap_batch_prepare(&blocks->batch))
		return 1;
	heap_blocks_note_lost(blocks, MPROF_LOSS_NO_MEMORY, 1);
	return 0;
}

void heap_blocks_begin_snapshot(heap_blocks *blocks, const open_snapshot *snapshot)
{
	heap_blocks_flush(blocks);
	blocks->snapshot = *snapshot;
}

static void write_last_block(heap_blocks *blocks)
{
	open_snapshot *snapshot = &blocks->snapshot;
	uint32_t flags = MPROF_HEAP_FLAG_LAST | (snapshot->has_block ? 0 : MPROF_HEAP_FLAG_FIRST);
	uint32_t count = blocks->batch.count;
	int is_written;

	blocks->batch_snapshot = snapshot->number;
	blocks->batch_counter = snapshot->counter;
	is_written = write_heap_block(blocks, flags | (snapshot->is_incomplete ? MPROF_HEAP_FLAG_INCOMPLETE : 0),
				      blocks->batch.events, count);
	/* If the block could not be written, an empty one may still mark the snapshot as incomplete. */
	if (!is_written && count > 0 && snapshot->is_incomplete)
		is_written = write_heap_block(blocks, flags | MPROF_HEAP_FLAG_INCOMPLETE, NULL, 0);
	heap_batch_clear(&blocks->batch);
	is_written &= heap_blocks_has_snapshot(blocks);
	blocks->snapshots += is_written ? 1 : 0;
	blocks->incomplete_shots += is_written && snapshot->is_incomplete ? 1 : 0;
}

static void write_summary(heap_blocks *blocks)
{
	recorder_output *output = blocks->output;
	mprof_status status;

	if (!output_is_writing(output)) {
		output_count_lost(output, output_loss_cause(output), 1);
		return;
	}
	status = heap_sums_write(&blocks->sums, output->writer, blocks->snapshot.collection);
	if (status == MPROF_ERR_MEMORY)
		output_count_lost(output, MPROF_LOSS_NO_MEMORY, 1);
	else
		output_note_status(output, status);
	if (output->limit_reached)
		output_count_lost(output, MPROF_LOSS_LIMIT, 1);
}

void heap_blocks_end_snapshot(heap_blocks *blocks)
{
	open_snapshot *snapshot = &blocks->snapshot;

	if (snapshot->number != 0)
		write_last_block(blocks);
	if ((snapshot->use & MPROF_HEAP_USE_SUMMARY) != 0 && !snapshot->is_incomplete) {
		write_summary(blocks);
		/* Only now: deaths that are in no summary yet stay for the next one. */
		heap_sums_clear(&blocks->sums, HEAP_SUM_DEAD);
	}
	heap_sums_clear(&blocks->sums, HEAP_SUM_ALIVE);
	*snapshot = (open_snapshot){.is_open = 0};
}
