/* SPDX-License-Identifier: MIT */
/* Moves from block to block, and feeds the parser. */
#include "reader/blocks.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/ahead.h"
#include "reader/call_stacks.h"
#include "reader/errors.h"
#include "reader/learn.h"
#include "reader/open_frames.h"
#include "reader/reader.h"
#include "reader/reader_internal.h"

#include <errno.h>
#include <string.h>

/* Bytes per read. Small enough to stay in the cache until they are parsed. */
#define READ_LENGTH ((size_t)64 << 10)

/*
 * Longest read, even if a long block has more room, so that progress is reported and interrupts are checked regularly.
 */
#define MAX_READ_LENGTH ((size_t)1 << 20)

/* Skips of at most this length are read through: seeking would cost more. */
#define MIN_SEEK READ_LENGTH

/* Whether the parser reads the memory that contains the log. The source is then only used to detect compression. */
static int is_in_place(const mprof_reader *reader)
{
	return reader->memory != NULL && !reader->is_compressed;
}

/* Reads from the source. \p got is 0 if the source has no more bytes at present. */
static mprof_status read_source(mprof_reader *reader, void *bytes, size_t length, size_t *got)
{
	int fault = reader->source.read(reader->source.user, bytes, length, got);

	if (fault == 0)
		return MPROF_OK;
	*got = 0;
	if (reader->is_following && (fault == EAGAIN || fault == EWOULDBLOCK))
		return MPROF_OK;
	if (reader->is_compressed && fault == SOURCE_GZIP_DAMAGED) {
		/* The readable input ends here. The parser determines what that means for the log. */
		reader->is_damaged = 1;
		return MPROF_OK;
	}
	return reader_fail_system(reader, fault, "cannot read the log");
}

/* Called if the source has no more bytes: waits for more, or finishes the parser. */
static mprof_status handle_input_end(mprof_reader *reader)
{
	/* A log that has its END block does not grow any more. */
	if (reader_may_grow(reader) && !reader->is_damaged && !parser_is_at_log_end(reader->parser))
		return MPROF_AGAIN;
	mprof_parser_finish(reader->parser);
	return MPROF_OK;
}

/*
 * Reads the first bytes of the source. If they are those of gzip, inserts decompression; otherwise feeds them to the
 * parser.
 */
static mprof_status detect_compression(mprof_reader *reader)
{
	size_t got = 0;
	mprof_status status = read_source(reader, reader->head + reader->head_length,
					  sizeof(reader->head) - reader->head_length, &got);
	int fault;

	if (status != MPROF_OK)
		return status;
	reader->head_length += got;
	if (reader->head_length < sizeof(reader->head)) {
		if (got > 0)
			return MPROF_OK;
		if (reader_may_grow(reader))
			return MPROF_AGAIN;
	}
	if (reader->head_length == sizeof(reader->head) &&
	    memcmp(reader->head, SOURCE_GZIP_MAGIC, sizeof(reader->head)) == 0) {
		fault = source_gzip_add(&reader->source, &reader->allocator, &reader->watch.source);
		if (fault == ENOTSUP)
			return error_set(
				&reader->error, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_FATAL,
				"the log is compressed with gzip, which this build of the library cannot read");
		if (fault != 0)
			return reader_fail_system(reader, fault, "cannot read the compressed log");
		reader->is_compressed = 1;
	} else if (!is_in_place(reader)) {
		status = mprof_parser_feed(reader->parser, reader->head, reader->head_length);
		if (status != MPROF_OK)
			return reader_fail_parser(reader, status);
	}
	reader->is_recognised = 1;
	return MPROF_OK;
}

static mprof_status seek_source(mprof_reader *reader, uint64_t offset)
{
	int fault = reader->source.seek(reader->source.user, offset);

	return fault == 0 ? MPROF_OK : reader_watch_fail_seek(reader, fault);
}

/*
 * Seeks past the bytes that the parser does not need, and sets \p skipped to their number. The last of these bytes is
 * read nevertheless: a source can be positioned after its end, and a log truncated there would not be noticed.
 */
static mprof_status seek_past_skippable(mprof_reader *reader, uint64_t *skipped)
{
	uint64_t length = mprof_parser_get_skippable(reader->parser);
	uint64_t offset = parser_offset(reader->parser);
	mprof_status status;

	*skipped = 0;
	if (length <= MIN_SEEK || reader->source.seek == NULL || reader->is_compressed ||
	    offset + length == reader->missing_end)
		return MPROF_OK;
	status = seek_source(reader, offset + length - 1);
	if (status != MPROF_OK)
		return status;
	*skipped = length - 1;
	return mprof_parser_skip(reader->parser, *skipped);
}

/*
 * Called if the source ends inside the bytes that were skipped. Seeks back, to find the end of the log by reading them.
 */
static mprof_status return_to_skipped(mprof_reader *reader, uint64_t skipped)
{
	mprof_status status;

	parser_unskip(reader->parser, skipped);
	status = seek_source(reader, parser_offset(reader->parser));
	if (status == MPROF_OK)
		reader->missing_end = parser_offset(reader->parser) + mprof_parser_get_skippable(reader->parser);
	return status;
}

/* As reader_feed(), for a log that is read in place. Pieces are fed, as of a file, for progress and interrupts. */
static mprof_status feed_in_place(mprof_reader *reader)
{
	const uint64_t skippable = mprof_parser_get_skippable(reader->parser);
	uint64_t offset = parser_fed_end(reader->parser);
	uint64_t remaining = offset < reader->memory_length ? reader->memory_length - offset : 0;
	mprof_status status;

	if (remaining == 0)
		return handle_input_end(reader);
	if (skippable > 0) {
		status = mprof_parser_skip(reader->parser, skippable < remaining ? skippable : remaining);
		return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
	}
	status = parser_feed_borrowed(reader->parser, reader->memory + offset,
				      remaining < MAX_READ_LENGTH ? (size_t)remaining : MAX_READ_LENGTH);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

/*
 * Feeds more bytes to the parser, or finishes it if the source has none. Returns MPROF_OK; MPROF_AGAIN if the log is
 * followed and the source has no bytes at present; or an error.
 */
static mprof_status reader_feed(mprof_reader *reader)
{
	mprof_status status;
	uint64_t skipped;
	void *room;
	size_t length;
	size_t got = 0;

	status = reader_watch_look(reader);
	if (status != MPROF_OK)
		return status;
	if (!reader->is_recognised)
		return detect_compression(reader);
	if (is_in_place(reader))
		return feed_in_place(reader);
	status = seek_past_skippable(reader, &skipped);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_reserve(reader->parser, READ_LENGTH, &room, &length);
	if (status != MPROF_OK)
		return reader_fail_parser(reader, status);
	status = read_source(reader, room, length < MAX_READ_LENGTH ? length : MAX_READ_LENGTH, &got);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_commit(reader->parser, got);
	if (status != MPROF_OK)
		return reader_fail_parser(reader, status);
	if (got == 0 && skipped > 0)
		return return_to_skipped(reader, skipped);
	return got > 0 ? MPROF_OK : handle_input_end(reader);
}

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
