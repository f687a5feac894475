/* SPDX-License-Identifier: MIT */
/* Determines the status with which fetching from a list ends, also in truncated and broken blocks. */
#include "parser/lists.h"

#include "parser/errors.h"
#include "parser/parser_internal.h"

mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what)
{
	int is_truncated = parser->state == PARSER_TRUNCATED;

	if (is_truncated && stop != LIST_STOP_MALFORMED)
		return parser_fail(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL,
				   parser_buffer_length(&parser->buffer), "the log ends inside a block");
	if (parser->state == PARSER_BROKEN && stop != LIST_STOP_MALFORMED)
		return parser_fail_content(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK,
					   parser_content_length(parser), block_without_list_end);
	if (stop == LIST_STOP_END)
		return MPROF_END;
	return parser_fail_content(parser, MPROF_ERR_MALFORMED,
				   is_truncated ? MPROF_SEVERITY_FATAL : MPROF_SEVERITY_BLOCK,
				   parser->body.list_start + position, what);
}

const uint8_t *parser_list_bytes(const mprof_parser *parser)
{
	return parser_content(parser) + parser->body.list_start;
}

int parser_details_reserve(mprof_parser *parser)
{
	if (parser->batch.details == NULL)
		parser->batch.details =
			allocator_allocate(&parser->allocator, PARSER_DETAIL_CAPACITY * sizeof(*parser->batch.details));
	return parser->batch.details != NULL;
}
