/* SPDX-License-Identifier: MIT */
/**
 * \file noted_methods.h
 * \brief Whether methods pass the filters, for signal handlers.
 *
 * A signal handler cannot ask the runtime for the name of a method. So methods are looked at when they get a name, and
 * again when the filters change.
 */
#ifndef MONO_NOTED_METHODS_H
#define MONO_NOTED_METHODS_H

#include "profiler.h"

/**
 * Notes a method that has just got its name, if there are filters. \p is_generated: by the runtime; the name of such a
 * method does not matter.
 */
void noted_methods_add(MonoMethod *method, int is_generated);

/** Notes the #frame_flag bits of a method or of code. Does nothing if out of memory: it then stays unknown. */
void noted_methods_put(const void *key, unsigned flags);

/** The #frame_flag bits of a method, or of code without a known method; 0 if unknown. Async-signal-safe. */
unsigned noted_methods_get(const void *key);

/** Held while methods are looked at, and while others are removed, since they are about to be freed. */
void noted_methods_lock(void);
void noted_methods_unlock(void);

#endif
