/* SPDX-License-Identifier: MIT */
/* Delivers the items of the loaded block: events, definitions, records and properties. */
#include "base/elements.h"
#include "parser/content.h"
#include "parser/errors.h"
#include "parser/parser_internal.h"

#include <string.h>

static int is_loaded(const mprof_parser *parser, mprof_block_kind kind)
{
	return parser_is_loaded(parser) && parser->block.kind == kind;
}

mprof_status mprof_parser_next_events(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	const block_content *content;

	if (parser_check(parser, events) != MPROF_OK || parser_check(parser, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "the capacity for events is 0");
	content = block_content_get(parser->block.kind);
	if (parser_is_loaded(parser) && content->next_events != NULL)
		return content->next_events(parser, events, capacity, count);
	return parser_refuse(parser, MPROF_ERR_STATE, "no block with events is loaded");
}

static const char element_too_small[] = "the element size is smaller than the first version of the struct";

mprof_status mprof_parser_next_mappings(mprof_parser *parser, mprof_mapping *mappings, size_t mapping_size,
					size_t capacity, size_t *count)
{
	mprof_mapping mapping;

	if (parser_check(parser, mappings) != MPROF_OK || parser_check(parser, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "the capacity for definitions is 0");
	if (mapping_size < SIZE_UP_TO(mprof_mapping, source_line))
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, element_too_small);
	if (!is_loaded(parser, MPROF_BLOCK_MAPPING))
		return parser_refuse(parser, MPROF_ERR_STATE, "no MAPPING block is loaded");
	parser->mappings.content.bytes = parser_content(parser);
	while (*count < capacity && mapping_cursor_next(&parser->mappings, &mapping))
		element_put(mappings, mapping_size, (*count)++, &mapping, sizeof(mapping));
	return *count > 0 ? MPROF_OK : MPROF_END;
}

mprof_status mprof_parser_next_records(mprof_parser *parser, mprof_record *records, size_t record_size, size_t capacity,
				       size_t *count)
{
	const block_content *content;
	mprof_record record;

	if (parser_check(parser, records) != MPROF_OK || parser_check(parser, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "the capacity for records is 0");
	if (record_size < SIZE_UP_TO(mprof_record, as))
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, element_too_small);
	content = block_content_get(parser->block.kind);
	if (!parser_is_loaded(parser) || content->next_record == NULL)
		return parser_refuse(parser, MPROF_ERR_STATE, "no block with records is loaded");
	while (*count < capacity && content->next_record(parser, &record))
		element_put(records, record_size, (*count)++, &record, sizeof(record));
	return *count > 0 ? MPROF_OK : MPROF_END;
}

mprof_status mprof_parser_next_property(mprof_parser *parser, const char **key, const char **value)
{
	content_cursor *cursor;
	size_t start;

	if (parser_check(parser, key) != MPROF_OK || parser_check(parser, value) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	cursor = &parser->properties;
	start = cursor->position;
	*key = NULL;
	*value = NULL;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (!is_loaded(parser, MPROF_BLOCK_SESSION))
		return parser_refuse(parser, MPROF_ERR_STATE, "no SESSION block is loaded");
	cursor->bytes = parser_content(parser);
	if (block_property_decode(cursor, key, value))
		return MPROF_OK;
	/* The cursor stays before the end of the list, so that the next call returns MPROF_END again. */
	cursor->position = start;
	*key = NULL;
	return MPROF_END;
}
