/* SPDX-License-Identifier: MIT */
/*
 * Records contention of monitors: how long threads wait, where, for which thread, and whether they acquire the monitor.
 * Samples of a thread that waits for one show that, too.
 *
 * The runtime reports neither monitors that are free when entered, nor attempts without waiting.
 */
#include "monitors.h"

#include "monitor_holders.h"
#include "runtime_work.h"
#include "stacks.h"
#include "threads.h"

#include <mono/metadata/object.h>

static void record_monitor_event(MonoProfiler *profiler, MonoObject *object, mprof_monitor_state what)
{
	thread_state *state = profiler->options.kinds & RECORD_MONITORS ? threads_state(profiler) : NULL;
	mprof_frame frames[MPROF_STACK_MAX];
	uint64_t holder = 0;
	mprof_key class_key;
	size_t count;

	if (state == NULL || !profiler_is_recording(profiler))
		return;
	/* First of all: the holder may release the monitor at any time. */
	if (what == MPROF_MONITOR_CONTENDED)
		holder = monitor_holders_find(object);
	class_key = key_of(mono_vtable_class(object->vtable));
	count = stacks_here(profiler, state, frames, profiler->options.stack_depth);
	mprof_thread_record_monitor(state->recording, what, class_key, (uint64_t)(uintptr_t)object, frames, count);
	if (holder != 0 && holder != state->id)
		(void)mprof_thread_record_monitor_holder(state->recording, class_key, (uint64_t)(uintptr_t)object,
							 holder);
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

/* Only mprof2 has holders. */
static int records_holders(const MonoProfiler *profiler)
{
	return (profiler->options.kinds & RECORD_MONITORS) != 0 && !options_are_classic(&profiler->options);
}

void monitors_runtime_is_ready(MonoProfiler *profiler)
{
	if (records_holders(profiler))
		monitor_holders_check(profiler, threads_current_id());
}

void monitors_show(MonoProfiler *profiler)
{
	mono_profiler_set_monitor_contention_callback(profiler->handle, monitor_contention);
	mono_profiler_set_monitor_acquired_callback(profiler->handle, monitor_acquired);
	mono_profiler_set_monitor_failed_callback(profiler->handle, monitor_failed);
}

void monitors_install(MonoProfiler *profiler)
{
	if (records_holders(profiler))
		monitor_holders_begin();
	if ((profiler->options.kinds & (RECORD_MONITORS | RECORD_SAMPLES)) != 0)
		monitors_show(profiler);
}
