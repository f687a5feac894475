/* SPDX-License-Identifier: MIT */
/* Writes heap blocks and their sums. */
#include "recorder/tables/heap_blocks.h"

#include "base/allocator.h"
#include "base/sort.h"
#include "writer/writer.h"

#include <string.h>

/*
 * Collects labels, flags, names and weak references of a heap snapshot into blocks.
 */

static uint32_t heap_notes_count(const heap_notes *notes)
{
	return notes->label_count + notes->name_count;
}

/* Few enough for a block to stay in the second-level cache. */
#define MAX_RECORDS ((size_t)1024)
#define MAX_BYTES ((size_t)65536)

/* Labels and flags are in one block, names and weak references in the other. */
#define RECORDS_SIZE (2 * MAX_RECORDS * sizeof(mprof_record))

/* Allocates nothing yet. */
static void heap_notes_init(heap_notes *notes, const mprof_allocator *allocator)
{
	memset(notes, 0, sizeof(*notes));
	notes->allocator = *allocator;
}

static void heap_notes_destroy(heap_notes *notes)
{
	allocator_release(&notes->allocator, notes->records, RECORDS_SIZE + MAX_BYTES);
	notes->records = NULL;
}

/* Whether there is room for another record, with a text of length bytes. */
static int heap_notes_has_room(const heap_notes *notes, size_t length)
{
	return notes->label_count < MAX_RECORDS && notes->name_count < MAX_RECORDS &&
	       length < MAX_BYTES - notes->byte_count;
}

/*
 * Adds a record, for which there is room. text: of a label, copied; NULL if it has none of its own. Returns 0 if
 * there is no memory.
 */
static int heap_notes_add(heap_notes *notes, const mprof_record *record, const char *text, size_t length)
{
	mprof_record *added;

	if (notes->records == NULL) {
		notes->records = allocator_allocate(&notes->allocator, RECORDS_SIZE + MAX_BYTES);
		if (notes->records == NULL)
			return 0;
		notes->bytes = (char *)notes->records + RECORDS_SIZE;
	}
	added = record->kind == MPROF_RECORD_LABEL || record->kind == MPROF_RECORD_OBJECT_FLAGS
			? &notes->records[notes->label_count++]
			: &notes->records[MAX_RECORDS + notes->name_count++];
	*added = *record;
	if (text == NULL)
		return 1;
	added->as.label.text = notes->bytes + notes->byte_count;
	memcpy(notes->bytes + notes->byte_count, text, length);
	notes->byte_count += (uint32_t)length;
	notes->bytes[notes->byte_count++] = '\0';
	return 1;
}

/* Writes a block. Returns 0 if it is not in the log. */
static int write_block(recorder_output *output, mprof_block_kind block, uint32_t snapshot, const mprof_record *records,
		       uint32_t count)
{
	mprof_status status;

	if (count == 0)
		return 1;
	status = mprof_writer_write_records(output->writer, block, snapshot, records, sizeof(*records), count);
	/* The writer continues after this error, and so does the recorder. */
	if (status != MPROF_ERR_MEMORY)
		output_note_status(output, status);
	return status == MPROF_OK;
}

/* Writes the records as blocks of a heap snapshot, and removes them. Returns 0 if they are not in the log. */
static int heap_notes_write(heap_notes *notes, recorder_output *output, uint32_t snapshot)
{
	int is_written = output_is_writing(output) &&
			 write_block(output, MPROF_BLOCK_OBJECT_LABELS, snapshot, notes->records, notes->label_count) &&
			 write_block(output, MPROF_BLOCK_REFERENCE_NAMES, snapshot, notes->records + MAX_RECORDS,
				     notes->name_count);

	notes->label_count = 0;
	notes->name_count = 0;
	notes->byte_count = 0;
	return is_written;
}

/* Removes the events. */
static inline void heap_batch_clear(heap_batch *batch)
{
	batch->count = 0;
	batch->reference_count = 0;
}

#define EVENTS_SIZE (HEAP_BATCH_EVENTS * sizeof(mprof_event))
#define DETAILS_SIZE (HEAP_BATCH_EVENTS * sizeof(mprof_event_detail))
#define REFERENCES_SIZE (HEAP_BATCH_REFERENCES * sizeof(uint64_t))
#define ALL_SIZE (EVENTS_SIZE + DETAILS_SIZE + 2 * REFERENCES_SIZE)

/* Initializes an empty batch; allocates nothing yet. */
static void heap_batch_init(heap_batch *batch, const mprof_allocator *allocator)
{
	memset(batch, 0, sizeof(*batch));
	batch->allocator = *allocator;
}

static void heap_batch_destroy(heap_batch *batch)
{
	allocator_release(&batch->allocator, batch->events, ALL_SIZE);
	batch->events = NULL;
}

/* Allocates the memory unless that was done before. Returns 0 if out of memory. */
static int heap_batch_prepare(heap_batch *batch)
{
	char *memory;

	if (batch->events != NULL)
		return 1;
	memory = allocator_allocate(&batch->allocator, ALL_SIZE);
	if (memory == NULL)
		return 0;
	batch->events = (mprof_event *)memory;
	batch->details = (mprof_event_detail *)(memory + EVENTS_SIZE);
	batch->references = (uint64_t *)(memory + EVENTS_SIZE + DETAILS_SIZE);
	batch->offsets = batch->references + HEAP_BATCH_REFERENCES;
	return 1;
}

/* Initializes empty sums; allocates nothing yet. */
static void heap_sums_init(heap_sums *sums, const mprof_allocator *allocator)
{
	memset(sums, 0, sizeof(*sums));
	sums->allocator = *allocator;
	id_map_init(&sums->row_numbers, allocator);
}

static void heap_sums_destroy(heap_sums *sums)
{
	id_map_destroy(&sums->row_numbers);
	allocator_release(&sums->allocator, sums->rows, sums->capacity * sizeof(*sums->rows));
	sums->rows = NULL;
	sums->capacity = 0;
}

heap_sums_row *heap_sums_add_row(heap_sums *sums, uint32_t class_id)
{
	void *rows = sums->rows;
	heap_sums_row *row;

	if (!array_reserve(&sums->allocator, &rows, &sums->capacity, sums->count + 1, sizeof(*sums->rows))) {
		sums->is_short = 1;
		return NULL;
	}
	sums->rows = rows;
	if (!id_map_put(&sums->row_numbers, class_id, (uint32_t)sums->count + 1)) {
		sums->is_short = 1;
		return NULL;
	}
	row = &sums->rows[sums->count++];
	memset(row, 0, sizeof(*row));
	row->class_id = class_id;
	return row;
}

/* Sets the objects and bytes of one sum to 0 in all rows. */
static void heap_sums_clear(heap_sums *sums, heap_sum sum)
{
	for (size_t i = 0; i < sums->count; i++) {
		sums->rows[i].counts[sum] = 0;
		sums->rows[i].counts[sum + 1] = 0;
	}
	if (sum == HEAP_SUM_DEAD)
		sums->is_short = 0;
}

static int has_any(const heap_sums_row *row)
{
	return row->counts[HEAP_SUM_ALIVE] != 0 || row->counts[HEAP_SUM_DEAD] != 0;
}

static int compare_ids(const void *a, const void *b)
{
	const mprof_record *first = a;
	const mprof_record *second = b;

	return (first->id > second->id) - (first->id < second->id);
}

static void fill_records(const heap_sums *sums, mprof_record *records)
{
	for (size_t i = 0; i < sums->count; i++) {
		const uint64_t *counts = sums->rows[i].counts;

		if (!has_any(&sums->rows[i]))
			continue;
		records->kind = MPROF_RECORD_SUMMARY;
		records->id = sums->rows[i].class_id;
		records->as.summary.live_objects = counts[HEAP_SUM_ALIVE];
		records->as.summary.live_bytes = counts[HEAP_SUM_ALIVE + 1];
		records->as.summary.dead_objects = counts[HEAP_SUM_DEAD];
		records->as.summary.dead_bytes = counts[HEAP_SUM_DEAD + 1];
		records++;
	}
}

/*
 * Writes the sums of all classes that have any. Returns what mprof_writer_write_records() returns, or
 * MPROF_ERR_MEMORY.
 */
static mprof_status heap_sums_write(heap_sums *sums, mprof_writer *writer, uint32_t collection)
{
	mprof_record *records;
	size_t count = 0;
	size_t size;
	mprof_status status;

	if (sums->is_short)
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < sums->count; i++)
		count += has_any(&sums->rows[i]) ? 1 : 0;
	if (count == 0)
		return mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, collection, NULL,
						  sizeof(mprof_record), 0);
	if (!checked_multiply(count, sizeof(*records), &size))
		return MPROF_ERR_MEMORY;
	records = allocator_allocate_zeroed(&sums->allocator, size);
	if (records == NULL)
		return MPROF_ERR_MEMORY;
	fill_records(sums, records);
	sort_in_place(records, count, sizeof(*records), compare_ids);
	status = mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, collection, records, sizeof(*records),
					    count);
	allocator_release(&sums->allocator, records, size);
	return status;
}

void heap_blocks_init(heap_blocks *blocks, const mprof_allocator *allocator, recorder_output *output,
		      field_queue *fields)
{
	memset(blocks, 0, sizeof(*blocks));
	blocks->output = output;
	blocks->fields = fields;
	heap_batch_init(&blocks->batch, allocator);
	heap_sums_init(&blocks->sums, allocator);
	heap_notes_init(&blocks->notes, allocator);
}

void heap_blocks_destroy(heap_blocks *blocks)
{
	heap_batch_destroy(&blocks->batch);
	heap_sums_destroy(&blocks->sums);
	heap_notes_destroy(&blocks->notes);
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

/* Writes what is known of objects and references. Their snapshot must have a block in the log. */
static void write_notes(heap_blocks *blocks)
{
	const uint32_t count = heap_notes_count(&blocks->notes);

	if (count > 0 && !heap_notes_write(&blocks->notes, blocks->output, blocks->snapshot.number))
		heap_blocks_note_lost(blocks,
				      output_is_writing(blocks->output) ? MPROF_LOSS_NO_MEMORY
									: output_loss_cause(blocks->output),
				      count);
}

void heap_blocks_add_note(heap_blocks *blocks, const mprof_record *record, const char *text, size_t length)
{
	/* Dialects without the blocks of snapshots have none for these. */
	if (!blocks->output->has_heap_notes)
		return;
	if (!heap_notes_has_room(&blocks->notes, length))
		heap_blocks_flush(blocks);
	if (!heap_notes_add(&blocks->notes, record, text, length))
		heap_blocks_note_lost(blocks, MPROF_LOSS_NO_MEMORY, 1);
}

/* Writes the collected events, if there are any. */
static void write_batch(heap_blocks *blocks)
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

void heap_blocks_flush(heap_blocks *blocks)
{
	write_batch(blocks);
	write_notes(blocks);
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
	uint32_t flags;
	uint32_t count;
	int is_written;

	/* They are between the first block of the snapshot and the last one. */
	if (heap_notes_count(&blocks->notes) > 0)
		heap_blocks_flush(blocks);
	flags = MPROF_HEAP_FLAG_LAST | (snapshot->has_block ? 0 : MPROF_HEAP_FLAG_FIRST);
	count = blocks->batch.count;
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
