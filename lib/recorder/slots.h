/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/slots.h
 * \brief Slots become events, and what they are about gets its IDs. Writer thread.
 */
#ifndef RECORDER_SLOTS_H
#define RECORDER_SLOTS_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/**
 * The whole counter of a slot that has lost its top bits; it is near the last one, a little before or any time after.
 */
static inline uint64_t slot_counter(uint64_t last, uint64_t stamp)
{
	uint64_t difference = (stamp & ~UINT64_C(0xff)) - (last << 8);

	return last + (uint64_t)((int64_t)difference >> 8);
}

/** How many slots an event has that begins with this one. */
static inline uint32_t slot_count(const event_slot *slots)
{
	return (slots->stamp & SLOT_WIDE) != 0 ? SLOT_COUNT((uint32_t)slots[1].stamp & 0xff) : 1;
}

/** Turns slots into recorder_drain::events. Returns how many there are. */
size_t slots_convert(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, uint32_t count);

/** How many events there are in slots. */
size_t slots_count_events(const event_slot *slots, uint32_t count);

#endif
