/* SPDX-License-Identifier: MIT */
/* States the totals of samples from time to time, on a thread of its own. */
#include "shared/sample_totals.h"

#include "shared/own_thread.h"
#include "shared/sample_properties.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

/* The default would take 8 MiB of the address space of the program. */
#define STACK_SIZE ((size_t)256 << 10)

static struct {
	pthread_mutex_t lock; /* Held while totals are stated; guards the rest. */
	pthread_cond_t wake;
	mprof_recorder *recorder; /* NULL before the start, and after the end. */
	unsigned run;             /* Number of starts: a thread ends if it is not the last one. */
	void (*begin_thread)(void);
} totals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int is_over(unsigned run)
{
	return totals.recorder == NULL || totals.run != run;
}

/* States the totals after 1, 2, 4, ... seconds. */
static void *state_periodically(void *unused)
{
	struct timespec next;
	unsigned run;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&totals.lock);
	run = totals.run;
	if (totals.begin_thread != NULL)
		totals.begin_thread();
	for (time_t wait = 1; !is_over(run); wait *= 2) {
		next.tv_sec += wait;
		while (!is_over(run) && pthread_cond_timedwait(&totals.wake, &totals.lock, &next) != ETIMEDOUT)
			continue;
		if (!is_over(run))
			sample_properties_set_totals(totals.recorder);
	}
	pthread_mutex_unlock(&totals.lock);
	return NULL;
}

static void init_wake(void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&totals.wake, &attributes);
	pthread_condattr_destroy(&attributes);
}

void sample_totals_start(mprof_recorder *recorder, void (*begin_thread)(void))
{
	pthread_mutex_lock(&totals.lock);
	if (totals.run == 0)
		init_wake();
	totals.recorder = recorder;
	totals.begin_thread = begin_thread;
	totals.run++;
	pthread_mutex_unlock(&totals.lock);
	(void)own_thread_start("mprof samples", STACK_SIZE, state_periodically, NULL);
}

void sample_totals_end(void)
{
	pthread_mutex_lock(&totals.lock);
	/* The condition variable was initialized if there was a start. */
	if (totals.recorder != NULL)
		pthread_cond_signal(&totals.wake);
	totals.recorder = NULL;
	pthread_mutex_unlock(&totals.lock);
}

void sample_totals_forget(void)
{
	/* The parent's thread may have held the lock. */
	(void)pthread_mutex_init(&totals.lock, NULL);
	totals.recorder = NULL;
	totals.run = 0;
}
