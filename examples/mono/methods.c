/* SPDX-License-Identifier: MIT */
/**
 * \file methods.c
 * \brief Methods compiled, entered, left and freed.
 *
 * The runtime reports the compilation of a method, also where it finds precompiled code, and asks the filter only about
 * code that it compiles. For code that generic types share, the filter and the calls name another method than the
 * report.
 */
#include "names.h"
#include "threads.h"

#include <mono/metadata/appdomain.h>

#define INSTRUMENTED                                                                                                   \
	((MonoProfilerCallInstrumentationFlags)(MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |                         \
						MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE))

/* A method has code of its own in each domain, precompiled in one and not in another. */
static const void *code_key(MonoMethod *method)
{
	uintptr_t domain = (uintptr_t)mono_domain_get();

	return (const void *)((uintptr_t)method ^ (domain << 16 | domain >> 48));
}

static compilation *innermost_compilation(thread_state *state)
{
	return state == NULL || state->compilations == 0 ? NULL : &state->compiling[state->compilations - 1];
}

/*
 * The filter is asked about the method being compiled, then about those it might inline; and, where an exception
 * passes, about any method on the stack. Only the first is certain to report its calls.
 */
static void note_compiled(MonoProfiler *profiler, MonoMethod *method)
{
	compilation *innermost = innermost_compilation(current_state);

	if (innermost == NULL || (innermost->compiled && innermost->method != method))
		return;
	innermost->compiled = 1;
	key_set_add(&profiler->compiled, code_key(method), 1);
}

static MonoProfilerCallInstrumentationFlags filter_calls(MonoProfiler *profiler, MonoMethod *method)
{
	uint8_t flags = names_define_method_once(profiler, method);

	/*
	 * Wrappers that native code calls report before their thread is in the runtime's care. There it can be stopped
	 * for a collection while it holds a lock of the recorder, and another would wait for that lock for ever.
	 */
	if (flags & METHOD_FROM_NATIVE || (flags & METHOD_WRAPPER && profiler->options.no_wrappers))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	note_compiled(profiler, method);
	return INSTRUMENTED;
}

static void method_enter(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)context;
	if (recording != NULL)
		mprof_thread_method_enter(recording, key_of(method));
}

static void method_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)context;
	if (recording != NULL)
		mprof_thread_method_leave(recording, key_of(method));
}

static void method_tail_call(MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)target;
	if (recording != NULL)
		mprof_thread_event(recording, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, key_of(method));
}

/* Comes for all frames that an exception passes, also those of precompiled code, which were never entered. */
static void method_exception_leave(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)exception;
	if (recording != NULL && key_set_get(&profiler->compiled, code_key(method)))
		mprof_thread_event(recording, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, key_of(method));
}

static void jit_begin(MonoProfiler *profiler, MonoMethod *method)
{
	thread_state *state = threads_state(profiler);

	/* Not "once": the address may have been another method's. */
	names_define_method(profiler, method);
	if (state == NULL || state->compilations == MAX_COMPILATIONS)
		return;
	state->compiling[state->compilations].method = method;
	state->compiling[state->compilations].compiled = 0;
	state->compilations++;
	if (profiler->options.kinds & RECORD_JIT)
		mprof_thread_event(state->recording, MPROF_EVENT_METHOD_JIT_START, 0, key_of(method));
}

static void jit_end(MonoProfiler *profiler, MonoMethod *method, uint32_t flags)
{
	thread_state *state = threads_state(profiler);
	unsigned place = state == NULL ? 0 : state->compilations;

	while (place > 0 && state->compiling[place - 1].method != method)
		place--;
	/* Methods implemented by the runtime or by native code are reported as done whenever their wrapper is found. */
	if (place == 0)
		return;
	/* Those that began later and were not reported as done never will be. */
	state->compilations = place - 1;
	if (profiler->options.kinds & RECORD_JIT)
		mprof_thread_event(state->recording, MPROF_EVENT_METHOD_JIT_END, flags, key_of(method));
}

static void jit_done(MonoProfiler *profiler, MonoMethod *method, MonoJitInfo *code)
{
	(void)code;
	jit_end(profiler, method, 0);
}

static void jit_failed(MonoProfiler *profiler, MonoMethod *method)
{
	jit_end(profiler, method, MPROF_EVENT_FAILED);
}

static void method_free(MonoProfiler *profiler, MonoMethod *method)
{
	mprof_thread *recording = threads_recording(profiler);

	/* One that was never compiled was never heard of. */
	if (recording != NULL && key_set_get(&profiler->methods, method) & METHOD_DEFINED)
		mprof_thread_event(recording, MPROF_EVENT_METHOD_FREED, 0, key_of(method));
}

void methods_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = profiler->handle;
	uint32_t kinds = profiler->options.kinds;

	if (kinds & (RECORD_CALLS | RECORD_JIT)) {
		mono_profiler_set_jit_begin_callback(handle, jit_begin);
		mono_profiler_set_jit_done_callback(handle, jit_done);
		mono_profiler_set_jit_failed_callback(handle, jit_failed);
	}
	if (kinds & RECORD_JIT)
		mono_profiler_set_method_free_callback(handle, method_free);
	if (kinds & RECORD_CALLS) {
		mono_profiler_set_call_instrumentation_filter_callback(handle, filter_calls);
		mono_profiler_set_method_enter_callback(handle, method_enter);
		mono_profiler_set_method_leave_callback(handle, method_leave);
		mono_profiler_set_method_tail_call_callback(handle, method_tail_call);
		mono_profiler_set_method_exception_leave_callback(handle, method_exception_leave);
	}
}
