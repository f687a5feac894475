/* SPDX-License-Identifier: MIT */
/* Logical call stacks of async methods. */
#include "async_stacks.h"

#include "await_chain.h"
#include "filters.h"
#include "names.h"
#include "threads.h"

#include <mono/metadata/class.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUMENTED                                                                                                   \
	((MonoProfilerCallInstrumentationFlags)(MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT |                     \
						MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |                             \
						MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE))

/* Limits of a thread; what exceeds them has its physical callers. */
#define MAX_CALLS 64
#define MAX_AWAITING 1024
#define MAX_CHAIN 128

/* Two words at the start of an object. */
#define OBJECT_HEADER (2 * sizeof(void *))

/* A call of MoveNext() that has not returned. */
typedef struct async_call {
	mprof_frame frame;
	const void *stack; /* An address in the frame of its callback. */
	int is_continued;  /* After an await; otherwise it was called by the program. */
	uint32_t first;    /* Of the methods that await it. */
	uint32_t count;
} async_call;

/*
 * Only its thread uses it. Signal handlers on the thread read the calls below the count, so a call is complete before
 * it is counted.
 */
typedef struct async_calls {
	volatile uint32_t count;
	async_call calls[MAX_CALLS]; /* The innermost call is the last. */
	mprof_frame awaiting[MAX_AWAITING];
	await_cache cache;
} async_calls;

static int is_async(MonoMethod *method)
{
	return strcmp(mono_method_get_name(method), "MoveNext") == 0 &&
	       await_chain_is_machine(mono_method_get_class(method));
}

/* A method that is instrumented reports its calls to all callbacks, so the filters of calls hold here as well. */
static MonoProfilerCallInstrumentationFlags filter_calls(MonoProfiler *profiler, MonoMethod *method)
{
	const module_options *options = &profiler->options;

	if (!is_async(method) || ((options->kinds & RECORD_CALLS) != 0 && !filters_admit(options->filters, method)))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return INSTRUMENTED;
}

/* The state of the calling thread; NULL if out of memory, or if the thread has ended. */
static async_calls *calls_of_thread(MonoProfiler *profiler)
{
	thread_state *state = threads_state(profiler);

	if (state == NULL)
		return NULL;
	if (state->async == NULL) {
		async_calls *calls = calloc(1, sizeof(*calls));

		atomic_signal_fence(memory_order_seq_cst);
		state->async = calls;
	}
	return state->async;
}

/* Forgets calls whose frames are gone: they ended by an exception that was not reported. */
static void forget_ended(async_calls *calls, const void *stack)
{
	while (calls->count > 0 && (uintptr_t)calls->calls[calls->count - 1].stack <= (uintptr_t)stack)
		calls->count--;
}

static uint32_t used_awaiting(const async_calls *calls)
{
	const async_call *last = &calls->calls[calls->count - 1];

	return calls->count == 0 ? 0 : last->first + last->count;
}

/* A structure is copied from the stack to the heap when its method waits for the first time. */
static int is_on_stack(const void *address)
{
	const sampled_stack *stack = &current_state->stack;

	return (uintptr_t)address - stack->start < stack->end - stack->start;
}

/*
 * Stores the methods that await a call. \p machine: the object or structure. The task is created when the method waits
 * for the first time, or when the first call has returned.
 */
static void find_awaiting(MonoProfiler *profiler, async_calls *calls, async_call *call, MonoClass *type,
			  const char *machine)
{
	const char *fields = mono_class_is_valuetype(type) ? machine : machine + OBJECT_HEADER;
	unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);
	MonoMethod *methods[MAX_CHAIN];
	size_t room = MAX_AWAITING - call->first;

	if (calls->cache.unloads != unloads) {
		memset(&calls->cache, 0, sizeof(calls->cache));
		calls->cache.unloads = unloads;
	}
	call->is_continued = mono_class_is_valuetype(type) ? !is_on_stack(fields)
							   : await_chain_has_task(&calls->cache, type, fields);
	if (!call->is_continued)
		return;
	call->count =
		(uint32_t)await_chain_follow(&calls->cache, type, fields, methods, room < MAX_CHAIN ? room : MAX_CHAIN);
	for (uint32_t i = 0; i < call->count; i++) {
		names_define_method_once(profiler, methods[i]);
		calls->awaiting[call->first + i] = key_of(methods[i]);
	}
}

static void method_enter(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	async_calls *calls = is_async(method) ? calls_of_thread(profiler) : NULL;
	const void *stack = __builtin_frame_address(0);
	MonoClass *type = mono_method_get_class(method);
	async_call *call;
	void *buffer;

	if (calls == NULL || context == NULL)
		return;
	forget_ended(calls, stack);
	if (calls->count == MAX_CALLS)
		return;
	call = &calls->calls[calls->count];
	*call = (async_call){key_of(method), stack, 0, used_awaiting(calls), 0};
	/* A copy of the argument: the object, or the address of the structure. */
	buffer = mono_profiler_call_context_get_this(context);
	if (buffer != NULL) {
		const char *machine = *(char **)buffer;

		find_awaiting(profiler, calls, call, type, machine);
		mono_profiler_call_context_free_buffer(buffer);
	}
	atomic_signal_fence(memory_order_seq_cst);
	calls->count++;
}

static void remove_call(MonoMethod *method)
{
	async_calls *calls = current_state != NULL ? current_state->async : NULL;

	for (uint32_t i = calls != NULL ? calls->count : 0; i > 0; i--) {
		if (calls->calls[i - 1].frame != key_of(method))
			continue;
		calls->count = i - 1;
		return;
	}
}

static void method_leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)profiler;
	(void)context;
	remove_call(method);
}

static void method_exception_leave(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	(void)profiler;
	(void)exception;
	remove_call(method);
}

/* Ends the stack after \p kept frames with the methods that await a call. */
static void replace_callers(stack_record *record, size_t kept, const async_calls *calls, const async_call *call)
{
	record->count = kept;
	record->is_truncated = 0;
	for (uint32_t i = 0; i < call->count; i++) {
		if (!stack_record_put(record, calls->awaiting[call->first + i]))
			return;
	}
}

void async_stacks_apply(stack_record *record)
{
	const async_calls *calls = current_state != NULL ? current_state->async : NULL;
	uint32_t remaining = calls != NULL ? calls->count : 0;

	for (size_t i = 0; i < record->count && remaining > 0; i++) {
		uint32_t number = remaining;

		/* Code that generic types share has other methods in stacks than in calls. */
		while (number > 0 && calls->calls[number - 1].frame != record->frames[i])
			number--;
		if (number == 0)
			continue;
		remaining = number - 1;
		if (calls->calls[remaining].is_continued) {
			replace_callers(record, i + 1, calls, &calls->calls[remaining]);
			return;
		}
	}
}

/*
 * The callbacks belong to a handle of their own, since those of recorded calls change while the program runs. The
 * runtime keeps information about variables of all methods that it compiles, in order to find the argument.
 */
void async_stacks_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle;

	if (!profiler->options.async)
		return;
	if (!mono_profiler_enable_call_context_introspection()) {
		fputs("mprof: the runtime does not support the option async\n", stderr);
		return;
	}
	handle = mono_profiler_create(profiler);
	mono_profiler_set_call_instrumentation_filter_callback(handle, filter_calls);
	mono_profiler_set_method_enter_callback(handle, method_enter);
	mono_profiler_set_method_leave_callback(handle, method_leave);
	mono_profiler_set_method_exception_leave_callback(handle, method_exception_leave);
}
