/* SPDX-License-Identifier: MIT */
/* Records errors of the parser, and how far the log is valid. */
#include "parser/errors.h"

#include "base/error.h"
#include "parser/parser_internal.h"

mprof_status parser_fail(mprof_parser *parser, mprof_status status, mprof_severity severity, uint64_t offset_in_block,
			 const char *what)
{
	error_set(&parser->error, status, severity, what);
	parser->error.block_code = parser->block.code;
	parser->error.block_offset = parser->block.offset;
	parser->error.offset_in_block = offset_in_block;
	parser->error.offset = parser->block.offset + offset_in_block;
	if (severity == MPROF_SEVERITY_FATAL)
		parser->fatal_error = parser->error;
	/*
	 * A block that exceeds a limit of the caller is not damaged. A block that cannot be decoded for another reason,
	 * memory apart, is not counted as valid.
	 */
	if (status != MPROF_ERR_LIMIT && status != MPROF_ERR_MEMORY) {
		parser->is_damaged = 1;
		if (parser->valid_bytes > parser->block.offset)
			parser->valid_bytes = parser->block.offset;
	}
	return status;
}

mprof_status parser_fail_content(mprof_parser *parser, mprof_status status, mprof_severity severity, uint64_t position,
				 const char *what)
{
	uint64_t offset_in_block = parser->decoding.rules->header_length + position;

	if (parser->unpacked.bytes == NULL)
		return parser_fail(parser, status, severity, offset_in_block, what);
	(void)parser_fail(parser, status, severity, 0, what);
	parser->error.offset_in_block = offset_in_block;
	if (severity == MPROF_SEVERITY_FATAL)
		parser->fatal_error = parser->error;
	return status;
}

mprof_status parser_fail_memory(mprof_parser *parser, const char *what)
{
	return parser_fail(parser, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, 0, what);
}

int parser_is_out_of_memory(mprof_parser *parser)
{
	if (parser->fatal_error.status != MPROF_ERR_MEMORY)
		return 0;
	parser->error = parser->fatal_error;
	return 1;
}

mprof_status parser_refuse(mprof_parser *parser, mprof_status status, const char *what)
{
	return error_set(&parser->error, status, MPROF_SEVERITY_NONE, what);
}

mprof_status parser_check(mprof_parser *parser, const void *needed)
{
	if (parser == NULL)
		return MPROF_ERR_ARGUMENT;
	if (needed == NULL)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "a required pointer argument is NULL");
	return MPROF_OK;
}

mprof_status parser_wait(mprof_parser *parser, uint64_t length)
{
	parser->wait_until = parser->buffer.offset + length;
	return MPROF_AGAIN;
}

void parser_block_is_valid(mprof_parser *parser)
{
	uint64_t end = parser->block.offset + parser->span;

	/* After a restart further ahead, the blocks skipped were not checked. */
	if (!parser->is_damaged && parser->block.offset <= parser->valid_bytes && end > parser->valid_bytes)
		parser->valid_bytes = end;
}
