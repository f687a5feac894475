/* SPDX-License-Identifier: MIT */
/*
 * Leaves a function by a jump from the handler of a timer. The timer's signal goes to the calling thread alone, and is
 * one that the program does not use.
 */
#include "bounded_call.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's name of the field for the thread; the C library has none. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* The process ends in one thread; others that try to end it meanwhile are not bounded. */
static __thread __attribute__((tls_model("initial-exec"))) sigjmp_buf *volatile way_out;

static void leave(int number)
{
	(void)number;
	if (way_out != NULL)
		siglongjmp(*way_out, 1);
}

/* The sampler uses a lower number. */
static int find_signal(struct sigaction *before)
{
	for (int number = SIGRTMAX; number >= SIGRTMAX - 1; number--)
		if (sigaction(number, NULL, before) == 0 && (before->sa_flags & SA_SIGINFO) == 0 &&
		    before->sa_handler == SIG_DFL)
			return number;
	return 0;
}

/* Not timer_create(): that of older C libraries allocates memory. Returns 0 if the system refuses. */
static int start_timer(int number, unsigned milliseconds, int *timer)
{
	struct sigevent event;
	const struct itimerspec at = {{0, 0}, {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000}};

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = number;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, timer) != 0)
		return 0;
	if (syscall(SYS_timer_settime, *timer, 0, &at, NULL) == 0)
		return 1;
	(void)syscall(SYS_timer_delete, *timer);
	return 0;
}

/* Without a timer, the process ends as if it were not recorded: the log is completed from the salvage file. */
static int call_with_timer(void (*function)(void), int number, unsigned milliseconds)
{
	volatile int is_done = 0;
	sigjmp_buf here;
	int timer;

	if (sigsetjmp(here, 1) == 0) {
		way_out = &here;
		if (start_timer(number, milliseconds, &timer)) {
			function();
			is_done = 1;
			(void)syscall(SYS_timer_delete, timer);
		}
	}
	way_out = NULL;
	return is_done;
}

int bounded_call(void (*function)(void), unsigned milliseconds)
{
	struct sigaction action;
	struct sigaction before;
	sigset_t only;
	sigset_t mask;
	const int number = find_signal(&before);
	int is_done;

	memset(&action, 0, sizeof(action));
	action.sa_handler = leave;
	sigfillset(&action.sa_mask);
	if (number == 0 || sigaction(number, &action, NULL) != 0)
		return 0;
	sigemptyset(&only);
	sigaddset(&only, number);
	pthread_sigmask(SIG_UNBLOCK, &only, &mask);
	is_done = call_with_timer(function, number, milliseconds);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	(void)sigaction(number, &before, NULL);
	return is_done;
}
