/* SPDX-License-Identifier: MIT */
/*
 * Interposes the functions that switch between contexts. The function of a context may return to another context
 * without a call; the thread is then found on another stack by the address of its next frame.
 */
#include "contexts.h"

#include "shared/cancellation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

/* Arguments of a context's function that can be passed on. */
#define MAX_ARGUMENTS 16

_Atomic int contexts_are_used;

/* Guarded by the lock. A stack stays in the list; it is used again if a context gets memory that overlaps it. */
static context_stack *stacks;
static uint64_t last_id;
static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Set when the module is loaded, and constant from then on. */
static context_client client;

void contexts_set(const context_client *set)
{
	client = *set;
}

void contexts_forget(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	stacks_lock = unlocked;
}

context_stack *contexts_find(uintptr_t address)
{
	const cancellation before = cancellation_defer();
	context_stack *stack;

	pthread_mutex_lock(&stacks_lock);
	stack = stacks;
	while (stack != NULL && (address < stack->start || address >= stack->end))
		stack = stack->next;
	pthread_mutex_unlock(&stacks_lock);
	cancellation_permit(before);
	return stack;
}

/* With the lock: a stack whose memory overlaps, which cannot be in use any more, or a new one. */
static context_stack *take_stack(uintptr_t start, uintptr_t end)
{
	context_stack *taken = NULL;

	for (context_stack *stack = stacks; stack != NULL; stack = stack->next) {
		if (stack->end <= start || stack->start >= end)
			continue;
		if (stack->id != 0)
			client.end(stack);
		/* Of several that overlap, one is used. */
		stack->id = 0;
		stack->end = stack->start;
		taken = stack;
	}
	if (taken == NULL) {
		taken = calloc(1, sizeof(*taken));
		if (taken == NULL)
			return NULL;
		taken->next = stacks;
		stacks = taken;
	}
	taken->start = start;
	taken->end = end;
	taken->id = ++last_id;
	return taken;
}

static void add_stack(const ucontext_t *context)
{
	const uintptr_t start = (uintptr_t)context->uc_stack.ss_sp;
	cancellation before;
	int paused;

	if (client.pause == NULL)
		return;
	before = cancellation_defer();
	paused = client.pause();
	pthread_mutex_lock(&stacks_lock);
	(void)take_stack(start, start + context->uc_stack.ss_size);
	pthread_mutex_unlock(&stacks_lock);
	client.resume(paused);
	cancellation_permit(before);
	atomic_store_explicit(&contexts_are_used, 1, memory_order_relaxed);
}

/* The stack pointer of a context that was saved; 0 if that is not known for this machine. */
static uintptr_t stack_pointer_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.sp;
#else
	(void)context;
	return 0;
#endif
}

static void change_to(uintptr_t stack_pointer)
{
	if (client.change != NULL && stack_pointer != 0 &&
	    atomic_load_explicit(&contexts_are_used, memory_order_relaxed))
		client.change(stack_pointer);
}

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, _Atomic(void *) *found, const char *name)
{
	void *address = atomic_load_explicit(found, memory_order_relaxed);

	if (address == NULL) {
		address = dlsym(RTLD_NEXT, name);
		atomic_store_explicit(found, address, memory_order_relaxed);
	}
	memcpy(function, &address, sizeof(address));
}

typedef void makecontext_function(ucontext_t *context, void (*function)(void), int count, ...);
typedef int swapcontext_function(ucontext_t *from, const ucontext_t *to);
typedef int setcontext_function(const ucontext_t *context);

OVERRIDES void makecontext(ucontext_t *context, void (*function)(void), int count, ...)
{
	static _Atomic(void *) found;
	long values[MAX_ARGUMENTS] = {0};
	makecontext_function *real;
	va_list arguments;

	look_up((void *)&real, &found, "makecontext");
	va_start(arguments, count);
	for (int i = 0; i < count && i < MAX_ARGUMENTS; i++)
		values[i] = va_arg(arguments, long);
	va_end(arguments);
	add_stack(context);
	/* The number specifies how many of them are used. */
	real(context, function, count < MAX_ARGUMENTS ? count : MAX_ARGUMENTS, values[0], values[1], values[2],
	     values[3], values[4], values[5], values[6], values[7], values[8], values[9], values[10], values[11],
	     values[12], values[13], values[14], values[15]);
}

OVERRIDES int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	static _Atomic(void *) found;
	swapcontext_function *real;
	int status;

	look_up((void *)&real, &found, "swapcontext");
	change_to(stack_pointer_of(to));
	status = real(from, to);
	/* Here again, perhaps because the function of a context has returned. */
	change_to((uintptr_t)__builtin_frame_address(0));
	return status;
}

OVERRIDES int setcontext(const ucontext_t *context)
{
	static _Atomic(void *) found;
	setcontext_function *real;

	look_up((void *)&real, &found, "setcontext");
	change_to(stack_pointer_of(context));
	return real(context);
}
