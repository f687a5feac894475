/* SPDX-License-Identifier: MIT */
/* Finds and checks the columns of a block of events. */
#include "format/event_columns_open.h"

#include <string.h>

/* The values that each column must have, by the symbols of the events. */
typedef struct column_needs {
	size_t counts[EVENT_COLUMNS];
} column_needs;

static size_t available(const content_cursor *cursor, size_t start, size_t length)
{
	size_t left = cursor->length - start;

	return length < left ? length : left;
}

/* Decodes the directory. Lengths that exceed the content are an error, after which they are reduced. */
static void open_directory(event_columns_state *columns, content_cursor *cursor)
{
	const size_t start = cursor->position;
	uint64_t events = content_cursor_varint(cursor);
	uint64_t count = content_cursor_varint(cursor);
	uint64_t lengths[EVENT_COLUMNS] = {0};
	size_t position;

	if (events > EVENT_COLUMNS_MAX_EVENTS)
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "invalid number of events in the columns");
	if (count > EVENT_COLUMNS)
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "unknown columns of events");
	for (size_t i = 0; i < count && cursor->status == MPROF_OK; i++)
		lengths[i] = content_cursor_varint(cursor);
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
	if (cursor->status == MPROF_OK)
		cursor->position = position;
}

/* Counts the symbols of all events, piece by piece. Returns the number of events before the first invalid one. */
static size_t count_pieces(event_columns_state *columns, const uint8_t *bytes)
{
	size_t counted = 0;
	size_t piece = 0;

	for (size_t got = EVENT_COLUMNS_PIECE; got == EVENT_COLUMNS_PIECE && counted < columns->event_count; piece++) {
		const size_t left = columns->event_count - counted;

		got = event_symbols_count(bytes, counted, left < EVENT_COLUMNS_PIECE ? left : EVENT_COLUMNS_PIECE,
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

static const char *fault_text(int_column_fault fault)
{
	switch (fault) {
	case INT_COLUMN_TRUNCATED:
		return "a column ends before the events do";
	case INT_COLUMN_BAD_WIDTH:
		return "invalid width of the values of a column";
	case INT_COLUMN_TOO_LONG:
		return "a column has more values than events";
	case INT_COLUMN_TOO_LARGE:
		return "an ID of a column exceeds 32 bits";
	default:
		return "invalid exception in a column";
	}
}

void event_columns_open(event_columns_state *columns, content_cursor *cursor, uint64_t directives)
{
	column_needs needs;

	memset(columns, 0, sizeof(*columns));
	open_directory(columns, cursor);
	count_symbols(columns, cursor, directives, &needs);
	for (size_t i = EVENT_COLUMN_METHODS; i < EVENT_COLUMN_ROWS; i++) {
		int_column_fault fault =
			int_column_init(&columns->numbers[i], cursor->bytes + columns->starts[i], columns->lengths[i],
					needs.counts[i], is_id(i) ? UINT32_MAX : UINT64_MAX);

		if (fault != INT_COLUMN_VALID)
			content_cursor_fail(cursor, columns->starts[i], MPROF_ERR_MALFORMED, fault_text(fault));
	}
}
