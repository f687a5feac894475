/* SPDX-License-Identifier: MIT */
/*
 * Records methods that are compiled, entered, left and freed.
 *
 * The runtime reports the compilation of a method even if it finds precompiled code, but it asks the filter only about
 * code that it compiles. For code shared by generic types, the filter and the call events get another method than the
 * one that is reported as compiled.
 */
#include "methods.h"

#include "call_gate.h"
#include "filters.h"
#include "jit_code.h"
#include "names.h"
#include "noted_methods.h"
#include "runtime_work.h"
#include "stacks.h"
#include "threads.h"
#include "unnamed_methods.h"

#include "shared/call_depth.h"

#include <mono/metadata/appdomain.h>

#include <dlfcn.h>

#define INSTRUMENTED                                                                                                   \
	((MonoProfilerCallInstrumentationFlags)(MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |                         \
						MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE))

/* A method has separate code in each domain, which may be precompiled in one domain and not in another. */
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
 * The runtime asks the filter about the method being compiled, then about methods that it might inline; and, while an
 * exception unwinds the stack, about any method on the stack. Only the first is certain to report its calls.
 */
static void note_compiled(MonoProfiler *profiler, MonoMethod *method)
{
	compilation *innermost = innermost_compilation(current_state);

	if (innermost == NULL || (innermost->compiled && innermost->method != method))
		return;
	innermost->compiled = 1;
	key_set_put(&profiler->compiled, code_key(method), mono_domain_get(), 1);
}

/* Whether calls are recorded only since the program runs. */
static int are_late(const MonoProfiler *profiler)
{
	return (profiler->options.kinds & RECORD_CALLS) == 0;
}

static MonoProfilerCallInstrumentationFlags filter_calls(MonoProfiler *profiler, MonoMethod *method)
{
	const module_options *options = &profiler->options;
	uint8_t flags;

	/* Other methods are not recorded by a later pattern either, but cost nothing until then. */
	if (are_late(profiler) && !call_gate_selects(method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	flags = names_define_method_once(profiler, method);
	if ((flags & METHOD_WRAPPER && options->no_wrappers) || (flags & METHOD_ARTIFACT && !options->all_wrappers) ||
	    !filters_admit(options->filters, method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	/*
	 * Wrappers called by native code report calls before their thread is in the runtime's code. The collector could
	 * stop the thread there while it holds a lock of the recorder, for which another thread would wait forever.
	 */
	if (flags & METHOD_FROM_NATIVE)
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	note_compiled(profiler, method);
	return INSTRUMENTED;
}

static void method_enter(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)context;
	if (recording != NULL)
		mprof_thread_enter_method(recording, key_of(method));
}

static void method_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)context;
	if (recording != NULL)
		mprof_thread_leave_method(recording, key_of(method));
}

static void method_tail_call(MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)target;
	if (recording != NULL)
		mprof_thread_record_event(recording, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, key_of(method));
}

/*
 * Called for all frames that an exception unwinds, including those of precompiled code, for which no enter was
 * reported.
 */
static void method_exception_leave(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	mprof_thread *recording = threads_recording(profiler);

	(void)exception;
	if (recording != NULL && key_set_get(&profiler->compiled, code_key(method)))
		mprof_thread_record_event(recording, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, key_of(method));
}

/* Variants of the four callbacks above with a depth limit, so that those above need not check for one. */
static void limited_enter(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	thread_state *state = threads_state(profiler);

	(void)context;
	if (state != NULL && call_depth_enter(&state->call_depth, profiler->options.call_depth))
		mprof_thread_enter_method(state->recording, key_of(method));
}

static void limited_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	thread_state *state = threads_state(profiler);

	(void)context;
	if (state != NULL && call_depth_leave(&state->call_depth, profiler->options.call_depth))
		mprof_thread_leave_method(state->recording, key_of(method));
}

static void limited_tail_call(MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	thread_state *state = threads_state(profiler);

	(void)target;
	if (state != NULL && call_depth_leave(&state->call_depth, profiler->options.call_depth))
		mprof_thread_record_event(state->recording, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, key_of(method));
}

static void limited_exception_leave(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	thread_state *state = threads_state(profiler);

	(void)exception;
	if (state != NULL && key_set_get(&profiler->compiled, code_key(method)) &&
	    call_depth_leave(&state->call_depth, profiler->options.call_depth))
		mprof_thread_record_event(state->recording, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, key_of(method));
}

/*
 * The variants below check the call gate. They are installed when the gate is first used, so that no call checks it
 * before.
 */
static int is_left_out(MonoProfiler *profiler, MonoMethod *method)
{
	thread_state *state = threads_state(profiler);

	return state == NULL || !call_gate_admits(profiler, state, method);
}

static void gated_enter(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (!is_left_out(profiler, method))
		(profiler->options.call_depth != 0 ? limited_enter : method_enter)(profiler, method, context);
}

static void gated_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (!is_left_out(profiler, method))
		(profiler->options.call_depth != 0 ? limited_leave : method_leave)(profiler, method, context);
}

static void gated_tail_call(MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
	if (!is_left_out(profiler, method))
		(profiler->options.call_depth != 0 ? limited_tail_call : method_tail_call)(profiler, method, target);
}

static void gated_exception_leave(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	if (!is_left_out(profiler, method))
		(profiler->options.call_depth != 0 ? limited_exception_leave : method_exception_leave)(profiler, method,
												       exception);
}

static void install_gated_calls(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = profiler->handle;

	mono_profiler_set_method_enter_callback(handle, gated_enter);
	mono_profiler_set_method_leave_callback(handle, gated_leave);
	mono_profiler_set_method_tail_call_callback(handle, gated_tail_call);
	mono_profiler_set_method_exception_leave_callback(handle, gated_exception_leave);
}

void methods_use_gate(MonoProfiler *profiler)
{
	install_gated_calls(profiler);
	if (are_late(profiler))
		mono_profiler_set_call_instrumentation_filter_callback(profiler->handle, filter_calls);
}

/* Whether call stacks are recorded. Only samples may begin later. */
static int wants_stacks(const MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	return (profiler_kinds(profiler) & (RECORD_SAMPLES | RECORD_HANDLES | RECORD_MONITORS)) != 0 ||
	       (options->kinds & RECORD_EXCEPTIONS && options->exceptions.has_stacks) ||
	       (options->kinds & RECORD_ALLOCATIONS &&
		(options->allocation.has_stacks || options->allocation.has_callers));
}

/*
 * Whether a method needs a name as soon as it may run. Calls are recorded only of methods that the filter was asked
 * about; those are few if most code is precompiled.
 */
static int wants_all_names(const MonoProfiler *profiler)
{
	return (profiler_kinds(profiler) & RECORD_JIT) != 0 || wants_stacks(profiler);
}

/* Whether methods without a name may need one later, since samples can be switched on. */
static int may_want_names(const MonoProfiler *profiler)
{
	return options_allow_changes(&profiler->options);
}

/* Shows the innermost compilation of the calling thread in its samples. */
static void show_compilation(thread_state *state)
{
	const compilation *innermost = innermost_compilation(state);

	runtime_work_set_compiling(innermost != NULL, innermost != NULL ? innermost->caller : 0);
}

static void jit_begin(MonoProfiler *profiler, MonoMethod *method)
{
	thread_state *state = threads_state(profiler);

	/* Not names_define_method_once(): the address may have belonged to another method. */
	if (wants_all_names(profiler))
		names_define_method(profiler, method);
	if (state == NULL || state->compilations == MAX_COMPILATIONS)
		return;
	state->compiling[state->compilations].method = method;
	state->compiling[state->compilations].caller = wants_stacks(profiler) ? stacks_code_here() : 0;
	state->compiling[state->compilations].compiled = 0;
	state->compiling[state->compilations].code_bytes = 0;
	state->compilations++;
	show_compilation(state);
	if (profiler->options.kinds & RECORD_JIT)
		mprof_thread_record_event(state->recording, MPROF_EVENT_METHOD_JIT_START, 0, key_of(method));
}

/* Where the code of a method came from that has just been compiled, or found instead. */
static mprof_code_origin code_origin(const compilation *done, const void *start)
{
	Dl_info library;

	if (done->code_bytes != 0)
		return MPROF_CODE_JIT;
	/* The runtime keeps code for its interpreter in memory of its own, precompiled code in libraries. */
	return dladdr(start, &library) != 0 ? MPROF_CODE_PRECOMPILED : MPROF_CODE_INTERPRETED;
}

/* \p code is NULL if the compilation failed. */
static void jit_end(MonoProfiler *profiler, MonoMethod *method, MonoJitInfo *code, uint32_t flags)
{
	thread_state *state = threads_state(profiler);
	unsigned index = state == NULL ? 0 : state->compilations;

	while (index > 0 && state->compiling[index - 1].method != method)
		index--;
	/*
	 * Methods implemented by the runtime or by native code are reported as compiled each time their wrapper is
	 * found.
	 */
	if (index == 0)
		return;
	if (code != NULL && jit_code_is_recorded(&profiler->options))
		(void)mprof_thread_record_method_code(
			state->recording, key_of(method),
			code_origin(&state->compiling[index - 1], mono_jit_info_get_code_start(code)),
			(uint32_t)mono_jit_info_get_code_size(code));
	/* Compilations that began later and are not reported as complete by now never will be. */
	state->compilations = index - 1;
	show_compilation(state);
	if (profiler->options.kinds & RECORD_JIT)
		mprof_thread_record_event(state->recording, MPROF_EVENT_METHOD_JIT_END, flags, key_of(method));
}

/*
 * Called when code is complete, before a thread runs it. For code shared by generic types, \p data is the method that
 * represents all of them, whereas the method reported as compiled is one of those that share the code.
 */
static void jit_code_buffer(MonoProfiler *profiler, const mono_byte *code, uint64_t size,
			    MonoProfilerCodeBufferType type, const void *data)
{
	MonoMethod *method = (MonoMethod *)(uintptr_t)data;
	compilation *innermost = innermost_compilation(current_state);

	(void)code;
	if (type != MONO_PROFILER_CODE_BUFFER_METHOD)
		return;
	if (innermost != NULL)
		innermost->code_bytes = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	if (innermost != NULL && innermost->method == method)
		return;
	if (wants_all_names(profiler))
		names_define_method(profiler, method);
	else if (!unnamed_methods_add(method))
		(void)names_define_method_once(profiler, method);
}

static void jit_done(MonoProfiler *profiler, MonoMethod *method, MonoJitInfo *code)
{
	MonoMethod *created = code == NULL ? NULL : mono_jit_info_get_method(code);

	/* Precompiled code is reported only here; other threads may run it already. */
	if (wants_all_names(profiler)) {
		if (created != NULL && created != method)
			names_define_method(profiler, created);
		/* Names may be wanted only since the compilation began. */
		(void)names_define_method_once(profiler, method);
	} else if (may_want_names(profiler) && !unnamed_methods_add(created != NULL ? created : method)) {
		(void)names_define_method_once(profiler, created != NULL ? created : method);
	}
	jit_end(profiler, method, code, 0);
}

static void jit_failed(MonoProfiler *profiler, MonoMethod *method)
{
	jit_end(profiler, method, NULL, MPROF_EVENT_FLAG_FAILED);
}

/*
 * The runtime reports this for methods that the program generated at run time. The address may soon be reused for
 * another method.
 */
static void method_free(MonoProfiler *profiler, MonoMethod *method)
{
	mprof_thread *recording = threads_recording(profiler);
	uint8_t flags;

	noted_methods_lock();
	flags = key_set_remove(&profiler->methods, method);
	noted_methods_unlock();
	/* Its code may be reused, too. */
	atomic_fetch_add_explicit(&profiler->unloads, 1, memory_order_relaxed);
	/* A method that was never compiled is not defined in the log. */
	if (recording != NULL && flags & METHOD_DEFINED && profiler->options.kinds & RECORD_JIT)
		mprof_thread_record_event(recording, MPROF_EVENT_METHOD_FREED, 0, key_of(method));
}

static void install_calls(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = profiler->handle;
	int is_limited = profiler->options.call_depth != 0;

	mono_profiler_set_call_instrumentation_filter_callback(handle, filter_calls);
	mono_profiler_set_method_enter_callback(handle, is_limited ? limited_enter : method_enter);
	mono_profiler_set_method_leave_callback(handle, is_limited ? limited_leave : method_leave);
	mono_profiler_set_method_tail_call_callback(handle, is_limited ? limited_tail_call : method_tail_call);
	mono_profiler_set_method_exception_leave_callback(handle, is_limited ? limited_exception_leave
									     : method_exception_leave);
}

void methods_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = profiler->handle;
	uint32_t kinds = profiler->options.kinds;

	if (kinds & RECORD_CALLS || wants_all_names(profiler) || may_want_names(profiler)) {
		mono_profiler_set_jit_begin_callback(handle, jit_begin);
		mono_profiler_set_jit_done_callback(handle, jit_done);
		mono_profiler_set_jit_failed_callback(handle, jit_failed);
		mono_profiler_set_method_free_callback(handle, method_free);
	}
	if (wants_all_names(profiler) || may_want_names(profiler))
		mono_profiler_set_jit_code_buffer_callback(handle, jit_code_buffer);
	if (kinds & RECORD_CALLS)
		install_calls(profiler);
}
