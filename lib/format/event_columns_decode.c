/* SPDX-License-Identifier: MIT */
/* Decodes columns to events. */
#include "format/event_columns_decode.h"

#include "format/event_decode_one.h"
#include "format/event_store.h"

#include <string.h>

/* Events that are decoded at once: their values fit the first-level cache. */
#define RUN_LENGTH 256

/* The values of a run. Each array has one more, 0, which events after the last value load but do not use. */
typedef struct run_values {
	uint8_t symbols[RUN_LENGTH + 1];
	uint32_t methods[RUN_LENGTH + 1];
	uint32_t classes[RUN_LENGTH + 1];
	uint64_t times[RUN_LENGTH + 1];
	uint64_t sizes[RUN_LENGTH + 1];
	uint32_t callers[RUN_LENGTH + 1];
	uint32_t stacks[RUN_LENGTH + 1];
	uint64_t objects[RUN_LENGTH + 1];
} run_values;

/* Which columns the events of a log have in addition to those of their symbols. */
typedef struct run_fields {
	int has_any;
	int has_caller;
	int has_stack;
	int has_object;
} run_fields;

static run_fields fields_of(const event_decode_table *table)
{
	run_fields fields = {0, 0, 0, 0};

	for (uint32_t left = table->entries[EVENT_GROUP_ALLOCATION].fields; left != 0; left = EVENT_FIELDS_NEXT(left)) {
		uint32_t field = EVENT_FIELDS_FIRST(left);

		fields.has_any = 1;
		fields.has_caller |= field == EVENT_FIELD_CALLER;
		fields.has_stack |= field == EVENT_FIELD_STACK;
		fields.has_object |= field == EVENT_FIELD_OBJECT;
	}
	return fields;
}

static uint32_t symbol_at(const event_columns_state *columns, const uint8_t *content, size_t position)
{
	uint32_t byte = content[columns->starts[EVENT_COLUMN_SYMBOLS] + position / 2];

	return byte >> position % 2 * EVENT_SYMBOL_BITS & EVENT_SYMBOL_MASK;
}

/* Counts of values of four columns, in 16 bits each, so that those of an event are added at once. */
typedef uint64_t run_counts;

#define COUNT_METHODS 0
#define COUNT_CLASSES 16
#define COUNT_TIMES 32
#define COUNT_SIZES 48
#define ONE(column) (UINT64_C(1) << (column))

static const run_counts counts_of[EVENT_SYMBOLS] = {
	[EVENT_SYMBOL_ENTER] = ONE(COUNT_METHODS) | ONE(COUNT_TIMES),
	[EVENT_SYMBOL_LEAVE_IMPLICIT] = ONE(COUNT_TIMES),
	[EVENT_SYMBOL_LEAVE] = ONE(COUNT_METHODS) | ONE(COUNT_TIMES),
	[EVENT_SYMBOL_ALLOCATION] = ONE(COUNT_CLASSES) | ONE(COUNT_SIZES),
	[EVENT_SYMBOL_ALLOCATION_FIXED] = ONE(COUNT_CLASSES),
};

static inline size_t count_get(run_counts counts, uint32_t column)
{
	return counts >> column & UINT16_MAX;
}

/* Whether the columns have the values of a run. Those of whole blocks always do. */
static int has_values(const event_columns_state *columns, const run_fields *fields, run_counts counts)
{
	const int_column *numbers = columns->numbers;
	const size_t allocations = count_get(counts, COUNT_CLASSES);

	return count_get(counts, COUNT_METHODS) <= numbers[EVENT_COLUMN_METHODS].left &&
	       allocations <= numbers[EVENT_COLUMN_CLASSES].left &&
	       count_get(counts, COUNT_TIMES) <= numbers[EVENT_COLUMN_TIMES].left &&
	       count_get(counts, COUNT_SIZES) <= numbers[EVENT_COLUMN_SIZES].left &&
	       (!fields->has_caller || allocations <= numbers[EVENT_COLUMN_CALLERS].left) &&
	       (!fields->has_stack || allocations <= numbers[EVENT_COLUMN_STACKS].left) &&
	       (!fields->has_object || allocations <= numbers[EVENT_COLUMN_OBJECTS].left);
}

/* Unpacks the symbols of at most \p most events before the next row. Returns their number. */
static size_t unpack_symbols(const event_columns_state *columns, const uint8_t *content, size_t most,
			     run_values *values, run_counts *counts)
{
	run_counts sum = 0;
	size_t i;

	for (i = 0; i < most; i++) {
		uint32_t symbol = symbol_at(columns, content, columns->position + i);

		if (symbol == EVENT_SYMBOL_ROW)
			break;
		values->symbols[i] = (uint8_t)symbol;
		sum += counts_of[symbol];
	}
	*counts = sum;
	return i;
}

/* Shortens a run until the columns have its values, and the batch the details. Returns the number of events left. */
static size_t shorten_run(const event_columns_state *columns, const run_fields *fields, size_t details,
			  const run_values *values, size_t length, run_counts *counts)
{
	while (length > 0 && (!has_values(columns, fields, *counts) ||
			      (fields->has_any && count_get(*counts, COUNT_CLASSES) > details)))
		*counts -= counts_of[values->symbols[--length]];
	return length;
}

static void read_ids(event_columns_state *columns, const uint8_t *content, event_column column, uint32_t *values,
		     size_t count)
{
	int_column_read_32(&columns->numbers[column], content + columns->starts[column], values, count);
	values[count] = 0;
}

static void read_numbers(event_columns_state *columns, const uint8_t *content, event_column column, uint64_t *values,
			 size_t count)
{
	int_column_read_64(&columns->numbers[column], content + columns->starts[column], values, count);
	values[count] = 0;
}

static void read_values(event_columns_state *columns, const uint8_t *content, const run_fields *fields,
			run_counts counts, run_values *values)
{
	const size_t allocations = count_get(counts, COUNT_CLASSES);

	read_ids(columns, content, EVENT_COLUMN_METHODS, values->methods, count_get(counts, COUNT_METHODS));
	read_ids(columns, content, EVENT_COLUMN_CLASSES, values->classes, allocations);
	read_numbers(columns, content, EVENT_COLUMN_TIMES, values->times, count_get(counts, COUNT_TIMES));
	read_numbers(columns, content, EVENT_COLUMN_SIZES, values->sizes, count_get(counts, COUNT_SIZES));
	if (fields->has_caller)
		read_ids(columns, content, EVENT_COLUMN_CALLERS, values->callers, allocations);
	if (fields->has_stack)
		read_ids(columns, content, EVENT_COLUMN_STACKS, values->stacks, allocations);
	if (fields->has_object)
		read_numbers(columns, content, EVENT_COLUMN_OBJECTS, values->objects, allocations);
}

/* How an event is put together from its values. The masks are 0 or -1. */
typedef struct symbol_rule {
	uint32_t event_template;
	uint32_t method_mask;
	uint32_t class_mask;
	uint32_t fixed_mask;
	uint64_t time_mask;
	uint64_t size_mask;
} symbol_rule;

static void rules_build(symbol_rule rules[EVENT_SYMBOLS], const event_decode_table *table)
{
	static const uint8_t bytes[EVENT_SYMBOLS] = {
		[EVENT_SYMBOL_ENTER] = EVENT_GROUP_ENTER,
		[EVENT_SYMBOL_LEAVE_IMPLICIT] = EVENT_GROUP_IMPLICIT_LEAVE,
		[EVENT_SYMBOL_LEAVE] = EVENT_GROUP_LEAVE,
		[EVENT_SYMBOL_ALLOCATION] = EVENT_GROUP_ALLOCATION,
		[EVENT_SYMBOL_ALLOCATION_FIXED] = EVENT_GROUP_ALLOCATION,
	};

	for (uint32_t symbol = 0; symbol < EVENT_SYMBOLS; symbol++) {
		run_counts counts = counts_of[symbol];

		rules[symbol] = (symbol_rule){
			.event_template = table->entries[bytes[symbol]].event_template,
			.method_mask = 0 - (uint32_t)count_get(counts, COUNT_METHODS),
			.class_mask = 0 - (uint32_t)count_get(counts, COUNT_CLASSES),
			.fixed_mask = 0 - (uint32_t)(symbol == EVENT_SYMBOL_ALLOCATION_FIXED),
			.time_mask = 0 - (uint64_t)count_get(counts, COUNT_TIMES),
			.size_mask = 0 - (uint64_t)count_get(counts, COUNT_SIZES),
		};
	}
}

/* Stores the events of a run. Returns the number of events before one whose size is not known. */
static size_t store_run(const event_decode_table *table, const run_values *values, size_t length, uint64_t *counter,
			mprof_event *events)
{
	symbol_rule rules[EVENT_SYMBOLS];
	run_counts at = 0;
	uint64_t now = *counter;

	rules_build(rules, table);
	for (size_t i = 0; i < length; i++) {
		const uint32_t symbol = values->symbols[i];
		const symbol_rule *rule = &rules[symbol];
		uint32_t id = (values->methods[count_get(at, COUNT_METHODS)] & rule->method_mask) |
			      (values->classes[count_get(at, COUNT_CLASSES)] & rule->class_mask);
		uint32_t fixed = id_map_get(table->object_sizes, id & rule->fixed_mask);

		if (__builtin_expect(rule->fixed_mask != 0 && fixed == 0, 0)) {
			*counter = now;
			return i;
		}
		now += values->times[count_get(at, COUNT_TIMES)] & rule->time_mask;
		event_store(&events[i], rule->event_template, id, now,
			    (values->sizes[count_get(at, COUNT_SIZES)] & rule->size_mask) | (fixed & rule->fixed_mask));
		at += counts_of[symbol];
	}
	*counter = now;
	return length;
}

/* Stores the optional fields of the allocations of a run. */
static void store_fields(event_columns_state *columns, const run_fields *fields, const run_values *values,
			 size_t length, events_decode_batch *batch)
{
	size_t next = 0;

	for (size_t i = 0; i < length; i++) {
		event_field_values numbers = {{0}};

		if (values->symbols[i] != EVENT_SYMBOL_ALLOCATION &&
		    values->symbols[i] != EVENT_SYMBOL_ALLOCATION_FIXED)
			continue;
		if (fields->has_caller)
			numbers.of[EVENT_FIELD_CALLER] = values->callers[next];
		if (fields->has_stack)
			numbers.of[EVENT_FIELD_STACK] = values->stacks[next];
		if (fields->has_object) {
			columns->object += event_column_unfold_address(values->objects[next]);
			numbers.of[EVENT_FIELD_OBJECT] = columns->object;
		}
		event_store_detail(&batch->events[batch->count + i], &batch->details[batch->detail_count++], &numbers);
		next++;
	}
}

static events_decode_result fail(const event_columns_state *columns, events_decode_state *state,
				 events_decode_result result)
{
	state->position = columns->starts[EVENT_COLUMN_SYMBOLS] + columns->position / 2;
	return result;
}

/* Decodes the events before the next row. Returns EVENTS_DECODE_DONE if there is at least one. */
static events_decode_result decode_run(const event_decode_table *table, event_columns_state *columns,
				       const uint8_t *content, events_decode_state *state, events_decode_batch *batch)
{
	const run_fields fields = fields_of(table);
	const size_t details = fields.has_any ? batch->detail_capacity - batch->detail_count : 0;
	const event_columns_state before = *columns;
	const uint64_t counter = state->counter;
	mprof_event *events = batch->events + batch->count;
	size_t most = columns->event_count - columns->position;
	size_t length;
	size_t stored;
	run_values values;
	run_counts counts;

	if (most > batch->capacity - batch->count)
		most = batch->capacity - batch->count;
	length = unpack_symbols(columns, content, most < RUN_LENGTH ? most : RUN_LENGTH, &values, &counts);
	length = shorten_run(columns, &fields, details, &values, length, &counts);
	if (length == 0)
		return fields.has_any && details == 0 ? EVENTS_DECODE_FULL
						      : fail(columns, state, EVENTS_DECODE_TRUNCATED);
	read_values(columns, content, &fields, counts, &values);
	stored = store_run(table, &values, length, &state->counter, events);
	if (stored < length) {
		/* The columns have to be where the events end, so the run is decoded again without the others. */
		*columns = before;
		state->counter = counter;
		if (stored == 0)
			return fail(columns, state, EVENTS_DECODE_NO_SIZE);
		while (length > stored)
			counts -= counts_of[values.symbols[--length]];
		read_values(columns, content, &fields, counts, &values);
		store_run(table, &values, length, &state->counter, events);
	}
	if (fields.has_any)
		store_fields(columns, &fields, &values, length, batch);
	batch->count += length;
	columns->position += length;
	return EVENTS_DECODE_DONE;
}

/* Decodes the rows that follow one another. */
static events_decode_result decode_rows(const event_decode_table *table, event_columns_state *columns,
					const uint8_t *content, events_decode_state *state, events_decode_batch *batch)
{
	const uint8_t *start = content + columns->starts[EVENT_COLUMN_ROWS];
	const uint8_t *limit = start + columns->lengths[EVENT_COLUMN_ROWS];
	const uint8_t *cursor = start + columns->row_position;
	events_decode_result result = EVENTS_DECODE_DONE;

	while (columns->position < columns->event_count && batch->count < batch->capacity &&
	       symbol_at(columns, content, columns->position) == EVENT_SYMBOL_ROW) {
		result = cursor < limit ? event_decode_one(table, &cursor, limit, state, batch)
					: EVENTS_DECODE_TRUNCATED;
		if (result != EVENTS_DECODE_DONE)
			break;
		columns->position++;
	}
	columns->row_position = (size_t)(cursor - start);
	state->position = (size_t)(cursor - content);
	return result;
}

events_decode_result event_columns_decode(const event_decode_table *table, event_columns_state *columns,
					  const uint8_t *content, events_decode_state *state,
					  events_decode_batch *batch)
{
	events_decode_result result = EVENTS_DECODE_DONE;

	while (result == EVENTS_DECODE_DONE && columns->position < columns->event_count) {
		if (batch->count == batch->capacity)
			return EVENTS_DECODE_FULL;
		if (symbol_at(columns, content, columns->position) == EVENT_SYMBOL_ROW)
			result = decode_rows(table, columns, content, state, batch);
		else
			result = decode_run(table, columns, content, state, batch);
	}
	if (result == EVENTS_DECODE_DONE && columns->row_position < columns->lengths[EVENT_COLUMN_ROWS]) {
		state->position = columns->starts[EVENT_COLUMN_ROWS] + columns->row_position;
		return EVENTS_DECODE_ROWS_LEFT;
	}
	return result;
}
