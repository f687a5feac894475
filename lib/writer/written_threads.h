/* SPDX-License-Identifier: MIT */
/**
 * \file writer/written_threads.h
 * \brief The state at the end of the last EVENTS block of each thread, which the next one depends on in the dialects of
 * Mono.
 */
#ifndef WRITER_WRITTEN_THREADS_H
#define WRITER_WRITTEN_THREADS_H

#include "base/thread_map.h"

typedef struct written_thread {
	uint64_t base;    /**< Base counter of its last block. */
	uint64_t reached; /**< Counter of the last event with a time, or the base. */
	int has_block;    /**< 0: there was no block yet. */
	int has_stack;    /**< 1: later events without a stack section have a stack. */
} written_thread;

typedef struct written_threads {
	mprof_allocator allocator;
	thread_map positions; /**< Positions of threads in the array below. */
	written_thread *threads;
	size_t count;
	size_t capacity;
	size_t current; /**< Index of the thread of the block being written. */
} written_threads;

void written_threads_init(written_threads *table, const mprof_allocator *allocator);
void written_threads_destroy(written_threads *table);

/** Makes a thread the current one and returns it. NULL if out of memory. Valid until the next call. */
written_thread *written_threads_begin(written_threads *table, uint64_t thread);

static inline written_thread *written_threads_current(written_threads *table)
{
	return &table->threads[table->current];
}

#endif
