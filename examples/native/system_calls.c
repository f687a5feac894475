/* SPDX-License-Identifier: MIT */
/*
 * Interposes functions that make any system call. Signal handlers may call them, so nothing is allocated and no lock is
 * taken here.
 */
#include "system_calls.h"

#include "shared/own_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

#define MAX_ARGUMENTS 6

/* How long the program waits at most for the end of the recorder's threads, which takes less than a millisecond. */
#define END_WAIT_MS 200

typedef int clone_function(int (*function)(void *), void *stack, int flags, void *argument, ...);
typedef long syscall_function(long number, ...);

/* What the child runs. In the stack of the parent, of which it has a copy. */
typedef struct child_start {
	int (*function)(void *argument);
	void *argument;
} child_start;

static const system_calls_client *client;
static _Atomic int is_restricted;

/* Looked up when the module is loaded, and constant from then on. */
static clone_function *real_clone;
static syscall_function *real_syscall;

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof(address));
}

/* Constructors of other libraries that run earlier may make system calls, too. */
__attribute__((constructor)) static void look_up_all(void)
{
	if (real_syscall != NULL)
		return;
	look_up(&real_clone, "clone");
	look_up(&real_syscall, "syscall");
}

void system_calls_set(const system_calls_client *client_)
{
	client = client_;
}

int system_calls_are_restricted(void)
{
	return atomic_load(&is_restricted);
}

/* The first time, all is ended; what is not begun yet must not begin. */
static void end_recording(void)
{
	const int saved = errno;

	if (!atomic_exchange(&is_restricted, 1) && client != NULL) {
		client->end_recording();
		/*
		 * If the program is ended thread by thread, its status is that of the last thread: it must not be one
		 * of the recorder.
		 */
		own_thread_await_end(END_WAIT_MS);
	}
	errno = saved;
}

void system_calls_see_prctl(int operation)
{
	if (operation == PR_SET_SECCOMP)
		end_recording();
}

/* Libraries ask whether the system has an operation by leaving its arguments out. */
static int restricts(long number, const long arguments[MAX_ARGUMENTS])
{
	return number == SYS_seccomp && (arguments[0] == SECCOMP_SET_MODE_STRICT ||
					 (arguments[0] == SECCOMP_SET_MODE_FILTER && arguments[2] != 0));
}

/* Whether a call makes a process that has a copy of the memory, and returns in it as well. */
static int makes_process(long number, const long arguments[MAX_ARGUMENTS])
{
	uint64_t flags = (uint64_t)arguments[0];

#if defined(SYS_fork)
	if (number == SYS_fork)
		return 1;
#endif
#if defined(SYS_clone3)
	/* The flags are the first of its arguments in memory. */
	if (number == SYS_clone3 && arguments[0] != 0 && (size_t)arguments[1] >= sizeof(flags))
		memcpy(&flags, (const void *)arguments[0], sizeof(flags)); // NOLINT(performance-no-int-to-ptr)
	else
#endif
		if (number != SYS_clone)
		return 0;
	return (flags & CLONE_VM) == 0;
}

static void see_result(long result)
{
	const int saved = errno;

	if (client == NULL || result < 0)
		return;
	if (result == 0)
		client->leave_child();
	else
		client->count_child();
	errno = saved;
}

OVERRIDES long syscall(long number, ...)
{
	long arguments[MAX_ARGUMENTS];
	long result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < MAX_ARGUMENTS; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	look_up_all();
	if (real_syscall == NULL) {
		errno = ENOSYS;
		return -1;
	}
	if (restricts(number, arguments))
		end_recording();
	result = real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
			      arguments[5]);
	if (makes_process(number, arguments))
		see_result(result);
	return result;
}

static int run_child(void *argument)
{
	const child_start start = *(const child_start *)argument;

	see_result(0);
	return start.function(start.argument);
}

OVERRIDES int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	child_start start = {function, argument};
	const int is_process = (flags & CLONE_VM) == 0;
	void *others[3];
	int result;
	va_list list;

	va_start(list, argument);
	for (int i = 0; i < 3; i++)
		others[i] = va_arg(list, void *);
	va_end(list);
	look_up_all();
	if (real_clone == NULL || function == NULL) {
		errno = real_clone == NULL ? ENOSYS : EINVAL;
		return -1;
	}
	result = is_process ? real_clone(run_child, stack, flags, &start, others[0], others[1], others[2])
			    : real_clone(function, stack, flags, argument, others[0], others[1], others[2]);
	if (is_process)
		see_result(result);
	return result;
}
