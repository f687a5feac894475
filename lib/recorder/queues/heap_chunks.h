/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/heap_chunks.h
 * \brief The memory of heap snapshots: a list of chunks that one side fills and the writer thread reads, without locks.
 *
 * The recording side is one thread at a time; each of its calls happens before the next (see heap_recording.h). Only
 * the recording side takes chunks and appends them to the list; only the writer thread gives them back.
 *
 * If the process dies, chunks in an area are salvaged. Recovery may begin to read at any of them, so the records in a
 * chunk of an area depend on nothing in earlier chunks but heap_chunk::first_object.
 */
#ifndef RECORDER_QUEUES_HEAP_CHUNKS_H
#define RECORDER_QUEUES_HEAP_CHUNKS_H

#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/salvage_area.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** Words after a chunk's capacity, so that the end of a snapshot and a loss can be recorded when there is no room. */
#define HEAP_CHUNK_TAIL_WORDS 4

typedef struct heap_chunk heap_chunk;
struct heap_chunk {
	/** Number of words that contain records. Owner: the recording side, which stores it with release after it has
	 * filled the words; the writer thread loads it with acquire and then reads them. */
	_Atomic uint32_t published;
	uint32_t capacity; /**< In words, without the tail. Constant. */
	/** The next chunk; NULL in the last one. The recording side stores it with release after the last change of
	 * published; the writer thread, which loads it with acquire, then sees the final value of published. */
	_Atomic(heap_chunk *) next;
	heap_chunk *next_free; /**< In the stack of free chunks. */
	uint64_t sequence;     /**< Position in the list, from 1; of a free chunk, its last one. Recording side. */
	uint64_t first_object; /**< heap_recording::last_object before the first record. Recording side. */
	int is_populated;      /**< All its pages are in memory. Owner: who has the chunk. */
	char padding
		[CACHE_LINE]; /**< The recording side often stores the fields above; the words are on other lines. */
	uint32_t words[];
};

typedef struct heap_chunks {
	size_t chunk_size;      /**< Size of each chunk in bytes. */
	uint64_t max_bytes;     /**< Maximum of mapped. */
	salvage_area *area;     /**< Where chunks are allocated as long as there is room; NULL: nowhere. Constant. */
	uint64_t last_sequence; /**< Of the last chunk taken. Recording side. */
	/** Bytes in all chunks. The recording side adds, the writer thread subtracts. Relaxed: it orders nothing. */
	_Atomic uint64_t mapped;
	/**
	 * Top of the stack of free chunks. The writer thread pushes with release, and the recording side pops with
	 * acquire. No change count is needed: only one thread pops, so a chunk that is on top twice has not been taken
	 * in between.
	 */
	_Atomic(heap_chunk *) free;
	_Atomic uint32_t free_count;
} heap_chunks;

/** The snapshot that is being read. */
typedef struct open_snapshot {
	int is_open;
	uint32_t use; /**< Bits of #mprof_heap_use. */
	uint32_t collection;
	uint32_t number; /**< 0 if it is not written. */
	uint64_t counter;
	int has_block;  /**< One of its blocks is in the log. */
	int has_object; /**< The last object was added: records of references after it belong to it. */
	int is_incomplete;
} open_snapshot;

/**
 * Initializes an empty pool of chunks; allocates nothing yet. \p max_bytes bounds the memory of all chunks. \p area:
 * for chunks that are to be salvaged, or NULL.
 */
void heap_chunks_init(heap_chunks *chunks, uint64_t max_bytes, salvage_area *area);

/** Unmaps the free chunks, and those of the list from \p first on. Those in an area stay mapped. */
void heap_chunks_destroy(heap_chunks *chunks, heap_chunk *first);

/**
 * Returns an empty chunk; NULL if the bound is reached or the system refuses memory. \p at_once: all of its memory is
 * needed soon. Recording side only.
 */
heap_chunk *heap_chunks_take(heap_chunks *chunks, int at_once);

/** Gives a chunk back, for reuse or to the system. Writer thread only. */
void heap_chunks_give(heap_chunks *chunks, heap_chunk *chunk);

#endif
