/* SPDX-License-Identifier: MIT */
#include "stream/parser_internal.h"

#include <string.h>

static int is_loaded(const mprof_parser *parser, mprof_block_kind kind)
{
	return (parser->state == PARSER_LOADED || parser->state == PARSER_CUT) && parser->block.kind == kind;
}

static const char *events_fault(events_decode_result result)
{
	switch (result) {
	case EVENTS_DECODE_CUT:
		return "the last event runs into the CLOCK at the end of the block";
	case EVENTS_DECODE_LIST_END:
		return "the list of events ends in front of the CLOCK at the end of the block";
	case EVENTS_DECODE_BAD_CODE:
		return "this byte is no event";
	case EVENTS_DECODE_BAD_INT:
		return "an INT of the event does not fit 64 bits";
	default:
		return "an id of the event does not fit 32 bits";
	}
}

static mprof_status next_events(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	events_decode_batch batch = {events, capacity, 0, parser->details, PARSER_DETAIL_CAPACITY, 0};
	events_decode_result result;
	uint64_t offset_in_block;

	parser->events.bytes = parser_content(parser) + parser->body.list_start;
	parser->events.readable =
		parser_buffer_length(&parser->buffer) - parser->decoding.rules->header_length - parser->body.list_start;
	result = events_decode(&parser->events_table, &parser->events, &batch);
	*count = batch.count;
	if (batch.count > 0)
		return MPROF_OK;
	offset_in_block = parser->decoding.rules->header_length + parser->body.list_start + parser->events.position;
	if (parser->state == PARSER_CUT && result <= EVENTS_DECODE_LIST_END)
		return parser_fail(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL,
				   parser_buffer_length(&parser->buffer), "the log ends inside a block");
	if (result == EVENTS_DECODE_DONE)
		return MPROF_END;
	return parser_fail(parser, MPROF_ERR_MALFORMED,
			   parser->state == PARSER_CUT ? MPROF_SEVERITY_FATAL : MPROF_SEVERITY_BLOCK, offset_in_block,
			   events_fault(result));
}

static mprof_status next_samples(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	sample_cursor *samples = &parser->samples;
	uint32_t id;

	samples->content.bytes = parser_content(parser);
	while (*count < capacity && sample_cursor_next(samples, &id)) {
		mprof_event *event = &events[(*count)++];

		memset(event, 0, sizeof(*event));
		event->kind = MPROF_EVENT_SAMPLE;
		event->flags = samples->in_functions ? MPROF_EVENT_NATIVE : 0;
		event->id = id;
		event->counter = parser->block.base_counter;
	}
	return *count > 0 ? MPROF_OK : MPROF_END;
}

mprof_status mprof_parser_next_events(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	*count = 0;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "there is no room for events");
	if (is_loaded(parser, MPROF_BLOCK_EVENTS))
		return next_events(parser, events, capacity, count);
	if (is_loaded(parser, MPROF_BLOCK_STATISTICAL))
		return next_samples(parser, events, capacity, count);
	return parser_refuse(parser, MPROF_ERR_STATE, "no block that holds events is loaded");
}

mprof_status mprof_parser_next_mappings(mprof_parser *parser, mprof_mapping *mappings, size_t capacity, size_t *count)
{
	*count = 0;
	if (capacity == 0)
		return parser_refuse(parser, MPROF_ERR_ARGUMENT, "there is no room for definitions");
	if (!is_loaded(parser, MPROF_BLOCK_MAPPING))
		return parser_refuse(parser, MPROF_ERR_STATE, "no block that holds definitions is loaded");
	parser->mappings.content.bytes = parser_content(parser);
	while (*count < capacity && mapping_cursor_next(&parser->mappings, &mappings[*count]))
		++*count;
	return *count > 0 ? MPROF_OK : MPROF_END;
}

mprof_status mprof_parser_next_property(mprof_parser *parser, const char **key, const char **value)
{
	content_cursor *cursor = &parser->properties;
	size_t start = cursor->position;

	*key = NULL;
	*value = NULL;
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
