/* SPDX-License-Identifier: MIT */
/* Decodes events that are stored in columns. */
#include "format/events/event_columns_decode.h"

#include "base/bytes.h"
#include "format/events/events_decode.h"

#include <string.h>

void event_arrays_point(const event_arrays *arrays, uint32_t wanted, mprof_columns *columns)
{
	columns->symbols = arrays->symbols;
	columns->methods = (wanted & MPROF_COLUMN_METHODS) != 0 ? arrays->methods : NULL;
	columns->times = (wanted & MPROF_COLUMN_TIMES) != 0 ? arrays->times : NULL;
	columns->classes = (wanted & MPROF_COLUMN_CLASSES) != 0 ? arrays->classes : NULL;
	columns->sizes = (wanted & MPROF_COLUMN_SIZES) != 0 ? arrays->sizes : NULL;
	columns->callers = (wanted & MPROF_COLUMN_CALLERS) != 0 ? arrays->callers : NULL;
	columns->stacks = (wanted & MPROF_COLUMN_STACKS) != 0 ? arrays->stacks : NULL;
	columns->objects = (wanted & MPROF_COLUMN_OBJECTS) != 0 ? arrays->objects : NULL;
	columns->rows = arrays->rows;
}

/* Whether the arrays have a place for all fields of the detail of an allocation. */
static int has_only_columns(const mprof_event_detail *detail)
{
	return detail->handle_type == 0 && detail->reference_count == 0 && detail->samples == 0 && detail->size == 0 &&
	       detail->started == 0;
}

static uint8_t symbol_of(const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->flags != 0)
		return MPROF_SYMBOL_ROW;
	if (event->kind == MPROF_EVENT_ALLOCATION)
		return detail == NULL || has_only_columns(detail) ? MPROF_SYMBOL_ALLOCATION : MPROF_SYMBOL_ROW;
	if (detail != NULL || event->value != 0)
		return MPROF_SYMBOL_ROW;
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return MPROF_SYMBOL_ENTER;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		return MPROF_SYMBOL_LEAVE_IMPLICIT;
	case MPROF_EVENT_METHOD_LEAVE:
		return MPROF_SYMBOL_LEAVE;
	default:
		return MPROF_SYMBOL_ROW;
	}
}

static void convert_allocation(event_arrays *arrays, const mprof_event *event, size_t index)
{
	const mprof_event_detail *detail = event->more.detail;

	arrays->classes[index] = event->id;
	arrays->sizes[index] = event->value;
	arrays->callers[index] = detail != NULL ? detail->caller : 0;
	arrays->stacks[index] = detail != NULL ? detail->stack : 0;
	arrays->objects[index] = detail != NULL ? detail->object : 0;
}

void event_arrays_convert(event_arrays *arrays, size_t count, mprof_columns *columns)
{
	size_t methods = 0;
	size_t times = 0;
	size_t allocations = 0;
	size_t rows = 0;

	for (size_t i = 0; i < count; i++) {
		const mprof_event *event = &arrays->rows[i];
		const uint8_t symbol = symbol_of(event);

		arrays->symbols[i] = symbol;
		if (symbol == MPROF_SYMBOL_ALLOCATION) {
			convert_allocation(arrays, event, allocations++);
		} else if (symbol == MPROF_SYMBOL_ROW) {
			arrays->rows[rows++] = *event;
		} else {
			arrays->times[times++] = event->counter;
			arrays->methods[methods] = event->id;
			methods += symbol != MPROF_SYMBOL_LEAVE_IMPLICIT;
		}
	}
	columns->event_count = count;
	columns->method_count = methods;
	columns->time_count = times;
	columns->allocation_count = allocations;
	columns->row_count = rows;
}

/* Skips the next count values of a column. */
static inline void event_columns_skip(event_columns_state *state, event_column column, size_t count)
{
	state->skipped[column] += count;
}

/* Adds more to counts. */
static inline void event_symbols_add(event_symbol_counts *counts, const event_symbol_counts *more)
{
	counts->with_method += more->with_method;
	counts->implicit_leaves += more->implicit_leaves;
	counts->allocations += more->allocations;
	counts->fixed_allocations += more->fixed_allocations;
	counts->rows += more->rows;
	counts->typed += more->typed;
}

static inline size_t event_symbols_with_class(const event_symbol_counts *counts)
{
	return (size_t)counts->allocations + counts->fixed_allocations;
}

/* The lowest bit of each byte. */
#define LOWEST_BITS_OF_BYTES UINT64_C(0x0101010101010101)

/* The values that each column must have, by the symbols of the events. */
typedef struct column_needs {
	size_t counts[EVENT_COLUMNS];
} column_needs;

static size_t available(const content_cursor *cursor, size_t start, size_t length)
{
	size_t remaining = cursor->length - start;

	return length < remaining ? length : remaining;
}

/* Adds up lengths. A sum that is too large for any block remains so. */
static uint64_t add_length(uint64_t sum, uint64_t length)
{
	return length > UINT64_MAX - sum ? UINT64_MAX : sum + length;
}

/* Decodes the directory. Lengths that exceed the content are an error, after which they are reduced. */
static void open_directory(event_columns_state *columns, content_cursor *cursor, int may_have_typed)
{
	const size_t start = cursor->position;
	uint64_t events = content_cursor_varint(cursor);
	uint64_t count = content_cursor_varint(cursor);
	uint64_t lengths[EVENT_COLUMNS] = {0};
	uint64_t more = 0;
	size_t position;

	if (events > EVENT_COLUMNS_MAX_EVENTS)
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "invalid number of events in the columns");
	if (count > (may_have_typed ? EVENT_COLUMNS_MAX : EVENT_COLUMNS_UNTYPED))
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "unknown columns of events");
	for (size_t i = 0; i < count && i < EVENT_COLUMNS && cursor->status == MPROF_OK; i++)
		lengths[i] = content_cursor_varint(cursor);
	columns->typed.directory = cursor->position;
	columns->typed.column_count = count > EVENT_COLUMNS ? (size_t)count - EVENT_COLUMNS : 0;
	for (size_t i = 0; i < columns->typed.column_count && cursor->status == MPROF_OK; i++)
		more = add_length(more, content_cursor_varint(cursor));
	if (cursor->status != MPROF_OK)
		return;
	columns->event_count = (size_t)events;
	position = cursor->position;
	for (size_t i = 0; i < EVENT_COLUMNS; i++) {
		columns->starts[i] = position;
		columns->lengths[i] =
			available(cursor, position, lengths[i] < SIZE_MAX ? (size_t)lengths[i] : SIZE_MAX);
		if (columns->lengths[i] < lengths[i])
			content_cursor_fail(cursor, cursor->length, MPROF_ERR_MALFORMED,
					    "the columns of events exceed the block");
		position += columns->lengths[i];
	}
	columns->typed.start = position;
	columns->typed.length = available(cursor, position, more < SIZE_MAX ? (size_t)more : SIZE_MAX);
	if (columns->typed.length < more)
		content_cursor_fail(cursor, cursor->length, MPROF_ERR_MALFORMED,
				    "the columns of events exceed the block");
	if (cursor->status == MPROF_OK)
		cursor->position = position + columns->typed.length;
}

/* Counts the symbols of all events, piece by piece. Returns the number of events before the first invalid one. */
static size_t count_pieces(event_columns_state *columns, const uint8_t *bytes)
{
	size_t counted = 0;
	size_t piece = 0;

	for (size_t got = EVENT_COLUMNS_PIECE; got == EVENT_COLUMNS_PIECE && counted < columns->event_count; piece++) {
		const size_t remaining = columns->event_count - counted;

		got = event_symbols_count(bytes, counted,
					  remaining < EVENT_COLUMNS_PIECE ? remaining : EVENT_COLUMNS_PIECE,
					  &columns->pieces[piece]);
		event_symbols_add(&columns->counts, &columns->pieces[piece]);
		counted += got;
	}
	return counted;
}

/* Counts the symbols up to the first invalid one, and adds up what each column needs for them. */
static void count_symbols(event_columns_state *columns, content_cursor *cursor, uint64_t directives,
			  column_needs *needs)
{
	const uint8_t *bytes = cursor->bytes + columns->starts[EVENT_COLUMN_SYMBOLS];
	size_t length = columns->lengths[EVENT_COLUMN_SYMBOLS];
	size_t allocations;
	size_t counted;

	if (columns->event_count > 2 * length) {
		columns->event_count = 2 * length;
		content_cursor_fail(cursor, columns->starts[EVENT_COLUMN_SYMBOLS] + length, MPROF_ERR_MALFORMED,
				    "a column ends before the events do");
	} else if (length > (columns->event_count + 1) / 2) {
		content_cursor_fail(cursor, columns->starts[EVENT_COLUMN_SYMBOLS], MPROF_ERR_MALFORMED,
				    "a column has more values than events");
	}
	counted = count_pieces(columns, bytes);
	if (counted < columns->event_count)
		content_cursor_fail(cursor, columns->starts[EVENT_COLUMN_SYMBOLS] + counted / 2, MPROF_ERR_MALFORMED,
				    "invalid symbol of an event");
	columns->event_count = counted;
	allocations = event_symbols_with_class(&columns->counts);
	memset(needs, 0, sizeof(*needs));
	needs->counts[EVENT_COLUMN_METHODS] = columns->counts.with_method;
	needs->counts[EVENT_COLUMN_CLASSES] = allocations;
	needs->counts[EVENT_COLUMN_TIMES] = event_symbols_with_time(&columns->counts);
	needs->counts[EVENT_COLUMN_SIZES] = columns->counts.allocations;
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)) != 0)
		needs->counts[EVENT_COLUMN_CALLERS] = allocations;
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)) != 0)
		needs->counts[EVENT_COLUMN_STACKS] = allocations;
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)) != 0)
		needs->counts[EVENT_COLUMN_OBJECTS] = allocations;
}

static int is_id(size_t column)
{
	return column == EVENT_COLUMN_METHODS || column == EVENT_COLUMN_CLASSES || column == EVENT_COLUMN_CALLERS ||
	       column == EVENT_COLUMN_STACKS;
}

/* The position of the first event of a type; there is at least one. */
static size_t first_typed(const uint8_t *bytes)
{
	size_t first = 0;

	while (event_symbol_at(bytes, first) != EVENT_SYMBOL_TYPED)
		first++;
	return first;
}

/* Checks the columns of the events of types. */
static void open_typed(event_columns_state *columns, content_cursor *cursor, int may_have_typed)
{
	typed_columns *typed = &columns->typed;
	const uint8_t *symbols = cursor->bytes + columns->starts[EVENT_COLUMN_SYMBOLS];
	const size_t first = columns->counts.typed > 0 ? first_typed(symbols) : 0;
	size_t fault = columns->starts[EVENT_COLUMN_SYMBOLS] + first / 2;
	const char *what = columns->counts.typed > 0 ? "invalid symbol of an event" : NULL;

	typed->event_count = columns->counts.typed;
	typed->groups = columns->starts[EVENT_COLUMN_GROUPS];
	typed->groups_length = columns->lengths[EVENT_COLUMN_GROUPS];
	typed->shapes = columns->starts[EVENT_COLUMN_SHAPES];
	typed->shapes_length = columns->lengths[EVENT_COLUMN_SHAPES];
	if (may_have_typed)
		what = typed_columns_check(typed, cursor->bytes, &fault);
	if (what == NULL)
		return;
	content_cursor_fail(cursor, fault, MPROF_ERR_MALFORMED, what);
	if (typed->event_count == 0)
		return;
	/* The events before it do not depend on arguments. */
	typed->event_count = 0;
	typed->is_damaged = 1;
	columns->event_count = first;
	memset(&columns->counts, 0, sizeof(columns->counts));
	count_pieces(columns, symbols);
}

void event_columns_open(event_columns_state *columns, content_cursor *cursor, uint64_t directives)
{
	const int may_have_typed = (directives & TYPED_COLUMNS_DIRECTIVES) == TYPED_COLUMNS_DIRECTIVES;
	column_needs needs;

	memset(columns, 0, sizeof(*columns));
	open_directory(columns, cursor, may_have_typed);
	count_symbols(columns, cursor, directives, &needs);
	for (size_t i = EVENT_COLUMN_METHODS; i < EVENT_COLUMN_ROWS; i++) {
		int_column_fault fault =
			int_column_init(&columns->numbers[i], cursor->bytes + columns->starts[i], columns->lengths[i],
					needs.counts[i], is_id(i) ? UINT32_MAX : UINT64_MAX);

		if (fault != INT_COLUMN_VALID)
			content_cursor_fail(cursor, columns->starts[i], MPROF_ERR_MALFORMED,
					    typed_columns_fault_text(fault));
	}
	open_typed(columns, cursor, may_have_typed);
}

/* Values that are decoded at once. */
#define PIECE 256

void event_columns_settle(event_columns_state *state, const uint8_t *content, event_column column, uint64_t *counter)
{
	const uint8_t *bytes = content + state->starts[column];
	uint64_t values[PIECE];

	/* A column without values is one that the directives do not declare. */
	if (state->lengths[column] == 0)
		state->skipped[column] = 0;
	while (state->skipped[column] > 0) {
		const size_t remaining = state->skipped[column];
		const size_t count = remaining < PIECE ? remaining : PIECE;

		int_column_read_64(&state->numbers[column], bytes, values, count);
		state->skipped[column] -= count;
		for (size_t i = 0; i < count && column == EVENT_COLUMN_TIMES; i++)
			*counter += values[i];
		for (size_t i = 0; i < count && column == EVENT_COLUMN_OBJECTS; i++)
			state->object += event_column_unfold_address(values[i]);
	}
}

/* Advances all columns. */
static void event_columns_settle_all(event_columns_state *state, const uint8_t *content, uint64_t *counter)
{
	for (uint32_t column = EVENT_COLUMN_METHODS; column < EVENT_COLUMN_ROWS; column++)
		event_columns_settle(state, content, (event_column)column, counter);
}

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

	for (uint32_t remaining = table->entries[EVENT_GROUP_ALLOCATION].fields; remaining != 0;
	     remaining = EVENT_FIELDS_NEXT(remaining)) {
		uint32_t field = EVENT_FIELDS_FIRST(remaining);

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

/* The position of the first row or event of a type among count symbols; count without one. */
static size_t find_row(const uint8_t *symbols, size_t count, int has_typed)
{
	const uint8_t *row = has_typed ? NULL : memchr(symbols, EVENT_SYMBOL_ROW, count);
	size_t i = 0;

	if (!has_typed)
		return row != NULL ? (size_t)(row - symbols) : count;
	/* Adding 3 sets bit 3 of these two symbols alone. */
	for (; count - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		const uint64_t added = bytes_load_64(symbols + i) + 3 * LOWEST_BITS_OF_BYTES;
		const uint64_t found = added >> 3 & LOWEST_BITS_OF_BYTES;

		if (found != 0)
			return i + (size_t)__builtin_ctzll(found) / 8;
	}
	while (i < count && symbols[i] < EVENT_SYMBOL_ROW)
		i++;
	return i;
}

/* Whether the columns have the values of a run. Those of whole blocks always do. */
static int has_values(const event_columns_state *columns, const run_fields *fields, const event_symbol_counts *counts)
{
	const int_column *numbers = columns->numbers;
	const size_t allocations = event_symbols_with_class(counts);

	return counts->with_method <= numbers[EVENT_COLUMN_METHODS].remaining &&
	       allocations <= numbers[EVENT_COLUMN_CLASSES].remaining &&
	       event_symbols_with_time(counts) <= numbers[EVENT_COLUMN_TIMES].remaining &&
	       counts->allocations <= numbers[EVENT_COLUMN_SIZES].remaining &&
	       (!fields->has_caller || allocations <= numbers[EVENT_COLUMN_CALLERS].remaining) &&
	       (!fields->has_stack || allocations <= numbers[EVENT_COLUMN_STACKS].remaining) &&
	       (!fields->has_object || allocations <= numbers[EVENT_COLUMN_OBJECTS].remaining);
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
	size_t length;

	event_symbols_unpack(symbols, columns->position, most, values->symbols);
	length = find_row(values->symbols, most, columns->typed.event_count > 0);
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
	const mprof_event implicit_leave = {.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					    .code = EVENT_GROUP_IMPLICIT_LEAVE};
	const symbol_rule allocation = {entries[EVENT_GROUP_ALLOCATION].event_template, 0, 0};

	rules[EVENT_SYMBOL_ENTER] = (symbol_rule){entries[EVENT_GROUP_ENTER].event_template, -1, -1};
	rules[EVENT_SYMBOL_LEAVE_IMPLICIT] = (symbol_rule){0, 0, -1};
	memcpy(&rules[EVENT_SYMBOL_LEAVE_IMPLICIT].event_template, &implicit_leave, sizeof(uint32_t));
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

/* Stores an event of a type. The batch has room for its detail. */
static inline void store_typed(const typed_columns *typed, size_t index, uint64_t counter, events_decode_batch *batch)
{
	const typed_event *stored = &typed->events[index];
	mprof_event *event = &batch->events[batch->count++];
	const mprof_event start = {
		.kind = MPROF_EVENT_TYPED, .code = EVENT_BYTE_TYPED, .id = stored->type, .counter = counter};

	*event = start;
	if (stored->length == 0)
		return;
	event->more.detail = &batch->details[batch->detail_count];
	batch->details[batch->detail_count++] = (mprof_event_detail){.struct_size = sizeof(mprof_event_detail),
								     .arguments = typed->bytes + stored->start,
								     .argument_size = stored->length};
}

/* Decodes the events of types that follow one another. */
static events_decode_result decode_typed(event_columns_state *columns, const uint8_t *content,
					 events_decode_state *state, events_decode_batch *batch)
{
	int_column *numbers = &columns->numbers[EVENT_COLUMN_TIMES];
	size_t most = columns->event_count - columns->position;
	uint8_t symbols[RUN_LENGTH];
	uint64_t times[RUN_LENGTH];
	size_t length = 0;

	if (columns->typed.events == NULL)
		return fail(columns, state, EVENTS_DECODE_BAD_ARGUMENTS);
	if (batch->detail_count == batch->detail_capacity)
		return EVENTS_DECODE_FULL;
	if (most > RUN_LENGTH)
		most = RUN_LENGTH;
	if (most > batch->capacity - batch->count)
		most = batch->capacity - batch->count;
	if (most > batch->detail_capacity - batch->detail_count)
		most = batch->detail_capacity - batch->detail_count;
	if (most > numbers->remaining)
		most = numbers->remaining;
	event_symbols_unpack(symbols_of(columns, content), columns->position, most, symbols);
	while (length < most && symbols[length] == EVENT_SYMBOL_TYPED)
		length++;
	if (length == 0)
		return fail(columns, state, EVENTS_DECODE_TRUNCATED);
	int_column_read_64(numbers, content + columns->starts[EVENT_COLUMN_TIMES], times, length);
	for (size_t i = 0; i < length; i++) {
		state->counter += times[i];
		store_typed(&columns->typed, columns->typed.position++, state->counter, batch);
	}
	columns->position += length;
	return EVENTS_DECODE_DONE;
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
		switch (event_symbol_at(symbols_of(columns, content), columns->position)) {
		case EVENT_SYMBOL_ROW:
			result = decode_rows(table, columns, content, state, batch);
			break;
		case EVENT_SYMBOL_TYPED:
			result = decode_typed(columns, content, state, batch);
			break;
		default:
			result = decode_run(table, columns, content, state, batch);
			break;
		}
	}
	if (result == EVENTS_DECODE_DONE && columns->typed.is_damaged)
		return fail(columns, state, EVENTS_DECODE_BAD_ARGUMENTS);
	if (result == EVENTS_DECODE_DONE && columns->row_position < columns->lengths[EVENT_COLUMN_ROWS]) {
		state->position = columns->starts[EVENT_COLUMN_ROWS] + columns->row_position;
		return EVENTS_DECODE_ROWS_LEFT;
	}
	return result;
}

/* What a call reads from, and what it decodes. */
typedef struct columns_input {
	const event_decode_table *table;
	event_columns_state *state;
	const uint8_t *content;
	uint32_t wanted;
	size_t count; /* Events of the batch. */
	event_symbol_counts counts;
} columns_input;

static int is_wanted(const columns_input *input, mprof_column column)
{
	return (input->wanted & column) != 0;
}

/* Decodes the IDs of a column, or skips them. Columns that the log does not have are 0. */
static void fetch_ids(const columns_input *input, event_column column, int is_needed, uint32_t *ids, size_t count)
{
	event_columns_state *state = input->state;

	if (!is_needed) {
		event_columns_skip(state, column, count);
	} else if (state->lengths[column] == 0) {
		memset(ids, 0, count * sizeof(*ids));
	} else {
		event_columns_settle(state, input->content, column, NULL);
		int_column_read_32(&state->numbers[column], input->content + state->starts[column], ids, count);
	}
}

static void read_objects(const columns_input *input, uint64_t *objects, size_t count)
{
	event_columns_state *state = input->state;

	if (!is_wanted(input, MPROF_COLUMN_OBJECTS)) {
		event_columns_skip(state, EVENT_COLUMN_OBJECTS, count);
		return;
	}
	if (state->lengths[EVENT_COLUMN_OBJECTS] == 0) {
		memset(objects, 0, count * sizeof(*objects));
		return;
	}
	event_columns_settle(state, input->content, EVENT_COLUMN_OBJECTS, NULL);
	int_column_read_64(&state->numbers[EVENT_COLUMN_OBJECTS], input->content + state->starts[EVENT_COLUMN_OBJECTS],
			   objects, count);
	for (size_t i = 0; i < count; i++) {
		state->object += event_column_unfold_address(objects[i]);
		objects[i] = state->object;
	}
}

/* The size of an allocation of fixed size; 0 if it is not known. */
static uint64_t fixed_size(const event_decode_table *table, uint32_t class_id)
{
	return table->unsized_mask != 0 ? EVENT_SIZE_UNKNOWN : id_map_get(table->object_sizes, class_id);
}

/*
 * Spreads the sizes in the column to the allocations that have one, and sets those of the others. Returns 0 if one is
 * not known.
 */
static int complete_sizes(const event_decode_table *table, event_arrays *arrays, size_t events, size_t allocations,
			  size_t stored)
{
	event_symbols_find_allocations(arrays->symbols, events, arrays->allocations);
	/* From the last one on, so that no size is overwritten before it is moved. */
	for (size_t i = allocations; i-- > 0;) {
		if (arrays->symbols[arrays->allocations[i]] == EVENT_SYMBOL_ALLOCATION) {
			arrays->sizes[i] = arrays->sizes[--stored];
			continue;
		}
		arrays->sizes[i] = fixed_size(table, arrays->classes[i]);
		if (arrays->sizes[i] == 0)
			return 0;
	}
	return 1;
}

static int has_unknown_size(const uint64_t *sizes, size_t count)
{
	uint64_t found = 0;

	for (size_t i = 0; i < count; i++)
		found |= sizes[i] == EVENT_SIZE_UNKNOWN;
	return found != 0;
}

static int read_allocations(const columns_input *input, event_arrays *arrays)
{
	event_columns_state *state = input->state;
	const event_symbol_counts *counts = &input->counts;
	const size_t allocations = event_symbols_with_class(counts);
	const int needs_sizes = is_wanted(input, MPROF_COLUMN_SIZES);
	const int needs_classes =
		is_wanted(input, MPROF_COLUMN_CLASSES) || (needs_sizes && counts->fixed_allocations > 0);

	if (allocations == 0)
		return 1;
	fetch_ids(input, EVENT_COLUMN_CLASSES, needs_classes, arrays->classes, allocations);
	fetch_ids(input, EVENT_COLUMN_CALLERS, is_wanted(input, MPROF_COLUMN_CALLERS), arrays->callers, allocations);
	fetch_ids(input, EVENT_COLUMN_STACKS, is_wanted(input, MPROF_COLUMN_STACKS), arrays->stacks, allocations);
	read_objects(input, arrays->objects, allocations);
	if (!needs_sizes) {
		event_columns_skip(state, EVENT_COLUMN_SIZES, counts->allocations);
		return 1;
	}
	event_columns_settle(state, input->content, EVENT_COLUMN_SIZES, NULL);
	int_column_read_64(&state->numbers[EVENT_COLUMN_SIZES], input->content + state->starts[EVENT_COLUMN_SIZES],
			   arrays->sizes, counts->allocations);
	if (input->table->unsized_mask != 0 && has_unknown_size(arrays->sizes, counts->allocations))
		return 0;
	return counts->fixed_allocations == 0 ||
	       complete_sizes(input->table, arrays, input->count, allocations, counts->allocations);
}

/* Replaces differences of times by the times, of which the last one is returned. */
static uint64_t add_times(uint64_t *times, size_t count, uint64_t counter)
{
	for (size_t i = 0; i < count; i++) {
		counter += times[i];
		times[i] = counter;
	}
	return counter;
}

/* Delivers an event of a type, whose time is next, as a row. Returns 0 if there is no room for its detail. */
static int take_typed(event_columns_state *state, events_decode_state *progress, uint64_t time,
		      events_decode_batch *batch)
{
	if (state->typed.events == NULL || batch->detail_count == batch->detail_capacity)
		return 0;
	progress->counter += time;
	store_typed(&state->typed, state->typed.position++, progress->counter, batch);
	return 1;
}

/*
 * Adds the differences of times to the counter, run by run, and decodes the rows in between. Events of types become
 * rows, and their times are removed from the array.
 */
static int follow_rows(const columns_input *input, events_decode_state *progress, event_arrays *arrays,
		       events_decode_batch *batch)
{
	event_columns_state *state = input->state;
	const uint8_t *start = input->content + state->starts[EVENT_COLUMN_ROWS];
	const uint8_t *limit = start + state->lengths[EVENT_COLUMN_ROWS];
	const uint8_t *cursor = start + state->row_position;
	const int has_typed = input->counts.typed > 0;
	uint8_t *symbols = arrays->symbols;
	size_t time = 0;
	size_t stored = 0;

	for (size_t i = 0; i < input->count; i++) {
		const size_t end = i + find_row(symbols + i, input->count - i, has_typed);
		const size_t times = event_symbols_count_times(symbols + i, end - i);

		progress->counter = add_times(arrays->times + time, times, progress->counter);
		if (stored < time)
			memmove(arrays->times + stored, arrays->times + time, times * sizeof(*arrays->times));
		time += times;
		stored += times;
		i = end;
		if (end < input->count && symbols[end] == EVENT_SYMBOL_TYPED) {
			symbols[end] = EVENT_SYMBOL_ROW;
			if (!take_typed(state, progress, arrays->times[time++], batch))
				return 0;
		} else if (end < input->count &&
			   (cursor == limit ||
			    event_decode_one(input->table, &cursor, limit, progress, batch) != EVENTS_DECODE_DONE)) {
			return 0;
		}
	}
	state->row_position = (size_t)(cursor - start);
	return 1;
}

/* The events that are delivered as rows. */
static size_t rows_of(const event_symbol_counts *counts)
{
	return (size_t)counts->rows + counts->typed;
}

static int read_times(const columns_input *input, events_decode_state *progress, event_arrays *arrays,
		      events_decode_batch *batch)
{
	event_columns_state *state = input->state;
	const size_t count = event_symbols_with_time(&input->counts);
	uint64_t *times = arrays->times;

	/* The counters of rows follow from the times of the other events, whether these are wanted or not. */
	if (!is_wanted(input, MPROF_COLUMN_TIMES) && rows_of(&input->counts) == 0) {
		event_columns_skip(state, EVENT_COLUMN_TIMES, count);
		return 1;
	}
	event_columns_settle(state, input->content, EVENT_COLUMN_TIMES, &progress->counter);
	int_column_read_64(&state->numbers[EVENT_COLUMN_TIMES], input->content + state->starts[EVENT_COLUMN_TIMES],
			   times, count);
	if (rows_of(&input->counts) > 0)
		return follow_rows(input, progress, arrays, batch);
	progress->counter = add_times(times, count, progress->counter);
	return 1;
}

static void set_counts(const columns_input *input, mprof_columns *columns)
{
	columns->event_count = input->count;
	columns->method_count = input->counts.with_method;
	columns->time_count = event_symbols_with_time(&input->counts) - input->counts.typed;
	columns->allocation_count = event_symbols_with_class(&input->counts);
	columns->row_count = rows_of(&input->counts);
}

/* Has fewer events if all of them would be too many rows for the batch. */
static void limit_rows(columns_input *input, const uint8_t *symbols, const events_decode_batch *batch)
{
	const size_t room = batch->detail_capacity < batch->capacity ? batch->detail_capacity : batch->capacity;

	if (rows_of(&input->counts) <= room || room == 0)
		return;
	input->count = input->count < room ? input->count : room;
	event_symbols_count(symbols, input->state->position, input->count, &input->counts);
}

int event_columns_read(const event_decode_table *table, event_columns_state *state, const uint8_t *content,
		       events_decode_state *progress, uint32_t wanted, event_arrays *arrays, events_decode_batch *batch,
		       mprof_columns *columns)
{
	const event_columns_state before = *state;
	const events_decode_state progress_before = *progress;
	const uint8_t *symbols = content + state->starts[EVENT_COLUMN_SYMBOLS];
	const size_t remaining = state->event_count - state->position;
	columns_input input = {table, state, content, wanted, 0, {0}};

	input.count = remaining < EVENT_ARRAYS_CAPACITY ? remaining : EVENT_ARRAYS_CAPACITY;
	if (input.count == 0)
		return 0;
	if (state->position % EVENT_COLUMNS_PIECE == 0)
		input.counts = state->pieces[state->position / EVENT_COLUMNS_PIECE];
	else
		event_symbols_count(symbols, state->position, input.count, &input.counts);
	limit_rows(&input, symbols, batch);
	if (rows_of(&input.counts) > batch->capacity)
		return 0;
	event_symbols_unpack(symbols, state->position, input.count, arrays->symbols);
	if (is_wanted(&input, MPROF_COLUMN_TIMES))
		event_columns_settle(state, content, EVENT_COLUMN_TIMES, &progress->counter);
	columns->start_counter = is_wanted(&input, MPROF_COLUMN_TIMES) ? progress->counter : 0;
	if (!read_times(&input, progress, arrays, batch) || !read_allocations(&input, arrays)) {
		*state = before;
		*progress = progress_before;
		batch->count = 0;
		batch->detail_count = 0;
		return 0;
	}
	fetch_ids(&input, EVENT_COLUMN_METHODS, is_wanted(&input, MPROF_COLUMN_METHODS), arrays->methods,
		  input.counts.with_method);
	if (input.counts.fixed_allocations > 0)
		event_symbols_merge_allocations(arrays->symbols, input.count);
	state->position += input.count;
	set_counts(&input, columns);
	return 1;
}
