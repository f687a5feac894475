/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/block_ring.h
 * \brief The blocks of a flight recorder's log in memory: all blocks with definitions, which are retained, and the
 * latest blocks with events, which are evicted when the ring is full.
 *
 * These blocks form a complete log, because a block can be read by itself once the definitions that it uses are known.
 *
 * Owner: the writer thread adds blocks; any thread may write out a copy at the same time. The mutex guards both lists,
 * the end and the reference counts, and orders all accesses to them. The bytes of a block are constant, so they are
 * written out without the lock, under a reference.
 */
#ifndef RECORDER_BLOCK_RING_H
#define RECORDER_BLOCK_RING_H

#include <mprof/writer.h>

#include "format/dialect.h"
#include "io/sink.h"
#include "recorder/salvage_area.h"

#include <pthread.h>

/** A block. In an area it is the content of a piece. */
typedef struct ring_block ring_block;
struct ring_block {
	ring_block *next;
	uint64_t number;     /**< Position in the order in which blocks were added. */
	uint64_t time;       /**< When it was added, in microseconds since 1970. */
	uint32_t references; /**< Guarded by block_ring::lock. */
	uint32_t length;     /**< The header included. */
	uint8_t bytes[];
};

/** Blocks in the order in which they were added. */
typedef struct ring_list {
	ring_block *oldest;
	ring_block *newest;
	size_t count;
	uint64_t bytes;
} ring_list;

/** What was evicted so far. */
typedef struct ring_evicted {
	uint64_t blocks;
	uint64_t bytes;
	uint64_t time; /**< When the newest of these blocks was added, in microseconds since 1970. */
} ring_evicted;

typedef struct block_ring {
	mprof_allocator allocator;
	salvage_area *area; /**< Where blocks are allocated; NULL: by the allocator. Constant after the first block. */
	const dialect_rules *rules;
	uint64_t max_bytes; /**< Maximum length of the evictable blocks, in bytes. */
	pthread_mutex_t lock;
	uint64_t next_number;
	ring_list retained;  /**< Blocks with definitions. */
	ring_list evictable; /**< Blocks with events only. */
	ring_block *end;     /**< END, once the log is closed. */
	ring_evicted evicted;
} block_ring;

/** Returns NULL if there is no memory. */
block_ring *block_ring_create(const mprof_allocator *allocator, const dialect_rules *rules, uint64_t max_bytes);

/** Allocates blocks in an area from now on. Call it before the first block is added. */
void block_ring_use_area(block_ring *ring, salvage_area *area);

/** The number of the block that is added next. Writer thread only. */
uint64_t block_ring_next_number(const block_ring *ring);

/** What was evicted so far. Writer thread only. */
const ring_evicted *block_ring_evicted(const block_ring *ring);

/** Adds a block from the ring of a process that has ended, like block_ring_add(). */
int block_ring_add_recovered(block_ring *ring, const ring_block *left);

/** Sets what counts as evicted: what the ring of that process had evicted. */
void block_ring_recover_evicted(block_ring *ring, const ring_evicted *evicted);

/** Frees a ring; NULL does nothing. */
void block_ring_destroy(block_ring *ring);

/** Adds complete blocks. Writer thread only. Returns 0 or an errno value. */
int block_ring_add(block_ring *ring, const void *bytes, size_t length);

/**
 * Writes all blocks to a sink, a SESSION block that describes what was evicted, if anything was, and then END; if the
 * log is not closed, an END with the clock \p now. Any thread. Returns 0 or an errno value.
 */
int block_ring_write(block_ring *ring, log_sink *sink, const mprof_clock *now);

#endif
