/* SPDX-License-Identifier: MIT */
/* Walks the call stack of an allocation. */
#include "call_stack.h"

#include <link.h>
#include <pthread.h>

#if defined(WITH_LIBUNWIND)
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#else
#include <unwind.h>
#endif

/* The address range of this module's code. */
static uintptr_t own_start;
static uintptr_t own_end;

/* The range of the calling thread's stack: 0 before it is looked up, and start equal to end if it is unknown. */
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

typedef struct collected_frames {
	mprof_frame *frames;
	size_t count;
	size_t capacity;
} collected_frames;

/* Adds a return address. The innermost frame gets the address of the call itself, which precedes the return address. */
static void add_frame(collected_frames *taken, uintptr_t address)
{
	if (taken->count == 0 && address >= own_start && address < own_end)
		return;
	taken->frames[taken->count] = MPROF_FRAME_NATIVE | (taken->count == 0 ? address - 1 : address);
	taken->count++;
}

#if defined(WITH_LIBUNWIND)

/*
 * Number of walks of a thread that are made step by step. For a faster one, libunwind prepares a table of several
 * hundred kilobytes for each thread, which takes longer than a short thread lives.
 */
#define FIRST_WALKS 100

static __thread __attribute__((tls_model("initial-exec"))) unsigned walks;

static void collect_steps(collected_frames *taken)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address;

	if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
		return;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0)
			return;
		add_frame(taken, (uintptr_t)address);
	} while (taken->count < taken->capacity && unw_step(&cursor) > 0);
}

static void collect_unwound(collected_frames *taken)
{
	/* The frames of this module are skipped. The addresses are stored where the frames will be. */
	void **addresses = (void **)(void *)taken->frames;
	int count;

	if (walks < FIRST_WALKS || sizeof(*addresses) != sizeof(*taken->frames)) {
		walks++;
		collect_steps(taken);
		return;
	}
	count = unw_backtrace(addresses, (int)(taken->capacity + CALL_STACK_OWN_FRAMES));
	for (int i = 0; i < count && taken->count < taken->capacity; i++)
		add_frame(taken, (uintptr_t)addresses[i]);
}

#else

static _Unwind_Reason_Code collect_next(struct _Unwind_Context *context, void *user)
{
	collected_frames *taken = user;
	const uintptr_t address = _Unwind_GetIP(context);

	if (address == 0)
		return _URC_END_OF_STACK;
	add_frame(taken, address);
	return taken->count == taken->capacity ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void collect_unwound(collected_frames *taken)
{
	_Unwind_Backtrace(collect_next, taken);
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

/*
 * A frame starts with the address of the caller's frame and the return address. Frames of callers are at higher
 * addresses.
 */
static void collect_frame_pointers(collected_frames *taken, const uintptr_t *frame)
{
	if (stack_end == 0)
		find_stack();
	/* The walk ends outside the thread's stack: the bounds of a coroutine's stack are unknown. */
	while ((uintptr_t)frame >= stack_start && (uintptr_t)frame + 2 * sizeof(*frame) <= stack_end &&
	       (uintptr_t)frame % sizeof(*frame) == 0 && frame[1] != 0) {
		const uintptr_t *caller = (const uintptr_t *)frame[0];

		add_frame(taken, frame[1]);
		if (taken->count == taken->capacity || caller <= frame)
			return;
		frame = caller;
	}
}

size_t call_stack_take(call_stack_walk walk, mprof_frame *frames, size_t capacity)
{
	collected_frames taken = {frames, 0, capacity};

	if (capacity == 0 || capacity > MPROF_STACK_MAX)
		return 0;
	if (walk == CALL_STACK_UNWIND)
		collect_unwound(&taken);
	else if (walk == CALL_STACK_FRAMES)
		collect_frame_pointers(&taken, __builtin_frame_address(0));
	return taken.count;
}
