/* SPDX-License-Identifier: MIT */
/**
 * \file writer/log_index.h
 * \brief The entries of the next INDEX block (doc/format.md, section 3.24), one for each block written since the last.
 */
#ifndef WRITER_LOG_INDEX_H
#define WRITER_LOG_INDEX_H

#include <mprof/parser.h>

#include "base/call_frames.h"
#include "base/thread_map.h"
#include "format/blocks/block_encode.h"
#include "format/blocks/index_items.h"
#include "format/values/encode_buffer.h"

/** The calls are those that a reader of the log has open, in dialects with INDEX blocks. */
typedef struct block_calls {
	uint64_t owner;     /**< Identifies the stack; changes if the ID of the thread is used again. A new owner starts
	                         with an empty stack. */
	int is_known;       /**< There are at most #INDEX_MAX_FRAMES methods. */
	uint32_t depth;     /**< Their number. */
	int begins_thread;  /**< The block contains the start of its thread, which ends all calls. */
	int ends_all;       /**< No calls of any thread are known after the block (doc/format.md, 3.24). */
	int is_empty_after; /**< No call is open after the block. */
	uint64_t searched;  /**< Frames that failed searches of the owner visited so far. */
	uint32_t methods[INDEX_MAX_FRAMES]; /**< Their IDs, outermost first. */
} block_calls;

/*
 * A stack is tracked only as long as a reader that has read all events before would have the same one. After a pause of
 * the recording, a switch between call stacks or a block that could not be written, all stacks are unknown.
 */

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

typedef struct log_index {
	int is_used;         /**< The log gets INDEX blocks. */
	int is_optional;     /**< Without memory for it, the log goes on without index. */
	encode_buffer items; /**< The entries so far. */
	uint64_t count;      /**< Their number. */
	index_base base;
	encode_buffer methods; /**< The frames of next. */
	index_item next;       /**< The call stack of the EVENTS block that is being written. */
	int has_next;
	call_tracker calls;
	encode_buffer block; /**< The INDEX block. */
	uint64_t last;       /**< Offset of the last INDEX block that was written. */
	int has_last;
	mprof_clock first_clock;  /**< The first clock pair that was read. */
	mprof_clock latest_clock; /**< The latest one, by the difference of its counter to that of the first. */
	mprof_clock clock;        /**< The last one that was read. */
	int has_clock;
} log_index;

void log_index_init(log_index *index, const mprof_allocator *allocator);
void log_index_destroy(log_index *index);

/** Records a clock pair that may have been written. */
void log_index_note_clock(log_index *index, const mprof_clock *clock);

/**
 * Whether no block has a later clock pair than the last one that was read, and no event is earlier than the base
 * counter of its block. Otherwise the index would yield other times than the log, or miss events.
 */
int log_index_is_in_order(const log_index *index);

/** An EVENTS block begins. Returns 0 if out of memory; no block may be written then. */
int log_index_begin_events(log_index *index, uint64_t thread, uint64_t base_counter);

/**
 * As log_index_begin_events(), for a block whose events were followed elsewhere. \p latest is the latest counter of its
 * events, \p goes_back whether one is earlier than the base counter.
 */
int log_index_begin_block(log_index *index, uint64_t thread, uint64_t base_counter, uint64_t latest, int goes_back,
			  const block_calls *calls);

/** Reserves memory to add the block that was encoded. Returns 0 if out of memory. */
int log_index_reserve(log_index *index);

/**
 * Adds the block that was written, for which memory was reserved. \p block has its header, before it was compressed,
 * and \p content_length bytes of content. \p length is the one in the header that was written.
 */
void log_index_add(log_index *index, const dialect_rules *rules, const encode_buffer *block, size_t content_length,
		   size_t length);

/** Out of memory: the log gets no more INDEX blocks, which readers then do not use. */
void log_index_end(log_index *index);

/** The block that was to be written is not in the log, nor are the events in it. */
void log_index_lose(log_index *index);

/** Whether there are enough entries for an INDEX block, and no EVENTS block is being written. */
int log_index_is_due(const log_index *index);

/** Upper bound for the length of the INDEX block if \p more blocks without call stacks are added, in bytes. */
uint64_t log_index_bound(const log_index *index, unsigned more);

/** Encodes the INDEX block of the entries. Returns #MPROF_OK, #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT. */
mprof_status log_index_encode(log_index *index, const block_encoding *encoding, uint64_t offset);

/** The INDEX block was written at an offset: starts with an empty list after it. */
void log_index_restart(log_index *index, uint64_t offset);

#endif
