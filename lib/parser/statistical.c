/* SPDX-License-Identifier: MIT */
/* Fetches the frames and the definitions of STATISTICAL blocks. */
#include "parser/statistical.h"

#include "parser/lists.h"
#include "parser/parser_internal.h"

#include <string.h>

/*
 * Whether the block consists of tokens, as in drop, mono and unity. In mail and mprof2 it has two lists of IDs instead.
 */
static int has_tokens(const mprof_parser *parser)
{
	return parser->body.statistical.layout != STATISTICAL_LAYOUT_NONE;
}

int parser_statistical_reserve(mprof_parser *parser)
{
	return !parser->decoding.rules->has_sample_tokens || parser_details_reserve(parser);
}

void parser_statistical_rewind(mprof_parser *parser)
{
	const uint8_t *content = parser_content(parser);
	size_t length = parser->state == PARSER_TRUNCATED ? parser->body.list_end : parser_content_length(parser);

	if (!has_tokens(parser)) {
		sample_cursor_init(&parser->samples, content, length, &parser->body);
		return;
	}
	block_statistical_begin(&parser->statistical, &parser->decoding, content, length, &parser->body);
	parser->statistical_records = parser->statistical;
}

/*
 * Returns the status if there are no more frames. Only a truncated block can have an error here: others were checked
 * when they were loaded.
 */
static mprof_status end_frames(mprof_parser *parser, const content_cursor *content)
{
	list_stop stop = LIST_STOP_END;

	if (content->status != MPROF_OK)
		stop = content->ran_out ? LIST_STOP_TRUNCATED : LIST_STOP_MALFORMED;
	return parser_list_end(parser, stop, content->position - parser->body.list_start, content->what);
}

static mprof_status next_of_lists(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	sample_cursor *samples = &parser->samples;
	uint32_t id;

	samples->content.bytes = parser_content(parser);
	while (*count < capacity && sample_cursor_next(samples, &id)) {
		mprof_event *event = &events[(*count)++];

		memset(event, 0, sizeof(*event));
		event->kind = MPROF_EVENT_SAMPLE;
		event->flags = samples->in_functions ? MPROF_EVENT_FLAG_NATIVE : 0;
		event->id = id;
		event->counter = parser->block.as.statistical.start_counter;
	}
	return *count > 0 ? MPROF_OK : end_frames(parser, &samples->content);
}

static void store_frame_event(const mprof_parser *parser, mprof_event *event, const statistical_item *item,
			      mprof_event_detail *detail)
{
	*event = item->event;
	event->counter = parser->block.as.statistical.start_counter;
	if (item->samples == 0)
		return;
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->samples = item->samples;
	event->more.detail = detail;
}

mprof_status parser_statistical_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	statistical_item item;

	if (!has_tokens(parser))
		return next_of_lists(parser, events, capacity, count);
	if (capacity > PARSER_DETAIL_CAPACITY)
		capacity = PARSER_DETAIL_CAPACITY;
	parser->statistical.content.bytes = parser_content(parser);
	while (*count < capacity && statistical_cursor_next(&parser->statistical, &item)) {
		if (item.is_record)
			continue;
		store_frame_event(parser, &events[*count], &item, &parser->batch.details[*count]);
		++*count;
	}
	return *count > 0 ? MPROF_OK : end_frames(parser, &parser->statistical.content);
}

int parser_statistical_next_record(mprof_parser *parser, mprof_record *record)
{
	statistical_item item;

	if (!has_tokens(parser))
		return 0;
	parser->statistical_records.content.bytes = parser_content(parser);
	while (statistical_cursor_next(&parser->statistical_records, &item)) {
		if (item.is_record) {
			*record = item.record;
			return 1;
		}
	}
	return 0;
}
