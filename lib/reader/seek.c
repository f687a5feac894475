/* SPDX-License-Identifier: MIT */
/* Seeks to a block whose offset is known. */
#include "reader/seek.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/ahead.h"
#include "reader/blocks.h"
#include "reader/call_stacks.h"
#include "reader/errors.h"
#include "reader/frames.h"
#include "reader/reader_internal.h"
#include "reader/samples.h"

/*
 * Positions the source and the parser at an offset. The source is not moved if it is still at the end of the parser's
 * buffer (\p is_in_place) and the buffer contains the offset.
 */
static mprof_status position_input(mprof_reader *reader, uint64_t offset, int is_in_place)
{
	mprof_status status;
	int fault;

	if (is_in_place && parser_restart_inside(reader->parser, offset))
		return MPROF_OK;
	fault = reader->source.seek(reader->source.user, offset);
	if (fault != 0) {
		/* After a failed seek the position of a compressed source is undefined. */
		reader->has_seek = reader->is_compressed;
		return reader_watch_fail_seek(reader, fault);
	}
	status = mprof_parser_restart(reader->parser, offset);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

static mprof_status move_to_offset(mprof_reader *reader, uint64_t offset, int is_in_place)
{
	mprof_status status = position_input(reader, offset, is_in_place);

	if (status != MPROF_OK)
		return status;
	if (offset > reader->read_until)
		reader->misses_something = 1;
	reader->is_after_known = offset <= reader->known_until;
	reader->has_seek = 0;
	reader->is_damaged = 0;
	reader->has_block = 0;
	reader->has_intro = 0;
	reader->fetch_fault = MPROF_OK;
	reader_stacks_forget(reader);
	reader_frames_forget(reader, offset);
	reader_samples_rewind(reader);
	reader_ahead_jump(reader);
	return MPROF_OK;
}

/*
 * Scans the blocks up to an offset. Damage found there is not an error of the seek: it is reported when the caller
 * reads these blocks.
 */
static mprof_status scan_until(mprof_reader *reader, uint64_t offset)
{
	mprof_block block = {.struct_size = sizeof(block)};
	const mprof_error error = reader->error;
	mprof_status status = MPROF_OK;

	while (status != MPROF_END && reader->known_until < offset && reader_next_offset(reader) < offset) {
		status = reader_next(reader, 0, &block);
		if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED)
			return status;
		if (status == MPROF_AGAIN || (status > MPROF_AGAIN && reader->error.severity != MPROF_SEVERITY_BLOCK))
			break;
	}
	/* Blocks that could not be scanned now cannot be scanned later either, unless the log grows. */
	if (status != MPROF_AGAIN && reader->known_until < offset)
		reader->known_until = offset;
	reader->error = error;
	return MPROF_OK;
}

/*
 * How blocks are decoded depends on the DIRECTIVES blocks before them, which may be anywhere. Blocks before the target
 * that were not read yet are therefore scanned, once.
 */
static mprof_status scan_and_seek(mprof_reader *reader, int is_in_place)
{
	const uint64_t offset = reader->seek_offset;
	mprof_status status;

	if (offset > reader->known_until) {
		status = move_to_offset(reader, reader->known_until, is_in_place);
		if (status != MPROF_OK)
			return status;
		status = scan_until(reader, offset);
		if (status != MPROF_OK) {
			reader->has_seek = 1;
			return status;
		}
		is_in_place = 1;
	}
	return move_to_offset(reader, offset, is_in_place);
}

mprof_status reader_seek_on(mprof_reader *reader)
{
	return reader->has_seek ? scan_and_seek(reader, 0) : MPROF_OK;
}

mprof_status reader_jump(mprof_reader *reader, uint64_t offset)
{
	const int is_in_place = !reader->has_seek;

	reader->seek_offset = offset;
	return move_to_offset(reader, offset, is_in_place);
}

mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset)
{
	int is_in_place;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !parser_is_past_intro(reader->parser))
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE,
				 "mprof_reader_seek() called before INTRO was read");
	if (reader->source.seek == NULL)
		return error_set(&reader->error, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_NONE,
				 "the source does not support seeking");
	if (reader->is_compressed)
		source_gzip_collect_points(&reader->source);
	is_in_place = !reader->has_seek;
	reader->seek_offset = offset;
	return scan_and_seek(reader, is_in_place);
}
