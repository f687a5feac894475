/* SPDX-License-Identifier: MIT */
/* Follows the call stacks of threads while their events are read, and resolves implicit leaves. */
#include "reader/frames.h"

#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/open_frames.h"
#include "reader/reader_internal.h"

/* Batch size for the events that the caller did not fetch before it went to the next block. */
#define UNFETCHED_BATCH 128

void reader_frames_init(mprof_reader *reader, const mprof_reader_options *options)
{
	open_frames_init(&reader->frames.open, &reader->budget);
	/* No call is open at the start of a log. */
	reader->frames.open.generation = 1;
	reader->frames.keeps_implicit = (int)options->keep_implicit_leaves;
}

void reader_frames_destroy(mprof_reader *reader)
{
	open_frames_destroy(&reader->frames.open);
}

int reader_frames_are_followed(const mprof_reader *reader)
{
	const uint64_t implicit = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);

	if (!parser_has_content(reader->parser) || parser_block(reader->parser)->kind != MPROF_BLOCK_EVENTS)
		return 0;
	return reader->frames.follows_all ||
	       (!reader->frames.keeps_implicit && (parser_directives_declared(reader->parser) & implicit) != 0);
}

/* Determines where the state of the open calls at the start of the loaded block is known from. */
static open_origin find_origin(const mprof_reader *reader)
{
	const reader_frames *frames = &reader->frames;
	const block_index *index = &reader->index;
	const uint64_t offset = parser_block(reader->parser)->offset;
	const size_t number = offset < index->end ? block_index_find(index, offset) : SIZE_MAX;
	open_origin origin = {.source = OPEN_FROM_NOTHING, .gaps = frames->index_gaps};

	if (number != SIZE_MAX && index->blocks[number].frames != 0) {
		const index_block *block = &index->blocks[number];

		origin.source = OPEN_FROM_INDEX;
		origin.frames = block->frames;
		origin.stack = block->stack;
		origin.gap = block->gap;
		origin.first_switch = number > 0 ? (size_t)block[-1].switch_end : 0;
		origin.switch_count = (size_t)block->switch_end - origin.first_switch;
	} else if (frames->gapless_from == 0) {
		origin.source = OPEN_FROM_START;
	} else if (offset >= index->end && frames->gapless_from <= index->end && !reader->skips_events) {
		origin.source = OPEN_FROM_END;
		origin.gap = frames->open.end_gap;
	}
	return origin;
}

mprof_status reader_frames_begin(mprof_reader *reader)
{
	reader_frames *frames = &reader->frames;
	open_origin origin;
	mprof_status status;
	size_t thread;

	if (frames->is_begun)
		return MPROF_OK;
	status = open_frames_thread(&frames->open, parser_block(reader->parser)->thread, &thread);
	if (status != MPROF_OK)
		return status;
	origin = find_origin(reader);
	frames->is_begun = 1;
	return open_frames_begin(&frames->open, thread, &origin);
}

/* Makes implicit leaves leaves of an unknown method. */
static void leave_unknown_methods(mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (events[i].kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
			continue;
		events[i].kind = MPROF_EVENT_METHOD_LEAVE;
		events[i].flags |= MPROF_EVENT_FLAG_IMPLICIT;
	}
}

void reader_frames_attach(mprof_reader *reader, mprof_event *events, size_t count)
{
	reader_frames *frames = &reader->frames;

	if (!reader_frames_are_followed(reader))
		return;
	if (frames->has_passed) {
		if (!frames->keeps_implicit)
			leave_unknown_methods(events, count);
		return;
	}
	reader_note_fault(reader, reader_frames_begin(reader));
	if (frames->is_begun)
		reader_note_fault(reader, open_frames_follow(&frames->open, events, count, !frames->keeps_implicit));
}

void reader_frames_pass(mprof_reader *reader)
{
	if (!reader_frames_are_followed(reader))
		return;
	reader->frames.has_passed = 1;
	reader->frames.has_gap = 1;
	reader->frames.is_done = 1;
}

void reader_frames_rewind(mprof_reader *reader)
{
	reader_frames *frames = &reader->frames;

	if (frames->is_begun && !open_frames_roll_back(&frames->open))
		frames->gapless_from = parser_block(reader->parser)->offset;
	frames->is_begun = 0;
	frames->is_done = 0;
	frames->has_passed = 0;
}

void reader_frames_leave(mprof_reader *reader)
{
	reader_frames *frames = &reader->frames;
	mprof_event events[UNFETCHED_BATCH];
	mprof_status status;
	size_t count;

	/*
	 * The thread's next block continues from the last event of this one, so the events that were not fetched are
	 * followed, too.
	 */
	if (!frames->is_done && reader_frames_are_followed(reader)) {
		while ((status = mprof_parser_next_events(reader->parser, events, UNFETCHED_BATCH, &count)) == MPROF_OK)
			reader_frames_attach(reader, events, count);
		frames->has_gap |= status != MPROF_END;
	}
	if (frames->has_gap)
		reader_frames_forget(reader, parser_block(reader->parser)->offset + 1);
	frames->has_gap = 0;
	frames->is_begun = 0;
	frames->is_done = 0;
	frames->has_passed = 0;
}

void reader_frames_forget(mprof_reader *reader, uint64_t offset)
{
	reader_frames *frames = &reader->frames;

	open_frames_forget(&frames->open);
	frames->gapless_from = offset;
	frames->has_gap = 0;
	frames->is_begun = 0;
	frames->is_done = 0;
	frames->has_passed = 0;
}
