/* SPDX-License-Identifier: MIT */
/* Decodes columns to arrays. */
#include "format/event_columns_read.h"

#include "format/event_columns_skip.h"
#include "format/event_decode_one.h"

#include <string.h>

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
static void read_ids(const columns_input *input, event_column column, int is_needed, uint32_t *ids, size_t count)
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
	read_ids(input, EVENT_COLUMN_CLASSES, needs_classes, arrays->classes, allocations);
	read_ids(input, EVENT_COLUMN_CALLERS, is_wanted(input, MPROF_COLUMN_CALLERS), arrays->callers, allocations);
	read_ids(input, EVENT_COLUMN_STACKS, is_wanted(input, MPROF_COLUMN_STACKS), arrays->stacks, allocations);
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

/* Adds the differences of times to the counter, run by run, and decodes the rows in between. */
static int follow_rows(const columns_input *input, events_decode_state *progress, event_arrays *arrays,
		       events_decode_batch *batch)
{
	event_columns_state *state = input->state;
	const uint8_t *start = input->content + state->starts[EVENT_COLUMN_ROWS];
	const uint8_t *limit = start + state->lengths[EVENT_COLUMN_ROWS];
	const uint8_t *cursor = start + state->row_position;
	size_t time = 0;

	for (size_t i = 0; i < input->count; i++) {
		const uint8_t *row = memchr(arrays->symbols + i, EVENT_SYMBOL_ROW, input->count - i);
		const size_t end = row != NULL ? (size_t)(row - arrays->symbols) : input->count;
		const size_t times = event_symbols_count_times(arrays->symbols + i, end - i);

		progress->counter = add_times(arrays->times + time, times, progress->counter);
		time += times;
		i = end;
		if (row != NULL && (cursor == limit || event_decode_one(input->table, &cursor, limit, progress,
									batch) != EVENTS_DECODE_DONE))
			return 0;
	}
	state->row_position = (size_t)(cursor - start);
	return 1;
}

static int read_times(const columns_input *input, events_decode_state *progress, event_arrays *arrays,
		      events_decode_batch *batch)
{
	event_columns_state *state = input->state;
	const size_t count = event_symbols_with_time(&input->counts);
	uint64_t *times = arrays->times;

	/* The counters of rows follow from the times of the other events, whether these are wanted or not. */
	if (!is_wanted(input, MPROF_COLUMN_TIMES) && input->counts.rows == 0) {
		event_columns_skip(state, EVENT_COLUMN_TIMES, count);
		return 1;
	}
	event_columns_settle(state, input->content, EVENT_COLUMN_TIMES, &progress->counter);
	int_column_read_64(&state->numbers[EVENT_COLUMN_TIMES], input->content + state->starts[EVENT_COLUMN_TIMES],
			   times, count);
	if (input->counts.rows > 0)
		return follow_rows(input, progress, arrays, batch);
	progress->counter = add_times(times, count, progress->counter);
	return 1;
}

static void set_counts(const columns_input *input, mprof_columns *columns)
{
	columns->event_count = input->count;
	columns->method_count = input->counts.with_method;
	columns->time_count = event_symbols_with_time(&input->counts);
	columns->allocation_count = event_symbols_with_class(&input->counts);
	columns->row_count = input->counts.rows;
}

int event_columns_read(const event_decode_table *table, event_columns_state *state, const uint8_t *content,
		       events_decode_state *progress, uint32_t wanted, event_arrays *arrays, events_decode_batch *batch,
		       mprof_columns *columns)
{
	const event_columns_state before = *state;
	const events_decode_state progress_before = *progress;
	const uint8_t *symbols = content + state->starts[EVENT_COLUMN_SYMBOLS];
	const size_t left = state->event_count - state->position;
	columns_input input = {table, state, content, wanted, 0, {0}};

	input.count = left < EVENT_ARRAYS_CAPACITY ? left : EVENT_ARRAYS_CAPACITY;
	if (input.count == 0)
		return 0;
	if (state->position % EVENT_COLUMNS_PIECE == 0)
		input.counts = state->pieces[state->position / EVENT_COLUMNS_PIECE];
	else
		event_symbols_count(symbols, state->position, input.count, &input.counts);
	if (input.counts.rows > batch->capacity)
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
	read_ids(&input, EVENT_COLUMN_METHODS, is_wanted(&input, MPROF_COLUMN_METHODS), arrays->methods,
		 input.counts.with_method);
	if (input.counts.fixed_allocations > 0)
		event_symbols_merge_allocations(arrays->symbols, input.count);
	state->position += input.count;
	set_counts(&input, columns);
	return 1;
}
