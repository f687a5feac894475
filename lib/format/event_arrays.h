/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_arrays.h
 * \brief A batch of events as arrays by field, and its conversion from structs.
 */
#ifndef FORMAT_EVENT_ARRAYS_H
#define FORMAT_EVENT_ARRAYS_H

#include <mprof/columns.h>

/** Events of a batch: the arrays that most programs use fit the second-level cache. */
#define EVENT_ARRAYS_CAPACITY 4096

/** Events of a batch that may be rows, or that are converted from structs. */
#define EVENT_ARRAYS_ROWS 1024

/** The memory of a batch. Pages of arrays that are not used are not touched. */
typedef struct event_arrays {
	uint32_t methods[EVENT_ARRAYS_CAPACITY];
	uint64_t times[EVENT_ARRAYS_CAPACITY];
	uint32_t classes[EVENT_ARRAYS_CAPACITY];
	uint64_t sizes[EVENT_ARRAYS_CAPACITY];
	uint32_t callers[EVENT_ARRAYS_CAPACITY];
	uint32_t stacks[EVENT_ARRAYS_CAPACITY];
	uint64_t objects[EVENT_ARRAYS_CAPACITY];
	uint8_t symbols[EVENT_ARRAYS_CAPACITY];
	uint16_t allocations[EVENT_ARRAYS_CAPACITY]; /**< Positions of the allocations, if their sizes need them. */
	mprof_event rows[EVENT_ARRAYS_ROWS];
} event_arrays;

/** All bits of #mprof_column. */
#define EVENT_ARRAYS_ALL                                                                                               \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS | MPROF_COLUMN_OBJECTS)

/** Sets the pointers of \p columns to the arrays that are wanted, others to NULL. */
void event_arrays_point(const event_arrays *arrays, uint32_t wanted, mprof_columns *columns);

/**
 * Converts the first \p count elements of event_arrays::rows. Those that have no symbol remain rows. Sets the counts of
 * \p columns.
 */
void event_arrays_convert(event_arrays *arrays, size_t count, mprof_columns *columns);

#endif
