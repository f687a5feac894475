/* SPDX-License-Identifier: MIT */
/* Starts, runs and stops the helper thread. */
#include "helper.h"

#include "shared/own_thread.h"

#include <mono/metadata/threads.h>

#include <pthread.h>
#include <time.h>

static struct {
	MonoProfiler *profiler;
	helper_function function;
	uint32_t interval_ms;
	pthread_mutex_t lock; /* Held while the thread works; guards the fields below. */
	pthread_cond_t wake;
	int is_known; /* The thread is attached to the runtime. */
	int is_over;
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_milliseconds(struct timespec *time, uint32_t milliseconds)
{
	time->tv_sec += (time_t)(milliseconds / 1000);
	time->tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (time->tv_nsec >= 1000000000) {
		time->tv_sec++;
		time->tv_nsec -= 1000000000;
	}
}

static void *run_helper(void *argument)
{
	struct timespec next;

	(void)argument;
	mono_threads_attach_tools_thread();
	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&helper.lock);
	helper.is_known = 1;
	pthread_cond_signal(&helper.wake);
	while (!helper.is_over) {
		helper.function(helper.profiler);
		add_milliseconds(&next, helper.interval_ms);
		while (!helper.is_over && pthread_cond_timedwait(&helper.wake, &helper.lock, &next) == 0)
			continue;
	}
	pthread_mutex_unlock(&helper.lock);
	return NULL;
}

int helper_start(MonoProfiler *profiler, helper_function function, uint32_t interval_ms)
{
	pthread_condattr_t attributes;

	helper.profiler = profiler;
	helper.function = function;
	helper.interval_ms = interval_ms;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&helper.wake, &attributes);
	pthread_condattr_destroy(&attributes);
	if (own_thread_start("mprof helper", 0, run_helper, NULL) != 0)
		return 0;
	/*
	 * A collection that began while the thread attaches itself would wait for the thread to stop, and the thread
	 * for the end of the collection. None can begin while this thread waits.
	 */
	pthread_mutex_lock(&helper.lock);
	while (!helper.is_known)
		pthread_cond_wait(&helper.wake, &helper.lock);
	pthread_mutex_unlock(&helper.lock);
	return 1;
}

void helper_stop(void)
{
	pthread_mutex_lock(&helper.lock);
	helper.is_over = 1;
	pthread_cond_signal(&helper.wake);
	pthread_mutex_unlock(&helper.lock);
}
