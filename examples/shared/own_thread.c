/* SPDX-License-Identifier: MIT */
/* Starts a thread with all signals blocked. */
#include "shared/own_thread.h"

#include <pthread.h>
#include <signal.h>

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
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attributes, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		(void)pthread_setname_np(thread, name);
	return error;
}
