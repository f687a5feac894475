/* SPDX-License-Identifier: MIT */
/**
 * \file stacks.c
 * \brief Walks stacks.
 */
#include "stacks.h"
#include "names.h"

#include <mono/metadata/loader.h>

#include <string.h>
#include <ucontext.h>

/* A walk under way. */
typedef struct stack_walk {
	MonoProfiler *profiler;
	thread_state *state;   /* NULL in a signal handler, which can give no names and keeps what the runtime made. */
	uintptr_t address;     /* Where native code was interrupted; 0 once that is known or of no interest. */
	unsigned compilations; /* How many of the thread's are not among the frames yet. */
	mprof_frame *frames;
	size_t count;
	size_t limit;
} stack_walk;

/*
 * Sees to it that a method has a name: another thread may have found its code and not reported it yet. Returns whether
 * the runtime made it. Without the thread's memory, each frame would take the lock of the set of methods.
 */
static int is_wrapper(MonoProfiler *profiler, thread_state *state, MonoMethod *method)
{
	size_t place = (size_t)((uint64_t)(uintptr_t)method * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (KNOWN_METHODS - 1);
	known_method *known = &state->known_methods[place];
	unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);

	if (known->method != method || known->unloads != unloads) {
		known->method = method;
		known->unloads = unloads;
		known->is_wrapper = (names_define_method_once(profiler, method) & METHOD_WRAPPER) != 0;
	}
	return known->is_wrapper;
}

/*
 * Takes the methods whose compilation was begun from an address, which is that of the frame at hand: as long as the
 * compiler runs, that frame is where it was then. Returns 0 if there is no room for more.
 */
static int take_compilations(stack_walk *walk, uintptr_t caller)
{
	while (walk->count < walk->limit && walk->compilations > 0 &&
	       walk->state->compiling[walk->compilations - 1].caller == caller)
		walk->frames[walk->count++] =
			key_of(walk->state->compiling[--walk->compilations].method) | MPROF_FRAME_COMPILING;
	return walk->count < walk->limit;
}

static mono_bool take_frame(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	stack_walk *walk = data;

	(void)domain;
	if (walk->compilations > 0 && !take_compilations(walk, (uintptr_t)code + (uintptr_t)offset))
		return 1;
	if (walk->address != 0) {
		if (walk->address != (uintptr_t)code + (uintptr_t)offset)
			walk->frames[walk->count++] = walk->address | MPROF_FRAME_NATIVE;
		walk->address = 0;
		if (walk->count == walk->limit)
			return 1;
	}
	if (walk->state != NULL && method != NULL && is_wrapper(walk->profiler, walk->state, method) &&
	    walk->count == 0)
		return 0;
	/* Code without a method is precompiled, and has a name in its file. */
	walk->frames[walk->count++] = method != NULL ? key_of(method) : key_of(code) | MPROF_FRAME_NATIVE;
	return walk->count == walk->limit;
}

#if defined(__linux__) && defined(__x86_64__)
/* What getcontext() does, without its system call. Here, in native code, the runtime needs no more. */
static void describe_here(ucontext_t *context, void *stack)
{
	static struct _libc_fpstate no_registers;

	memset(&context->uc_mcontext.gregs, 0, sizeof(context->uc_mcontext.gregs));
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)describe_here;
	context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)stack;
	context->uc_mcontext.fpregs = &no_registers;
}
#else
static void describe_here(ucontext_t *context, void *stack)
{
	(void)stack;
	getcontext(context);
}
#endif

size_t stacks_here(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit)
{
	stack_walk walk = {profiler, state, 0, state->compilations, frames, 0, limit};
	ucontext_t context;

	describe_here(&context, __builtin_frame_address(0));
	mono_stack_walk_async_safe(take_frame, &context, &walk);
	take_compilations(&walk, 0);
	return walk.count;
}

static mono_bool take_address(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	(void)method;
	(void)domain;
	*(uintptr_t *)data = (uintptr_t)code + (uintptr_t)offset;
	return 1;
}

uintptr_t stacks_code_here(void)
{
	uintptr_t address = 0;
	ucontext_t context;

	describe_here(&context, __builtin_frame_address(0));
	mono_stack_walk_async_safe(take_address, &context, &address);
	return address;
}

size_t stacks_interrupted(const void *address, const void *context, mprof_frame *frames, size_t limit)
{
	stack_walk walk = {NULL, NULL, (uintptr_t)address, 0, frames, 0, limit};

	/* The runtime only reads it. */
	mono_stack_walk_async_safe(take_frame, (void *)(uintptr_t)context, &walk);
	if (walk.count == 0)
		walk.frames[walk.count++] = (uintptr_t)address | MPROF_FRAME_NATIVE;
	return walk.count;
}
