/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_visitor.h
 * \brief What a thread does with the events of a block that it decodes in advance, in place of storing them.
 */
#ifndef FORMAT_EVENT_VISITOR_H
#define FORMAT_EVENT_VISITOR_H

#include "format/event_decode_table.h"

#include <mprof/columns.h>

/**
 * The functions are called on any thread, but all those for a block on the same one. They never allocate: the reader
 * provides memory for the state of each block, and scratch memory for each thread. Both are used again for later
 * blocks.
 */
typedef struct event_visitor {
	size_t state_size;   /**< Size of a state, in bytes. */
	size_t scratch_size; /**< Size of the scratch memory, in bytes. */
	uint32_t columns;    /**< The columns that are wanted, bits of #mprof_column. */

	/** Initializes scratch memory. Called once for each thread, on the caller's. */
	void (*init)(void *scratch);

	/**
	 * Called before the events of a block. \p counter is the base counter of the block. The scratch memory is for
	 * this state until end(), or until begin() is called for another one.
	 */
	void (*begin)(void *state, void *scratch, uint64_t counter);

	/** Called after the last event, if the state has all of them. */
	void (*end)(void *state);

	/**
	 * Called with the next events, in one of two forms. Allocations of fixed size have #EVENT_SIZE_UNKNOWN. Returns
	 * 0 if the visit is of no use and ends.
	 */
	int (*add_columns)(void *state, const mprof_columns *columns);
	int (*add_events)(void *state, const mprof_event *events, size_t count);
} event_visitor;

#endif
