/* SPDX-License-Identifier: MIT */
/**
 * \file writer/call_tracker.h
 * \brief Follows the open methods of each thread through the events that are written, for the call stacks in INDEX
 * blocks.
 *
 * A stack is tracked only as long as a reader that has read all events before would have the same one. After a pause of
 * the recording, a switch between call stacks or a block that could not be written, all stacks are unknown.
 */
#ifndef WRITER_CALL_TRACKER_H
#define WRITER_CALL_TRACKER_H

#include <mprof/parser.h>

#include "base/call_frames.h"
#include "base/thread_map.h"
#include "format/encode_buffer.h"
#include "format/index_items.h"
#include "writer/block_calls.h"

/** The open methods of a thread. */
typedef struct tracked_thread {
	call_frames calls; /**< Only methods. The base is unknown also if block_calls::is_known is not set. */
	size_t low;        /**< Smallest depth since the last entry with the thread's stack: the frames below it are
	                        those of that entry. */
	/* The rest is of blocks with block_calls. */
	uint64_t owner;
	int has_owner;
	int has_leftover;  /**< Calls of an earlier owner are open in the log. */
	int is_empty;      /**< block_calls::is_empty_after of the last block. */
	uint64_t searched; /**< block_calls::searched of the last block. */
} tracked_thread;

typedef struct call_tracker {
	tracked_thread *threads;
	size_t count;
	size_t capacity;
	thread_map by_thread; /**< Positions in threads. */
	size_t current;       /**< Position of the thread whose block is being written. */
	uint64_t thread;      /**< ID of that thread. */
	int is_off;           /**< No stack is known any more. */
	uint64_t searched;    /**< Frames that failed searches visited: see #CALL_FRAMES_MAX_SEARCHED. */
	uint64_t base;        /**< The base counter of the block. */
	uint64_t latest;      /**< The latest counter of the block. */
	int goes_back;        /**< An event is earlier than the base counter of its block. */
} call_tracker;

void call_tracker_init(call_tracker *tracker, const mprof_allocator *allocator);
void call_tracker_destroy(call_tracker *tracker);

/** Starts a block of a thread. Returns 0 and changes nothing if out of memory. */
int call_tracker_begin(call_tracker *tracker, uint64_t thread, uint64_t base_counter);

/** Reserves memory for following \p count events. Returns 0 if out of memory. */
int call_tracker_reserve(call_tracker *tracker, size_t count);

/** Records the counter of an event of the block. */
static inline void call_tracker_note_counter(call_tracker *tracker, uint64_t counter)
{
	if ((int64_t)(counter - tracker->latest) > 0)
		tracker->latest = counter;
	else if ((int64_t)(counter - tracker->base) < 0)
		tracker->goes_back = 1;
}

/** Follows events of the block, for which memory was reserved. */
void call_tracker_follow(call_tracker *tracker, const mprof_event *events, size_t count);

/**
 * Sets the call stack of the current thread, whose events are not followed, to that at the start of the block. If it is
 * not known, or there is no memory, it is unknown for the block.
 */
void call_tracker_adopt(call_tracker *tracker, const block_calls *calls);

/** After call_tracker_adopt() and call_tracker_describe(): notes what the events of the block do to the calls. */
void call_tracker_leave(call_tracker *tracker, const block_calls *calls);

/**
 * Sets the call stack of an entry to that of the current thread, which later entries share. \p methods is emptied and
 * receives the frames that are not shared. Returns 0 if out of memory. Unless the entry is added to the INDEX block,
 * call_tracker_stop() has to be called.
 */
int call_tracker_describe(call_tracker *tracker, index_item *item, encode_buffer *methods);

/** An INDEX block ends: later entries share no frames with those before. */
void call_tracker_restart(call_tracker *tracker);

/** All stacks are unknown from here on. */
void call_tracker_stop(call_tracker *tracker);

#endif
