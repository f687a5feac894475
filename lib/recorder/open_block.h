/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/open_block.h
 * \brief An EVENTS block in columns that the writer thread or a drain thread collects: events of one recording thread,
 * from one buffer or several.
 */
#ifndef RECORDER_OPEN_BLOCK_H
#define RECORDER_OPEN_BLOCK_H

#include "recorder/buffer_pool.h"
#include "recorder/key_cache.h"
#include "writer/event_collector.h"

typedef struct open_block {
	event_collector events;
	struct mprof_thread *thread; /**< Whose events it contains; NULL: there is no block. */
	event_buffer *last;          /**< The buffer of the last events. */
	/** Full buffers, all of whose events are in the block or in the log, linked by next_full. They are given back
	 * after the commit that covers them. */
	event_buffer *held;
	uint32_t held_count;     /**< Number of them. */
	uint64_t start_counter;  /**< Base counter of the block, in the units of slots. */
	uint64_t buffer_counter; /**< event_encoder::last_counter before the events of the last buffer. */
	uint32_t most_events;    /**< A block to which another buffer is added does not exceed this. Constant. */
	int is_encoded;          /**< open_block::events has the content of the block. */
	mprof_status status;     /**< Other than #MPROF_OK if the block cannot be written. */
	uint32_t generation;     /**< recorder_keys::generation at which the caches are valid. */
	key_cache methods;
	key_cache classes;
} open_block;

#endif
