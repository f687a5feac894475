/* SPDX-License-Identifier: MIT */
#include "reader/input.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"
#include "reader/watch.h"

#include <errno.h>
#include <string.h>

/* Bytes to read at once. Small enough to stay in the cache until they are parsed. */
#define READ_LENGTH ((size_t)64 << 10)

/* No more than this even where a long block has more room, so that progress is reported and interrupts are noticed. */
#define LONGEST_READ ((size_t)1 << 20)

/* Skips shorter than this are read through: seeking would cost more. */
#define LEAST_SEEK READ_LENGTH

/* Reads from the source; no bytes mean that none are left now. */
static mprof_status read_source(mprof_reader *reader, void *bytes, size_t length, size_t *got)
{
	int fault = reader->source.read(reader->source.user, bytes, length, got);

	if (fault == 0)
		return MPROF_OK;
	*got = 0;
	if (reader->is_following && (fault == EAGAIN || fault == EWOULDBLOCK))
		return MPROF_OK;
	if (reader->is_compressed && fault == SOURCE_DAMAGED) {
		/* What there is ends here; the parser finds out what that means. */
		reader->is_damaged = 1;
		return MPROF_OK;
	}
	return reader_fail_system(reader, fault, "the log cannot be read");
}

/* Nothing more is there to be read. */
static mprof_status meet_end(mprof_reader *reader)
{
	/* A log that was closed is not waited for. */
	if (reader_may_grow(reader) && !reader->is_damaged && !parser_is_at_log_end(reader->parser))
		return MPROF_AGAIN;
	mprof_parser_finish(reader->parser);
	return MPROF_OK;
}

/* Puts decompression on the source if its first bytes tell so, or hands them on. */
static mprof_status recognise(mprof_reader *reader)
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
		fault = source_decompress(&reader->source, &reader->allocator, &reader->watch.source);
		if (fault == ENOTSUP)
			return error_set(
				&reader->error, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_FATAL,
				"the log is compressed with gzip, which this build of the library cannot read");
		if (fault != 0)
			return reader_fail_system(reader, fault, "the compressed log cannot be read");
		reader->is_compressed = 1;
	} else {
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
 * Passes by what the parser does not want, and sets how much that is. The last byte of it is read even so: a source can
 * be sought beyond its end, and then nothing would tell that the log is cut.
 */
static mprof_status seek_over(mprof_reader *reader, uint64_t *passed)
{
	uint64_t length = mprof_parser_get_skippable(reader->parser);
	uint64_t offset = parser_offset(reader->parser);
	mprof_status status;

	*passed = 0;
	if (length <= LEAST_SEEK || reader->source.seek == NULL || reader->is_compressed ||
	    offset + length == reader->missing_end)
		return MPROF_OK;
	status = seek_source(reader, offset + length - 1);
	if (status != MPROF_OK)
		return status;
	*passed = length - 1;
	return mprof_parser_skip(reader->parser, *passed);
}

/* What was passed by is not all there. Where the log ends is found by reading what there is of it. */
static mprof_status go_back(mprof_reader *reader, uint64_t passed)
{
	mprof_status status;

	parser_unskip(reader->parser, passed);
	status = seek_source(reader, parser_offset(reader->parser));
	if (status == MPROF_OK)
		reader->missing_end = parser_offset(reader->parser) + mprof_parser_get_skippable(reader->parser);
	return status;
}

mprof_status reader_feed(mprof_reader *reader)
{
	mprof_status status;
	uint64_t passed;
	void *room;
	size_t length;
	size_t got = 0;

	status = reader_watch_look(reader);
	if (status != MPROF_OK)
		return status;
	if (!reader->is_recognised)
		return recognise(reader);
	status = seek_over(reader, &passed);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_reserve(reader->parser, READ_LENGTH, &room, &length);
	if (status != MPROF_OK)
		return reader_fail_parser(reader, status);
	status = read_source(reader, room, length < LONGEST_READ ? length : LONGEST_READ, &got);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_commit(reader->parser, got);
	if (status != MPROF_OK)
		return reader_fail_parser(reader, status);
	if (got == 0 && passed > 0)
		return go_back(reader, passed);
	return got > 0 ? MPROF_OK : meet_end(reader);
}
