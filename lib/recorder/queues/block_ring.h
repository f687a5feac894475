/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/block_ring.h
 * \brief The blocks of a flight recorder's log in memory: all blocks with definitions, which are retained, and the
 * latest blocks with events, which are evicted when the ring is full.
 *
 * These blocks form a complete log, because a block can be read by itself once the definitions that it uses are known.
 *
 * Owner: the writer thread adds blocks; any thread may write out a copy at the same time. The mutex guards both lists,
 * the end and the reference counts, and orders all accesses to them. The bytes of a block are constant, so they are
 * written out without the lock, under a reference.
 */
#ifndef RECORDER_QUEUES_BLOCK_RING_H
#define RECORDER_QUEUES_BLOCK_RING_H

#include <mprof/writer.h>

#include "format/values/dialect.h"
#include "io/sink.h"
#include "recorder/queues/salvage_area.h"

#include <pthread.h>

/** A block. In an area it is the content of a piece. */
typedef struct ring_block ring_block;
struct ring_block {
	ring_block *next;
	uint64_t number;     /**< Position in the order in which blocks were added. */
	uint64_t time;       /**< When it was added, in microseconds since 1970. */
	uint32_t references; /**< Guarded by block_ring::lock. */
	uint32_t length;     /**< The header included. */
	uint64_t events;     /**< Its events. Owner: the writer thread. */
	uint64_t start;      /**< Events and samples: the base counter. Others: UINT64_MAX. */
	uint32_t kind;       /**< An #mprof_block_kind. */
	/** After this struct, or in the area of a process that has ended. Not valid in another process. */
	const uint8_t *bytes;
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
	uint64_t events;
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
	uint64_t code_bytes; /**< Length of retained CODE_RANGES blocks, in bytes. */
	uint64_t code_kept;  /**< What it was after the last ring_code_drop(). Owner: the writer thread. */
	ring_block *end;     /**< END, once the log is closed. */
	ring_evicted evicted;
	uint64_t fixed_time; /**< The time of new blocks, after block_ring_continue(); 0: the system's clock. */
} block_ring;

/** Returns NULL if there is no memory. */
block_ring *block_ring_create(const mprof_allocator *allocator, const dialect_rules *rules, uint64_t max_bytes);

/** Allocates blocks in an area from now on. Call it before the first block is added. */
void block_ring_use_area(block_ring *ring, salvage_area *area);

/** The number of the block that is added next. Writer thread only. */
uint64_t block_ring_next_number(const block_ring *ring);

/** The number of the oldest block that may be evicted; 0 before there is one. Writer thread only. */
uint64_t block_ring_oldest_number(const block_ring *ring);

/** Notes that the block that was added last contains events, which count as evicted with it. Writer thread only. */
void block_ring_note_events(block_ring *ring, uint64_t count);

/**
 * The lowest counter that an event or a sample in the ring has; UINT64_MAX if there are none. Events whose time the
 * client states may have a lower one than the first of their block. Writer thread only.
 */
uint64_t block_ring_first_counter(const block_ring *ring);

/**
 * Replaces the retained block after another one, or the first one if \p before is NULL, by one with the same meaning,
 * or by none if \p length is 0. Writer thread only. Returns 0 or an errno value.
 */
int block_ring_replace(block_ring *ring, ring_block *before, const void *bytes, size_t length);

/** What was evicted so far. Writer thread only. */
const ring_evicted *block_ring_evicted(const block_ring *ring);

/**
 * Adds a block that the ring of a process that has ended left in an area, without copying its bytes: the area must stay
 * mapped until the ring is freed. Its number must be higher than that of the block before. Returns 0 or an errno value:
 * EINVAL if the block is damaged.
 */
int block_ring_adopt(block_ring *ring, const ring_block *remaining);

/** Sets what that ring had evicted, and its last time, for blocks that are added from now on. */
void block_ring_continue(block_ring *ring, const ring_evicted *evicted, uint64_t time);

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
