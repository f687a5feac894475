/* SPDX-License-Identifier: MIT */
/* Walks the call stack of an allocation. */
#include "call_stack.h"

#include "module_finder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(WITH_LIBUNWIND)
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#else
#include <unwind.h>
#endif

/* Maximum number of frames of this module, including those of functions it calls to walk the stack. */
#define OWN_FRAMES 8

#define MAX_FRAMES (MPROF_STACK_MAX + OWN_FRAMES)

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

#define OVERRIDES __attribute__((visibility("default")))

typedef int getattr_function(pthread_t thread, pthread_attr_t *attributes);

/* Set before there are other threads. */
static getattr_function *real_getattr;

static void find_getattr(void)
{
	void *address = dlsym(RTLD_NEXT, "pthread_getattr_np");

	memcpy(&real_getattr, &address, sizeof(real_getattr));
}

/* The thread is inside pthread_getattr_np(), which allocates memory while it holds a lock of the thread. */
static __thread __attribute__((tls_model("initial-exec"))) int is_asking;

OVERRIDES int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
	int error;

	if (real_getattr == NULL)
		find_getattr();
	if (real_getattr == NULL)
		return ENOSYS;
	is_asking++;
	error = real_getattr(thread, attributes);
	is_asking--;
	return error;
}

static void find_stack(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	/* It is found at the next walk. */
	if (is_asking)
		return;

	stack_start = stack_end = UINTPTR_MAX;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
		stack_start = (uintptr_t)start;
		stack_end = stack_start + size;
	}
	pthread_attr_destroy(&attributes);
}

#if defined(WITH_LIBUNWIND)

/*
 * Number of walks of a thread that are made step by step. For a faster one, libunwind prepares a table of several
 * hundred kilobytes for each thread, which takes longer than a short thread lives.
 */
#define FIRST_WALKS 100

static __thread __attribute__((tls_model("initial-exec"))) unsigned walks;

/* The state of a walk: two kilobytes, which are in the memory after the frames. */
typedef struct step_state {
	unw_context_t context;
	unw_cursor_t cursor;
} step_state;

#define WALK_ROOM sizeof(step_state)

/* Pages are at least as large. */
#define MIN_PAGE 4096

/* Another walk needs some kilobytes of the stack. */
#define ROOMY_STACK ((uintptr_t)16 << 10)

/*
 * What can be read: from here to the end of the stack of the thread, and the pages that were found readable in this
 * walk.
 */
static __thread __attribute__((tls_model("initial-exec"))) uintptr_t read_start;
static __thread __attribute__((tls_model("initial-exec"))) uintptr_t readable_pages[2];

static int is_on_stack(uintptr_t address)
{
	const uintptr_t last = address + sizeof(unw_word_t) - 1;

	return address >= read_start && last < stack_end && address < last;
}

static int is_readable_byte(uintptr_t address)
{
	const uintptr_t page = address & ~(uintptr_t)(MIN_PAGE - 1);

	if (page == readable_pages[0] || page == readable_pages[1])
		return 1;
	/* The system reads the set before it refuses the first argument, which is no operation. NULL is not read. */
	if (page == 0 || (syscall(SYS_rt_sigprocmask, -1, address & ~(uintptr_t)7, NULL, 8) != 0 && errno == EFAULT))
		return 0;
	readable_pages[1] = readable_pages[0];
	readable_pages[0] = page;
	return 1;
}

/* Without unwind information, libunwind guesses where a frame is. */
static int is_readable_word(uintptr_t address)
{
	const uintptr_t last = address + sizeof(unw_word_t) - 1;

	return is_on_stack(address) || (address < last && is_readable_byte(address) && is_readable_byte(last));
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int is_store, void *argument)
{
	(void)space;
	(void)argument;
	/* libunwind stores to its own state, which is on the stack. If this is refused, each walk is a slow one. */
	if (is_store) {
		if (!is_on_stack((uintptr_t)address))
			return -UNW_EINVAL;
		memcpy((void *)(uintptr_t)address, value, sizeof(*value));
		return 0;
	}
	if (!is_readable_word((uintptr_t)address))
		return -UNW_EINVAL;
	memcpy(value, (const void *)(uintptr_t)address, sizeof(*value));
	return 0;
}

static int is_same_pipe(const int ends[2])
{
	struct stat first;
	struct stat second;

	return fstat(ends[0], &first) == 0 && fstat(ends[1], &second) == 0 && S_ISFIFO(first.st_mode) &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/*
 * libunwind tests whether memory can be read by writing it to a pipe, and remembers the descriptors. Once the program
 * has closed all descriptors and has opened others, it would write to files of the program and close them. So this
 * module reads memory itself, and closes the pipe.
 */
static void replace_reading(void)
{
	int ends[2];
	int has_ends = pipe2(ends, O_CLOEXEC) == 0;

	if (has_ends) {
		close(ends[0]);
		close(ends[1]);
	}
	/* Opens the pipe, which has the numbers that are free now. */
	unw_get_accessors(unw_local_addr_space)->access_mem = access_memory;
	if (has_ends && is_same_pipe(ends)) {
		close(ends[0]);
		close(ends[1]);
	}
}

static void collect_steps(collected_frames *taken)
{
	step_state *state = (step_state *)(void *)(taken->frames + MAX_FRAMES);
	unw_word_t address;

	if (unw_getcontext(&state->context) != 0 || unw_init_local(&state->cursor, &state->context) != 0)
		return;
	do {
		if (unw_get_reg(&state->cursor, UNW_REG_IP, &address) != 0 || address == 0)
			return;
		add_frame(taken, (uintptr_t)address);
	} while (taken->count < taken->capacity && unw_step(&state->cursor) > 0);
}

/* Whether the thread is on its own stack, not on that of a coroutine, and has enough of it left. */
static int has_room(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const int is_own = here > stack_start && here < stack_end;

	read_start = is_own ? (here - stack_start > ROOMY_STACK / 2 ? here - ROOMY_STACK / 2 : stack_start) : stack_end;
	return is_own && here - stack_start >= ROOMY_STACK;
}

static void collect_unwound(collected_frames *taken)
{
	/* The frames of this module are skipped. The addresses are stored where the frames will be. */
	void **addresses = (void **)(void *)taken->frames;
	int count;

	/* At the first walk: later ones may be on a small stack. */
	if (stack_end == 0)
		find_stack();
	/* No page begins there. */
	memset(readable_pages, 0xff, sizeof(readable_pages));
	if (!has_room() || walks < FIRST_WALKS || sizeof(*addresses) != sizeof(*taken->frames)) {
		walks++;
		collect_steps(taken);
		return;
	}
	count = unw_backtrace(addresses, (int)(taken->capacity + OWN_FRAMES));
	for (int i = 0; i < count && taken->count < taken->capacity; i++)
		add_frame(taken, (uintptr_t)addresses[i]);
}

#else

#define WALK_ROOM ((size_t)0)

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

#if defined(WITH_LIBUNWIND)

/*
 * The functions that libunwind calls are bound when they are first called, which needs three kilobytes of the stack:
 * now, and not on the small stack of a coroutine.
 */
static void prepare_walks(void)
{
	static step_state state;
	unw_word_t address;

	replace_reading();
	find_stack();
	(void)has_room();
	if (unw_getcontext(&state.context) != 0 || unw_init_local(&state.cursor, &state.context) != 0)
		return;
	do {
		if (unw_get_reg(&state.cursor, UNW_REG_IP, &address) != 0)
			break;
		module_finder_learn((uintptr_t)address);
	} while (unw_step(&state.cursor) > 0);
	module_finder_learn(0);
}

/* Another thread of the parent may have held the lock of libunwind's cache. Without a cache, no lock is taken. */
static void leave_cache(void)
{
	(void)unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_NONE);
}

#else

static void prepare_walks(void)
{
}

static void leave_cache(void)
{
}

#endif

void call_stack_begin_child(void)
{
	leave_cache();
}

void call_stack_init(void)
{
	dl_iterate_phdr(find_own_code, NULL);
	find_getattr();
	prepare_walks();
}

size_t call_stack_room(void)
{
	return MAX_FRAMES * sizeof(mprof_frame) + WALK_ROOM;
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
