/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_drain.h
 * \brief Heap shots on the writer thread: raw records become blocks, and what died is found out.
 *
 * A round of draining calls heap_drain_begin(), then drains the threads, then calls heap_drain(). What that writes was
 * there at heap_drain_begin(), so all allocations before it are known by then.
 */
#ifndef RECORDER_HEAP_DRAIN_H
#define RECORDER_HEAP_DRAIN_H

#include <mprof/recorder.h>

/** First of all in a round, before any buffer of a thread is looked at. */
void heap_drain_begin(mprof_recorder *recorder);

/**
 * Writes what was told up to heap_drain_begin(). If heap_store::is_tracking, all that threads had published then must
 * have been drained, also from buffers that are not full. Without \p all it may leave some of a long shot to the next
 * round, for which it asks, so that threads do not wait for their buffers. \p is_last: a shot that was not ended is
 * incomplete. Returns 0 if some of a shot is left.
 */
int heap_drain(mprof_recorder *recorder, int all, int is_last);

/** An allocation was drained. \p counter is when it was recorded. Only asked for if heap_store::is_tracking. */
void heap_note_allocation(mprof_recorder *recorder, uint64_t object, mprof_key class_key, uint32_t class_id,
			  uint64_t size, uint64_t counter);

/** A collection's start was drained: moves before it and behind it are not of one collection. */
void heap_note_collection(mprof_recorder *recorder, uint64_t counter);

#endif
