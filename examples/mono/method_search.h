/* SPDX-License-Identifier: MIT */
/**
 * \file method_search.h
 * \brief Looks up methods for the filters of samples (noted_methods.h).
 *
 * The runtime's walk in a signal handler does not find the methods of precompiled code that the runtime has not
 * reported yet. A thread looks up such code after a handler has found it on a stack.
 */
#ifndef MONO_METHOD_SEARCH_H
#define MONO_METHOD_SEARCH_H

#include "profiler.h"

/** Notes all methods that have a name again, since the filters have changed. Control thread only. */
void method_search_update(MonoProfiler *profiler);

/**
 * Starts the thread that looks methods up. Called once, when the runtime is initialized and no collection can begin.
 * Without it, such code stays unknown.
 */
void method_search_start(MonoProfiler *profiler);

/** Cancels the requests for a domain that is about to be freed; with NULL, all of them and any later one. */
void method_search_cancel(const MonoDomain *domain);

/** Has the method of code looked up and noted by its address. Async-signal-safe. */
void method_search_request(MonoDomain *domain, const void *code);

#endif
