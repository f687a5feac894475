/* SPDX-License-Identifier: MIT */
/* Selects the largest rows of the live window. */
#include "live/top_rows.h"

#include "common/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t key_of(const mprof_live_row *row, top_sort sort)
{
	return sort == TOP_SORT_SELF ? row->self : sort == TOP_SORT_TOTAL ? row->total : row->count;
}

/* Rows with equal keys stay in the order of the table, so that they do not move on the screen. */
static size_t insert_row(top_row *rows, size_t count, size_t capacity, const top_row *added, top_sort sort)
{
	const uint64_t key = key_of(&added->values, sort);
	size_t position = count < capacity ? count : capacity;

	while (position > 0 && key_of(&rows[position - 1].values, sort) < key)
		position--;
	if (position == capacity)
		return count;
	if (count < capacity)
		count++;
	memmove(&rows[position + 1], &rows[position], (count - 1 - position) * sizeof(*rows));
	rows[position] = *added;
	return count;
}

size_t top_rows_collect(const live_profile *live, uint32_t table, top_sort sort, top_row *rows, size_t capacity)
{
	const size_t available = mprof_live_window_get_row_count(live->window, table);
	size_t count = 0;
	top_row row;

	if (capacity == 0)
		return 0;
	row.values.struct_size = sizeof(row.values);
	for (row.index = 0; row.index < available; row.index++) {
		if (mprof_live_window_get_row(live->window, table, row.index, &row.values) != MPROF_OK)
			break;
		if (row.values.count == 0 && row.values.self == 0 && row.values.total == 0)
			continue;
		count = insert_row(rows, count, capacity, &row, sort);
	}
	return count;
}

uint32_t top_rows_hot_table(const live_profile *live)
{
	return live->totals.calls == 0 && live->totals.samples > 0 ? MPROF_TABLE_SAMPLES : MPROF_TABLE_METHODS;
}

static const char *name_of_thread(const live_profile *live, const top_row *row)
{
	static char unnamed[32];
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	if (mprof_profile_get_row(live->profile, MPROF_TABLE_THREADS, row->index, &stats) == MPROF_OK &&
	    stats.name != NULL)
		return stats.name;
	snprintf(unnamed, sizeof(unnamed), "0x%" PRIx64, row->values.id);
	return unnamed;
}

const char *top_rows_name(const live_profile *live, uint32_t table, const top_row *row)
{
	static class_name class;
	const log_input *input = &live->log.input;
	const char *name;

	switch (table) {
	case MPROF_TABLE_METHODS:
		return names_full_method(input->names, (uint32_t)row->values.id);
	case MPROF_TABLE_SAMPLES:
		name = names_sample(input->names, row->values.kind, (uint32_t)row->values.id);
		break;
	case MPROF_TABLE_THREADS:
		return name_of_thread(live, row);
	default:
		name = names_class_or_none(input->reader, (uint32_t)row->values.id, &class);
		break;
	}
	return name != NULL ? name : "(unknown)";
}

uint64_t top_rows_unfinished_waits(const live_profile *live, const top_row *row)
{
	mprof_monitor_stats stats = {.struct_size = sizeof(stats)};

	return mprof_profile_get_row(live->profile, MPROF_TABLE_MONITORS, row->index, &stats) == MPROF_OK
		       ? stats.unfinished
		       : 0;
}

uint64_t top_rows_whole(const live_profile *live, uint32_t table)
{
	mprof_live_row row = {.struct_size = sizeof(row)};
	uint64_t sum = 0;

	if (table == MPROF_TABLE_SAMPLES)
		return live->recent.samples;
	for (size_t i = 0; i < mprof_live_window_get_row_count(live->window, MPROF_TABLE_THREADS); i++) {
		if (mprof_live_window_get_row(live->window, MPROF_TABLE_THREADS, i, &row) == MPROF_OK)
			sum += row.self;
	}
	return sum;
}

void top_rows_get_collections(const live_profile *live, top_collections *found)
{
	const int64_t start = live_profile_end_ns(live) - (int64_t)live->window_ns;
	mprof_collection collection = {.struct_size = sizeof(collection)};

	memset(found, 0, sizeof(*found));
	found->end = mprof_profile_get_row_count(live->profile, MPROF_TABLE_COLLECTIONS);
	for (found->first = found->end; found->first > 0; found->first--) {
		if (mprof_profile_get_row(live->profile, MPROF_TABLE_COLLECTIONS, found->first - 1, &collection) !=
			    MPROF_OK ||
		    collection.start_ns < start)
			break;
		found->time_ns += collection.duration_ns;
		found->pause_ns += collection.pause_ns;
		if (collection.duration_ns > found->longest_ns)
			found->longest_ns = collection.duration_ns;
	}
}
