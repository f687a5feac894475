/* SPDX-License-Identifier: MIT */
/* The index: made in one pass over the log, which goes on where the last one ended. */
#include "base/error.h"
#include "base/options.h"
#include "parser/parser.h"
#include "reader/blocks.h"
#include "reader/errors.h"
#include "reader/frames.h"
#include "reader/reader_internal.h"

#include <string.h>

#define EVENT_BATCH 512

/* Whether the block is whole, though it could not be read, or not all that it defines could be learnt. */
static int is_whole(mprof_status status, const mprof_block *block)
{
	return status == MPROF_OK || status == MPROF_ERR_LIMIT || status == MPROF_ERR_UNSUPPORTED ||
	       status == MPROF_ERR_REDEFINED_ID || (status == MPROF_ERR_MALFORMED && block->loaded);
}

/* Notes the first fault. Returns whether reading can go on after it. */
static int pass_fault(mprof_reader *reader)
{
	if (reader->index_error.status == MPROF_OK)
		reader->index_error = reader->error;
	return reader->error.severity == MPROF_SEVERITY_BLOCK;
}

static int stops(mprof_status status)
{
	return status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED;
}

/* Notes what is known where the loaded block begins. */
static mprof_status take_start(mprof_reader *reader, index_block *made)
{
	open_frames *open = &reader->frames.open;
	mprof_status status = reader_frames_begin(reader);
	open_slot *slot;

	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "no memory for call stacks");
	if (!reader->frames.is_begun)
		return reader_fail_names(reader, status, parser_block(reader->parser));
	slot = open_frames_slot(open, open->current);
	made->stack = slot->number;
	made->gap = open->gap;
	/* Where the names' memory has reached its limit the stack is not known after a seek. */
	status = open_frames_keep(open, &slot->stack, &made->frames);
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "no memory for the index") : MPROF_OK;
}

/* Goes over the events of the loaded block: what is open before and after them, and when the last one was. */
static mprof_status take_events(mprof_reader *reader, index_block *made)
{
	open_frames *open = &reader->frames.open;
	mprof_event events[EVENT_BATCH];
	mprof_status status = take_start(reader, made);
	uint64_t latest = made->start_counter;
	size_t count;

	if (status != MPROF_OK)
		return status;
	open->makes_index = 1;
	while ((status = mprof_reader_next_events(reader, events, EVENT_BATCH, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			if ((int64_t)(events[i].counter - latest) > 0)
				latest = events[i].counter;
		}
	}
	open->makes_index = 0;
	made->end_counter = latest;
	/* A block that is not added is gone over again. */
	if (stops(status))
		return status;
	/* Any stack may have changed in what is missing. */
	reader->frames.index_gaps += reader->frames.has_gap != 0;
	if (open_frames_index_block(open, !reader->frames.has_gap, reader->frames.index_gaps) != MPROF_OK)
		return reader_fail_memory(reader, "no memory for the index");
	return status == MPROF_END ? MPROF_OK : status;
}

/* Adds the block that was gone to. */
static mprof_status add_block(mprof_reader *reader, const mprof_block *block)
{
	index_block made = block_index_describe(block);
	mprof_status status = MPROF_OK;

	if (block->loaded && block->kind == MPROF_BLOCK_EVENTS && !reader->skips_events)
		status = take_events(reader, &made);
	if (stops(status))
		return status;
	if (status != MPROF_OK)
		(void)pass_fault(reader);
	made.switch_end = reader->frames.open.switch_count;
	if (!block_index_add(&reader->index, &made))
		return reader_fail_memory(reader, "no memory for the index");
	return MPROF_OK;
}

/* Adds all blocks from the end of the index on. */
static mprof_status index_fill(mprof_reader *reader)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;

	for (;;) {
		block.loaded = 0;
		status = reader_next(reader, UINT64_MAX, &block);
		if (status == MPROF_END || status == MPROF_AGAIN)
			return MPROF_OK;
		if (stops(status))
			return status;
		if (status != MPROF_OK && !pass_fault(reader))
			return MPROF_OK;
		if (reader->frames.has_gap)
			reader->frames.index_gaps++;
		status = is_whole(status, &block) ? add_block(reader, &block) : MPROF_OK;
		if (status != MPROF_OK)
			return status;
		reader->index.end = reader_next_offset(reader);
	}
}

/* Goes back to where reading was. What was met on the way is not forgotten for a seek that has to be finished later. */
static mprof_status go_back(mprof_reader *reader, uint64_t offset, mprof_status status)
{
	mprof_error error = reader->error;
	mprof_status sought = mprof_reader_seek(reader, offset);

	if (status == MPROF_OK)
		return sought;
	reader->error = error;
	return status;
}

mprof_status mprof_reader_build_index(mprof_reader *reader)
{
	uint64_t offset;
	mprof_status status;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !reader->is_past_intro)
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE,
				 "an index before INTRO was read");
	offset = reader_next_offset(reader);
	status = mprof_reader_seek(reader, reader->index.end);
	if (status != MPROF_OK && status != MPROF_ERR_INTERRUPTED)
		return status;
	reader->frames.follows_all = 1;
	if (status == MPROF_OK)
		status = index_fill(reader);
	reader->frames.follows_all = 0;
	reader->has_index |= status == MPROF_OK;
	status = go_back(reader, offset, status);
	if (status == MPROF_OK)
		reader->error = reader->index_error;
	return status;
}

uint64_t mprof_reader_get_index_count(const mprof_reader *reader)
{
	return reader != NULL ? reader->index.count : 0;
}

mprof_status mprof_reader_get_index_entry(const mprof_reader *reader, uint64_t number, mprof_index_entry *entry)
{
	mprof_index_entry own = {.struct_size = sizeof(own)};
	const index_block *block;

	if (reader == NULL || entry == NULL || number >= reader->index.count)
		return MPROF_ERR_ARGUMENT;
	block = &reader->index.blocks[number];
	own.kind = block->kind;
	own.offset = block->offset;
	own.length = block->length;
	own.thread = block->thread;
	own.start_counter = block->start_counter;
	own.end_counter = block->end_counter;
	return struct_copy_out(entry, &own, sizeof(own));
}
