/* SPDX-License-Identifier: MIT */
/* Windows of time of a log that is being written. */
#include "base/caller_structs.h"
#include "base/memory_budget.h"
#include "model/profile/profile_internal.h"

#include <string.h>

#define LIVE_VALUES 3

typedef struct live_row {
	uint64_t id;
	uint32_t kind;
	uint64_t last[LIVE_VALUES]; /* As of the last update. */
	uint64_t sums[LIVE_VALUES]; /* Of the changes in the list. */
} live_row;

typedef struct live_rows {
	live_row *rows;
	size_t count;
	size_t capacity;
} live_rows;

typedef struct live_change {
	uint32_t table;
	uint32_t row;
	uint64_t values[LIVE_VALUES]; /* Modulo 2^64: a value may shrink. */
} live_change;

typedef struct live_interval {
	uint64_t start_ns;
	uint64_t end_ns;
	size_t change_count;
} live_interval;

/*
 * The growth of a value. Where the interval in which it grew too much has been removed, and that in which it shrank has
 * not, there is none.
 */
static inline uint64_t live_row_value(const live_row *row, int value)
{
	return (int64_t)row->sums[value] < 0 ? 0 : row->sums[value];
}

/* A queue in an array: elements from first on. Moved to the start of the array when it is full. */
typedef struct live_queue {
	void *elements;
	size_t first;
	size_t end;
	size_t capacity;
} live_queue;

typedef struct live_changes {
	memory_budget *budget;
	live_rows *tables;
	size_t table_count;
	live_queue changes;   /* Each live_change. */
	live_queue intervals; /* Each live_interval. */
	uint64_t left_out;    /* Changes for which there was no memory. */
	int is_out_of_memory; /* The allocator refused, not the budget. */
} live_changes;

static void live_changes_init(live_changes *all, memory_budget *budget, live_rows *tables, size_t table_count)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	all->tables = tables;
	all->table_count = table_count;
}

static void queue_destroy(live_queue *queue, const mprof_allocator *allocator, size_t element_size)
{
	allocator_release(allocator, queue->elements, queue->capacity * element_size);
}

static void live_changes_destroy(live_changes *all)
{
	const mprof_allocator *allocator = &all->budget->allocator;

	queue_destroy(&all->changes, allocator, sizeof(live_change));
	queue_destroy(&all->intervals, allocator, sizeof(live_interval));
	for (size_t i = 0; i < all->table_count; i++)
		allocator_release(allocator, all->tables[i].rows, all->tables[i].capacity * sizeof(live_row));
}

/* Returns a new element at the end, or NULL. */
static void *queue_append(live_queue *queue, memory_budget *budget, size_t element_size, mprof_status *status)
{
	size_t count = queue->end - queue->first;

	*status = MPROF_OK;
	/* Moving only when half of the array is unused makes it cheap: each element moves once on average. */
	if (queue->end == queue->capacity && queue->first > 0 && queue->first >= queue->capacity / 2) {
		memmove(queue->elements, (unsigned char *)queue->elements + queue->first * element_size,
			count * element_size);
		queue->first = 0;
		queue->end = count;
	}
	*status = memory_budget_reserve(budget, &queue->elements, &queue->capacity, queue->end + 1, element_size);
	if (*status != MPROF_OK)
		return NULL;
	return (unsigned char *)queue->elements + queue->end++ * element_size;
}

static live_interval *oldest_interval(const live_changes *all)
{
	return (live_interval *)all->intervals.elements + all->intervals.first;
}

static size_t interval_count(const live_changes *all)
{
	return all->intervals.end - all->intervals.first;
}

static void remove_oldest(live_changes *all)
{
	const live_interval *oldest = oldest_interval(all);
	const live_change *changes = (const live_change *)all->changes.elements + all->changes.first;

	for (size_t i = 0; i < oldest->change_count; i++) {
		uint64_t *sums = all->tables[changes[i].table].rows[changes[i].row].sums;

		for (int value = 0; value < LIVE_VALUES; value++)
			sums[value] -= changes[i].values[value];
	}
	all->changes.first += oldest->change_count;
	all->intervals.first++;
}

/* Begins an interval. Changes are added to it. Returns 0 if there is no memory. */
static int live_changes_begin(live_changes *all, uint64_t start_ns, uint64_t end_ns)
{
	mprof_status status;
	live_interval *added = queue_append(&all->intervals, all->budget, sizeof(live_interval), &status);

	while (added == NULL && status == MPROF_ERR_LIMIT && interval_count(all) > 0) {
		remove_oldest(all);
		added = queue_append(&all->intervals, all->budget, sizeof(live_interval), &status);
	}
	if (added == NULL) {
		all->is_out_of_memory |= status == MPROF_ERR_MEMORY;
		return 0;
	}
	*added = (live_interval){start_ns, end_ns, 0};
	return 1;
}

/* Returns the row, or NULL. */
static live_row *get_row(live_changes *all, uint32_t table, size_t row)
{
	live_rows *rows = &all->tables[table];
	void *elements = rows->rows;
	mprof_status status;

	if (row < rows->count)
		return &rows->rows[row];
	if (row > rows->count || row > UINT32_MAX)
		return NULL;
	status = memory_budget_reserve(all->budget, &elements, &rows->capacity, row + 1, sizeof(live_row));
	if (status != MPROF_OK) {
		all->is_out_of_memory |= status == MPROF_ERR_MEMORY;
		return NULL;
	}
	rows->rows = elements;
	memset(&rows->rows[row], 0, sizeof(live_row));
	rows->count++;
	return &rows->rows[row];
}

/* Returns 0 if the change cannot be kept. */
static int append_change(live_changes *all, const live_change *change)
{
	mprof_status status;
	live_change *added = queue_append(&all->changes, all->budget, sizeof(live_change), &status);

	/* The interval that changes are added to is the last one, and stays. */
	while (added == NULL && status == MPROF_ERR_LIMIT && interval_count(all) > 1) {
		remove_oldest(all);
		added = queue_append(&all->changes, all->budget, sizeof(live_change), &status);
	}
	if (added == NULL) {
		all->is_out_of_memory |= status == MPROF_ERR_MEMORY;
		return 0;
	}
	*added = *change;
	((live_interval *)all->intervals.elements)[all->intervals.end - 1].change_count++;
	return 1;
}

/*
 * Compares a row with its values at the last call. Rows are added in order: row is at most the number of rows. If
 * the budget is exceeded, removes the oldest intervals. Returns 0 if there is no memory.
 */
static int live_changes_add(live_changes *all, uint32_t table, size_t row, uint64_t id, uint32_t kind,
			    const uint64_t values[LIVE_VALUES])
{
	live_row *kept = get_row(all, table, row);
	live_change change = {table, (uint32_t)row, {0}};
	int is_kept;

	if (kept == NULL) {
		all->left_out++;
		return !all->is_out_of_memory;
	}
	kept->id = id;
	kept->kind = kind;
	if (memcmp(kept->last, values, sizeof(kept->last)) == 0)
		return 1;
	/*
	 * A sum of the profile may shrink, if an open call or wait turns out to have ended before the log did, or open
	 * frames to be recursive: what was added too much is then taken back.
	 */
	for (int i = 0; i < LIVE_VALUES; i++)
		change.values[i] = values[i] - kept->last[i];
	is_kept = append_change(all, &change);
	for (int i = 0; i < LIVE_VALUES; i++) {
		kept->last[i] = values[i];
		kept->sums[i] += is_kept ? change.values[i] : 0;
	}
	all->left_out += !is_kept;
	return !all->is_out_of_memory;
}

/* Removes the intervals that ended at time_ns or earlier. */
static void live_changes_expire(live_changes *all, uint64_t time_ns)
{
	while (interval_count(all) > 0 && oldest_interval(all)->end_ns <= time_ns)
		remove_oldest(all);
}

/* Removes all intervals. */
static void live_changes_clear(live_changes *all)
{
	while (interval_count(all) > 0)
		remove_oldest(all);
	all->left_out = 0;
}

/* The start of the oldest interval, or end_ns if there is none. */
static uint64_t live_changes_start(const live_changes *all, uint64_t end_ns)
{
	return interval_count(all) > 0 ? oldest_interval(all)->start_ns : end_ns;
}

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
	mprof_live_options copy;
	mprof_allocator allocator;
	mprof_live_window *created;

	if (window == NULL)
		return MPROF_ERR_ARGUMENT;
	*window = NULL;
	if (struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&created->budget, &allocator, copy.max_memory != 0 ? copy.max_memory : DEFAULT_MAX_MEMORY);
	live_changes_init(&created->changes, &created->budget, created->tables, TABLE_COUNT);
	created->length_ns = copy.length_ns != 0 ? copy.length_ns : DEFAULT_LENGTH_NS;
	created->time_ns = copy.start_ns;
	created->clock.nanoseconds_per_counter = 1;
	*window = created;
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
	mprof_live_totals copy;

	if (window == NULL || totals == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&copy, 0, sizeof(copy));
	copy.length_ns = window->time_ns - live_changes_start(&window->changes, window->time_ns);
	copy.events = total_of(window, TOTALS_EVENTS, 0);
	copy.calls = total_of(window, TOTALS_EVENTS, 1);
	copy.samples = total_of(window, TOTALS_EVENTS, 2);
	copy.allocations = total_of(window, TOTALS_ALLOCATIONS, 0);
	copy.allocated_bytes = total_of(window, TOTALS_ALLOCATIONS, 1);
	copy.exceptions = total_of(window, TOTALS_ALLOCATIONS, 2);
	copy.collections = total_of(window, TOTALS_COLLECTIONS, 0);
	copy.gc_ns = time_of(window, TOTALS_COLLECTIONS);
	copy.lost_events = total_of(window, TOTALS_COLLECTIONS, 2);
	copy.jit_methods = total_of(window, TOTALS_COMPILATIONS, 0);
	copy.jit_ns = time_of(window, TOTALS_COMPILATIONS);
	copy.contentions = total_of(window, TOTALS_WAITS, 0);
	copy.contended_ns = time_of(window, TOTALS_WAITS);
	copy.left_out = window->changes.left_out;
	return struct_copy_out(totals, &copy, sizeof(copy));
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

/* Whether the values of a measure are counters. */
static int is_duration(uint32_t table, uint32_t measure)
{
	const mprof_table_column *column = mprof_table_get_measure(table, measure);

	return column != NULL && column->unit == MPROF_UNIT_NANOSECONDS;
}

mprof_status mprof_live_window_get_row(const mprof_live_window *window, uint32_t table, size_t index,
				       mprof_live_row *row)
{
	const live_rows *rows = rows_of(window, table);
	const live_row *found;
	mprof_live_row copy;

	if (rows == NULL || row == NULL || index >= rows->count)
		return MPROF_ERR_ARGUMENT;
	found = &rows->rows[index];
	memset(&copy, 0, sizeof(copy));
	copy.id = found->id;
	copy.kind = found->kind;
	copy.count = live_row_value(found, 0);
	copy.self = live_row_value(found, 1);
	copy.total = live_row_value(found, 2);
	if (is_duration(table, MPROF_MEASURE_SELF))
		copy.self = profile_clock_duration(&window->clock, copy.self);
	if (is_duration(table, MPROF_MEASURE_TOTAL))
		copy.total = profile_clock_duration(&window->clock, copy.total);
	return struct_copy_out(row, &copy, sizeof(copy));
}
