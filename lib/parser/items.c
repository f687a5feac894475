/* SPDX-License-Identifier: MIT */
/* Delivers the items of a block: events in columns, objects, records, samples. */
#include "parser/items.h"

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "format/events/event_columns_decode.h"
#include "parser/errors.h"
#include "parser/log_state.h"
#include "parser/parser.h"
#include "parser/parser_internal.h"

#include <string.h>

static void parser_records_rewind(mprof_parser *parser)
{
	block_records_begin(&parser->records, &parser->decoding, parser_content(parser), parser_content_length(parser),
			    parser->block.kind, &parser->body);
}

static int parser_records_next(mprof_parser *parser, mprof_record *record)
{
	parser->records.content.bytes = parser_content(parser);
	return record_cursor_next(&parser->records, record);
}

static void parser_mappings_rewind(mprof_parser *parser)
{
	block_mappings_begin(&parser->mappings, &parser->decoding, parser_content(parser),
			     parser_content_length(parser), &parser->body);
}

static void parser_properties_rewind(mprof_parser *parser)
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

/* Why fetching from a list stopped. */
typedef enum list_stop {
	LIST_STOP_END,       /* The end of the list was reached. */
	LIST_STOP_TRUNCATED, /* The list has no end: the block was truncated there, or is damaged. */
	LIST_STOP_MALFORMED
} list_stop;

/*
 * Returns the status for a list that has no more items to fetch, and records it if it is an error. position is where
 * fetching stopped, in bytes from the start of the list; what describes the error of a malformed list.
 */
static mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what)
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

/* Returns the first byte of the list of the loaded block. Valid until the buffer changes. */
static const uint8_t *parser_list_bytes(const mprof_parser *parser)
{
	return parser_content(parser) + parser->body.list_start;
}

/* Allocates the array of event details. Returns 0 if out of memory. */
static int parser_details_reserve(mprof_parser *parser)
{
	if (parser->batch.details == NULL)
		parser->batch.details =
			allocator_allocate(&parser->allocator, PARSER_DETAIL_CAPACITY * sizeof(*parser->batch.details));
	return parser->batch.details != NULL;
}

static int reserve_references(mprof_parser *parser)
{
	if (parser->batch.references == NULL)
		parser->batch.references = allocator_allocate(
			&parser->allocator, PARSER_REFERENCE_CAPACITY * sizeof(*parser->batch.references));
	return parser->batch.references != NULL;
}

static int has_offsets(const mprof_parser *parser)
{
	return (parser->decoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS)) != 0;
}

static int reserve_offsets(mprof_parser *parser)
{
	if (parser->batch.offsets == NULL && has_offsets(parser))
		parser->batch.offsets = allocator_allocate(&parser->allocator,
							   PARSER_REFERENCE_CAPACITY * sizeof(*parser->batch.offsets));
	return parser->batch.offsets != NULL || !has_offsets(parser);
}

static int parser_heap_reserve(mprof_parser *parser)
{
	return parser_details_reserve(parser) && reserve_references(parser) && reserve_offsets(parser);
}

static void parser_heap_init(mprof_parser *parser, size_t length)
{
	parser->heap.length = length;
}

static void parser_heap_rewind(mprof_parser *parser)
{
	heap_decode_state *heap = &parser->heap;

	heap->position = 0;
	heap->previous_address = 0;
	heap->references_left = 0;
	heap->run_left = 0;
	heap->next_offset = 0;
	heap->has_offsets = (uint8_t)has_offsets(parser);
	heap->has_runs = 0;
	heap->counter = parser->block.as.heap_data.counter;
	heap->shift = parser->body.shift;
	heap->layout = heap_item_layout_get(parser->body.heap.layout);
}

static mprof_status parser_heap_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	heap_decode_batch batch = {.events = events,
				   .details = parser->batch.details,
				   .capacity = capacity,
				   .references = parser->batch.references,
				   .reference_capacity = PARSER_REFERENCE_CAPACITY,
				   .offsets = parser->batch.offsets};
	heap_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	if (capacity > PARSER_DETAIL_CAPACITY)
		batch.capacity = PARSER_DETAIL_CAPACITY;
	parser->heap.bytes = parser_list_bytes(parser);
	result = heap_decode(&parser->heap, &parser->object_sizes, &batch);
	*count = batch.count;
	if (batch.count > 0)
		return MPROF_OK;
	if (result == HEAP_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == HEAP_DECODE_TRUNCATED || result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_COUNT)
		stop = LIST_STOP_TRUNCATED;
	return parser_list_end(parser, stop, parser->heap.fault, heap_decode_fault(result));
}

/*
 * Whether the block consists of tokens, as in drop, mono and unity. In mail and mprof2 it has two lists of IDs instead.
 */
static int has_tokens(const mprof_parser *parser)
{
	return parser->body.statistical.layout != STATISTICAL_LAYOUT_NONE;
}

/* Allocates the memory that fetching needs. Returns 0 if out of memory. */
static int parser_statistical_reserve(mprof_parser *parser)
{
	return !parser->decoding.rules->has_sample_tokens || parser_details_reserve(parser);
}

/* Returns to the first sample and the first definition of the loaded block. */
static void parser_statistical_rewind(mprof_parser *parser)
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

/* As mprof_parser_next_events(), for frames of samples. The caller has set count to 0. */
static mprof_status parser_statistical_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
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

/* Fetches the next definition of a module or function. Returns 0 at the end of the list. */
static int parser_statistical_next_record(mprof_parser *parser, mprof_record *record)
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

static const char *sample_fault(samples_decode_result result)
{
	switch (result) {
	case SAMPLES_DECODE_TRUNCATED:
		return "the last sample overlaps the CLOCK at the end of the block";
	case SAMPLES_DECODE_LIST_END:
		return "the list of samples ends before the CLOCK at the end of the block";
	case SAMPLES_DECODE_BAD_VARINT:
		return "a varint of the sample exceeds 64 bits";
	default:
		return "the stack ID of the sample exceeds 32 bits";
	}
}

static void parser_stack_samples_init(mprof_parser *parser, size_t length)
{
	parser->stack_samples.length = length;
}

static void parser_stack_samples_rewind(mprof_parser *parser)
{
	parser->stack_samples.position = 0;
	parser->stack_samples.counter = parser->block.as.samples.base_counter;
}

static mprof_status parser_stack_samples_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	samples_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	parser->stack_samples.bytes = parser_list_bytes(parser);
	result = samples_decode(&parser->stack_samples, events, capacity, count);
	if (*count > 0)
		return MPROF_OK;
	if (result == SAMPLES_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == SAMPLES_DECODE_TRUNCATED || result == SAMPLES_DECODE_LIST_END)
		stop = LIST_STOP_TRUNCATED;
	return parser_list_end(parser, stop, parser->stack_samples.fault, sample_fault(result));
}

static const char *typed_fault(typed_decode_result result)
{
	switch (result) {
	case TYPED_DECODE_TRUNCATED:
		return "the last event overlaps the CLOCK at the end of the block";
	case TYPED_DECODE_LIST_END:
		return "the list of events ends before the CLOCK at the end of the block";
	case TYPED_DECODE_BAD_VARINT:
		return "a varint of the event exceeds 64 bits";
	case TYPED_DECODE_TOO_LONG:
		return "the arguments of the event are longer than 65,535 bytes";
	default:
		return "the type ID of the event exceeds 32 bits";
	}
}

static void parser_typed_init(mprof_parser *parser, size_t length)
{
	parser->typed.length = length;
}

static void parser_typed_rewind(mprof_parser *parser)
{
	parser->typed.position = 0;
	parser->typed.counter = parser->block.as.samples.base_counter;
}

static mprof_status parser_typed_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	typed_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	if (capacity > PARSER_DETAIL_CAPACITY)
		capacity = PARSER_DETAIL_CAPACITY;
	parser->typed.bytes = parser_list_bytes(parser);
	result = typed_decode(&parser->typed, events, parser->batch.details, capacity, count);
	if (*count > 0)
		return MPROF_OK;
	if (result == TYPED_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == TYPED_DECODE_TRUNCATED || result == TYPED_DECODE_LIST_END)
		stop = LIST_STOP_TRUNCATED;
	return parser_list_end(parser, stop, parser->typed.fault, typed_fault(result));
}

/* Number of frames that a batch can hold. The array grows if one stack section has more. */
#define FRAME_CAPACITY 8192

/* Batch size for events that the caller did not fetch, which are decoded only for their counters. */
#define UNFETCHED_BATCH_LENGTH 64

static const char no_memory_for_frames[] = "out of memory for the frames of a stack section";

/* The table for the dialect and the directives in force. */
static const event_decode_table *parser_event_table(mprof_parser *parser)
{
	const block_decoding *decoding = &parser->decoding;

	if (parser->events.table_rules != decoding->rules || parser->events.table_directives != decoding->directives) {
		event_decode_table_build(&parser->events.table, decoding->rules, decoding->directives,
					 &parser->object_sizes);
		parser->events.table_rules = decoding->rules;
		parser->events.table_directives = decoding->directives;
	}
	return &parser->events.table;
}

/* A batch has at most as many stack sections as details. */
static int sections_reserve(mprof_parser *parser)
{
	if (parser->batch.sections == NULL && parser->decoding.rules->has_stack_sections)
		parser->batch.sections = allocator_allocate(&parser->allocator,
							    PARSER_DETAIL_CAPACITY * sizeof(*parser->batch.sections));
	return parser->batch.sections != NULL || !parser->decoding.rules->has_stack_sections;
}

/* Allocates the memory that fetching the events of a block needs. Returns 0 if out of memory. */
static int parser_events_reserve(mprof_parser *parser)
{
	return !parser_event_table(parser)->has_details || (parser_details_reserve(parser) && sections_reserve(parser));
}

/*
 * Prepares for fetching the event list of the block, which has length bytes. The block must have been decoded up to
 * the start of the list.
 */
static void parser_events_init(mprof_parser *parser, size_t length)
{
	parser->events.state.length = length;
	parser->events.state.earliest = parser->block.as.events.base_counter;
	parser->events.state.latest = parser->block.end.counter;
	parser->events.state.has_latest = parser->block.has_clocks != 0;
	parser->events.start_counter = parser->block.as.events.base_counter;
	(void)parser_event_table(parser);
}

/* Puts the arguments of events of types together. Returns 0 if out of memory. */
static int expand_arguments(mprof_parser *parser)
{
	event_columns_state *columns = &parser->body.columns;
	const size_t needed = event_columns_memory(columns);
	void *memory = parser->expanded;

	/* Those of a prepared block are. */
	if (!parser->body.has_columns || needed == 0 || parser->prepared != NULL)
		return 1;
	if (needed > parser->expanded_capacity) {
		/* What earlier blocks have there is not kept, so it is not copied either. */
		allocator_release(&parser->allocator, memory, parser->expanded_capacity);
		memory = allocator_allocate(&parser->allocator, needed);
		parser->expanded = memory;
		parser->expanded_capacity = memory != NULL ? needed : 0;
	}
	if (memory == NULL)
		return 0;
	event_columns_expand(columns, parser_content(parser), memory);
	return 1;
}

int parser_events_start(mprof_parser *parser)
{
	const mprof_block *block = &parser->block;

	if (!expand_arguments(parser))
		return 0;
	return !parser->decoding.rules->repeats_base_counter ||
	       thread_counters_begin(&parser->counters, block->offset, block->thread, block->as.events.base_counter,
				     &parser->events.start_counter);
}

/* Whether some of the prepared events are fetched, so that the state of the decoder is not that of the last event. */
static int is_partly_taken(const prepared_block *prepared)
{
	return prepared != NULL && prepared->is_begun;
}

/* Returns to the first event of the loaded block. */
static void parser_events_rewind(mprof_parser *parser)
{
	/* Events that were lent may have been changed. */
	if (is_partly_taken(parser->prepared))
		parser->prepared = NULL;
	parser->events.state.position = 0;
	parser->events.state.counter = parser->events.start_counter;
	parser->events.state.address = 0;
	parser->events.state.object = 0;
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
	case EVENTS_DECODE_BAD_ARGUMENTS:
		return "the columns do not have the arguments of the events of types";
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
	context->has_typed_columns =
		parser->decoding.rules->column_code != 0 &&
		(parser->decoding.directives & TYPED_COLUMNS_DIRECTIVES) == TYPED_COLUMNS_DIRECTIVES;
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

/* Continues to decode in the parser, after the events that were prepared. */
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

/* As mprof_parser_next_events(), with an EVENTS block loaded. */
static mprof_status parser_events_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	events_decode_batch batch = {.events = events, .capacity = capacity};
	const mprof_event *borrowed = parser_events_lend(parser, capacity, count);
	list_stop stop = LIST_STOP_MALFORMED;
	events_decode_result result;

	if (borrowed != NULL) {
		memcpy(events, borrowed, *count * sizeof(*events));
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

/*
 * Decodes the next events of a block of columns that is loaded as a whole, to mprof_parser::arrays. Returns 0 if
 * parser_events_next() has to fetch them, see event_columns_read().
 */
static int parser_events_next_columns(mprof_parser *parser, uint32_t wanted, mprof_columns *columns)
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

static const block_content events_content = {
	.reserve = parser_events_reserve,
	.begin_list = parser_events_init,
	.rewind = parser_events_rewind,
	.next_events = parser_events_next,
};

static const block_content samples_content = {
	.begin_list = parser_stack_samples_init,
	.rewind = parser_stack_samples_rewind,
	.next_events = parser_stack_samples_next,
};

static const block_content typed_content = {
	.reserve = parser_details_reserve,
	.begin_list = parser_typed_init,
	.rewind = parser_typed_rewind,
	.next_events = parser_typed_next,
};

static const block_content heap_content = {
	.reserve = parser_heap_reserve,
	.begin_list = parser_heap_init,
	.rewind = parser_heap_rewind,
	.next_events = parser_heap_next,
};

static const block_content statistical_content = {
	.reserve = parser_statistical_reserve,
	.rewind = parser_statistical_rewind,
	.next_events = parser_statistical_next,
	.next_record = parser_statistical_next_record,
};

static const block_content records_content = {
	.rewind = parser_records_rewind,
	.next_record = parser_records_next,
};

static const block_content mapping_content = {
	.rewind = parser_mappings_rewind,
};

static const block_content session_content = {
	.rewind = parser_properties_rewind,
};

static const block_content no_content = {0};

const block_content *block_content_get(uint32_t kind)
{
	switch (kind) {
	case MPROF_BLOCK_EVENTS:
		return &events_content;
	case MPROF_BLOCK_SAMPLES:
		return &samples_content;
	case MPROF_BLOCK_TYPED:
		return &typed_content;
	case MPROF_BLOCK_HEAP_DATA:
		return &heap_content;
	case MPROF_BLOCK_STATISTICAL:
		return &statistical_content;
	case MPROF_BLOCK_MAPPING:
		return &mapping_content;
	case MPROF_BLOCK_SESSION:
		return &session_content;
	default:
		return block_has_records(kind) ? &records_content : &no_content;
	}
}

void block_content_rewind(mprof_parser *parser)
{
	const block_content *content = block_content_get(parser->block.kind);

	if (parser_is_loaded(parser) && content->rewind != NULL)
		content->rewind(parser);
}

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
