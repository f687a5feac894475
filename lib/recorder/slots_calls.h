/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/slots_calls.h
 * \brief Converts runs of simple calls: enters of methods in the cache and leaves of the method on top.
 */
#ifndef RECORDER_SLOTS_CALLS_H
#define RECORDER_SLOTS_CALLS_H

#include "recorder/buffer_pool.h"
#include "recorder/key_cache.h"
#include "recorder/shadow_stack.h"
#include "recorder/slots.h"

/** The ends of the columns that the frequent events extend. */
typedef struct column_ends {
	uint8_t *symbol;
	uint64_t *method;
	uint64_t *time;
	uint64_t *class_id;
	uint64_t *size;
} column_ends;

/** The times of calls. */
typedef struct call_times {
	uint64_t counter; /**< Of the last event, in the units of slots. */
	uint64_t written; /**< The same in the units of the log. */
	uint64_t any;     /**< All times, combined with a bitwise or: the highest bit is set if one is negative. */
	uint32_t shift;   /**< recorder_output::counter_shift. */
} call_times;

/** Returns the time of the next event, whose slot has \p stamp: the difference from the previous one. */
static inline uint64_t call_times_next(call_times *times, uint64_t stamp)
{
	const uint64_t written = times->written;

	times->counter = slot_counter(times->counter, stamp);
	times->written = times->counter >> times->shift;
	times->any |= times->written - written;
	return times->written - written;
}

/**
 * Adds calls to columns, up to the first slot that is not a simple call. Readers have to accept implicit leaves. There
 * is room in the columns for \p count calls. Returns how many were added.
 */
uint32_t slots_add_calls(const event_slot *slots, uint32_t count, key_cache *methods, shadow_stack *stack,
			 column_ends *ends, call_times *times);

#endif
