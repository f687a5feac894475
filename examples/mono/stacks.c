/* SPDX-License-Identifier: MIT */
/* Walks call stacks. */
#include "stacks.h"
#include "async_stacks.h"
#include "method_search.h"
#include "names.h"
#include "native_frames.h"
#include "noted_methods.h"
#include "runtime_work.h"
#include "selection.h"
#include "shared/hash.h"
#include "shared/own_code.h"

#include <mono/metadata/appdomain.h>
#include <mono/metadata/loader.h>

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* Maximum number of frames that a walk visits in order to learn. */
#define MAX_LESSON_FRAMES 1000

/* The bits of a native frame that are not part of its address. */
#define FRAME_FLAGS (MPROF_FRAME_RETURN | MPROF_FRAME_COMPILING)

/* State of a stack walk. */
typedef struct stack_walk {
	MonoProfiler *profiler;
	thread_state *state;    /* NULL in a signal handler, which defines no methods and keeps all frames. */
	uintptr_t address;      /* Interrupted native address; 0 once it is recorded, or if none. */
	const void *context;    /* Of the interruption. */
	native_end *native_end; /* Of the interrupted native code; NULL once the walk has continued from there. */
	int is_own;             /* The interrupted code records. */
	unsigned compilations;  /* Compilations of the thread that were not added to the frames yet. */
	stack_record *record;
	stack_lesson *lesson; /* Learns from the walk, which then visits all frames; or NULL. */
	unsigned visited;     /* Number of frames that were visited in order to learn. */
} stack_walk;

/*
 * Ensures that a method has a name: another thread may have found its code and not reported it yet. Returns its
 * frame_flag bits. The thread's cache avoids the lock of the method set for each frame.
 */
static unsigned flags_of(MonoProfiler *profiler, thread_state *state, MonoMethod *method)
{
	size_t index = hash_key((uintptr_t)method) & (KNOWN_METHODS - 1);
	known_method *known = &state->known_methods[index];
	unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);

	if (known->method != method || known->unloads != unloads) {
		known->method = method;
		known->unloads = unloads;
		if ((names_define_method_once(profiler, method) & METHOD_WRAPPER) != 0)
			known->flags = FRAME_WRAPPER;
		else
			known->flags = selection_of_method(method);
	}
	return known->flags;
}

/* The runtime's walk does not find the methods of some precompiled code. They have no name in the log. */
static unsigned flags_of_code(MonoDomain *domain, void *code)
{
	MonoJitInfo *info = selection_is_filtered() ? mono_jit_info_table_find(domain, code) : NULL;
	MonoMethod *method = info == NULL ? NULL : mono_jit_info_get_method(info);

	return method == NULL ? 0 : selection_of_method(method);
}

/*
 * Adds the methods whose compilation was started from the address of the current frame: as long as the compiler runs,
 * that frame does not advance. Returns 0 if there is no room.
 */
static int add_compilations(stack_walk *walk, uintptr_t caller)
{
	while (walk->compilations > 0 && walk->state->compiling[walk->compilations - 1].caller == caller) {
		MonoMethod *method = walk->state->compiling[--walk->compilations].method;

		if (!stack_record_put(walk->record, key_of(method) | MPROF_FRAME_COMPILING))
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
	const sampled_stack *stack = current_state != NULL ? &current_state->stack : NULL;
	stack_record *record = walk->record;

	record->count = native_frames_walk(walk->context, address, stack, innermost, record->frames, record->limit,
					   walk->native_end);
	for (size_t i = 0; i < record->count; i++)
		walk->is_own |= own_code_contains((uintptr_t)(record->frames[i] & ~FRAME_FLAGS));
	return work == 0 || stack_record_put(record, work);
}

/* The frame_flag bits of a frame, also in a signal handler. */
static unsigned flags_of_frame(const stack_walk *walk, MonoMethod *method, MonoDomain *domain, void *code)
{
	if (walk->state != NULL)
		return method != NULL ? flags_of(walk->profiler, walk->state, method) : flags_of_code(domain, code);
	if (!walk->record->choice.is_open)
		return 0;
	if (method == NULL && noted_methods_get(code) == 0)
		method_search_request(domain, code);
	return noted_methods_get(method != NULL ? (const void *)method : code);
}

/* Adds a frame of managed code. Returns whether the walk needs no further frames. */
static mono_bool put_managed_frame(stack_walk *walk, MonoMethod *method, MonoDomain *domain, void *code)
{
	const unsigned flags = flags_of_frame(walk, method, domain, code);

	if (walk->state != NULL)
		return !stack_record_add(walk->record, frame_of(method, code), flags);
	stack_choice_add(&walk->record->choice, flags);
	return !stack_record_put(walk->record, frame_of(method, code)) && !walk->record->choice.is_open;
}

/*
 * Adds the frames of a walk that began where the native frames ended, if the first one is there: managed code that has
 * called the runtime or is called by native code, while the runtime regards outer code as the innermost.
 */
static mono_bool add_frame_at_end(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	stack_walk *walk = data;
	const uintptr_t address = (uintptr_t)code + (uintptr_t)offset;

	if (walk->native_end != NULL && address != walk->native_end->address &&
	    address + 1 != walk->native_end->address)
		return 1;
	walk->native_end = NULL;
	return put_managed_frame(walk, method, domain, code);
}

/* Returns 1 if the walk has continued from the end of the native frames, so it is complete. */
static int continue_at_end(stack_walk *walk)
{
	if (walk->native_end->address == 0)
		return 0;
	mono_stack_walk_async_safe(add_frame_at_end, &walk->native_end->context, walk);
	return walk->native_end == NULL;
}

static mono_bool add_frame(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	stack_walk *walk = data;
	const stack_choice *choice = &walk->record->choice;

	if (walk->compilations > 0 && !add_compilations(walk, (uintptr_t)code + (uintptr_t)offset) && !choice->is_open)
		return 1;
	if (walk->address != 0) {
		const uintptr_t address = walk->address;
		const uintptr_t innermost = (uintptr_t)code + (uintptr_t)offset;

		walk->address = 0;
		if (address != innermost &&
		    ((!put_native_frames(walk, address, innermost) && !choice->is_open) || continue_at_end(walk)))
			return 1;
	}
	return put_managed_frame(walk, method, domain, code);
}

/*
 * Like add_frame(), for a thread that compiles nothing. Also visits frames beyond the limit, since the base is learned
 * from the outermost one.
 */
static mono_bool add_frame_and_learn(MonoMethod *method, MonoDomain *domain, void *code, int offset, void *data)
{
	stack_walk *walk = data;
	const unsigned flags = flags_of_frame(walk, method, domain, code);

	stack_lesson_add(walk->lesson, domain, code, offset, frame_of(method, code), flags);
	(void)stack_record_add(walk->record, frame_of(method, code), flags);
	walk->visited++;
	return walk->visited == MAX_LESSON_FRAMES;
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

static void walk_and_learn(MonoProfiler *profiler, thread_state *state, const uintptr_t *position, stack_record *record)
{
	stack_lesson lesson;
	stack_walk walk = {.profiler = profiler, .state = state, .record = record, .lesson = &lesson};
	ucontext_t context;

	stack_lesson_begin(&lesson, state->stack_steps, atomic_load_explicit(&profiler->unloads, memory_order_relaxed),
			   position);
	describe_here(&context, __builtin_frame_address(0));
	mono_stack_walk_async_safe(add_frame_and_learn, &context, &walk);
	stack_lesson_end(&lesson, walk.visited < MAX_LESSON_FRAMES);
}

/* Walks by steps begin at the return address of this function. */
__attribute__((noinline)) static void walk_here(MonoProfiler *profiler, thread_state *state, stack_record *record)
{
	const uintptr_t *position = (const uintptr_t *)__builtin_frame_address(0) + 1;
	const stack_record none = *record;
	stack_walk walk = {.profiler = profiler, .state = state, .compilations = state->compilations, .record = record};
	ucontext_t context;

	if (state->stack_steps == NULL)
		state->stack_steps = calloc(1, sizeof(*state->stack_steps));
	if (state->compilations == 0 && state->stack_steps != NULL) {
		if (stack_steps_walk(state->stack_steps, atomic_load_explicit(&profiler->unloads, memory_order_relaxed),
				     position, record))
			return;
		*record = none;
		if (state->stack_steps->pause == 0) {
			walk_and_learn(profiler, state, position, record);
			return;
		}
		state->stack_steps->pause--;
	}
	describe_here(&context, __builtin_frame_address(0));
	mono_stack_walk_async_safe(add_frame, &context, &walk);
	if (!record->is_truncated)
		add_compilations(&walk, 0);
}

size_t stacks_here(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit)
{
	stack_record record = {.frames = frames, .limit = limit};

	walk_here(profiler, state, &record);
	async_stacks_apply(&record);
	return stack_record_end(&record);
}

int stacks_here_selected(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit, size_t *count)
{
	stack_record record = {.frames = frames, .limit = limit, .choice = selection_begin_choice()};

	walk_here(profiler, state, &record);
	async_stacks_apply(&record);
	*count = stack_record_end(&record);
	return record.choice.is_selected;
}

/* Frames without a method are transitions to native code. */
static mono_bool add_thrown_frame(MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed,
				  void *data)
{
	stack_walk *walk = data;

	(void)native_offset;
	(void)il_offset;
	(void)managed;
	if (method == NULL)
		return 0;
	return !stack_record_add(walk->record, key_of(method), flags_of(walk->profiler, walk->state, method));
}

size_t stacks_thrown(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit)
{
	stack_record record = {.frames = frames, .limit = limit};
	stack_walk walk = {.profiler = profiler, .state = state, .record = &record};

	mono_stack_walk_no_il(add_thrown_frame, &walk);
	async_stacks_apply(&record);
	return stack_record_end(&record);
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
	stack_record record = {.frames = frames, .limit = limit, .choice = selection_begin_choice()};
	native_end end = {.address = 0};
	stack_walk walk = {.address = (uintptr_t)address, .context = context, .native_end = &end, .record = &record};

	/* The cast removes const: the runtime only reads the context. */
	mono_stack_walk_async_safe(add_frame, (void *)(uintptr_t)context, &walk);
	/* Without managed code, it is not known what called the outermost native frame that was found. */
	if (record.count == 0 && put_native_frames(&walk, (uintptr_t)address, 0))
		record.is_truncated |= !continue_at_end(&walk) && end.is_incomplete;
	async_stacks_apply(&record);
	return walk.is_own || !record.choice.is_selected ? 0 : stack_record_end(&record);
}
