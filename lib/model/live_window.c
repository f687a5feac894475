/* SPDX-License-Identifier: MIT */
/* Compares a profile with its earlier states. Values stay counters: their unit becomes known while a log grows. */
#include "model/live_changes.h"
#include "model/profile_internal.h"

#include "base/options.h"

#include <string.h>

#define DEFAULT_MAX_MEMORY (UINT64_C(64) << 20)
#define DEFAULT_LENGTH_NS UINT64_C(10000000000)

/* The tables of the interface, and one with the totals. */
enum { TABLE_TOTALS, TABLE_COUNT = MPROF_TABLE_MONITORS + 1 };

/* Rows of the table of totals. */
enum { TOTALS_EVENTS, TOTALS_ALLOCATIONS, TOTALS_COLLECTIONS, TOTALS_COMPILATIONS, TOTALS_WAITS, TOTALS_ROWS };

struct mprof_live_window {
	memory_budget budget;
	live_rows tables[TABLE_COUNT];
	live_changes changes;
	uint64_t length_ns;
	uint64_t time_ns; /**< Of the last update. */
	profile_clock clock;
};

void mprof_live_window_options_init(mprof_live_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_live_window_create(const mprof_live_options *options, mprof_live_window **window)
{
	mprof_live_options own;
	mprof_allocator allocator;
	mprof_live_window *made;

	if (window == NULL)
		return MPROF_ERR_ARGUMENT;
	*window = NULL;
	if (struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&made->budget, &allocator, own.max_memory != 0 ? own.max_memory : DEFAULT_MAX_MEMORY);
	live_changes_init(&made->changes, &made->budget, made->tables, TABLE_COUNT);
	made->length_ns = own.length_ns != 0 ? own.length_ns : DEFAULT_LENGTH_NS;
	made->time_ns = own.start_ns;
	made->clock.nanoseconds_per_counter = 1;
	*window = made;
	return MPROF_OK;
}

void mprof_live_window_destroy(mprof_live_window *window)
{
	mprof_allocator allocator;

	if (window == NULL)
		return;
	live_changes_destroy(&window->changes);
	allocator = window->budget.source;
	allocator_release(&allocator, window, sizeof(*window));
}

static int add_totals(live_changes *changes, const mprof_profile *profile)
{
	const mprof_profile_totals *totals = &profile->totals;
	const uint64_t *counts = totals->event_counts;
	const uint64_t rows[TOTALS_ROWS][LIVE_VALUES] = {
		[TOTALS_EVENTS] = {totals->events, counts[MPROF_EVENT_METHOD_ENTER], totals->samples},
		[TOTALS_ALLOCATIONS] = {profile_count_allocations(profile), totals->allocated_bytes,
					counts[MPROF_EVENT_EXCEPTION]},
		[TOTALS_COLLECTIONS] = {counts[MPROF_EVENT_GC_START], profile->collections.time, totals->lost_events},
		[TOTALS_COMPILATIONS] = {totals->jit_methods, totals->jit_ns, 0},
		[TOTALS_WAITS] = {profile->monitors.contentions, profile->monitors.contended, 0},
	};

	for (size_t i = 0; i < TOTALS_ROWS; i++) {
		if (!live_changes_add(changes, TABLE_TOTALS, i, 0, 0, rows[i]))
			return 0;
	}
	return 1;
}

static int add_methods(live_changes *changes, const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->methods.count; i++) {
		const method_record *record = record_table_at(&profile->methods, i);
		const uint64_t values[LIVE_VALUES] = {record->shown.calls + record->open.calls,
						      record->shown.self + record->open.self,
						      record->shown.total + record->open.total};

		if (!live_changes_add(changes, MPROF_TABLE_METHODS, i, record->id, 0, values))
			return 0;
	}
	return 1;
}

static int add_samples(live_changes *changes, const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->samples.record_count; i++) {
		const sample_record *record = &profile->samples.records[i];
		const uint64_t values[LIVE_VALUES] = {0, record->self, record->total};

		if (!live_changes_add(changes, MPROF_TABLE_SAMPLES, i, record->id, record->kind, values))
			return 0;
	}
	return 1;
}

static int add_classes(live_changes *changes, const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->classes.count; i++) {
		const class_record *record = record_table_at(&profile->classes, i);
		const uint64_t values[LIVE_VALUES] = {record->allocations, record->bytes, record->exceptions};

		if (!live_changes_add(changes, MPROF_TABLE_CLASSES, i, record->id, 0, values))
			return 0;
	}
	return 1;
}

static int add_threads(live_changes *changes, const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->threads.count; i++) {
		const thread_record *record = &profile->threads.records[i];
		const uint64_t values[LIVE_VALUES] = {record->events, record->self + record->extension,
						      record->samples};

		if (!live_changes_add(changes, MPROF_TABLE_THREADS, i, record->id, 0, values))
			return 0;
	}
	return 1;
}

static int add_monitors(live_changes *changes, const mprof_profile *profile)
{
	for (size_t i = 0; i < profile->monitors.records.count; i++) {
		const monitor_record *record = record_table_at(&profile->monitors.records, i);
		const uint64_t values[LIVE_VALUES] = {record->contentions, record->contended, record->failures};

		if (!live_changes_add(changes, MPROF_TABLE_MONITORS, i, record->class_id, 0, values))
			return 0;
	}
	return 1;
}

mprof_status mprof_live_window_update(mprof_live_window *window, const mprof_profile *profile, uint64_t time_ns)
{
	live_changes *changes;

	if (window == NULL || profile == NULL || time_ns < window->time_ns)
		return MPROF_ERR_ARGUMENT;
	changes = &window->changes;
	if (changes->is_out_of_memory)
		return MPROF_ERR_MEMORY;
	window->clock = profile->clock;
	if (time_ns > window->length_ns)
		live_changes_expire(changes, time_ns - window->length_ns);
	if (!live_changes_begin(changes, window->time_ns, time_ns)) {
		/* The budget has no room for a single interval. The next update tries again. */
		changes->left_out++;
		return changes->is_out_of_memory ? MPROF_ERR_MEMORY : MPROF_OK;
	}
	window->time_ns = time_ns;
	if (!add_totals(changes, profile) || !add_methods(changes, profile) || !add_samples(changes, profile) ||
	    !add_classes(changes, profile) || !add_threads(changes, profile) || !add_monitors(changes, profile))
		return MPROF_ERR_MEMORY;
	return MPROF_OK;
}

void mprof_live_window_restart(mprof_live_window *window)
{
	if (window != NULL)
		live_changes_clear(&window->changes);
}

/* A value of the totals; 0 before the first update. */
static uint64_t total_of(const mprof_live_window *window, size_t row, int value)
{
	const live_rows *rows = &window->tables[TABLE_TOTALS];

	return row < rows->count ? live_row_value(&rows->rows[row], value) : 0;
}

static uint64_t time_of(const mprof_live_window *window, size_t row)
{
	return profile_clock_duration(&window->clock, total_of(window, row, 1));
}

mprof_status mprof_live_window_get_totals(const mprof_live_window *window, mprof_live_totals *totals)
{
	mprof_live_totals own;

	if (window == NULL || totals == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	own.length_ns = window->time_ns - live_changes_start(&window->changes, window->time_ns);
	own.events = total_of(window, TOTALS_EVENTS, 0);
	own.calls = total_of(window, TOTALS_EVENTS, 1);
	own.samples = total_of(window, TOTALS_EVENTS, 2);
	own.allocations = total_of(window, TOTALS_ALLOCATIONS, 0);
	own.allocated_bytes = total_of(window, TOTALS_ALLOCATIONS, 1);
	own.exceptions = total_of(window, TOTALS_ALLOCATIONS, 2);
	own.collections = total_of(window, TOTALS_COLLECTIONS, 0);
	own.gc_ns = time_of(window, TOTALS_COLLECTIONS);
	own.lost_events = total_of(window, TOTALS_COLLECTIONS, 2);
	own.jit_methods = total_of(window, TOTALS_COMPILATIONS, 0);
	own.jit_ns = time_of(window, TOTALS_COMPILATIONS);
	own.contentions = total_of(window, TOTALS_WAITS, 0);
	own.contended_ns = time_of(window, TOTALS_WAITS);
	own.left_out = window->changes.left_out;
	return struct_copy_out(totals, &own, sizeof(own));
}

static const live_rows *rows_of(const mprof_live_window *window, uint32_t table)
{
	return window != NULL && table >= MPROF_TABLE_METHODS && table < TABLE_COUNT ? &window->tables[table] : NULL;
}

size_t mprof_live_window_get_row_count(const mprof_live_window *window, uint32_t table)
{
	const live_rows *rows = rows_of(window, table);

	return rows != NULL ? rows->count : 0;
}

mprof_status mprof_live_window_get_row(const mprof_live_window *window, uint32_t table, size_t index,
				       mprof_live_row *row)
{
	const live_rows *rows = rows_of(window, table);
	const live_row *found;
	mprof_live_row own;

	if (rows == NULL || row == NULL || index >= rows->count)
		return MPROF_ERR_ARGUMENT;
	found = &rows->rows[index];
	memset(&own, 0, sizeof(own));
	own.id = found->id;
	own.kind = found->kind;
	own.count = live_row_value(found, 0);
	own.self = live_row_value(found, 1);
	own.total = live_row_value(found, 2);
	if (table == MPROF_TABLE_METHODS || table == MPROF_TABLE_THREADS || table == MPROF_TABLE_MONITORS)
		own.self = profile_clock_duration(&window->clock, own.self);
	if (table == MPROF_TABLE_METHODS)
		own.total = profile_clock_duration(&window->clock, own.total);
	return struct_copy_out(row, &own, sizeof(own));
}
