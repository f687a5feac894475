/* SPDX-License-Identifier: MIT */
/**
 * \file heap.h
 * \brief Heap snapshots and heap summaries, taken at the end of full collections.
 */
#ifndef MONO_HEAP_H
#define MONO_HEAP_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void heap_install(MonoProfiler *profiler);

/**
 * Handles a step of a collection, on the thread that collects. \p number: that of the last collection of this
 * generation.
 */
void heap_collection_step(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation, uint32_t number);

/**
 * Attaches the calling thread to the runtime, so that it can take snapshots. Call it only while no collection can
 * begin: the collection would wait for the thread to stop, and the thread for the end of the collection.
 */
void heap_join(void);

/**
 * Runs a full collection with a heap snapshot. When it returns, the recorder has the whole snapshot. It may be called
 * by threads of the runtime, and by those that called heap_join(). Returns NULL, or a line with the reason why there is
 * no snapshot.
 */
const char *heap_take_shot(MonoProfiler *profiler);

/** Allows requests for snapshots: the runtime is ready. */
void heap_begin(void);

/** Whether the runtime is ready: it has started, and is not shutting down. Any thread. */
int heap_is_open(void);

/** Ends requests for snapshots: the runtime is shutting down. */
void heap_end(void);

/**
 * States in the log how many snapshots were taken before the runtime began to shut down. It collects once more then,
 * when the program has ended: that snapshot does not show whether anything still grows.
 */
void heap_note_shutdown(const MonoProfiler *profiler);

#endif
