/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/slots.h
 * \brief Converts slots to events, with IDs in place of keys. Writer thread.
 */
#ifndef RECORDER_SLOTS_H
#define RECORDER_SLOTS_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

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

/** Whether slots are an allocation that has a counter. */
static inline int slots_are_timed_allocation(const event_slot *slots)
{
	uint32_t code = (uint32_t)slots[0].stamp & 0xff;

	return (code & SLOT_WIDE) != 0 && (code & SLOT_KIND_MASK) == MPROF_EVENT_ALLOCATION;
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
 * Converts the slots of an event to *event, and of a wide one to *detail. Returns 0 if it cannot be written: there is
 * no memory for a new ID.
 */
int slots_convert_event(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, mprof_event *event,
			mprof_event_detail *detail);

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

#endif
