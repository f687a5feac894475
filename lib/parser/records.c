/* SPDX-License-Identifier: MIT */
/* Fetches the records, definitions and properties of the loaded block. */
#include "parser/records.h"

#include "parser/parser.h"
#include "parser/parser_internal.h"

void parser_records_rewind(mprof_parser *parser)
{
	block_records_begin(&parser->records, &parser->decoding, parser_content(parser), parser_content_length(parser),
			    parser->block.kind, &parser->body);
}

int parser_records_next(mprof_parser *parser, mprof_record *record)
{
	parser->records.content.bytes = parser_content(parser);
	return record_cursor_next(&parser->records, record);
}

void parser_mappings_rewind(mprof_parser *parser)
{
	block_mappings_begin(&parser->mappings, &parser->decoding, parser_content(parser),
			     parser_content_length(parser), &parser->body);
}

void parser_properties_rewind(mprof_parser *parser)
{
	(void)parser_get_properties(parser, &parser->properties);
}

int parser_get_properties(mprof_parser *parser, content_cursor *cursor)
{
	if (!parser_is_loaded(parser) || parser->block.kind != MPROF_BLOCK_SESSION)
		return 0;
	content_cursor_init(cursor, parser_content(parser), parser_content_length(parser),
			    parser->decoding.max_name_length);
	cursor->position = parser->body.list_start;
	return 1;
}
