/* SPDX-License-Identifier: MIT */
/* Fetches the events of EVENTS blocks in batches. */
#include "parser/events.h"

#include "base/array.h"
#include "format/event_columns_decode.h"
#include "parser/errors.h"
#include "parser/lists.h"
#include "parser/parser_internal.h"

#include <string.h>

/* Number of frames that a batch can hold. The array grows if one stack section has more. */
#define FRAME_CAPACITY 8192

/* Batch size for events that the caller did not fetch, which are decoded only for their counters. */
#define UNFETCHED_BATCH_LENGTH 64

static const char no_memory_for_frames[] = "out of memory for the frames of a stack section";

/* Whether events may have optional fields or frames. */
static int has_details(const mprof_parser *parser)
{
	const uint64_t optional_fields = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE) |
					 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS);

	return parser->decoding.rules->has_details || (parser->decoding.directives & optional_fields) != 0;
}

/* A batch has at most as many stack sections as details. */
static int sections_reserve(mprof_parser *parser)
{
	if (parser->batch.sections == NULL && parser->decoding.rules->has_stack_sections)
		parser->batch.sections = allocator_allocate(&parser->allocator,
							    PARSER_DETAIL_CAPACITY * sizeof(*parser->batch.sections));
	return parser->batch.sections != NULL || !parser->decoding.rules->has_stack_sections;
}

int parser_events_reserve(mprof_parser *parser)
{
	return !has_details(parser) || (parser_details_reserve(parser) && sections_reserve(parser));
}

void parser_events_init(mprof_parser *parser, size_t length)
{
	const block_decoding *decoding = &parser->decoding;

	parser->events.state.length = length;
	parser->events.state.earliest = parser->block.as.events.base_counter;
	parser->events.state.latest = parser->block.end.counter;
	parser->events.state.has_latest = parser->block.has_clocks != 0;
	parser->events.start_counter = parser->block.as.events.base_counter;
	if (parser->events.table_rules != decoding->rules || parser->events.table_directives != decoding->directives) {
		event_decode_table_build(&parser->events.table, decoding->rules, decoding->directives,
					 &parser->object_sizes);
		parser->events.table_rules = decoding->rules;
		parser->events.table_directives = decoding->directives;
	}
}

int parser_events_start(mprof_parser *parser)
{
	const mprof_block *block = &parser->block;

	return !parser->decoding.rules->repeats_base_counter ||
	       thread_counters_begin(&parser->counters, block->offset, block->thread, block->as.events.base_counter,
				     &parser->events.start_counter);
}

/* Whether some of the prepared events are fetched, so that the state of the decoder is not that of the last event. */
static int is_partly_taken(const prepared_block *prepared)
{
	return prepared != NULL && prepared->is_begun;
}

void parser_events_rewind(mprof_parser *parser)
{
	/* Events that were lent may have been changed. */
	if (is_partly_taken(parser->prepared))
		parser->prepared = NULL;
	parser->events.state.position = 0;
	parser->events.state.counter = parser->events.start_counter;
	parser->events.state.address = 0;
	if (parser->body.has_columns)
		parser->events.columns = parser->body.columns;
}

static const char *events_fault_text(events_decode_result result)
{
	switch (result) {
	case EVENTS_DECODE_TRUNCATED:
		return "the events end inside an event";
	case EVENTS_DECODE_LIST_END:
		return "the list of events ends before the CLOCK at the end of the block";
	case EVENTS_DECODE_BAD_CODE:
		return "invalid event code";
	case EVENTS_DECODE_BAD_VARINT:
		return "a varint of the event exceeds 64 bits";
	case EVENTS_DECODE_NO_SIZE:
		return "the event omits the object size, and its class does not define one";
	case EVENTS_DECODE_ROWS_LEFT:
		return "the rows contain more events than the block";
	case EVENTS_DECODE_TOO_DEEP:
		return "the stack section has more frames than a call stack can have";
	default:
		return "an ID of the event exceeds 32 bits";
	}
}

static int frames_reserve(mprof_parser *parser, size_t needed)
{
	void *frames = parser->batch.frames;
	int reserved = array_reserve(&parser->allocator, &frames, &parser->batch.frame_capacity,
				     needed < FRAME_CAPACITY ? FRAME_CAPACITY : needed, sizeof(*parser->batch.frames));

	parser->batch.frames = frames;
	return reserved;
}

/* Decodes the events of a block of columns. The result has positions in the list, like that of rows. */
static events_decode_result decode_columns(mprof_parser *parser, events_decode_batch *batch)
{
	events_decode_result result = event_columns_decode(&parser->events.table, &parser->events.columns,
							   parser_content(parser), &parser->events.state, batch);

	if (result != EVENTS_DECODE_DONE && result != EVENTS_DECODE_FULL)
		parser->events.state.position -= parser->body.list_start;
	return result;
}

/* Connects the batch with the memory for details, and the decoder with the bytes. */
static void prepare_batch(mprof_parser *parser, events_decode_batch *batch)
{
	parser->events.state.bytes = parser_list_bytes(parser);
	parser->events.state.readable = parser_content_readable(parser) - parser->body.list_start;
	parser->events.state.numbers = parser->events.numbers;
	batch->details = parser->batch.details;
	batch->detail_capacity = parser->batch.details != NULL ? PARSER_DETAIL_CAPACITY : 0;
	batch->sections = parser->batch.sections;
	batch->frames = parser->batch.frames;
	batch->frame_capacity = parser->batch.frame_capacity;
}

/* Decodes events into the batch. The caller has set the event array and its capacity. */
static events_decode_result decode_batch(mprof_parser *parser, events_decode_batch *batch)
{
	events_decode_result result;

	prepare_batch(parser, batch);
	result = parser->body.has_columns ? decode_columns(parser, batch)
					  : events_decode(&parser->events.table, &parser->events.state, batch);
	if (result == EVENTS_DECODE_NO_ROOM && frames_reserve(parser, batch->frames_needed)) {
		batch->frames = parser->batch.frames;
		batch->frame_capacity = parser->batch.frame_capacity;
		result = events_decode(&parser->events.table, &parser->events.state, batch);
	}
	parser->events.numbers = parser->events.state.numbers;
	return result;
}

int parser_events_context(const mprof_parser *parser, prepared_context *context)
{
	const dialect_rules *rules = parser->decoding.rules;

	if (rules->checksum_length == 0 || rules->repeats_base_counter || rules->has_stack_sections ||
	    rules->has_guessed_layouts)
		return 0;
	event_decode_table_build(&context->table, rules, parser->decoding.directives, &parser->object_sizes);
	context->decoding = parser->decoding;
	context->ignore_checksums = parser->ignore_checksums;
	context->has_details = has_details(parser);
	context->may_unpack = parser->unpacker.codecs.added_count == 0;
	context->numbers = parser->events.numbers;
	return 1;
}

int parser_events_context_is_current(const mprof_parser *parser, const prepared_context *context)
{
	return context->decoding.rules == parser->decoding.rules &&
	       context->decoding.directives == parser->decoding.directives &&
	       context->numbers == parser->events.numbers;
}

/* Goes on to decode in the parser, after the events that were prepared. */
static void leave_prepared(mprof_parser *parser)
{
	const prepared_block *prepared = parser->prepared;

	parser->prepared = NULL;
	if (!prepared->is_begun)
		return;
	parser->events.state = prepared->state;
	parser->events.numbers = prepared->state.numbers;
	parser->events.columns = prepared->columns;
}

void parser_events_pass(mprof_parser *parser)
{
	parser->prepared->is_begun = 1;
	leave_prepared(parser);
	parser->batch.detail_count = 0;
	parser->batch.section_count = 0;
}

mprof_event *parser_events_lend(mprof_parser *parser, size_t capacity, size_t *count)
{
	const prepared_source *source = &parser->prepared_source;
	prepared_block *prepared = parser->prepared;
	mprof_event *events;
	size_t index;

	*count = 0;
	if (prepared == NULL)
		return NULL;
	if (prepared_block_left(prepared) == 0 && !source->next_part(source->user, prepared)) {
		leave_prepared(parser);
		return NULL;
	}
	index = (size_t)(prepared->current % PREPARED_PARTS);
	events = prepared->events + index * PREPARED_PART_EVENTS + prepared->taken;
	*count = prepared_block_left(prepared) < capacity ? prepared_block_left(prepared) : capacity;
	prepared->taken += *count;
	prepared->is_begun = 1;
	prepared->last_counter = events[*count - 1].counter;
	/* The details are not those of the parser's own batch. */
	parser->batch.detail_count = 0;
	parser->batch.section_count = 0;
	if (prepared_block_left(prepared) == 0)
		parser->events.numbers = prepared->parts[index].numbers;
	return events;
}

mprof_status parser_events_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	events_decode_batch batch = {.events = events, .capacity = capacity};
	const mprof_event *lent = parser_events_lend(parser, capacity, count);
	list_stop stop = LIST_STOP_MALFORMED;
	events_decode_result result;

	if (lent != NULL) {
		memcpy(events, lent, *count * sizeof(*events));
		return MPROF_OK;
	}
	result = decode_batch(parser, &batch);
	*count = batch.count;
	parser->batch.detail_count = batch.detail_count;
	parser->batch.section_count = batch.section_count;
	if (batch.count > 0)
		return MPROF_OK;
	if (result == EVENTS_DECODE_NO_ROOM)
		return parser_fail_memory(parser, no_memory_for_frames);
	if (result == EVENTS_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == EVENTS_DECODE_TRUNCATED || result == EVENTS_DECODE_LIST_END)
		stop = LIST_STOP_TRUNCATED;
	return parser_list_end(parser, stop, parser->events.state.position, events_fault_text(result));
}

int parser_events_next_columns(mprof_parser *parser, uint32_t wanted, mprof_columns *columns)
{
	parser_events *events = &parser->events;
	events_decode_batch batch = {.events = parser->arrays->rows, .capacity = EVENT_ARRAYS_ROWS};

	/* Structs that were prepared but not fetched are of no use. If some were fetched, the others follow. */
	if (is_partly_taken(parser->prepared))
		return 0;
	parser->prepared = NULL;
	prepare_batch(parser, &batch);
	if (!event_columns_read(&events->table, &events->columns, parser_content(parser), &events->state, wanted,
				parser->arrays, &batch, columns))
		return 0;
	events->numbers = events->state.numbers;
	parser->batch.detail_count = batch.detail_count;
	parser->batch.section_count = batch.section_count;
	return 1;
}

uint64_t parser_events_counter(mprof_parser *parser)
{
	if (is_partly_taken(parser->prepared))
		return parser->prepared->last_counter;
	if (parser->body.has_columns)
		event_columns_settle(&parser->events.columns, parser_content(parser), EVENT_COLUMN_TIMES,
				     &parser->events.state.counter);
	return parser->events.state.counter;
}

mprof_status parser_events_finish(mprof_parser *parser)
{
	mprof_event events[UNFETCHED_BATCH_LENGTH];
	events_decode_batch batch;
	events_decode_result result;

	if (!parser->decoding.rules->repeats_base_counter)
		return MPROF_OK;
	if (!parser->block.loaded) {
		thread_counters_miss(&parser->counters, parser->block.offset);
		return MPROF_OK;
	}
	/*
	 * The next block of the thread may continue from the last event of this one, so the events that were not
	 * fetched are decoded, too.
	 */
	do {
		batch = (events_decode_batch){.events = events, .capacity = UNFETCHED_BATCH_LENGTH};
		result = decode_batch(parser, &batch);
	} while (batch.count > 0);
	if (result == EVENTS_DECODE_NO_ROOM)
		return parser_fail_memory(parser, no_memory_for_frames);
	thread_counters_end(&parser->counters, parser->events.state.counter);
	return MPROF_OK;
}
