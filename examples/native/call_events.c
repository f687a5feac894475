/* SPDX-License-Identifier: MIT */
/* Keeps the calls that are open on each call stack, and records how they end. */
#include "call_events.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

/* The size of the first thread's stack if it has no limit: the system maps nothing that close below it. */
#define FIRST_STACK_BYTES ((uintptr_t)128 << 20)

/* The end of the first thread's stack; the loader of other C libraries may not have it. */
extern void *__libc_stack_end __attribute__((weak));

PER_THREAD mprof_thread *handle;
PER_THREAD open_calls own_calls;    /* On the thread's own stack. */
PER_THREAD context_stack *on_stack; /* The stack of a context that it is on; NULL for its own. */
PER_THREAD uintptr_t own_start;     /* The thread's own stack; both 0 if not known. */
PER_THREAD uintptr_t own_end;

/* Constant once calls are recorded. */
static uint32_t max_depth;

void call_events_set_depth(uint32_t depth)
{
	max_depth = depth;
}

static void find_first_stack(void)
{
	struct rlimit limit;
	uintptr_t bytes = FIRST_STACK_BYTES;

	if (&__libc_stack_end == NULL || __libc_stack_end == NULL)
		return;
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		bytes = (uintptr_t)limit.rlim_cur;
	own_end = (uintptr_t)__libc_stack_end;
	own_start = own_end > bytes ? own_end - bytes : 0;
}

static void find_own_stack(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	if (own_end != 0)
		return;
	/* For the first thread, the function below reads a file. */
	if (syscall(SYS_gettid) == getpid()) {
		find_first_stack();
		return;
	}
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
		own_start = (uintptr_t)start;
		own_end = own_start + size;
	}
	pthread_attr_destroy(&attributes);
}

void call_events_begin_thread(mprof_thread *begun)
{
	find_own_stack();
	handle = begun;
}

void call_events_end_thread(void)
{
	open_calls_clear(&own_calls);
	jumps_end_thread();
	handle = NULL;
}

void call_events_begin_child(void)
{
	open_calls_clear(&own_calls);
	handle = NULL;
	on_stack = NULL;
	contexts_forget();
}

static open_calls *calls_of(context_stack *stack)
{
	return stack != NULL ? &stack->calls : &own_calls;
}

static int is_inside(const context_stack *stack, uintptr_t address)
{
	return stack != NULL ? address >= stack->start && address < stack->end
			     : address >= own_start && address < own_end;
}

/* The open calls of the stack that the thread is on. Those of another state of the call gate are forgotten. */
static open_calls *open_calls_here(uint32_t gate)
{
	open_calls *calls = calls_of(on_stack);

	if (calls->gate != gate) {
		open_calls_clear(calls);
		calls->gate = gate;
	}
	return calls;
}

static int is_recorded(uint32_t outer_calls)
{
	return max_depth == 0 || outer_calls < max_depth;
}

/* Records that the innermost call ends. */
static void end_top(open_calls *calls, mprof_key key)
{
	open_calls_pop(calls);
	if (is_recorded(calls->count))
		mprof_thread_leave_method(handle, key);
}

/*
 * Whether the innermost call has ended although its end was not reported, since a frame on the same stack is above its
 * own. A handler of signals may run on a stack that is not known.
 */
static int has_abandoned(const open_call *top, uintptr_t frame)
{
	return top->frame < frame && is_inside(on_stack, frame);
}

void call_events_change_stack(uintptr_t stack_pointer)
{
	context_stack *next;

	if (is_inside(on_stack, stack_pointer))
		return;
	next = contexts_find(stack_pointer);
	if (next == on_stack)
		return;
	if (handle != NULL && mprof_thread_switch_stack(handle, next != NULL ? next->id : 0) != MPROF_OK)
		return;
	on_stack = next;
}

void call_events_end_stack(context_stack *ended)
{
	open_calls_clear(&ended->calls);
	if (on_stack == ended)
		on_stack = NULL;
	if (handle != NULL)
		(void)mprof_thread_end_stack(handle, ended->id);
}

static void follow_stack(uintptr_t frame)
{
	if (atomic_load_explicit(&contexts_are_used, memory_order_relaxed))
		call_events_change_stack(frame);
}

void call_events_enter(mprof_key key, uintptr_t frame, uint32_t gate)
{
	const open_call *top;
	open_calls *calls;

	follow_stack(frame);
	calls = open_calls_here(gate);
	while ((top = open_calls_top(calls)) != NULL && has_abandoned(top, frame))
		end_top(calls, top->key);
	open_calls_push(calls, frame, key);
	if (is_recorded(calls->count - 1))
		mprof_thread_enter_method(handle, key);
}

/*
 * A compiler may have a function jump to the one that records its end, so the frame may be higher than at the start:
 * the key is compared first. A leave without a call that is open is that of a call that was entered unrecorded.
 */
void call_events_leave(mprof_key key, uintptr_t frame, uint32_t gate)
{
	const open_call *top;
	open_calls *calls;

	follow_stack(frame);
	calls = open_calls_here(gate);
	while ((top = open_calls_top(calls)) != NULL && top->key != key && has_abandoned(top, frame))
		end_top(calls, top->key);
	if (calls->count > 0 && (top == NULL || top->key == key))
		end_top(calls, key);
}

jump_target call_events_get_target(void)
{
	open_calls *calls = calls_of(on_stack);

	return (jump_target){calls, calls->count, calls->gate};
}

void call_events_jump(const jump_target *target)
{
	open_calls *calls = calls_of(on_stack);
	const open_call *top;

	/* A coroutine that is left this way may be continued. */
	if (target->calls != calls || target->gate != calls->gate)
		return;
	while (calls->count > target->count && (top = open_calls_top(calls)) != NULL)
		end_top(calls, top->key);
}
