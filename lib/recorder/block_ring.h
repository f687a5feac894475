/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/block_ring.h
 * \brief The blocks of a log in memory: all that defines something, and the last of those that hold events.
 *
 * A log of them is whole, since blocks can be read on their own once what they use is defined. The writer thread adds;
 * any thread may write out a copy meanwhile. A lock guards the lists, and is held for no longer than it takes to change
 * or to copy them: blocks are counted references and do not change.
 */
#ifndef RECORDER_BLOCK_RING_H
#define RECORDER_BLOCK_RING_H

#include <mprof/writer.h>

#include "format/dialect.h"
#include "io/sink.h"

#include <pthread.h>

typedef struct ring_block ring_block;

/** Blocks in the order in which they were added. */
typedef struct ring_list {
	ring_block *oldest;
	ring_block *newest;
	size_t count;
	uint64_t bytes;
} ring_list;

typedef struct block_ring {
	mprof_allocator allocator;
	const dialect_rules *rules;
	uint64_t max_bytes; /**< Of blocks of events. */
	pthread_mutex_t lock;
	uint64_t next_number;
	ring_list kept;    /**< What defines something. */
	ring_list passing; /**< What holds events. */
	ring_block *end;   /**< The END block of a log that was closed. */
} block_ring;

/** Returns NULL if there is no memory. */
block_ring *block_ring_create(const mprof_allocator *allocator, const dialect_rules *rules, uint64_t max_bytes);

/** Frees a ring; NULL is one that was never made. */
void block_ring_destroy(block_ring *ring);

/** Adds whole blocks. Writer thread only. Returns 0 or an errno value. */
int block_ring_add(block_ring *ring, const void *bytes, size_t length);

/**
 * Writes all blocks to a sink, and at last the END block; for a log that was not closed, one with the clock \p now. Any
 * thread. Returns 0 or an errno value.
 */
int block_ring_write(block_ring *ring, log_sink *sink, const mprof_clock *now);

#endif
