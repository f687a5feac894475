/* SPDX-License-Identifier: MIT */
/**
 * \file allocations.h
 * \brief Records allocated objects.
 */
#ifndef MONO_ALLOCATIONS_H
#define MONO_ALLOCATIONS_H

#include "profiler.h"
#include "threads.h"

/** Installs the callbacks that the options need. */
void allocations_install(MonoProfiler *profiler);

/** How allocations are recorded. */
typedef enum allocations_mode {
	ALLOCATIONS_OFF,
	ALLOCATIONS_PLAIN,      /**< Without call stacks. */
	ALLOCATIONS_WITH_STACKS /**< With call stacks, of all or of a sample. */
} allocations_mode;

/**
 * Changes what is recorded while the program runs. \p interval: with #ALLOCATIONS_WITH_STACKS, the mean number of bytes
 * between allocations with a call stack; 0: all have one. Returns NULL, or a text with the reason why that is
 * impossible. Control thread only.
 */
const char *allocations_set_mode(MonoProfiler *profiler, allocations_mode mode, uint64_t interval);

/** Filters were added or removed while the program runs. Control thread only. */
void allocations_use_filters(MonoProfiler *profiler);

#endif
