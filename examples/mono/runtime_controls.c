/* SPDX-License-Identifier: MIT */
/*
 * Implements EnableProfiler, DisableProfiler and TakeHeapSnapshot, without arguments and results.
 *
 * They run as internal calls of the runtime, so the collector does not stop their thread by a signal. Otherwise it
 * could stop the thread while it holds a lock that another thread needs before it can stop itself.
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
