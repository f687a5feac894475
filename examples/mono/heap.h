/* SPDX-License-Identifier: MIT */
/**
 * \file heap.h
 * \brief Heap shots and sums of the heap, taken at the end of full collections.
 */
#ifndef HEAP_H
#define HEAP_H

#include "module.h"

void heap_install(MonoProfiler *profiler);

/** A step of a collection, on the thread that collects. \p number is that of the generation's last collection. */
void heap_collection_step(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation, uint32_t number);

/**
 * Makes a thread that is not the runtime's known to it, so that it can take shots. Not when a collection may begin:
 * that would wait for the thread to stop, and the thread for the end of the collection.
 */
void heap_join(void);

/**
 * Runs a full collection with a heap shot; the recorder has it all when this returns. For threads of the runtime, and
 * for those that have joined. Returns NULL, or a line that says why there is no shot.
 */
const char *heap_take_shot(MonoProfiler *profiler);

/** Shots may be asked for: the runtime is there. */
void heap_begin(void);

/** No shot is to be asked for any more: it is going away. */
void heap_end(void);

#endif
