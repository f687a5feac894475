/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/slots.h
 * \brief Converts slots to events, with IDs in place of keys. Writer thread.
 */
#ifndef RECORDER_DRAIN_SLOTS_H
#define RECORDER_DRAIN_SLOTS_H

#include "recorder/queues/buffer_pool.h"
#include "recorder/drain/drain_state.h"
#include "recorder/threads/switches.h"
#include "recorder/threads/thread.h"

/**
 * Returns the full counter of a slot, which holds only its low bits. It is at most slightly below the previous counter,
 * or any amount above it.
 */
static inline uint64_t slot_counter(uint64_t last, uint64_t stamp)
{
	uint64_t difference = (stamp & ~UINT64_C(0xff)) - (last << 8);

	return last + (uint64_t)((int64_t)difference >> 8);
}

/** Number of slots of the event that begins with this one. */
static inline uint32_t slot_count(const event_slot *slots)
{
	return (slots->stamp & SLOT_WIDE) != 0 ? SLOT_COUNT((uint32_t)slots[1].stamp & 0xff) : 1;
}

/**
 * The base counter of a block that begins with a slot: that of an allocation with a counter, otherwise that of the
 * thread's previous event.
 */
uint64_t slots_base_counter(const mprof_thread *thread, const event_slot *slots);

/**
 * If earlier blocks may be evicted, a block begins with a switch to the stack that the thread is on. Returns \p event,
 * or the element after it if it received such a switch.
 */
mprof_event *slots_repeat_switch(const recorder_drain *drain, const mprof_thread *thread, uint64_t counter,
				 mprof_event *event);

/**
 * Converts slots to recorder_drain::events, up to an allocation before which a collection began: another block begins
 * there. \p taken receives the number of slots converted, at least one event. Returns the number of events.
 */
size_t slots_convert(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, uint32_t count,
		     uint32_t *taken);

/** Whether slots of another process are valid events. */
int slots_are_whole(const event_slot *slots, uint32_t count);

/** Number of events in the slots. */
size_t slots_count_events(const event_slot *slots, uint32_t count);

/**
 * Adds calls and plain allocations to a block, up to the first slot that is something else or needs a lookup that
 * changes the tables. Reads but does not change the tables of the drain, so several threads may call it for threads
 * and blocks of their own. Room for the slots is reserved. Returns how many were added.
 */
uint32_t slots_collect_frequent(const recorder_drain *drain, open_block *block, mprof_thread *thread,
				const event_slot *slots, uint32_t count);

/**
 * Adds slots to a block, up to an allocation before which a collection began, or until the block is full: another
 * block begins there. Writer thread. \p taken receives the number of slots added. Returns a status other than #MPROF_OK
 * if that failed, as for an event that cannot be written.
 */
mprof_status slots_collect(recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots,
			   uint32_t count, uint32_t *taken);

#endif
