/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/slots_collect.h
 * \brief Converts slots to columns, the frequent ones without a detour through events.
 */
#ifndef RECORDER_SLOTS_COLLECT_H
#define RECORDER_SLOTS_COLLECT_H

#include "recorder/buffer_pool.h"
#include "recorder/drain_state.h"
#include "recorder/key_cache.h"
#include "recorder/slots.h"
#include "recorder/switches.h"
#include "recorder/thread.h"

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
