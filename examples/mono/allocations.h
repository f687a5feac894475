/* SPDX-License-Identifier: MIT */
/**
 * \file allocations.h
 * \brief Records allocated objects.
 */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void allocations_install(MonoProfiler *profiler);

/** How allocations are recorded. */
typedef enum allocations_mode {
	ALLOCATIONS_OFF,
	ALLOCATIONS_PLAIN,      /**< Without call stacks. */
	ALLOCATIONS_WITH_STACKS /**< With call stacks as the options specify. */
} allocations_mode;

/** Changes what is recorded while the program runs. Returns NULL, or a text with the reason why that is impossible. */
const char *allocations_set_mode(MonoProfiler *profiler, allocations_mode mode);

#endif
