/* SPDX-License-Identifier: MIT */
/* Fetches the events of EVENTS blocks as arrays by field. */
#include "parser/columns.h"

#include "base/elements.h"
#include "base/options.h"
#include "format/event_columns_decode.h"
#include "parser/errors.h"
#include "parser/events.h"
#include "parser/parser_internal.h"

mprof_status parser_columns_check(mprof_parser *parser, uint32_t wanted, const mprof_columns *columns)
{
	if (parser_check(parser, columns) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (columns->struct_size < SIZE_UP_TO(mprof_columns, rows))
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "struct_size of the columns is not set");
	if ((wanted & ~(uint32_t)EVENT_ARRAYS_ALL) != 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "unknown columns are wanted");
	return MPROF_OK;
}

/* Fetches events as structs, and converts them. */
static mprof_status next_converted(mprof_parser *parser, uint32_t wanted, mprof_columns *columns)
{
	event_arrays *arrays = parser->arrays;
	size_t count = 0;
	mprof_status status;

	columns->start_counter = (wanted & MPROF_COLUMN_TIMES) != 0 ? parser_events_counter(parser) : 0;
	status = parser_events_next(parser, arrays->rows, EVENT_ARRAYS_ROWS, &count);
	event_arrays_convert(arrays, count, columns);
	return status;
}

event_arrays *parser_columns_reserve(mprof_parser *parser)
{
	if (parser->arrays == NULL)
		parser->arrays = allocator_allocate(&parser->allocator, sizeof(*parser->arrays));
	if (parser->arrays == NULL)
		(void)parser_fail_memory(parser, "out of memory for the columns of events");
	return parser->arrays;
}

/* As mprof_parser_next_columns(), with an EVENTS block loaded. */
static mprof_status next_columns(mprof_parser *parser, uint32_t wanted, mprof_columns *columns)
{
	if (parser_columns_reserve(parser) == NULL)
		return MPROF_ERR_MEMORY;
	event_arrays_point(parser->arrays, wanted, columns);
	/* The columns of a block that is loaded as a whole have all values. */
	if (parser->body.has_columns && parser->state == PARSER_LOADED &&
	    parser_events_next_columns(parser, wanted, columns))
		return MPROF_OK;
	return next_converted(parser, wanted, columns);
}

mprof_status mprof_parser_next_columns(mprof_parser *parser, uint32_t wanted, mprof_columns *columns)
{
	mprof_columns found = {.struct_size = sizeof(found)};
	mprof_status status = parser_columns_check(parser, wanted, columns);

	if (status != MPROF_OK)
		return status;
	if (parser_is_out_of_memory(parser))
		status = MPROF_ERR_MEMORY;
	else if (!parser_is_loaded(parser) || parser->block.kind != MPROF_BLOCK_EVENTS)
		status = parser_refuse(parser, MPROF_ERR_STATE, "no block with events is loaded");
	else
		status = next_columns(parser, wanted, &found);
	(void)struct_copy_out(columns, &found, sizeof(found));
	return status;
}
