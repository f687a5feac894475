/* SPDX-License-Identifier: MIT */
/**
 * \file call_paths.h
 * \brief A walk over the call tree: callees by their time, what is too small or too deep left out. Needs no more stack
 * for deep trees than for flat ones.
 */
#ifndef CALL_PATHS_H
#define CALL_PATHS_H

#include <mprof/profile.h>

#include <stddef.h>

/** Callees that were left out. */
typedef struct hidden_calls {
	uint64_t count;
	uint64_t total_ns;
} hidden_calls;

typedef struct call_visitor {
	/** A call path is met; those below it follow. \p depth is 0 for the outermost methods. */
	void (*enter)(void *user, const mprof_call_figures *figures, size_t depth);
	/** All below it were met. */
	void (*leave)(void *user, const mprof_call_figures *figures, const hidden_calls *hidden, size_t depth);
	void *user;
} call_visitor;

/** Leaves out paths with less than \p min_ns, and those from \p max_depth on. Returns 0 if there is no memory. */
int call_paths_walk(const mprof_profile *profile, uint64_t min_ns, size_t max_depth, const call_visitor *visitor);

#endif
