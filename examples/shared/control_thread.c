/* SPDX-License-Identifier: MIT */
/* Starts a thread with all signals blocked. */
#include "shared/control_thread.h"

#include <pthread.h>
#include <signal.h>

int control_thread_start(size_t stack_size, void *(*serve)(void *argument))
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all;
	sigset_t before;
	int error = pthread_attr_init(&attributes);

	if (error != 0)
		return error;
	(void)pthread_attr_setstacksize(&attributes, stack_size);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attributes, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		(void)pthread_setname_np(thread, "mprof control");
	return error;
}
