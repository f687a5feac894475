/* SPDX-License-Identifier: MIT */
/* The inner loop for events in columns: applies each event to the profile. */
#include "model/profile_columns.h"

#include "format/event_kinds.h"
#include "model/fast_path.h"
#include "model/profile_events.h"

#include <string.h>

/* The next event of a batch, and its values in the columns. */
typedef struct column_cursor {
	const uint8_t *symbol;
	const uint8_t *end; /* Of the symbols. */
	const uint32_t *method;
	const uint64_t *time;
	const mprof_event *row;
	size_t allocation; /* Index in the columns of allocations. */
	uint64_t counter;  /* Of the event before, which events without a time of their own have as well. */
} column_cursor;

/* The symbols that have a time, which are the first ones. */
static const uint8_t call_kinds[] = {[MPROF_SYMBOL_ENTER] = MPROF_EVENT_METHOD_ENTER,
				     [MPROF_SYMBOL_LEAVE_IMPLICIT] = MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
				     [MPROF_SYMBOL_LEAVE] = MPROF_EVENT_METHOD_LEAVE};

static inline int is_call(uint8_t symbol)
{
	return symbol < sizeof(call_kinds);
}

static column_cursor cursor_of(const mprof_columns *columns)
{
	const column_cursor cursor = {.symbol = columns->symbols,
				      .end = columns->symbols + columns->event_count,
				      .method = columns->methods,
				      .time = columns->times,
				      .row = columns->rows,
				      .counter = columns->start_counter};

	return cursor;
}

/* Makes a struct of the next event, which has \p detail if it is an allocation. */
static void get_event(const column_cursor *cursor, const mprof_columns *columns, mprof_event *event,
		      mprof_event_detail *detail)
{
	const size_t allocation = cursor->allocation;
	const uint8_t symbol = *cursor->symbol;

	if (symbol == MPROF_SYMBOL_ROW) {
		*event = *cursor->row;
		return;
	}
	memset(event, 0, sizeof(*event));
	if (is_call(symbol)) {
		event->kind = call_kinds[symbol];
		event->id = symbol == MPROF_SYMBOL_LEAVE_IMPLICIT ? 0 : *cursor->method;
		event->counter = *cursor->time;
		return;
	}
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->caller = columns->callers[allocation];
	detail->stack = columns->stacks[allocation];
	event->kind = MPROF_EVENT_ALLOCATION;
	event->id = columns->classes[allocation];
	event->value = columns->sizes[allocation];
	event->counter = cursor->counter;
	event->more.detail = detail;
}

/* Goes on after the next event. */
static inline void advance(column_cursor *cursor)
{
	const uint8_t symbol = *cursor->symbol++;

	if (is_call(symbol)) {
		cursor->counter = *cursor->time++;
		cursor->method += symbol != MPROF_SYMBOL_LEAVE_IMPLICIT;
	} else if (symbol == MPROF_SYMBOL_ROW) {
		cursor->counter = (cursor->row++)->counter;
	} else {
		cursor->allocation++;
	}
}

void profile_columns_begin(thread_record *thread, const mprof_columns *columns)
{
	/* As many as a batch of structs has, so that the result does not depend on the layout. */
	const size_t most = columns->event_count < PROFILE_BATCH ? columns->event_count : PROFILE_BATCH;
	column_cursor cursor;
	mprof_event_detail detail;
	mprof_event event;

	if (most == 0)
		return;
	cursor = cursor_of(columns);
	for (size_t i = 0; i < most; i++) {
		get_event(&cursor, columns, &event, &detail);
		if (!thread->has_counter || event_has_time(&event)) {
			profile_events_begin(thread, &event, 1);
			return;
		}
		advance(&cursor);
	}
}

/* Counts an allocation at its call site. Inlined, it would make the loop slower for allocations that have none. */
static __attribute__((noinline)) int add_site(mprof_profile *profile, uint32_t top, const mprof_columns *columns,
					      size_t allocation)
{
	const mprof_event_detail detail = {.struct_size = sizeof(detail),
					   .caller = columns->callers[allocation],
					   .stack = columns->stacks[allocation]};
	const mprof_event event = {.kind = MPROF_EVENT_ALLOCATION,
				   .id = columns->classes[allocation],
				   .value = columns->sizes[allocation],
				   .more.detail = &detail};

	return profile_events_add_site(profile, top, &event);
}

/* Returns 0 if there is no memory, and changes no statistics. */
static inline int add_allocation(mprof_profile *profile, uint32_t top, const mprof_columns *columns, size_t allocation)
{
	const int has_site =
		profile->has_call_sites || (columns->callers[allocation] | columns->stacks[allocation]) != 0;
	class_record *record = record_table_get(&profile->classes, columns->classes[allocation]);

	if (record == NULL || (has_site && !add_site(profile, top, columns, allocation)))
		return 0;
	fast_path_count_allocation(profile, record, top, columns->sizes[allocation]);
	return 1;
}

/* As add_allocation(), and counts the event. Allocations outside the window change nothing. */
static inline int add_fast_allocation(mprof_profile *profile, uint32_t top, const mprof_columns *columns,
				      size_t allocation, const int how)
{
	if ((how & FAST_PATH_COUNTS) == 0)
		return 1;
	if (!add_allocation(profile, top, columns, allocation))
		return 0;
	profile->totals.event_counts[MPROF_EVENT_ALLOCATION]++;
	return 1;
}

/*
 * Adds events up to the first one that requires the slow path. has_failed is set if there was no memory for the next
 * one. Each symbol has a branch of its own, in which the kind of the event is a constant.
 */
FAST_PATH_INLINE void add_fast_inline(mprof_profile *profile, thread_record *thread, const mprof_columns *columns,
				      column_cursor *next, int *has_failed, const int how)
{
	const call_stack *stack = thread_stack(thread);
	column_cursor cursor = *next;
	fast_path path;

	if (!fast_path_begin(&path, profile, thread, how))
		return;
	for (; cursor.symbol < cursor.end; cursor.symbol++) {
		const uint8_t symbol = *cursor.symbol;

		if (symbol == MPROF_SYMBOL_ENTER) {
			const fast_call call = {MPROF_EVENT_METHOD_ENTER, *cursor.method, *cursor.time, 0};

			if (!fast_path_is_next(&path, call.counter) ||
			    !fast_path_call(&path, profile, stack, &call, how))
				break;
			cursor.method++;
		} else if (symbol == MPROF_SYMBOL_LEAVE_IMPLICIT) {
			const fast_call call = {MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, *cursor.time, 0};

			if (!fast_path_is_next(&path, call.counter) ||
			    !fast_path_call(&path, profile, stack, &call, how))
				break;
		} else if (symbol == MPROF_SYMBOL_LEAVE) {
			const fast_call call = {MPROF_EVENT_METHOD_LEAVE, *cursor.method, *cursor.time, 0};

			if (!fast_path_is_next(&path, call.counter) ||
			    !fast_path_call(&path, profile, stack, &call, how))
				break;
			cursor.method++;
		} else {
			if (symbol == MPROF_SYMBOL_ROW || !fast_path_is_next(&path, cursor.counter))
				break;
			*has_failed = !add_fast_allocation(profile, path.top, columns, cursor.allocation, how);
			if (*has_failed)
				break;
			fast_path_pass(&path, profile, cursor.counter, how);
			cursor.allocation++;
			continue;
		}
		cursor.counter = *cursor.time++;
	}
	fast_path_end(&path, thread, how);
	*next = cursor;
}

static void add_fast(mprof_profile *profile, thread_record *thread, const mprof_columns *columns, column_cursor *next,
		     int *has_failed, int counts)
{
	if (profile->calls.durations.is_enabled && counts)
		add_fast_inline(profile, thread, columns, next, has_failed, FAST_PATH_COUNTS | FAST_PATH_TIMED);
	else if (profile->calls.durations.is_enabled)
		add_fast_inline(profile, thread, columns, next, has_failed, FAST_PATH_TIMED);
	else if (counts)
		add_fast_inline(profile, thread, columns, next, has_failed, FAST_PATH_COUNTS);
	else
		add_fast_inline(profile, thread, columns, next, has_failed, 0);
}

/* Where the events of a batch are. */
static window_place place_of(const mprof_profile *profile, const thread_record *thread, const mprof_columns *columns)
{
	uint64_t first = columns->start_counter;
	uint64_t last = first;

	if (!profile->window.is_bounded)
		return WINDOW_INSIDE;
	for (size_t i = 0; i < columns->time_count; i++) {
		first = columns->times[i] < first ? columns->times[i] : first;
		last = columns->times[i] > last ? columns->times[i] : last;
	}
	for (size_t i = 0; i < columns->row_count; i++) {
		first = columns->rows[i].counter < first ? columns->rows[i].counter : first;
		last = columns->rows[i].counter > last ? columns->rows[i].counter : last;
	}
	return window_place_of(&profile->window, thread->last_counter, first, last);
}

/* Adds the events at the cursor. Returns 0 if there is no memory for one of them. */
static int add_events(mprof_profile *profile, thread_record *thread, const mprof_columns *columns,
		      column_cursor *cursor, window_place place)
{
	const int counts = place == WINDOW_INSIDE;
	mprof_event_detail detail;
	mprof_event event;

	for (;;) {
		int has_failed = 0;
		int is_added;

		if (place != WINDOW_ACROSS)
			add_fast(profile, thread, columns, cursor, &has_failed, counts);
		if (cursor->symbol == cursor->end)
			return 1;
		get_event(cursor, columns, &event, &detail);
		is_added = counts ? profile_events_add_slow(profile, thread, &event, has_failed)
				  : profile_events_add_windowed(profile, thread, &event);
		if (!is_added)
			return 0;
		advance(cursor);
	}
}

int profile_columns_add(mprof_profile *profile, thread_record *thread, const mprof_columns *columns, size_t passed)
{
	column_cursor cursor = cursor_of(columns);
	const window_place place = place_of(profile, thread, columns);
	const uint8_t *first;
	profile_run run;
	int is_added;

	for (size_t i = 0; i < passed; i++)
		advance(&cursor);
	first = cursor.symbol;
	run = profile_events_begin_run(profile, thread);
	is_added = add_events(profile, thread, columns, &cursor, place);
	if (place == WINDOW_INSIDE) {
		thread->events += (size_t)(cursor.symbol - first);
		profile->totals.events += (size_t)(cursor.symbol - first);
	}
	return profile_events_end_run(profile, thread, &run) && is_added;
}
