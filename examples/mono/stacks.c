/* SPDX-License-Identifier: MIT */
/* Walks call stacks. */
#include "stacks.h"
#include "names.h"
#include "runtime_work.h"
#include "shared/hash.h"

#include <mono/metadata/loader.h>

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* Maximum number of frames that a walk visits in order to learn. */
#define MAX_LESSON_FRAMES 1000

/* State of a stack walk. */
typedef struct stack_walk {
	MonoProfiler *profiler;
	thread_state *state;   /* NULL in a signal handler, which defines no methods and keeps all frames. */
	uintptr_t address;     /* Interrupted native address; 0 once it is recorded, or if none. */
	unsigned compilations; /* Compilations of the thread that were not added to the frames yet. */
	mprof_frame *frames;
	size_t count;
	size_t limit;
	int is_truncated;     /* There are more frames than the limit. */
	stack_lesson *lesson; /* Learns from the walk, which then visits all frames; or NULL. */
	unsigned visited;     /* Number of frames that were visited in order to learn. */
} stack_walk;

/*
 * Ensures that a method has a name: another thread may have found its code and not reported it yet. Returns whether the
 * runtime generated the method. The thread's cache avoids the lock of the method set for each frame.
 */
static int is_wrapper(MonoProfiler *profiler, thread_state *state, MonoMethod *method)
{
	size_t index = hash_key((uintptr_t)method) & (KNOWN_METHODS - 1);
	known_method *known = &state->known_methods[index];
	unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);

	if (known->method != method || known->unloads != unloads) {
		known->method = method;
		known->unloads = unloads;
		known->is_wrapper = (names_define_method_once(profiler, method) & METHOD_WRAPPER) != 0;
	}
	return known->is_wrapper;
}

/* Returns 0 if there is no room. */
static int put_frame(stack_walk *walk, mprof_frame frame)
{
	if (walk->count == walk->limit) {
		walk->is_truncated = 1;
		return 0;
	}
	walk->frames[walk->count++] = frame;
	return 1;
}

/*
 * Adds the methods whose compilation was started from the address of the current frame: as long as the compiler runs,
 * that frame does not advance. Returns 0 if there is no room.
 */
static int add_compilations(stack_walk *walk, uintptr_t caller)
{
	while (walk->compilations > 0 && walk->state->compiling[walk->compilations - 1].caller == caller) {
		MonoMethod *method = walk->state->compiling[--walk->compilations].method;

		if (!put_frame(walk, key_of(method) | MPROF_FRAME_COMPILING))
			return 0;
	}
	return 1;
}

/* Code without a method is precompiled, and its file contains its name. */
static mprof_frame frame_of(MonoMethod *method, const void *code)
{
	return method != NULL ? key_of(method) : key_of(code) | MPROF_FRAME_NATIVE;
}

/*
 * Adds the native code that was interrupted, and what it does for the innermost managed code, 0 if none.
 * Returns 0 if there is no room.
 */
static int put_native_frames(stack_walk *walk, uintptr_t address, uintptr_t innermost)
{
	const mprof_frame work = runtime_work_frame(innermost);

	return put_frame(walk, address | MPROF_FRAME_NATIVE) && (work == 0 || put_frame(walk, work));
}

static mono_bool add_frame(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	stack_walk *walk = data;

	(void)domain;
	if (walk->compilations > 0 && !add_compilations(walk, (uintptr_t)code + (uintptr_t)offset))
		return 1;
	if (walk->address != 0) {
		const uintptr_t address = walk->address;

		walk->address = 0;
		if (address != (uintptr_t)code + (uintptr_t)offset &&
		    !put_native_frames(walk, address, (uintptr_t)code + (uintptr_t)offset))
			return 1;
	}
	if (walk->state != NULL && method != NULL && is_wrapper(walk->profiler, walk->state, method) &&
	    walk->count == 0)
		return 0;
	return !put_frame(walk, frame_of(method, code));
}

/*
 * Like add_frame(), for a thread that compiles nothing. Also visits frames beyond the limit, since the base is learned
 * from the outermost one.
 */
static mono_bool add_frame_and_learn(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	stack_walk *walk = data;
	const int is_generated = method != NULL && is_wrapper(walk->profiler, walk->state, method);

	stack_lesson_add(walk->lesson, domain, code, offset, frame_of(method, code), is_generated);
	if (walk->count > 0 || !is_generated)
		(void)put_frame(walk, frame_of(method, code));
	walk->visited++;
	return walk->visited == MAX_LESSON_FRAMES;
}

/* Returns the number of frames. */
static size_t end_walk(stack_walk *walk)
{
	if (walk->is_truncated)
		walk->frames[walk->count++] = MPROF_FRAME_TRUNCATED;
	return walk->count;
}

#if defined(__linux__) && defined(__x86_64__)
/*
 * Does what getcontext() does, without its system call. In native code the runtime needs no more than these registers.
 */
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

static size_t walk_and_learn(MonoProfiler *profiler, thread_state *state, const uintptr_t *place, mprof_frame *frames,
			     size_t limit)
{
	stack_lesson lesson;
	stack_walk walk = {.profiler = profiler, .state = state, .frames = frames, .limit = limit, .lesson = &lesson};
	ucontext_t context;

	stack_lesson_begin(&lesson, state->stack_steps, atomic_load_explicit(&profiler->unloads, memory_order_relaxed),
			   place);
	describe_here(&context, __builtin_frame_address(0));
	mono_stack_walk_async_safe(add_frame_and_learn, &context, &walk);
	stack_lesson_end(&lesson, walk.visited < MAX_LESSON_FRAMES);
	return end_walk(&walk);
}

/* Walks by steps begin at the return address of this function. */
size_t stacks_here(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit)
{
	const uintptr_t *place = (const uintptr_t *)__builtin_frame_address(0) + 1;
	stack_walk walk = {.profiler = profiler,
			   .state = state,
			   .compilations = state->compilations,
			   .frames = frames,
			   .limit = limit};
	ucontext_t context;
	size_t count;

	if (state->stack_steps == NULL)
		state->stack_steps = calloc(1, sizeof(*state->stack_steps));
	if (state->compilations == 0 && state->stack_steps != NULL) {
		if (stack_steps_walk(state->stack_steps, atomic_load_explicit(&profiler->unloads, memory_order_relaxed),
				     place, frames, limit, &count))
			return count;
		if (state->stack_steps->pause == 0)
			return walk_and_learn(profiler, state, place, frames, limit);
		state->stack_steps->pause--;
	}
	describe_here(&context, __builtin_frame_address(0));
	mono_stack_walk_async_safe(add_frame, &context, &walk);
	if (!walk.is_truncated)
		add_compilations(&walk, 0);
	return end_walk(&walk);
}

/* Frames without a method are transitions to native code. */
static mono_bool add_thrown_frame(MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed,
				  void *data)
{
	stack_walk *walk = data;

	(void)native_offset;
	(void)il_offset;
	(void)managed;
	if (method == NULL || (is_wrapper(walk->profiler, walk->state, method) && walk->count == 0))
		return 0;
	return !put_frame(walk, key_of(method));
}

size_t stacks_thrown(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit)
{
	stack_walk walk = {.profiler = profiler, .state = state, .frames = frames, .limit = limit};

	mono_stack_walk_no_il(add_thrown_frame, &walk);
	return end_walk(&walk);
}

static mono_bool find_address(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
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
	mono_stack_walk_async_safe(find_address, &context, &address);
	return address;
}

size_t stacks_interrupted(const void *address, const void *context, mprof_frame *frames, size_t limit)
{
	stack_walk walk = {.address = (uintptr_t)address, .frames = frames, .limit = limit};

	/* The cast removes const: the runtime only reads the context. */
	mono_stack_walk_async_safe(add_frame, (void *)(uintptr_t)context, &walk);
	if (walk.count == 0)
		put_native_frames(&walk, (uintptr_t)address, 0);
	return end_walk(&walk);
}
