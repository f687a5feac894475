/* SPDX-License-Identifier: MIT */
/* Loads the index that the log contains, or builds one in one pass. A later pass continues where the last one ended. */
#include "base/error.h"
#include "base/options.h"
#include "parser/parser.h"
#include "reader/blocks.h"
#include "reader/errors.h"
#include "reader/frames.h"
#include "reader/open_switches.h"
#include "reader/reader_internal.h"
#include "reader/stored_index.h"

#include <string.h>

#define EVENT_BATCH 512

/*
 * Whether the header and the length of the block are valid, even if it cannot be decoded or not all of its definitions
 * can be stored.
 */
static int has_sound_framing(mprof_status status, const mprof_block *block)
{
	return status == MPROF_OK || status == MPROF_ERR_LIMIT || status == MPROF_ERR_UNSUPPORTED ||
	       status == MPROF_ERR_REDEFINED_ID || (status == MPROF_ERR_MALFORMED && block->loaded);
}

/* Records the fault if it is the first one. Returns whether reading can continue after it. */
static int record_index_fault(mprof_reader *reader)
{
	if (reader->index_error.status == MPROF_OK)
		reader->index_error = reader->error;
	return reader->error.severity == MPROF_SEVERITY_BLOCK;
}

static int ends_index_pass(mprof_status status)
{
	return status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED;
}

/* Stores the state of the open calls at the start of the loaded block. */
static mprof_status store_start_state(mprof_reader *reader, index_block *made)
{
	open_frames *open = &reader->frames.open;
	mprof_status status = reader_frames_begin(reader);
	open_slot *slot;

	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for call stacks");
	if (!reader->frames.is_begun)
		return reader_fail_names(reader, status, parser_block(reader->parser));
	slot = open_frames_slot(open, open->current);
	made->stack = slot->number;
	made->gap = open->gap;
	/*
	 * If the memory limit for names is reached, no node is stored, and the call stack here is unknown after a seek.
	 */
	status = open_frames_keep(open, &slot->stack, &made->frames);
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for the index") : MPROF_OK;
}

/* Reads the events of the loaded block to store the open calls before and after them, and the latest counter. */
static mprof_status index_events(mprof_reader *reader, index_block *made)
{
	open_frames *open = &reader->frames.open;
	mprof_event events[EVENT_BATCH];
	mprof_status status = store_start_state(reader, made);
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
	/* A block that is not added is read again by the next pass. */
	if (ends_index_pass(status))
		return status;
	/* The missing events may have changed any stack. */
	reader->frames.index_gaps += reader->frames.has_gap != 0;
	if (open_frames_index_block(open, !reader->frames.has_gap, reader->frames.index_gaps) != MPROF_OK)
		return reader_fail_memory(reader, "out of memory for the index");
	return status == MPROF_END ? MPROF_OK : status;
}

/* Adds the current block to the index. */
static mprof_status index_loaded_block(mprof_reader *reader, const mprof_block *block)
{
	index_block made = block_index_describe(block);
	mprof_status status = MPROF_OK;

	if (block->loaded && block->kind == MPROF_BLOCK_EVENTS && !reader->skips_events)
		status = index_events(reader, &made);
	if (ends_index_pass(status))
		return status;
	if (status != MPROF_OK)
		(void)record_index_fault(reader);
	made.switch_end = reader->frames.open.switch_count;
	if (!block_index_add(&reader->index, &made))
		return reader_fail_memory(reader, "out of memory for the index");
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
		if (ends_index_pass(status))
			return status;
		if (status != MPROF_OK && !record_index_fault(reader))
			return MPROF_OK;
		if (reader->frames.has_gap)
			reader->frames.index_gaps++;
		status = has_sound_framing(status, &block) ? index_loaded_block(reader, &block) : MPROF_OK;
		if (status != MPROF_OK)
			return status;
		reader->index.end = reader_next_offset(reader);
	}
}

/*
 * Returns to the offset where reading was. If the pass failed, its error is kept, even if the seek fails as well and
 * has to be finished later.
 */
static mprof_status return_to_offset(mprof_reader *reader, uint64_t offset, mprof_status status)
{
	mprof_error error = reader->error;
	mprof_status seek_status = mprof_reader_seek(reader, offset);

	if (status == MPROF_OK)
		return seek_status;
	reader->error = error;
	return status;
}

/* Loads or builds the index, and returns to where reading was. */
static mprof_status make_index(mprof_reader *reader)
{
	const uint64_t offset = reader_next_offset(reader);
	int is_stored;
	mprof_status status = reader_load_stored_index(reader, &is_stored);

	if (status != MPROF_OK || is_stored) {
		reader->has_index |= is_stored;
		reader->has_loaded_index |= is_stored;
		return return_to_offset(reader, offset, status);
	}
	status = mprof_reader_seek(reader, reader->index.end);
	if (status != MPROF_OK && status != MPROF_ERR_INTERRUPTED)
		return status;
	reader->frames.follows_all = 1;
	if (status == MPROF_OK)
		status = index_fill(reader);
	reader->frames.follows_all = 0;
	reader->has_index |= status == MPROF_OK;
	status = return_to_offset(reader, offset, status);
	if (status == MPROF_OK)
		reader->error = reader->index_error;
	return status;
}

mprof_status mprof_reader_build_index(mprof_reader *reader)
{
	mprof_status status;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !reader->is_past_intro)
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE,
				 "mprof_reader_build_index() called before INTRO was read");
	reader->watch.is_indexing = 1;
	status = make_index(reader);
	reader->watch.is_indexing = 0;
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
