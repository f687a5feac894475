/* SPDX-License-Identifier: MIT */
/* Keeps the changes of the latest intervals. */
#include "model/live_changes.h"

#include <string.h>

void live_changes_init(live_changes *all, memory_budget *budget, live_rows *tables, size_t table_count)
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

void live_changes_destroy(live_changes *all)
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

int live_changes_begin(live_changes *all, uint64_t start_ns, uint64_t end_ns)
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

int live_changes_add(live_changes *all, uint32_t table, size_t row, uint64_t id, uint32_t kind,
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

void live_changes_expire(live_changes *all, uint64_t time_ns)
{
	while (interval_count(all) > 0 && oldest_interval(all)->end_ns <= time_ns)
		remove_oldest(all);
}

void live_changes_clear(live_changes *all)
{
	while (interval_count(all) > 0)
		remove_oldest(all);
	all->left_out = 0;
}

uint64_t live_changes_start(const live_changes *all, uint64_t end_ns)
{
	return interval_count(all) > 0 ? oldest_interval(all)->start_ns : end_ns;
}
