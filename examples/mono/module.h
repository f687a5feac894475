/* SPDX-License-Identifier: MIT */
/**
 * \file module.h
 * \brief What the parts of the profiler module share.
 *
 * The module uses the runtime's public functions only. Names are made on threads of the runtime, when a thing becomes
 * known and before the first event that can use it: the recorder's writer thread is not one of the runtime's, and must
 * not look into its structures.
 *
 * Callbacks may take the recorder's locks only where their thread cannot be stopped by a signal of the collector, which
 * is wherever the runtime's own code runs. The callbacks of a collection take none.
 */
#ifndef MODULE_H
#define MODULE_H

#include "key_set.h"
#include "options.h"

#include <mono/metadata/profiler.h>
#include <mprof/recorder.h>
#include <stdatomic.h>

/** The module's state; the runtime hands it to each callback. There is one, and it is never freed. */
struct _MonoProfiler {
	MonoProfilerHandle handle;
	mprof_recorder *recorder;
	module_options options;
	uint32_t allocation_detail; /**< Bits of #mprof_allocation_detail. */
	char *path;                 /**< Of the log. */
	char *full_path;            /**< The same, wherever the program goes to. */
	int process;                /**< Whose log it is: a child made by fork() leaves it alone. */
	_Atomic int ended;          /**< 1 once the log is being closed, and in a child. */

	key_set methods;  /**< Methods defined, by image; flags are a #method_flag. */
	key_set classes;  /**< Classes defined, by image; flags are a #class_flag. */
	key_set compiled; /**< Code that the JIT compiler made as the filter asked, by domain: it reports its calls. */

	/** Changes whenever addresses of methods, classes and vtables may come to mean something else. */
	_Atomic unsigned unloads;

	/** How many of the collections that have their turn are to have a heap shot; -1 for all. */
	_Atomic int64_t heap_shots_left;

	/** For collections on threads without a handle; collector_busy is held while it is used. */
	mprof_thread *collector;
	atomic_flag collector_busy;
	_Atomic int collector_used;
};

/** The key of one of the runtime's structures. */
static inline mprof_key key_of(const void *structure)
{
	return (mprof_key)(uintptr_t)structure;
}

/** Whether nothing is recorded any more. */
static inline int module_has_ended(MonoProfiler *profiler)
{
	return atomic_load_explicit(&profiler->ended, memory_order_relaxed);
}

/** Each installs the callbacks of one part, as far as the options ask for them. */
void threads_install(MonoProfiler *profiler);
void methods_install(MonoProfiler *profiler);
void classes_install(MonoProfiler *profiler);
void allocations_install(MonoProfiler *profiler);
void elements_install(MonoProfiler *profiler);
void collector_install(MonoProfiler *profiler);
void roots_install(MonoProfiler *profiler);
void handles_install(MonoProfiler *profiler);
void monitors_install(MonoProfiler *profiler);
void finalizers_install(MonoProfiler *profiler);
void samples_install(MonoProfiler *profiler);

/** Makes sure that a thread which begins is sampled; on that thread. */
void samples_thread_started(void);

/** Makes sure that the thread which unloads a domain is not sampled any more; on that thread. */
void samples_unloader_named(void);

#endif
