/* SPDX-License-Identifier: MIT */
/*
 * A profiler module whose callbacks do nothing: what the runtime itself needs to report calls and allocations.
 * Measurements subtract it. Not installed.
 */
#include <mono/metadata/profiler.h>

#include <stddef.h>

struct _MonoProfiler {
	int unused;
};

static MonoProfiler module;

void mono_profiler_init_empty(const char *text);

static MonoProfilerCallInstrumentationFlags filter_calls(MonoProfiler *profiler, MonoMethod *method)
{
	(void)profiler;
	(void)method;
	return (MonoProfilerCallInstrumentationFlags)(MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |
						      MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
						      MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |
						      MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE);
}

static void method_enter_or_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)profiler;
	(void)method;
	(void)context;
}

static void gc_allocation(MonoProfiler *profiler, MonoObject *object)
{
	(void)profiler;
	(void)object;
}

void mono_profiler_init_empty(const char *text)
{
	MonoProfilerHandle handle = mono_profiler_create(&module);

	(void)text;
	mono_profiler_set_call_instrumentation_filter_callback(handle, filter_calls);
	mono_profiler_set_method_enter_callback(handle, method_enter_or_leave);
	mono_profiler_set_method_leave_callback(handle, method_enter_or_leave);
	mono_profiler_enable_allocations();
	mono_profiler_set_gc_allocation_callback(handle, gc_allocation);
}
