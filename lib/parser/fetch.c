/* SPDX-License-Identifier: MIT */
#include "base/elements.h"
#include "parser/events.h"
#include "parser/hits.h"
#include "parser/parser_internal.h"

#include <string.h>

static int is_loaded(const mprof_parser *parser, mprof_block_kind kind)
{
	return parser_has_content(parser) && parser->block.kind == kind;
}

mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what)
{
	int is_cut = parser->state == PARSER_CUT;

	if (is_cut && stop != LIST_STOP_MALFORMED)
		return parser_fail(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL,
				   parser_buffer_length(&parser->buffer), "the log ends inside a block");
	if (parser->state == PARSER_BROKEN && stop != LIST_STOP_MALFORMED)
		return parser_fail(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK,
				   parser->span - parser->decoding.rules->checksum_length, block_without_list_end);
	if (stop == LIST_STOP_END)
		return MPROF_END;
	return parser_fail(parser, MPROF_ERR_MALFORMED, is_cut ? MPROF_SEVERITY_FATAL : MPROF_SEVERITY_BLOCK,
			   parser->decoding.rules->header_length + parser->body.list_start + position, what);
}

static const uint8_t *list_bytes(const mprof_parser *parser)
{
	return parser_content(parser) + parser->body.list_start;
}

static const char *samples_fault(samples_decode_result result)
{
	switch (result) {
	case SAMPLES_DECODE_CUT:
		return "the last sample runs into the end of the list";
	case SAMPLES_DECODE_LIST_END:
		return "the list of samples ends in front of the CLOCK at the end of the block";
	case SAMPLES_DECODE_BAD_INT:
		return "an INT of the sample does not fit 64 bits";
	default:
		return "the stack of the sample does not fit 32 bits";
	}
}

static mprof_status next_stack_samples(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	samples_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	parser->stack_samples.bytes = list_bytes(parser);
	result = samples_decode(&parser->stack_samples, events, capacity, count);
	if (*count > 0)
		return MPROF_OK;
	if (result == SAMPLES_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == SAMPLES_DECODE_CUT || result == SAMPLES_DECODE_LIST_END)
		stop = LIST_STOP_CUT;
	return parser_list_end(parser, stop, parser->stack_samples.fault, samples_fault(result));
}

static mprof_status next_heap(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	heap_decode_batch batch = {events, parser->details, capacity, 0, parser->references, PARSER_REFERENCE_CAPACITY,
				   0};
	heap_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	if (capacity > PARSER_DETAIL_CAPACITY)
		batch.capacity = PARSER_DETAIL_CAPACITY;
	parser->heap.bytes = list_bytes(parser);
	result = heap_decode(&parser->heap, &parser->object_sizes, &batch);
	*count = batch.count;
	if (batch.count > 0)
		return MPROF_OK;
	if (result == HEAP_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == HEAP_DECODE_CUT || result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_COUNT)
		stop = LIST_STOP_CUT;
	return parser_list_end(parser, stop, parser->heap.fault, heap_decode_fault(result));
}

mprof_status mprof_parser_next_events(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	if (parser_check(parser, events) != MPROF_OK || parser_check(parser, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "there is no room for events");
	if (is_loaded(parser, MPROF_BLOCK_EVENTS))
		return parser_events_next(parser, events, capacity, count);
	if (is_loaded(parser, MPROF_BLOCK_SAMPLES))
		return next_stack_samples(parser, events, capacity, count);
	if (is_loaded(parser, MPROF_BLOCK_HEAP_DATA))
		return next_heap(parser, events, capacity, count);
	if (is_loaded(parser, MPROF_BLOCK_STATISTICAL))
		return parser_hits_next(parser, events, capacity, count);
	return parser_refuse(parser, MPROF_ERR_STATE, "no block that holds events is loaded");
}

static const char wrong_size[] = "the size of an element is wrong";

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
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "there is no room for definitions");
	if (mapping_size < SIZE_UP_TO(mprof_mapping, source_line))
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, wrong_size);
	if (!is_loaded(parser, MPROF_BLOCK_MAPPING))
		return parser_refuse(parser, MPROF_ERR_STATE, "no block that holds definitions is loaded");
	parser->mappings.content.bytes = parser_content(parser);
	while (*count < capacity && mapping_cursor_next(&parser->mappings, &mapping))
		element_put(mappings, mapping_size, (*count)++, &mapping, sizeof(mapping));
	return *count > 0 ? MPROF_OK : MPROF_END;
}

mprof_status mprof_parser_next_records(mprof_parser *parser, mprof_record *records, size_t record_size, size_t capacity,
				       size_t *count)
{
	mprof_record record;

	if (parser_check(parser, records) != MPROF_OK || parser_check(parser, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "there is no room for records");
	if (record_size < SIZE_UP_TO(mprof_record, as))
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, wrong_size);
	if (is_loaded(parser, MPROF_BLOCK_STATISTICAL)) {
		while (*count < capacity && parser_hits_next_record(parser, &record))
			element_put(records, record_size, (*count)++, &record, sizeof(record));
		return *count > 0 ? MPROF_OK : MPROF_END;
	}
	if (parser->state != PARSER_LOADED || !block_has_records(parser->block.kind))
		return parser_refuse(parser, MPROF_ERR_STATE, "no block that holds records is loaded");
	parser->records.content.bytes = parser_content(parser);
	while (*count < capacity && record_cursor_next(&parser->records, &record))
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
		return parser_refuse(parser, MPROF_ERR_STATE, "no block that holds facts is loaded");
	cursor->bytes = parser_content(parser);
	if (property_take(cursor, key, value))
		return MPROF_OK;
	/* At the end of the list, not behind it: the next call finds it again. */
	cursor->position = start;
	*key = NULL;
	return MPROF_END;
}
