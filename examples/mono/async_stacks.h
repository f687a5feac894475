/* SPDX-License-Identifier: MIT */
/**
 * \file async_stacks.h
 * \brief Logical call stacks of async methods, and how long they await: the option async.
 *
 * An async method that continues after an await is called by the thread pool, or by the end of the method that it
 * waited for. Its logical callers are the methods that await it. They are found when the method continues, since
 * objects cannot be read in a signal handler; stacks that contain its frame then end with them.
 */
#ifndef MONO_ASYNC_STACKS_H
#define MONO_ASYNC_STACKS_H

#include <mono/metadata/class.h>
#include <mono/metadata/object.h>

#include "profiler.h"
#include "stack_record.h"

#include <stddef.h>
#include <stdint.h>

/** Installs the callbacks if the option is given. */
void async_stacks_install(MonoProfiler *profiler);

/**
 * Replaces the callers of the innermost async method in a stack of the calling thread that was continued, with the
 * methods that await it. Async-signal-safe.
 */
void async_stacks_apply(stack_record *record);

#endif
