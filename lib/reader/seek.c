/* SPDX-License-Identifier: MIT */
/* Going to a block whose offset is known. */
#include "reader/reader_internal.h"

#include "base/error.h"

/* Goes to the place that was asked for, unless the bytes there were read already and wait in the parser's buffer. */
static mprof_status go_there(mprof_reader *reader, int is_in_place)
{
	uint64_t offset = reader->seek_offset;
	mprof_status status;
	int fault;

	if (is_in_place && parser_restart_inside(reader->parser, offset))
		return MPROF_OK;
	fault = reader->source.seek(reader->source.user, offset);
	if (fault != 0) {
		/* What is decompressed has no place of its own: the source may be anywhere now. */
		reader->has_seek = reader->is_compressed;
		return reader_watch_fail_seek(reader, fault);
	}
	status = mprof_parser_restart(reader->parser, offset);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

static mprof_status seek(mprof_reader *reader, int is_in_place)
{
	mprof_status status = go_there(reader, is_in_place);

	if (status != MPROF_OK)
		return status;
	if (reader->seek_offset > reader->read_until)
		reader->misses_something = 1;
	reader->has_seek = 0;
	reader->is_damaged = 0;
	reader->has_block = 0;
	reader->has_intro = 0;
	reader->fetch_fault = MPROF_OK;
	reader_stacks_forget(reader);
	reader_frames_forget(reader, reader->seek_offset);
	reader_samples_rewind(reader);
	return MPROF_OK;
}

mprof_status reader_seek_on(mprof_reader *reader)
{
	return reader->has_seek ? seek(reader, 0) : MPROF_OK;
}

mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset)
{
	int is_in_place;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !reader->parser->is_past_intro)
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE, "a seek before INTRO was read");
	if (reader->source.seek == NULL)
		return error_set(&reader->error, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_NONE,
				 "the source cannot be sought");
	if (reader->is_compressed)
		source_collect_points(&reader->source);
	is_in_place = !reader->has_seek;
	reader->seek_offset = offset;
	return seek(reader, is_in_place);
}
