/* SPDX-License-Identifier: MIT */
/* Moves from block to block, feeding the parser, and records how far the log was read. */
#include "reader/blocks.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/ahead.h"
#include "reader/call_stacks.h"
#include "reader/errors.h"
#include "reader/frames.h"
#include "reader/input.h"
#include "reader/learn.h"
#include "reader/reader.h"
#include "reader/reader_internal.h"
#include "reader/samples.h"

#include <string.h>

/*
 * Returns the status for an input that ends between two blocks: the log ends here, or its compressed data is damaged
 * from here on.
 */
static mprof_status end_of_log(mprof_reader *reader)
{
	if (!reader->is_damaged)
		return MPROF_END;
	error_set(&reader->error, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL,
		  "the compressed data is damaged from here");
	reader->error.offset = parser_offset(reader->parser);
	reader->error.block_offset = reader->error.offset;
	return MPROF_ERR_MALFORMED;
}

/* Calls a function of the parser and feeds bytes until the function needs no more. */
static mprof_status feed_until_done(mprof_reader *reader, mprof_block *block,
				    mprof_status (*function)(mprof_parser *, mprof_block *))
{
	mprof_status status;

	while ((status = function(reader->parser, block)) == MPROF_AGAIN) {
		mprof_status fed = reader_feed(reader);

		if (fed != MPROF_OK)
			return fed;
	}
	if (status == MPROF_END)
		return end_of_log(reader);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

void reader_rewind(mprof_reader *reader)
{
	parser_rewind(reader->parser);
	reader_stacks_rewind(reader);
	reader_frames_rewind(reader);
	reader_samples_rewind(reader);
}

mprof_status reader_load(mprof_reader *reader, mprof_block *block)
{
	mprof_error error;
	mprof_status status;

	if (parser_block(reader->parser)->kind == MPROF_BLOCK_EVENTS)
		reader_ahead_advance(reader);
	status = feed_until_done(reader, block, mprof_parser_load);
	reader_rewind(reader);
	if (status == MPROF_OK)
		return reader_learn(reader, block);
	/*
	 * The complete samples of a truncated block can be fetched, and refer to definitions in the block, so these are
	 * stored. The error reported is still the truncation.
	 */
	if (status == MPROF_ERR_TRUNCATED && block->loaded && block->kind == MPROF_BLOCK_STATISTICAL) {
		error = reader->error;
		if (reader_samples_learn(reader, block) == MPROF_ERR_MEMORY)
			return MPROF_ERR_MEMORY;
		reader->error = error;
	}
	return status;
}

void reader_strip_block(mprof_block *block)
{
	mprof_block stripped = {.struct_size = block->struct_size,
				.kind = block->kind,
				.code = block->code,
				.offset = block->offset,
				.header_length = block->header_length,
				.length = block->length,
				.codec = block->codec,
				.unpacked_length = block->unpacked_length};

	*block = stripped;
}

/* Whether the next call continues where a call with this status stopped, so that no part of the log is skipped. */
static int can_be_continued(mprof_status status)
{
	return status == MPROF_AGAIN || status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO ||
	       status == MPROF_ERR_INTERRUPTED;
}

/*
 * Whether events may be missing before the next block, because the last one is an EVENTS block that was skipped or
 * cannot be read. The kind in the header is not trusted if the checksum is wrong or the block is truncated.
 */
static int is_gap(mprof_status status, const mprof_block *block)
{
	if (status == MPROF_OK || status == MPROF_ERR_REDEFINED_ID)
		return block->kind == MPROF_BLOCK_EVENTS && !block->loaded;
	return status != MPROF_END && (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_UNKNOWN ||
				       status == MPROF_ERR_CHECKSUM || status == MPROF_ERR_TRUNCATED);
}

/*
 * Advances known_until. If the block could not be read, its length is not trusted: the next block may start anywhere
 * after its header.
 */
static void note_known(mprof_reader *reader, mprof_status status, uint64_t offset, uint64_t end)
{
	const uint64_t reached = status == MPROF_OK || status == MPROF_ERR_REDEFINED_ID ? end : offset;

	if (reader->is_after_known && status != MPROF_END && reached > reader->known_until)
		reader->known_until = reached;
}

/*
 * Records how far the log was read, and whether a block that cannot be read may have contained definitions or events.
 * (move_to_offset() does the latter for blocks that a seek skips.)
 */
static mprof_status note_progress(mprof_reader *reader, mprof_status status, const mprof_block *block)
{
	uint64_t end = block->offset + block->header_length + block->length;

	if (status != MPROF_OK && status != MPROF_END && status != MPROF_ERR_REDEFINED_ID)
		reader->misses_something = 1;
	if (end > reader->read_until)
		reader->read_until = end;
	note_known(reader, status, block->offset, end);
	reader->frames.has_gap = is_gap(status, block);
	return status;
}

static int must_load(mprof_reader *reader, uint64_t wanted, const mprof_block *block)
{
	const uint64_t kind = MPROF_BLOCK_BIT(block->kind);

	return (wanted & kind) != 0 || ((reader_defining_kinds() & kind) != 0 && !reader_has_learned(reader, block));
}

mprof_status reader_next(mprof_reader *reader, uint64_t wanted, mprof_block *block)
{
	mprof_status status;

	if (!reader->has_block) {
		reader_frames_leave(reader);
		reader_stacks_leave(reader);
		status = reader_check(reader);
		if (status != MPROF_OK)
			return status;
		status = feed_until_done(reader, block, mprof_parser_next_header);
		if (can_be_continued(status))
			return status;
		if (status != MPROF_OK)
			return note_progress(reader, status, block);
		reader->has_block = 1;
	} else {
		/* Loading is continued. The header was read by an earlier call, and the parser still has it. */
		*block = *parser_block(reader->parser);
	}
	if (must_load(reader, wanted, block)) {
		status = reader_load(reader, block);
		if (can_be_continued(status))
			return status;
	}
	reader->has_block = 0;
	if ((wanted & MPROF_BLOCK_BIT(block->kind)) == 0)
		reader_strip_block(block);
	return note_progress(reader, status, block);
}

mprof_status reader_read_intro(mprof_reader *reader)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_next(reader, UINT64_MAX, &block);

	if (can_be_continued(status))
		return status;
	reader->is_past_intro = 1;
	reader->has_intro = status == MPROF_OK;
	if (!reader->has_intro)
		reader->intro = block;
	return status;
}

uint64_t reader_next_offset(const mprof_reader *reader)
{
	if (reader->has_seek)
		return reader->seek_offset;
	if (!reader->is_past_intro || reader->has_intro)
		return 0;
	/* A block whose loading was interrupted is the next one again. */
	return reader->has_block ? parser_block(reader->parser)->offset : parser_next_offset(reader->parser);
}
