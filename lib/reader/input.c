/* SPDX-License-Identifier: MIT */
/* Feeds the parser from the source, and detects gzip. */
#include "reader/input.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"
#include "reader/watch.h"

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
	uint64_t left = offset < reader->memory_length ? reader->memory_length - offset : 0;
	mprof_status status;

	if (left == 0)
		return handle_input_end(reader);
	if (skippable > 0) {
		status = mprof_parser_skip(reader->parser, skippable < left ? skippable : left);
		return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
	}
	status = parser_feed_borrowed(reader->parser, reader->memory + offset,
				      left < MAX_READ_LENGTH ? (size_t)left : MAX_READ_LENGTH);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

mprof_status reader_feed(mprof_reader *reader)
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
