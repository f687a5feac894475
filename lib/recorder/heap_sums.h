/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_sums.h
 * \brief Objects and bytes by class, alive and dead, for HEAP_SUMMARY blocks. Used by the writer thread alone.
 */
#ifndef RECORDER_HEAP_SUMS_H
#define RECORDER_HEAP_SUMS_H

#include <mprof/writer.h>

#include "base/id_map.h"

/** The index in heap_sums_row::counts of a number of objects; the element after it is their size in bytes. */
typedef enum heap_sum { HEAP_SUM_ALIVE = 0, HEAP_SUM_DEAD = 2 } heap_sum;

/** The sums of a class. */
typedef struct heap_sums_row {
	uint64_t counts[4];
	uint32_t class_id;
} heap_sums_row;

typedef struct heap_sums {
	mprof_allocator allocator;
	id_map row_numbers; /**< Class → its row + 1. */
	heap_sums_row *rows;
	size_t count;
	size_t capacity;
	int is_short; /**< An object was left out because there was no memory. */
} heap_sums;

/** Initializes empty sums; allocates nothing yet. */
void heap_sums_init(heap_sums *sums, const mprof_allocator *allocator);
void heap_sums_destroy(heap_sums *sums);

/**
 * The slow path of heap_sums_add(): adds a row for a class. Returns NULL, and notes the loss, if there is no memory.
 */
heap_sums_row *heap_sums_add_row(heap_sums *sums, uint32_t class_id);

/** Adds an object of \p size bytes to a sum of its class. */
static inline void heap_sums_add(heap_sums *sums, heap_sum sum, uint32_t class_id, uint64_t size)
{
	uint32_t number = id_map_get(&sums->row_numbers, class_id);
	heap_sums_row *row = number != 0 ? &sums->rows[number - 1] : heap_sums_add_row(sums, class_id);

	if (row == NULL)
		return;
	row->counts[sum]++;
	row->counts[sum + 1] += size;
}

/** Sets the objects and bytes of one sum to 0 in all rows. */
void heap_sums_clear(heap_sums *sums, heap_sum sum);

/**
 * Writes the sums of all classes that have any. Returns what mprof_writer_write_records() returns, or
 * #MPROF_ERR_MEMORY.
 */
mprof_status heap_sums_write(heap_sums *sums, mprof_writer *writer, uint32_t collection);

#endif
