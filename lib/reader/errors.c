/* SPDX-License-Identifier: MIT */
/* Records errors of the reader, of which running out of memory is final. */
#include "reader/errors.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/reader_internal.h"

#include <errno.h>

mprof_status reader_fail_parser(mprof_reader *reader, mprof_status status)
{
	reader->error = *parser_last_error(reader->parser);
	if (status == MPROF_ERR_TRUNCATED && reader->is_damaged)
		reader->error.what = "the compressed data is damaged from here, inside a block";
	if (status == MPROF_ERR_MEMORY)
		reader->memory_error = reader->error;
	return status;
}

mprof_status reader_fail_memory(mprof_reader *reader, const char *what)
{
	error_set(&reader->error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, what);
	if (reader->parser != NULL) {
		reader->error.block_code = parser_block(reader->parser)->code;
		reader->error.block_offset = parser_block(reader->parser)->offset;
		reader->error.offset = reader->error.block_offset;
	}
	reader->memory_error = reader->error;
	return MPROF_ERR_MEMORY;
}

mprof_status reader_check_pointer(mprof_reader *reader, const void *needed)
{
	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (needed == NULL)
		return error_set(&reader->error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_NONE,
				 "a required pointer argument is NULL");
	return MPROF_OK;
}

mprof_status reader_check(mprof_reader *reader)
{
	if (reader->memory_error.status != MPROF_OK)
		reader->error = reader->memory_error;
	else if (reader->parser != NULL)
		return MPROF_OK;
	return (mprof_status)reader->error.status;
}

mprof_status reader_end_fetch(mprof_reader *reader, mprof_status status, size_t *count)
{
	if (reader->memory_error.status == MPROF_OK)
		return status;
	*count = 0;
	return reader_check(reader);
}

mprof_status reader_fail_system(mprof_reader *reader, int system_error, const char *what)
{
	if (system_error == ENOMEM)
		return reader_fail_memory(reader, "out of memory in the source");
	return error_set_system(&reader->error, system_error, what);
}

mprof_status reader_fail_names(mprof_reader *reader, mprof_status status, const mprof_block *block)
{
	const char *what = "some definitions of the block cannot be stored";

	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for names");
	if (status == MPROF_ERR_REDEFINED_ID)
		what = "the block defines an ID that was defined before: the first definition is kept";
	else if (status == MPROF_ERR_LIMIT)
		what = "the names of the log exceed the memory limit: raise max_names_memory";
	else if (status == MPROF_ERR_MALFORMED)
		what = "a definition is missing before the block: its IDs leave a gap";
	error_set(&reader->error, status, MPROF_SEVERITY_BLOCK, what);
	reader->error.block_code = block->code;
	reader->error.block_offset = block->offset;
	reader->error.offset = block->offset;
	/* Exceeding a limit of the caller is not damage. */
	if (status != MPROF_ERR_LIMIT && block->offset < reader->fault_offset)
		reader->fault_offset = block->offset;
	return status;
}

void reader_note_fault(mprof_reader *reader, mprof_status status)
{
	if (status == MPROF_ERR_MEMORY)
		(void)reader_fail_memory(reader, "out of memory for call stacks");
	else if (reader->fetch_fault == MPROF_OK)
		reader->fetch_fault = status;
}

mprof_status reader_end_parsed(mprof_reader *reader, mprof_status status)
{
	if (status <= MPROF_END)
		return status;
	/* The events after the damage are missing. */
	reader->frames.has_gap = 1;
	return reader_fail_parser(reader, status);
}
