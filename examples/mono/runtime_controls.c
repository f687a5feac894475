/* SPDX-License-Identifier: MIT */
/**
 * \file runtime_controls.c
 * \brief EnableProfiler, DisableProfiler and TakeHeapSnapshot, without arguments and results.
 *
 * They are called as parts of the runtime: the collector does not stop their thread by a signal, which it could while
 * the thread holds a lock that another needs to come to its own stop.
 */
#include "runtime_controls.h"

#include "control_actions.h"

#include <mono/metadata/loader.h>

static MonoProfiler *controlled;

static void enable_profiler(void)
{
	(void)control_enable(controlled);
}

static void disable_profiler(void)
{
	(void)control_disable(controlled);
}

static void take_heap_snapshot(void)
{
	(void)control_heapshot(controlled);
}

void runtime_controls_define(MonoProfiler *profiler)
{
	controlled = profiler;
	mono_dangerous_add_raw_internal_call("Mono.Profiler.RuntimeControls::EnableProfiler", enable_profiler);
	mono_dangerous_add_raw_internal_call("Mono.Profiler.RuntimeControls::DisableProfiler", disable_profiler);
	mono_dangerous_add_raw_internal_call("Mono.Profiler.RuntimeControls::TakeHeapSnapshot", take_heap_snapshot);
}
