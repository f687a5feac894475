/* SPDX-License-Identifier: MIT */
/*
 * Records contention of monitors: how long threads wait, where, and whether they acquire the monitor. Samples of a
 * thread that waits for one show that, too.
 *
 * The runtime reports neither monitors that are free when entered, nor attempts without waiting.
 */
#include "monitors.h"

#include "runtime_work.h"
#include "stacks.h"
#include "threads.h"

#include <mono/metadata/object.h>

static void record_monitor_event(MonoProfiler *profiler, MonoObject *object, mprof_monitor_state what)
{
	thread_state *state = profiler->options.kinds & RECORD_MONITORS ? threads_state(profiler) : NULL;
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count;

	if (state == NULL || !mprof_recorder_is_enabled(profiler->recorder))
		return;
	count = stacks_here(profiler, state, frames, profiler->options.stack_depth);
	mprof_thread_record_monitor(state->recording, what, key_of(mono_vtable_class(object->vtable)),
				    (uint64_t)(uintptr_t)object, frames, count);
}

static void monitor_contention(MonoProfiler *profiler, MonoObject *object)
{
	record_monitor_event(profiler, object, MPROF_MONITOR_CONTENDED);
	runtime_work_set_locking(1, stacks_code_here());
}

static void monitor_acquired(MonoProfiler *profiler, MonoObject *object)
{
	runtime_work_set_locking(0, 0);
	record_monitor_event(profiler, object, MPROF_MONITOR_ACQUIRED);
}

static void monitor_failed(MonoProfiler *profiler, MonoObject *object)
{
	runtime_work_set_locking(0, 0);
	record_monitor_event(profiler, object, MPROF_MONITOR_FAILED);
}

void monitors_install(MonoProfiler *profiler)
{
	if ((profiler->options.kinds & (RECORD_MONITORS | RECORD_SAMPLES)) == 0)
		return;
	mono_profiler_set_monitor_contention_callback(profiler->handle, monitor_contention);
	mono_profiler_set_monitor_acquired_callback(profiler->handle, monitor_acquired);
	mono_profiler_set_monitor_failed_callback(profiler->handle, monitor_failed);
}
