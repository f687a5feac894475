/* SPDX-License-Identifier: MIT */
/**
 * \file model/live_changes.h
 * \brief Tables of numbers that grow, except for corrections, and how much they grew in the latest intervals: sums by
 * row, and a list of changes from which the oldest interval can be removed.
 */
#ifndef MODEL_LIVE_CHANGES_H
#define MODEL_LIVE_CHANGES_H

#include "base/memory_budget.h"

#define LIVE_VALUES 3

typedef struct live_row {
	uint64_t id;
	uint32_t kind;
	uint64_t last[LIVE_VALUES]; /**< As of the last update. */
	uint64_t sums[LIVE_VALUES]; /**< Of the changes in the list. */
} live_row;

typedef struct live_rows {
	live_row *rows;
	size_t count;
	size_t capacity;
} live_rows;

typedef struct live_change {
	uint32_t table;
	uint32_t row;
	uint64_t values[LIVE_VALUES]; /**< Modulo 2^64: a value may shrink. */
} live_change;

typedef struct live_interval {
	uint64_t start_ns;
	uint64_t end_ns;
	size_t change_count;
} live_interval;

/**
 * The growth of a value. Where the interval in which it grew too much has been removed, and that in which it shrank has
 * not, there is none.
 */
static inline uint64_t live_row_value(const live_row *row, int value)
{
	return (int64_t)row->sums[value] < 0 ? 0 : row->sums[value];
}

/** A queue in an array: elements from first on. Moved to the start of the array when it is full. */
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
	live_queue changes;   /**< Each live_change. */
	live_queue intervals; /**< Each live_interval. */
	uint64_t left_out;    /**< Changes for which there was no memory. */
	int is_out_of_memory; /**< The allocator refused, not the budget. */
} live_changes;

void live_changes_init(live_changes *all, memory_budget *budget, live_rows *tables, size_t table_count);
void live_changes_destroy(live_changes *all);

/** Begins an interval. Changes are added to it. Returns 0 if there is no memory. */
int live_changes_begin(live_changes *all, uint64_t start_ns, uint64_t end_ns);

/**
 * Compares a row with its values at the last call. Rows are added in order: \p row is at most the number of rows. If
 * the budget is exceeded, removes the oldest intervals. Returns 0 if there is no memory.
 */
int live_changes_add(live_changes *all, uint32_t table, size_t row, uint64_t id, uint32_t kind,
		     const uint64_t values[LIVE_VALUES]);

/** Removes the intervals that ended at \p time_ns or earlier. */
void live_changes_expire(live_changes *all, uint64_t time_ns);

/** Removes all intervals. */
void live_changes_clear(live_changes *all);

/** The start of the oldest interval, or \p end_ns if there is none. */
uint64_t live_changes_start(const live_changes *all, uint64_t end_ns);

#endif
