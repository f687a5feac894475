/* SPDX-License-Identifier: MIT */
/* Adds blocks to a profile. */
#include <mprof/profile.h>
#include <mprof/reader.h>

#include "format/events/event_kinds.h"
#include "model/profile/fast_path.h"
#include "model/profile/partial_profile.h"
#include "model/profile/profile_events.h"
#include "model/profile/profile_internal.h"
#include "model/records/thread_table.h"
#include "reader/reader.h"

#include <string.h>

/* The columns that profile_columns_add() reads. */
#define PROFILE_COLUMNS                                                                                                \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS)

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

/* Continues with the next event. */
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

/* As profile_events_begin(). Does nothing without events. */
static void profile_columns_begin(thread_record *thread, const mprof_columns *columns)
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
				      size_t allocation, const int mode)
{
	if ((mode & FAST_PATH_COUNTS) == 0)
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
				      column_cursor *next, int *has_failed, const int mode)
{
	const call_stack *stack = thread_stack(thread);
	column_cursor cursor = *next;
	fast_path path;

	if (!fast_path_begin(&path, profile, thread, mode))
		return;
	for (; cursor.symbol < cursor.end; cursor.symbol++) {
		const uint8_t symbol = *cursor.symbol;

		if (symbol == MPROF_SYMBOL_ENTER) {
			const fast_call call = {MPROF_EVENT_METHOD_ENTER, *cursor.method, *cursor.time, 0};

			if (!fast_path_is_next(&path, call.counter) ||
			    !fast_path_call(&path, profile, stack, &call, mode))
				break;
			cursor.method++;
		} else if (symbol == MPROF_SYMBOL_LEAVE_IMPLICIT) {
			const fast_call call = {MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, *cursor.time, 0};

			if (!fast_path_is_next(&path, call.counter) ||
			    !fast_path_call(&path, profile, stack, &call, mode))
				break;
		} else if (symbol == MPROF_SYMBOL_LEAVE) {
			const fast_call call = {MPROF_EVENT_METHOD_LEAVE, *cursor.method, *cursor.time, 0};

			if (!fast_path_is_next(&path, call.counter) ||
			    !fast_path_call(&path, profile, stack, &call, mode))
				break;
			cursor.method++;
		} else {
			if (symbol == MPROF_SYMBOL_ROW || !fast_path_is_next(&path, cursor.counter))
				break;
			*has_failed = !add_fast_allocation(profile, path.top, columns, cursor.allocation, mode);
			if (*has_failed)
				break;
			fast_path_pass(&path, profile, cursor.counter, mode);
			cursor.allocation++;
			continue;
		}
		cursor.counter = *cursor.time++;
	}
	fast_path_end(&path, thread, mode);
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
		      column_cursor *cursor, window_place position)
{
	const int counts = position == WINDOW_INSIDE;
	mprof_event_detail detail;
	mprof_event event;

	for (;;) {
		int has_failed = 0;
		int is_added;

		if (position != WINDOW_ACROSS)
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

/* As profile_events_add(), for a profile without a timeline. The first passed events were added before. */
static int profile_columns_add(mprof_profile *profile, thread_record *thread, const mprof_columns *columns,
			       size_t passed)
{
	column_cursor cursor = cursor_of(columns);
	const window_place position = place_of(profile, thread, columns);
	const uint8_t *first;
	profile_run run;
	int is_added;

	for (size_t i = 0; i < passed; i++)
		advance(&cursor);
	first = cursor.symbol;
	run = profile_events_begin_run(profile, thread);
	is_added = add_events(profile, thread, columns, &cursor, position);
	if (position == WINDOW_INSIDE) {
		thread->events += (size_t)(cursor.symbol - first);
		profile->totals.events += (size_t)(cursor.symbol - first);
	}
	return profile_events_end_run(profile, thread, &run) && is_added;
}

/*
 * A refusal of the allocator is final: the statistics are incomplete, and stay so. Data that exceeds the limit is left
 * out, which the totals report.
 */
static mprof_status refuse_memory(mprof_profile *profile)
{
	if (profile_limit_skip_data(profile))
		return MPROF_OK;
	profile->is_out_of_memory = 1;
	return MPROF_ERR_MEMORY;
}

/* What has not ended lasts until the end of the log, whichever threads count. */
static void note_uncounted(mprof_profile *profile, uint64_t counter)
{
	if (!profile->has_uncounted || (int64_t)(counter - profile->uncounted_latest) > 0)
		profile->uncounted_latest = counter;
	profile->has_uncounted = 1;
}

/* Reads the content of a block that does not count, so that damage in it is found nevertheless. */
static mprof_status read_uncounted_block(mprof_profile *profile, mprof_reader *reader)
{
	const mprof_event *events;
	mprof_status status;
	size_t count = 0;

	do {
		status = reader_lend_events(reader, profile->batch, PROFILE_BATCH, &events, &count);
		if (count > 0)
			note_uncounted(profile, events[count - 1].counter);
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

static int add_to_ages(mprof_profile *profile, const mprof_reader *reader, uint64_t thread, const mprof_event *events,
		       size_t count)
{
	return !profile_tracks_objects(profile, profile_process_of(profile, thread)) ||
	       object_ages_add(&profile->ages, reader, thread, profile->estimates.interval, events, count);
}

/* Reads the events of a thread that does not count: it may free memory of other threads, and stop them. */
static mprof_status follow_events_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	const mprof_event *events;
	mprof_status status;
	size_t count = 0;

	do {
		status = reader_lend_events(reader, profile->batch, PROFILE_BATCH, &events, &count);
		if (count > 0)
			note_uncounted(profile, events[count - 1].counter);
		if (!profile_events_follow(profile, block->thread, events, count) ||
		    !add_to_ages(profile, reader, block->thread, events, count))
			return refuse_memory(profile);
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

/* As add_structs_block(), for a block in columns. */
static mprof_status add_columns_block(mprof_profile *profile, mprof_reader *reader, thread_record *thread, size_t added)
{
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_status status;
	int is_first = added == 0;
	size_t passed;

	do {
		status = mprof_reader_next_columns(reader, PROFILE_COLUMNS, &columns);
		if (is_first)
			profile_columns_begin(thread, &columns);
		is_first = 0;
		passed = added < columns.event_count ? added : columns.event_count;
		if (!profile_columns_add(profile, thread, &columns, passed))
			return refuse_memory(profile);
		added -= passed;
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

/* Whether the events of the loaded block are added from their columns, without making structs of them. */
static int takes_columns(const mprof_profile *profile, const mprof_reader *reader)
{
	return profile->timeline.limit == 0 && !profile->ages.is_enabled && reader_has_columns(reader);
}

/* Adds the events of a block after the first ones, which were added before. */
static mprof_status add_structs_block(mprof_profile *profile, mprof_reader *reader, thread_record *thread, size_t added)
{
	const mprof_event *events;
	mprof_status status;
	size_t count = 0;
	int is_first = added == 0;
	size_t passed;

	do {
		status = reader_lend_events(reader, profile->batch, PROFILE_BATCH, &events, &count);
		if (is_first)
			profile_events_begin(thread, events, count);
		is_first = 0;
		passed = added < count ? added : count;
		if (!profile_events_add(profile, thread, events + passed, count - passed) ||
		    !add_to_ages(profile, reader, thread->id, events + passed, count - passed))
			return refuse_memory(profile);
		added -= passed;
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

/* Events before damage are added. */
static mprof_status add_events_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	thread_record *thread;
	size_t added = 0;
	int is_whole = 0;

	if (!window_has_thread(&profile->window, block->thread))
		return follow_events_block(profile, reader, block);
	reader_note_unnamed(reader, block->end.counter);
	thread = thread_table_get(&profile->threads, &profile->calls, block->thread);

	if (thread == NULL || !profile_partial_add(profile, reader, thread, &added, &is_whole))
		return refuse_memory(profile);
	if (is_whole)
		return MPROF_OK;
	if (takes_columns(profile, reader))
		return add_columns_block(profile, reader, thread, added);
	return add_structs_block(profile, reader, thread, added);
}

/* \p thread is NULL if the block belongs to no thread. */
static mprof_status add_samples(mprof_profile *profile, mprof_reader *reader, thread_record *thread)
{
	const mprof_event *events;
	mprof_status status;
	size_t count = 0;

	do {
		status = reader_lend_events(reader, profile->batch, PROFILE_BATCH, &events, &count);
		if (!profile_events_add_samples(profile, reader, thread, events, count))
			return refuse_memory(profile);
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

static mprof_status add_samples_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	thread_record *thread;

	if (!window_has_thread(&profile->window, block->thread))
		return read_uncounted_block(profile, reader);
	/* The block was converted from a dialect whose samples have no threads. */
	if (block->thread == 0)
		return add_samples(profile, reader, NULL);
	thread = thread_table_get(&profile->threads, &profile->calls, block->thread);
	return thread != NULL ? add_samples(profile, reader, thread) : refuse_memory(profile);
}

/* Its events are of any thread, and in no order. */
static mprof_status add_typed_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(reader, profile->batch, PROFILE_BATCH, &count);
		if (!profile_events_add_typed(profile, block->thread, profile->batch, count))
			return refuse_memory(profile);
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

static int add_heap_to_ages(mprof_profile *profile, const mprof_block *block, size_t count)
{
	return !profile_tracks_objects(profile, block->as.heap_data.process) ||
	       object_ages_add_heap(&profile->ages, profile->batch, count);
}

static void begin_heap_of_ages(mprof_profile *profile, const mprof_block *block)
{
	if (profile_tracks_objects(profile, block->as.heap_data.process))
		object_ages_begin_heap(&profile->ages, &block->as.heap_data);
}

/* Reads a HEAP_DATA block that does not count: it moves and frees objects that do. */
static mprof_status follow_heap_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(reader, profile->batch, PROFILE_BATCH, &count);
		if (!add_heap_to_ages(profile, block, count))
			return refuse_memory(profile);
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

static mprof_status add_heap_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;
	size_t count = 0;

	begin_heap_of_ages(profile, block);
	if (!profile_has_process(profile, block->as.heap_data.process))
		return MPROF_OK;
	if (!window_has_counter(&profile->window, block->as.heap_data.has_clocks ? block->as.heap_data.start.counter
										 : block->as.heap_data.counter))
		return follow_heap_block(profile, reader, block);
	if (!heap_snapshots_begin_block(&profile->heap_snapshots, block))
		return refuse_memory(profile);
	do {
		status = mprof_reader_next_events(reader, profile->batch, PROFILE_BATCH, &count);
		if (!profile_events_add_heap(profile, profile->batch, count) ||
		    !add_heap_to_ages(profile, block, count))
			return refuse_memory(profile);
	} while (status == MPROF_OK);
	if (!heap_snapshots_end_block(&profile->heap_snapshots, block, status == MPROF_END))
		return refuse_memory(profile);
	return status == MPROF_END ? MPROF_OK : status;
}

/* The processor time of a thread is known only at some times: it is distributed evenly between them. */
static int add_timeline_cpu(mprof_profile *profile, thread_record *thread, const metric_record *metric,
			    uint64_t previous, uint64_t growth)
{
	if (profile->timeline.limit == 0 || metric->measures != THREAD_CPU_TIME)
		return 1;
	if (metric->count + metric->skipped == 1)
		previous = thread->timeline.has_time ? thread->timeline.first : profile->timeline.log_start;
	return timeline_add_cpu(&profile->timeline, &thread->timeline, previous, metric->last_counter, growth) ||
	       profile_limit_skip_slice(profile);
}

static int add_metric_value(mprof_profile *profile, const mprof_record *record, uint64_t counter)
{
	uint64_t growth;
	uint64_t previous;
	const metric_record *metric =
		metric_list_add_value(&profile->lists.metrics, record, counter, &growth, &previous);
	thread_record *thread;

	if (metric == NULL)
		return 0;
	if (metric->name == NULL || metric->measures == THREAD_METRIC_NONE)
		return 1;
	/* A thread that was attached more than once has more than one metric of each kind. */
	thread = thread_table_get(&profile->threads, &profile->calls, metric->thread);
	if (thread == NULL)
		return 0;
	thread->metrics[metric->measures] += growth;
	return add_timeline_cpu(profile, thread, metric, previous, growth);
}

/* Values before the window are those that the values inside have grown from. */
static int add_value_of_block(mprof_profile *profile, const mprof_block *block, const mprof_record *record)
{
	const uint64_t stated = record->as.metric_value.counter;
	const uint64_t counter = stated != 0 ? stated : block->start.counter;

	if (window_has_counter(&profile->window, counter))
		return add_metric_value(profile, record, counter);
	return window_is_over(&profile->window, counter) ||
	       metric_list_skip_value(&profile->lists.metrics, record, counter);
}

/* Chooses a thread of a chosen process. Returns 0 if there is no memory. */
static int choose_thread(mprof_profile *profile, const mprof_record *record)
{
	if (record->kind != MPROF_RECORD_TIMELINE || profile->chosen_count == 0 ||
	    !profile_has_process(profile, record->as.timeline.process))
		return 1;
	return window_choose_thread(&profile->window, record->as.timeline.thread) &&
	       window_choose_thread(&profile->alive_window, record->as.timeline.thread);
}

/* Adds where generated code was, if its process counts. Ends of ranges that were not added have no effect. */
static int add_code_range(mprof_profile *profile, const mprof_record *record)
{
	mprof_record range = *record;

	if (record->kind == MPROF_RECORD_CODE_RANGE && !profile->has_processes)
		range.as.code_range.process = 0;
	else if (record->kind == MPROF_RECORD_CODE_RANGE && !profile_has_process(profile, range.as.code_range.process))
		return 1;
	return code_places_add(&profile->lists.code_places, &range);
}

static int add_reachability(mprof_profile *profile, const mprof_record *records, size_t count)
{
	int is_added = 1;

	for (size_t i = 0; is_added && i < count; i++)
		is_added = reachability_add(&profile->reachable, &profile->addresses, &records[i]);
	return is_added;
}

static int add_records(mprof_profile *profile, const mprof_block *block, const mprof_record *records, size_t count)
{
	/* Snapshots outside of the window are not in the list. */
	if (block->kind == MPROF_BLOCK_OBJECT_LABELS)
		return heap_snapshots_add_notes(&profile->heap_snapshots, block, records, count);
	if (block->kind == MPROF_BLOCK_REACHABILITY)
		return add_reachability(profile, records, count);
	/* Values in the window may be of metrics that were defined before it. */
	for (size_t i = 0; i < count; i++) {
		if (records[i].kind == MPROF_RECORD_METRIC && !metric_list_define(&profile->lists.metrics, &records[i]))
			return 0;
		/* Descriptions hold for the whole log. */
		if (!descriptions_add(&profile->described, &records[i]) || !add_code_range(profile, &records[i]) ||
		    !choose_thread(profile, &records[i]))
			return 0;
	}
	if (block->kind == MPROF_BLOCK_HEAP_SUMMARY)
		return !window_has_counter(&profile->window, block->start.counter) ||
		       heap_summaries_add(&profile->heap_summaries, block, records, count);
	for (size_t i = 0; i < count; i++) {
		if (records[i].kind == MPROF_RECORD_METRIC_VALUE && !add_value_of_block(profile, block, &records[i]))
			return 0;
	}
	return 1;
}

/* Adds a block of records that the profile keeps. The reader keeps the definitions of other blocks. */
static mprof_status add_records_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_records(reader, profile->record_batch, sizeof(mprof_record),
						   PROFILE_RECORD_BATCH, &count);
		if (!add_records(profile, block, profile->record_batch, count))
			return refuse_memory(profile);
	} while (status == MPROF_OK);
	return status == MPROF_END ? MPROF_OK : status;
}

/* The samples so far are counted in the unit that a new period needs. */
static void set_sample_period(mprof_profile *profile, const char *value)
{
	const uint64_t factor = sample_weights_set_period(&profile->weights, value);

	if (factor == 1 || profile->totals.samples == 0)
		return;
	samples_scale(&profile->samples, factor);
	profile->totals.samples *= factor;
	for (size_t i = 0; i < profile->threads.count; i++) {
		profile->threads.records[i].samples *= factor;
		timeline_scale_samples(&profile->timeline, &profile->threads.records[i].timeline, factor);
	}
	for (size_t i = 0; i < profile->methods.count; i++) {
		method_record *method = (method_record *)profile->methods.records + i;

		method->samples *= factor;
		method->samples_total *= factor;
	}
}

static mprof_status add_session_block(mprof_profile *profile, mprof_reader *reader)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = mprof_reader_next_property(reader, &key, &value)) == MPROF_OK) {
		if (!properties_set(&profile->lists.properties, key, value))
			return refuse_memory(profile);
		if (strcmp(key, ALLOCATION_SAMPLE_BYTES_KEY) == 0)
			allocation_estimates_set_interval(&profile->estimates, value);
		else if (strcmp(key, SAMPLE_PERIOD_KEY) == 0)
			set_sample_period(profile, value);
		if (strcmp(key, ALLOCATION_SAMPLE_KIND_KEY) == 0)
			allocation_estimates_set_kind(&profile->estimates, value);
	}
	return status == MPROF_END ? MPROF_OK : status;
}

static int add_thread_block(mprof_profile *profile, const mprof_block *block)
{
	thread_record *thread;

	if (!window_has_thread(&profile->window, block->thread))
		return 1;
	thread = thread_table_get(&profile->threads, &profile->calls, block->thread);
	return thread != NULL && thread_table_name(&profile->threads, thread, block->as.thread_name.name);
}

static int is_mark_counted(const mprof_profile *profile, const mprof_block *block)
{
	return window_has_counter(&profile->window, block->as.mark.counter) &&
	       (block->thread == 0 || window_has_thread(&profile->window, block->thread));
}

static int add_lost_block(mprof_profile *profile, const mprof_block *block)
{
	thread_record *thread = NULL;
	uint64_t lost = 0;

	for (size_t cause = 0; cause < block->as.lost.count; cause++) {
		lost += block->as.lost.counts[cause];
		profile->totals.lost_by_cause[cause] += block->as.lost.counts[cause];
	}
	if (block->thread != 0) {
		thread = thread_table_get(&profile->threads, &profile->calls, block->thread);
		if (thread == NULL)
			return 0;
		thread->lost += lost;
	}
	profile->totals.lost_events += lost;
	return 1;
}

static void begin_timeline(mprof_profile *profile, const mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};

	if (profile->timeline.limit != 0 && !profile->timeline.has_origin &&
	    mprof_reader_get_session(reader, &session) == MPROF_OK)
		timeline_begin(&profile->timeline, session.start.counter, !profile->times.is_pending);
}

/* Bounds the windows with what is known of the clock. */
static void update_windows(mprof_profile *profile, const mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};

	if (profile->times.is_pending && mprof_reader_get_session(reader, &session) == MPROF_OK)
		window_times_update(&profile->times, &profile->window, &profile->alive_window, reader,
				    profile_latest_counter(profile, session.start.counter));
}

/* Whether a block consists of records of which the reader does not keep all that the profile needs. */
static int has_kept_records(const mprof_block *block)
{
	const uint64_t kinds = MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_SUMMARY) | MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_REACHABILITY) | MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCK_PAIRS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) | MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_CODE_RANGES);

	return block->kind < 64 && (MPROF_BLOCK_BIT(block->kind) & kinds) != 0;
}

static mprof_status add_block_to_profile(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	int is_added = 1;

	if (profile->is_out_of_memory)
		return MPROF_ERR_MEMORY;
	profile->reading = reader;
	update_windows(profile, reader);
	if (block->kind < sizeof(profile->totals.block_counts) / sizeof(profile->totals.block_counts[0]))
		profile->totals.block_counts[block->kind]++;
	if (!block->loaded)
		return MPROF_OK;
	begin_timeline(profile, reader);
	if (has_kept_records(block))
		return add_records_block(profile, reader, block);
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
		return add_events_block(profile, reader, block);
	case MPROF_BLOCK_STATISTICAL:
		return profile->window.has_threads ? read_uncounted_block(profile, reader)
						   : add_samples(profile, reader, NULL);
	case MPROF_BLOCK_SAMPLES:
		return add_samples_block(profile, reader, block);
	case MPROF_BLOCK_TYPED:
		return add_typed_block(profile, reader, block);
	case MPROF_BLOCK_HEAP_DATA:
		return add_heap_block(profile, reader, block);
	case MPROF_BLOCK_SESSION:
		return add_session_block(profile, reader);
	case MPROF_BLOCK_THREAD:
		is_added = add_thread_block(profile, block);
		break;
	case MPROF_BLOCK_LOST:
		is_added = add_lost_block(profile, block);
		break;
	case MPROF_BLOCK_MARK:
		is_added = !is_mark_counted(profile, block) || marks_add(&profile->lists.marks, block);
		break;
	case MPROF_BLOCK_WATERMARK:
		is_added = memory_process_until(&profile->memory, block->as.watermark.counter);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		profile->has_processes |=
			mprof_number_set_has(&block->as.directives.declared, MPROF_DIRECTIVE_PROCESSES);
		break;
	case MPROF_BLOCK_LOADED:
		is_added = code_units_loaded(&profile->lists.code_units, block);
		break;
	case MPROF_BLOCK_UNLOADED:
		code_units_unloaded(&profile->lists.code_units, block);
		break;
	default:
		break;
	}
	return is_added ? MPROF_OK : refuse_memory(profile);
}

/*
 * Before a block is added: finds the clock of the whole log, if the window needs it. Returns MPROF_OK;
 * MPROF_ERR_INTERRUPTED; MPROF_ERR_MEMORY.
 */
static mprof_status find_clock(const mprof_profile *profile, mprof_reader *reader)
{
	return profile->times.is_pending ? reader_find_whole_clock(reader) : MPROF_OK;
}

mprof_status mprof_profile_add_block(mprof_profile *profile, mprof_reader *reader, const mprof_block *block)
{
	mprof_status status;

	if (profile == NULL || reader == NULL || block == NULL)
		return MPROF_ERR_ARGUMENT;
	status = find_clock(profile, reader);
	return status == MPROF_OK ? add_block_to_profile(profile, reader, block) : status;
}

static mprof_status add_all_blocks(mprof_profile *profile, fault_report *report)
{
	mprof_status status;
	mprof_block block;

	do {
		memset(&block, 0, sizeof(block));
		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_next_block(report->reader, &block);
		if (status == MPROF_AGAIN)
			return report->first != MPROF_OK ? report->first : status;
		if (status == MPROF_ERR_INTERRUPTED)
			return status;
		if (status == MPROF_END) {
			fault_report_end(report);
			return report->first;
		}
		/* Fetching the events of a truncated block returns the same error as loading it. */
		if (status == MPROF_OK || fault_is_at_end(status, &block))
			status = add_block_to_profile(profile, report->reader, &block);
		/* An error of the profile is final; one of the reader is reported, and the next block is read. */
		if (profile->is_out_of_memory)
			return MPROF_ERR_MEMORY;
	} while (status == MPROF_OK || fault_report_error(report));
	return report->first;
}

static mprof_status read_log(mprof_profile *profile, fault_report *report)
{
	mprof_status status;
	int keeps;

	/* The call stacks of the profile determine the method that returns. */
	keeps = reader_keep_implicit_leaves(report->reader, 1);
	status = find_clock(profile, report->reader);
	if (status == MPROF_OK)
		status = add_all_blocks(profile, report);
	(void)reader_keep_implicit_leaves(report->reader, keeps);
	return status;
}

mprof_status mprof_profile_read(mprof_profile *profile, mprof_reader *reader, mprof_damage_function damage, void *user)
{
	fault_report report = {reader, damage, user, MPROF_OK};
	mprof_status status;
	mprof_status finished;

	if (profile == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	report.first = profile->interrupted_fault;
	/* What ended reading is not reported twice. */
	status = profile->is_unfinished ? report.first : read_log(profile, &report);
	finished = mprof_profile_finish(profile, reader);
	profile->is_unfinished = finished == MPROF_ERR_INTERRUPTED && status != MPROF_ERR_INTERRUPTED &&
				 status != MPROF_AGAIN && status != MPROF_ERR_MEMORY;
	profile->interrupted_fault =
		profile->is_unfinished || status == MPROF_ERR_INTERRUPTED ? report.first : MPROF_OK;
	return finished != MPROF_OK && status != MPROF_ERR_MEMORY ? finished : status;
}
