/* SPDX-License-Identifier: MIT */
/* Remembers the generated code that throws exceptions, and how large its frames are. */
#include "throw_code.h"

#include <mono/metadata/profiler.h>

#include <stdatomic.h>
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

int throw_code_leave(unwind_frame *frame)
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
