/* SPDX-License-Identifier: MIT */
/* Starts a thread with all signals blocked. */
#include "shared/own_thread.h"

#include <pthread.h>
#include <signal.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* The size of a set of signals of the system, which has 64, in bytes. */
#define KERNEL_SET_SIZE 8

/* Not by pthread_sigmask(), which a module interposes to keep a signal for itself. */
static void set_mask(const sigset_t *set, sigset_t *before)
{
#if defined(__linux__)
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, set, before, KERNEL_SET_SIZE);
#else
	(void)pthread_sigmask(SIG_SETMASK, set, before);
#endif
}

int own_thread_start(const char *name, size_t stack_size, void *(*run)(void *argument), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all;
	sigset_t before;
	int error = pthread_attr_init(&attributes);

	if (error != 0)
		return error;
	if (stack_size != 0)
		(void)pthread_attr_setstacksize(&attributes, stack_size);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	set_mask(&all, &before);
	error = pthread_create(&thread, &attributes, run, argument);
	set_mask(&before, NULL);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		(void)pthread_setname_np(thread, name);
	return error;
}
