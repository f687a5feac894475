/* SPDX-License-Identifier: MIT */
/**
 * \file unnamed_methods.h
 * \brief Compiled methods that have no name in the log: nothing refers to them unless samples are taken later.
 */
#ifndef MONO_UNNAMED_METHODS_H
#define MONO_UNNAMED_METHODS_H

#include "profiler.h"

/**
 * Remembers a method that has just been compiled or loaded from precompiled code. Returns 0 if the caller has to name
 * it now: the list is closed, there is no memory, or the method may be freed at any time.
 */
int unnamed_methods_add(MonoMethod *method);

/**
 * Names all methods on the list. For the control thread when samples begin, and for threads that are about to unload
 * something, since methods that are freed with it are not known.
 */
void unnamed_methods_define(MonoProfiler *profiler);

/** Closes the list: from now on, unnamed_methods_add() returns 0. */
void unnamed_methods_close(void);

/** Empties the list: the runtime is shutting down, so no samples will begin. */
void unnamed_methods_discard(void);

#endif
