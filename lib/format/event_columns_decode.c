/* SPDX-License-Identifier: MIT */
/* Decodes columns to events. */
#include "format/event_columns_decode.h"

#include "format/event_columns_skip.h"
#include "format/event_decode_one.h"
#include "format/event_store.h"

#include <string.h>

/* Events that are decoded at once: their values fit the first-level cache. */
#define RUN_LENGTH 256

/* The values of a run. Each array of values has one more, 0, which events after the last one load but do not use. */
typedef struct run_values {
	uint8_t symbols[RUN_LENGTH + 1];
	uint32_t methods[RUN_LENGTH + 1];
	uint32_t classes[RUN_LENGTH + 1];
	uint64_t times[RUN_LENGTH + 1];
	uint64_t sizes[RUN_LENGTH + 1];
	uint32_t callers[RUN_LENGTH + 1];
	uint32_t stacks[RUN_LENGTH + 1];
	uint64_t objects[RUN_LENGTH + 1];
	uint16_t allocations[RUN_LENGTH]; /* Positions of the allocations. */
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

static const uint8_t *symbols_of(const event_columns_state *columns, const uint8_t *content)
{
	return content + columns->starts[EVENT_COLUMN_SYMBOLS];
}

/* Whether the columns have the values of a run. Those of whole blocks always do. */
static int has_values(const event_columns_state *columns, const run_fields *fields, const event_symbol_counts *counts)
{
	const int_column *numbers = columns->numbers;
	const size_t allocations = event_symbols_with_class(counts);

	return counts->with_method <= numbers[EVENT_COLUMN_METHODS].left &&
	       allocations <= numbers[EVENT_COLUMN_CLASSES].left &&
	       event_symbols_with_time(counts) <= numbers[EVENT_COLUMN_TIMES].left &&
	       counts->allocations <= numbers[EVENT_COLUMN_SIZES].left &&
	       (!fields->has_caller || allocations <= numbers[EVENT_COLUMN_CALLERS].left) &&
	       (!fields->has_stack || allocations <= numbers[EVENT_COLUMN_STACKS].left) &&
	       (!fields->has_object || allocations <= numbers[EVENT_COLUMN_OBJECTS].left);
}

/* Whether a run fits the columns and the details of the batch. */
static int run_fits(const event_columns_state *columns, const run_fields *fields, size_t details,
		    const event_symbol_counts *counts)
{
	return has_values(columns, fields, counts) && (!fields->has_any || event_symbols_with_class(counts) <= details);
}

/*
 * Unpacks the symbols of a run: those of at most \p most events before the next row, and fewer if the columns do not
 * have their values, or the batch not their details. Returns their number.
 */
static size_t unpack_run(const event_columns_state *columns, const uint8_t *content, const run_fields *fields,
			 size_t details, size_t most, run_values *values, event_symbol_counts *counts)
{
	const uint8_t *symbols = symbols_of(columns, content);
	const uint8_t *row;
	size_t length = most;

	event_symbols_unpack(symbols, columns->position, most, values->symbols);
	row = memchr(values->symbols, EVENT_SYMBOL_ROW, most);
	if (row != NULL)
		length = (size_t)(row - values->symbols);
	event_symbols_count(symbols, columns->position, length, counts);
	while (length > 0 && !run_fits(columns, fields, details, counts))
		event_symbols_count(symbols, columns->position, --length, counts);
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
			const event_symbol_counts *counts, run_values *values)
{
	const size_t allocations = event_symbols_with_class(counts);

	read_ids(columns, content, EVENT_COLUMN_METHODS, values->methods, counts->with_method);
	read_numbers(columns, content, EVENT_COLUMN_TIMES, values->times, event_symbols_with_time(counts));
	if (allocations == 0)
		return;
	read_ids(columns, content, EVENT_COLUMN_CLASSES, values->classes, allocations);
	read_numbers(columns, content, EVENT_COLUMN_SIZES, values->sizes, counts->allocations);
	if (fields->has_caller)
		read_ids(columns, content, EVENT_COLUMN_CALLERS, values->callers, allocations);
	if (fields->has_stack)
		read_ids(columns, content, EVENT_COLUMN_STACKS, values->stacks, allocations);
	if (fields->has_object)
		read_numbers(columns, content, EVENT_COLUMN_OBJECTS, values->objects, allocations);
}

/*
 * What an event takes from the columns of methods and times. A mask is 0 or -1, and so selects a value and, subtracted,
 * advances to the next one.
 */
typedef struct symbol_rule {
	uint32_t event_template;
	int32_t method_mask;
	int64_t time_mask;
} symbol_rule;

static void rules_build(symbol_rule rules[EVENT_SYMBOLS], const event_decode_table *table)
{
	const event_decode_entry *entries = table->entries;
	/* Unlike its byte in a list of events, the symbol means this whatever directives are declared. */
	const uint8_t implicit_leave[sizeof(uint32_t)] = {MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0,
							  EVENT_GROUP_IMPLICIT_LEAVE, 0};
	const symbol_rule allocation = {entries[EVENT_GROUP_ALLOCATION].event_template, 0, 0};

	rules[EVENT_SYMBOL_ENTER] = (symbol_rule){entries[EVENT_GROUP_ENTER].event_template, -1, -1};
	rules[EVENT_SYMBOL_LEAVE_IMPLICIT] = (symbol_rule){0, 0, -1};
	memcpy(&rules[EVENT_SYMBOL_LEAVE_IMPLICIT].event_template, implicit_leave, sizeof(implicit_leave));
	rules[EVENT_SYMBOL_LEAVE] = (symbol_rule){entries[EVENT_GROUP_LEAVE].event_template, -1, -1};
	rules[EVENT_SYMBOL_ALLOCATION] = allocation;
	rules[EVENT_SYMBOL_ALLOCATION_FIXED] = allocation;
}

/*
 * Stores the events of a run, without the classes and sizes of allocations. Which symbol is next is unpredictable, so
 * the loop does not branch on it: it loads the next value of each column, and the rule of the symbol selects from
 * them.
 */
static void store_calls(const event_decode_table *table, const run_values *values, size_t length, uint64_t *counter,
			mprof_event *events)
{
	symbol_rule rules[EVENT_SYMBOLS];
	uint64_t now = *counter;
	size_t method = 0;
	size_t time = 0;

	rules_build(rules, table);
	for (size_t i = 0; i < length; i++) {
		const symbol_rule *rule = &rules[values->symbols[i]];

		now += values->times[time] & (uint64_t)rule->time_mask;
		event_store_start(&events[i], rule->event_template,
				  values->methods[method] & (uint32_t)rule->method_mask, now);
		method -= (size_t)(ptrdiff_t)rule->method_mask;
		time -= (size_t)(ptrdiff_t)rule->time_mask;
	}
	*counter = now;
}

/*
 * Stores the classes and sizes of allocations. Returns the position of the first event whose size is not known, or
 * \p length.
 */
static size_t store_allocations(const id_map *fixed_sizes, const run_values *values, size_t count, size_t length,
				mprof_event *events)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t position = values->allocations[i];
		const uint32_t id = values->classes[i];
		const uint64_t is_fixed = values->symbols[position] == EVENT_SYMBOL_ALLOCATION_FIXED;
		const uint32_t fixed = id_map_get(fixed_sizes, id);

		if (__builtin_expect(is_fixed && fixed == 0, 0))
			return position;
		events[position].id = id;
		events[position].value = is_fixed ? fixed : values->sizes[size];
		size += 1 - is_fixed;
	}
	return length;
}

/* Stores the events of a run. Returns the number of events before one whose size is not known. */
static size_t store_run(const event_decode_table *table, run_values *values, const event_symbol_counts *counts,
			size_t length, uint64_t *counter, mprof_event *events)
{
	const size_t allocations = event_symbols_with_class(counts);

	store_calls(table, values, length, counter, events);
	if (allocations == 0)
		return length;
	event_symbols_find_allocations(values->symbols, length, values->allocations);
	return store_allocations(table->object_sizes, values, allocations, length, events);
}

/* Stores the optional fields of the allocations of a run. */
static void store_fields(event_columns_state *columns, const run_fields *fields, const run_values *values, size_t count,
			 events_decode_batch *batch)
{
	for (size_t i = 0; i < count; i++) {
		event_field_values numbers = {{0}};

		if (fields->has_caller)
			numbers.of[EVENT_FIELD_CALLER] = values->callers[i];
		if (fields->has_stack)
			numbers.of[EVENT_FIELD_STACK] = values->stacks[i];
		if (fields->has_object) {
			columns->object += event_column_unfold_address(values->objects[i]);
			numbers.of[EVENT_FIELD_OBJECT] = columns->object;
		}
		event_store_detail(&batch->events[batch->count + values->allocations[i]],
				   &batch->details[batch->detail_count++], &numbers);
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
	mprof_event *events = batch->events + batch->count;
	size_t most = columns->event_count - columns->position;
	uint64_t now = state->counter;
	size_t length;
	size_t stored;
	event_columns_state before;
	run_values values;
	event_symbol_counts counts;

	if (most > batch->capacity - batch->count)
		most = batch->capacity - batch->count;
	length =
		unpack_run(columns, content, &fields, details, most < RUN_LENGTH ? most : RUN_LENGTH, &values, &counts);
	if (length == 0)
		return fields.has_any && details == 0 ? EVENTS_DECODE_FULL
						      : fail(columns, state, EVENTS_DECODE_TRUNCATED);
	/* Only allocations of fixed size can fail. */
	if (counts.fixed_allocations > 0)
		before = *columns;
	read_values(columns, content, &fields, &counts, &values);
	stored = store_run(table, &values, &counts, length, &now, events);
	if (stored < length) {
		/* The columns have to be where the events end, so the run is decoded again without the others. */
		*columns = before;
		if (stored == 0)
			return fail(columns, state, EVENTS_DECODE_NO_SIZE);
		length = stored;
		now = state->counter;
		event_symbols_count(symbols_of(columns, content), columns->position, length, &counts);
		read_values(columns, content, &fields, &counts, &values);
		store_run(table, &values, &counts, length, &now, events);
	}
	state->counter = now;
	if (fields.has_any)
		store_fields(columns, &fields, &values, event_symbols_with_class(&counts), batch);
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
	       event_symbol_at(symbols_of(columns, content), columns->position) == EVENT_SYMBOL_ROW) {
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

	/* The last events may have been decoded without all of their fields. After them, these are not needed. */
	if (columns->position < columns->event_count)
		event_columns_settle_all(columns, content, &state->counter);
	while (result == EVENTS_DECODE_DONE && columns->position < columns->event_count) {
		if (batch->count == batch->capacity)
			return EVENTS_DECODE_FULL;
		if (event_symbol_at(symbols_of(columns, content), columns->position) == EVENT_SYMBOL_ROW)
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
