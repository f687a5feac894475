/* SPDX-License-Identifier: MIT */
#include "stream/reader_internal.h"

#include "base/error.h"

/* Whether the block is whole, though it could not be read, or not all that it defines could be learnt. */
static int is_whole(mprof_status status, const mprof_block *block)
{
	return status == MPROF_OK || status == MPROF_ERR_LIMIT || status == MPROF_ERR_UNSUPPORTED ||
	       status == MPROF_ERR_REDEFINED_ID || (status == MPROF_ERR_MALFORMED && block->loaded);
}

mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset)
{
	mprof_status status;
	int fault;

	if (reader->parser == NULL || !reader->parser->is_past_intro)
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE, "a seek before INTRO was read");
	if (reader->source.seek == NULL)
		return error_set(&reader->error, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_NONE,
				 "the source cannot be sought");
	fault = reader->source.seek(reader->source.user, offset);
	if (fault != 0)
		return reader_fail_system(reader, fault, "the log cannot be sought");
	status = mprof_parser_restart(reader->parser, offset);
	if (status != MPROF_OK) {
		reader->error = reader->parser->error;
		return status;
	}
	if (offset > reader->read_until)
		reader->misses_something = 1;
	reader->is_damaged = 0;
	reader->has_block = 0;
	reader->has_intro = 0;
	reader->fetch_fault = MPROF_OK;
	reader_stacks_forget(reader);
	reader_samples_rewind(reader);
	return MPROF_OK;
}

/* Notes the first fault. Returns whether reading can go on behind it. */
static int pass_fault(mprof_reader *reader)
{
	if (reader->index_error.status == MPROF_OK)
		reader->index_error = reader->error;
	return reader->error.severity == MPROF_SEVERITY_BLOCK;
}

/* Reads all blocks. */
static mprof_status index_fill(mprof_reader *reader)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;

	block_index_clear(&reader->index);
	error_clear(&reader->index_error);
	for (;;) {
		block.loaded = 0;
		status = reader_next(reader, UINT64_MAX, &block);
		if (status == MPROF_END)
			return MPROF_OK;
		if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO)
			return status;
		if (status != MPROF_OK && !pass_fault(reader))
			return MPROF_OK;
		if (is_whole(status, &block) && !block_index_add(&reader->index, &block))
			return error_set(&reader->error, MPROF_ERR_MEMORY, MPROF_SEVERITY_NONE,
					 "no memory for the index");
	}
}

mprof_status mprof_reader_index(mprof_reader *reader, const mprof_index_entry **entries, size_t *count)
{
	mprof_status status;

	*entries = NULL;
	*count = 0;
	if (reader->is_following)
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE,
				 "a log that is followed has no index");
	status = mprof_reader_seek(reader, 0);
	if (status == MPROF_OK && !reader->has_index) {
		status = index_fill(reader);
		if (status == MPROF_OK)
			status = mprof_reader_seek(reader, 0);
		reader->has_index = status == MPROF_OK;
	}
	if (status != MPROF_OK)
		return status;
	reader->error = reader->index_error;
	*entries = reader->index.entries;
	*count = reader->index.count;
	return MPROF_OK;
}
