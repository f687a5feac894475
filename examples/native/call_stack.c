/* SPDX-License-Identifier: MIT */
#include "call_stack.h"

#include <link.h>
#include <pthread.h>

#if defined(WITH_LIBUNWIND)
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#else
#include <unwind.h>
#endif

/* Frames of this module at most: what it calls to walk the stack included. */
#define OWN_FRAMES 8

/* The code of this module. */
static uintptr_t own_start;
static uintptr_t own_end;

/* The calling thread's stack: 0 before it was asked for, and equal if nobody can tell. */
static __thread __attribute__((tls_model("initial-exec"))) uintptr_t stack_start;
static __thread __attribute__((tls_model("initial-exec"))) uintptr_t stack_end;

static int find_own_code(struct dl_phdr_info *module, size_t size, void *user)
{
	const uintptr_t inside = (uintptr_t)&call_stack_take;

	(void)size;
	(void)user;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const uintptr_t start = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;

		if (module->dlpi_phdr[i].p_type != PT_LOAD || inside < start ||
		    inside - start >= module->dlpi_phdr[i].p_memsz)
			continue;
		own_start = start;
		own_end = start + module->dlpi_phdr[i].p_memsz;
		return 1;
	}
	return 0;
}

void call_stack_init(void)
{
	dl_iterate_phdr(find_own_code, NULL);
}

typedef struct taken_frames {
	mprof_frame *frames;
	size_t count;
	size_t capacity;
} taken_frames;

/* Takes a return address. Of the innermost frame the call itself is wanted, which is before it. */
static void take(taken_frames *taken, uintptr_t address)
{
	if (taken->count == 0 && address >= own_start && address < own_end)
		return;
	taken->frames[taken->count] = MPROF_FRAME_NATIVE | (taken->count == 0 ? address - 1 : address);
	taken->count++;
}

#if defined(WITH_LIBUNWIND)

static void take_unwound(taken_frames *taken)
{
	/* Those of this module are left off. */
	void *addresses[MPROF_STACK_MAX + OWN_FRAMES];
	const size_t most = taken->capacity + OWN_FRAMES;
	const int count = unw_backtrace(addresses, (int)most);

	for (int i = 0; i < count && taken->count < taken->capacity; i++)
		take(taken, (uintptr_t)addresses[i]);
}

#else

static _Unwind_Reason_Code take_next(struct _Unwind_Context *context, void *user)
{
	taken_frames *taken = user;
	const uintptr_t address = _Unwind_GetIP(context);

	if (address == 0)
		return _URC_END_OF_STACK;
	take(taken, address);
	return taken->count == taken->capacity ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void take_unwound(taken_frames *taken)
{
	_Unwind_Backtrace(take_next, taken);
}

#endif

static void find_stack(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	stack_start = stack_end = UINTPTR_MAX;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
		stack_start = (uintptr_t)start;
		stack_end = stack_start + size;
	}
	pthread_attr_destroy(&attributes);
}

/* A frame begins with the address of the caller's one and the return address. Callers' frames are at higher addresses. */
static void take_frame_pointers(taken_frames *taken, const uintptr_t *frame)
{
	if (stack_end == 0)
		find_stack();
	/* A coroutine's stack is another one, of which nobody knows the end. */
	while ((uintptr_t)frame >= stack_start && (uintptr_t)frame + 2 * sizeof(*frame) <= stack_end &&
	       (uintptr_t)frame % sizeof(*frame) == 0 && frame[1] != 0) {
		const uintptr_t *caller = (const uintptr_t *)frame[0];

		take(taken, frame[1]);
		if (taken->count == taken->capacity || caller <= frame)
			return;
		frame = caller;
	}
}

size_t call_stack_take(call_stack_walk walk, mprof_frame *frames, size_t capacity)
{
	taken_frames taken = {frames, 0, capacity};

	if (capacity == 0 || capacity > MPROF_STACK_MAX)
		return 0;
	if (walk == CALL_STACK_UNWIND)
		take_unwound(&taken);
	else if (walk == CALL_STACK_FRAMES)
		take_frame_pointers(&taken, __builtin_frame_address(0));
	return taken.count;
}
