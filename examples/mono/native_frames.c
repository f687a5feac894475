/* SPDX-License-Identifier: MIT */
/* Native frames, and the code that throws. */
#include "native_frames.h"

#include <mono/metadata/profiler.h>

#include "shared/learned_rules.h"
#include "shared/own_tables.h"
#include "shared/unwind_registers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Mono 6.8 generates six such pieces of code, and a few others for exceptions. */
#define MAX_CODES 32

typedef struct throw_code {
	uintptr_t start;
	uintptr_t end;
	uint64_t frame_size; /* Distance of the return address from the stack pointer. */
} throw_code;

/* The runtime's lock for its generated code is held while one is added, so there is one writer at a time. */
static throw_code codes[MAX_CODES];

/* Release when an element is complete; acquire in signal handlers, which then read only complete elements. */
static _Atomic size_t code_count;

#if defined(__x86_64__)

/* The code begins with "sub $SIZE, %rsp", and changes the stack pointer nowhere else. Returns 0 if it does not. */
static uint64_t frame_size_of(const mono_byte *code, uint64_t size)
{
	static const mono_byte subtract[] = {0x48, 0x81, 0xec};
	uint32_t bytes;

	if (size < sizeof(subtract) + sizeof(bytes) || memcmp(code, subtract, sizeof(subtract)) != 0)
		return 0;
	memcpy(&bytes, code + sizeof(subtract), sizeof(bytes));
	return bytes % sizeof(uintptr_t) == 0 ? bytes : 0;
}

#else

static uint64_t frame_size_of(const mono_byte *code, uint64_t size)
{
	(void)code;
	(void)size;
	return 0;
}

#endif

static void code_buffer(MonoProfiler *profiler, const mono_byte *code, uint64_t size, MonoProfilerCodeBufferType type,
			const void *data)
{
	const size_t count = atomic_load_explicit(&code_count, memory_order_relaxed);
	const uint64_t frame_size =
		type == MONO_PROFILER_CODE_BUFFER_EXCEPTION_HANDLING ? frame_size_of(code, size) : 0;

	(void)profiler;
	(void)data;
	if (frame_size == 0 || count == MAX_CODES)
		return;
	codes[count] = (throw_code){(uintptr_t)code, (uintptr_t)code + size, frame_size};
	atomic_store_explicit(&code_count, count + 1, memory_order_release);
}

/*
 * The compiled methods call it like a function that never returns. It stores all registers in its frame and calls the
 * runtime, which finds the handler. There are no unwinding tables for it, and the runtime, which is not in a transition
 * from managed code then, walks the stack from an older one or finds no managed code at all.
 */

void throw_code_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = mono_profiler_create(profiler);

	mono_profiler_set_jit_code_buffer_callback(handle, code_buffer);
}

static const throw_code *find_code(uint64_t address)
{
	const size_t count = atomic_load_explicit(&code_count, memory_order_acquire);

	for (size_t i = 0; i < count; i++) {
		if (address > codes[i].start && address <= codes[i].end)
			return &codes[i];
	}
	return NULL;
}

/*
 * If the frame is in such code: replaces its registers by those of the code that throws, and returns 1. The address is
 * the return address. Async-signal-safe.
 */
static int throw_code_leave(unwind_frame *frame)
{
	const throw_code *code = find_code(frame->registers[REGISTER_ADDRESS]);
	const uint64_t offset = frame->registers[REGISTER_STACK] - frame->stack_start;
	uint64_t address;

	if (code == NULL || frame->registers[REGISTER_STACK] < frame->stack_start ||
	    frame->stack_length < sizeof(address) || code->frame_size > frame->stack_length - sizeof(address) ||
	    offset > frame->stack_length - sizeof(address) - code->frame_size)
		return 0;
	memcpy(&address, frame->stack + offset + code->frame_size, sizeof(address));
	frame->registers[REGISTER_ADDRESS] = address;
	frame->registers[REGISTER_STACK] += code->frame_size + sizeof(address);
	return address != 0;
}

void native_frames_find_stack(sampled_stack *stack)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	*stack = (sampled_stack){0, 0, 0};
#if defined(__linux__)
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
		stack->start = (uintptr_t)start;
		stack->end = stack->start + size;
	}
	pthread_attr_destroy(&attributes);
#endif
}

typedef struct native_walk {
	const sampled_stack *stack;
	uintptr_t managed;
	mprof_frame *frames;
	size_t limit;
	size_t count;
} native_walk;

/* The runtime may report the address before the return address. */
static int is_managed(const native_walk *walk, uint64_t address)
{
	return walk->managed != 0 && (address == walk->managed || address == walk->managed + 1);
}

/* Adds a frame. Returns 0 at the end. */
static int put(native_walk *walk, uint64_t address)
{
	if (walk->count == walk->limit || (walk->count > 0 && (address == 0 || is_managed(walk, address))))
		return 0;
	walk->frames[walk->count] =
		walk->count == 0 ? mprof_frame_make_native(address) : mprof_frame_make_return(address);
	walk->count++;
	return 1;
}

/* The address by which the rule of the frame added last is found. */
static uint64_t address_inside(const native_walk *walk, uint64_t address)
{
	return walk->count == 1 ? address : address - 1;
}

/*
 * Walks by rules that were learned from the tables before. Returns 0 if one is not known, or if the walk does not lead
 * to the managed code: rules of code that was unloaded are recognised by that.
 */
static int walk_learned(native_walk *walk, const uint64_t registers[REGISTER_COUNT])
{
	learned_frame frame = {registers[REGISTER_ADDRESS], registers[REGISTER_STACK], registers[REGISTER_FRAME]};

	while (put(walk, frame.address)) {
		const uint64_t rule = learned_rules_find(address_inside(walk, frame.address));

		if (rule == 0 || !learned_rules_leave(rule, walk->stack->end, &frame))
			return 0;
	}
	return walk->count == walk->limit || is_managed(walk, frame.address);
}

/* Finds the caller of a frame, and learns the rule. Returns 0 if there are no tables, or they do not fit the stack. */
static int leave(unwind_frame *frame, uint64_t inside, int *is_exact)
{
	const uint64_t stack_pointer = frame->registers[REGISTER_STACK];
	unwind_entry entry;
	unwind_row row;
	uint64_t base;

	if (!own_tables_find_on_stack(inside, &entry) || !unwind_rules_compute(&entry, inside, &row) ||
	    !unwind_rules_base(&row, frame, &base))
		return 0;
	*is_exact = entry.is_signal_frame;
	if (!entry.is_signal_frame)
		learned_rules_add(inside, &row);
	return base > stack_pointer && unwind_rules_apply(&row, base, frame);
}

/* Stores the frame in which the walk ended. */
static void walk_tables(native_walk *walk, unwind_frame *frame)
{
	int is_exact = 1;

	for (;;) {
		const uint64_t address = frame->registers[REGISTER_ADDRESS];

		/* The caller is managed code. It is not added here. */
		if (walk->count > 0 && throw_code_leave(frame))
			return;
		if (!put(walk, address))
			return;
		if (!leave(frame, is_exact ? address : address - 1, &is_exact))
			break;
	}
	/* Code without tables is not native code of a module; the interrupted code is kept whatever it is. */
	if (walk->count > 1 && frame->registers[REGISTER_ADDRESS] != 0)
		walk->count--;
}

/* Describes the end of a walk by the tables, unless it is where it was expected. */
static void describe_end(const native_walk *walk, const unwind_frame *frame, const void *context, native_end *end)
{
	const uint64_t address = frame->registers[REGISTER_ADDRESS];

	end->is_incomplete = walk->count == walk->limit || (address != 0 && !is_managed(walk, address));
	if (walk->count == walk->limit || is_managed(walk, address) ||
	    (walk->count == 1 && address == (walk->frames[0] & ~MPROF_FRAME_NATIVE)))
		return;
	end->address = (uintptr_t)address;
	end->context = *(const ucontext_t *)context;
	unwind_registers_write(frame->registers, &end->context);
}

size_t native_frames_walk(const void *context, uintptr_t address, const sampled_stack *stack, uintptr_t managed,
			  mprof_frame *frames, size_t limit, native_end *end)
{
	native_walk walk = {stack, managed, frames, limit, 0};
	uint64_t registers[REGISTER_COUNT];
	unwind_frame frame;

	end->address = 0;
	end->is_incomplete = 0;
	unwind_registers_read(context, registers);
	if (!UNWIND_IS_SUPPORTED || stack == NULL || registers[REGISTER_ADDRESS] != address ||
	    registers[REGISTER_STACK] < stack->start || registers[REGISTER_STACK] >= stack->end) {
		frames[0] = mprof_frame_make_native(address);
		end->is_incomplete = 1;
		return 1;
	}
	if (walk_learned(&walk, registers)) {
		end->is_incomplete = walk.count == limit;
		return walk.count;
	}
	walk.count = 0;
	memcpy(frame.registers, registers, sizeof(registers));
	frame.stack_start = registers[REGISTER_STACK];
	frame.stack = (const uint8_t *)(uintptr_t)frame.stack_start; // NOLINT(performance-no-int-to-ptr)
	frame.stack_length = stack->end - frame.stack_start;
	walk_tables(&walk, &frame);
	describe_end(&walk, &frame, context, end);
	return walk.count;
}
