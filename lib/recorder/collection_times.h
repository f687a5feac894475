/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/collection_times.h
 * \brief When the latest collections began.
 *
 * An allocation has no time in the log: it has that of the event before it in its block. The blocks of a thread are
 * therefore divided where a collection began, so that a reader can count the collections that an object survived, and
 * distinguish objects that had one address before and after a collection.
 */
#ifndef RECORDER_COLLECTION_TIMES_H
#define RECORDER_COLLECTION_TIMES_H

#include <stdatomic.h>
#include <stdint.h>

/** A power of two: more collections than happen between two rounds of the writer thread. */
#define COLLECTION_TIMES 256

/**
 * Owner: the threads that record starts of collections, usually one at a time. Only the writer thread reads. It sees
 * the time of a collection before it sees an allocation that happened after the collection: the runtime restarts the
 * world in between. If two threads store at the same time, or more collections begin than there is room for, a time may
 * be overlooked; a block is then not divided there.
 */
typedef struct collection_times {
	_Atomic uint64_t counters[COLLECTION_TIMES];
	_Atomic uint32_t count;
} collection_times;

/** Notes that a collection begins. Takes no lock and does not wait. */
static inline void collection_times_add(collection_times *times, uint64_t counter)
{
	uint32_t index = atomic_load_explicit(&times->count, memory_order_relaxed);

	atomic_store_explicit(&times->counters[index % COLLECTION_TIMES], counter, memory_order_relaxed);
	/* Release: pairs with the acquire in collection_times_after(), which then sees the counter. */
	atomic_store_explicit(&times->count, index + 1, memory_order_release);
}

/** The start of the first collection after a counter; UINT64_MAX if none is known. Writer thread. */
static inline uint64_t collection_times_after(const collection_times *times, uint64_t counter)
{
	uint32_t count = atomic_load_explicit(&times->count, memory_order_acquire);
	uint64_t found = UINT64_MAX;

	for (uint32_t i = 0; i < count && i < COLLECTION_TIMES; i++) {
		uint64_t start = atomic_load_explicit(&times->counters[(count - 1 - i) % COLLECTION_TIMES],
						      memory_order_relaxed);

		if (start <= counter)
			break;
		found = start;
	}
	return found;
}

#endif
