/* SPDX-License-Identifier: MIT */
/**
 * \file profiler.h
 * \brief The state of the profiler module.
 *
 * The module uses the runtime's public functions only. Definitions are made on threads of the runtime, when the runtime
 * first reports a structure and before the first event that can refer to it: the recorder's writer thread is not
 * attached to the runtime, and must not access its structures.
 *
 * Callbacks may take the recorder's locks only while their thread cannot be stopped by a signal of the collector. That
 * is the case while the thread runs the runtime's own code. The callbacks of a collection take no lock.
 */
#ifndef MONO_PROFILER_H
#define MONO_PROFILER_H

#include "key_set.h"
#include "options.h"

#include <mono/metadata/profiler.h>
#include <mprof/recorder.h>
#include <stdatomic.h>

/** The module's state; the runtime passes it to each callback. There is one, and it is never freed. */
struct _MonoProfiler {
	MonoProfilerHandle handle;
	mprof_recorder *recorder;
	module_options options;
	uint32_t allocation_detail; /**< Bits of #mprof_allocation_detail. */
	/**
	 * Bytes between allocations with a call stack, on average; 0: all have one. The control thread changes it;
	 * relaxed: a thread may use the previous interval for one more allocation.
	 */
	_Atomic uint64_t allocation_interval;
	char *path;      /**< Path of the log, as given. */
	char *full_path; /**< Absolute path of the log: the program may change its directory. */
	/**
	 * Bits of #record_kind that were switched on while the program runs, in addition to those of the options. Only
	 * the control thread changes it. Relaxed: a thread may overlook the change for one more event.
	 */
	_Atomic uint32_t late_kinds;
	int process;       /**< Process that owns the log: a child made by fork() must not write to it. */
	_Atomic int ended; /**< 1 from the start of closing the log on, and in a child. */
	/** 1: the user has stopped recording, so nothing is recorded, or counted as lost. Relaxed, as late_kinds. */
	_Atomic int is_stopped;

	key_set methods;  /**< Defined methods with their image as owner; flags are a #method_flag. */
	key_set classes;  /**< Defined classes with their image as owner; flags are a #class_flag. */
	key_set compiled; /**< Code that the filter instrumented with call events, with its domain as owner. */

	/** Incremented whenever addresses of methods, classes and vtables may be reused. */
	_Atomic unsigned unloads;

	/** How many of the due collections still get a heap snapshot; -1 for all. */
	_Atomic int64_t heap_snapshots_left;

	/** For collections on threads without a handle; collector_busy is held while it is used. */
	mprof_thread *collector;
	atomic_flag collector_busy;
	_Atomic int collector_used;
};

/** The key of a structure of the runtime. */
static inline mprof_key key_of(const void *structure)
{
	return (mprof_key)(uintptr_t)structure;
}

/** The kinds of data that are recorded now. */
static inline uint32_t profiler_kinds(const MonoProfiler *profiler)
{
	return profiler->options.kinds | atomic_load_explicit(&profiler->late_kinds, memory_order_relaxed);
}

/** Adds a kind that is switched on while the program runs. Control thread only. */
static inline void profiler_add_kind(MonoProfiler *profiler, record_kind kind)
{
	(void)atomic_fetch_or_explicit(&profiler->late_kinds, (uint32_t)kind, memory_order_relaxed);
}

/** Whether recording has ended. */
static inline int profiler_has_ended(MonoProfiler *profiler)
{
	return atomic_load_explicit(&profiler->ended, memory_order_relaxed);
}

/**
 * Whether events are to be recorded. Also if the log cannot be written any more, unlike
 * mprof_recorder_is_enabled(): the recorder counts what it is given then as lost.
 */
static inline int profiler_is_recording(MonoProfiler *profiler)
{
	return !atomic_load_explicit(&profiler->is_stopped, memory_order_relaxed) && !profiler_has_ended(profiler);
}

#endif
