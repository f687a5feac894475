/* SPDX-License-Identifier: MIT */
/* States the properties of samples at the start, from time to time and at the end. */
#include "sample_statement.h"

#include "shared/own_thread.h"
#include "shared/sample_properties.h"
#include "shared/sample_timer.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static struct {
	MonoProfiler *profiler;
	pthread_mutex_t lock; /* Held while totals are stated; guards is_over. */
	pthread_cond_t wake;
	int is_over;
} statement = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int states_samples(const MonoProfiler *profiler)
{
	return (profiler_kinds(profiler) & RECORD_SAMPLES) != 0 && !options_are_classic(&profiler->options);
}

static void state_totals(MonoProfiler *profiler)
{
	sample_source source = sample_timer_source();

	sample_properties_set_totals(profiler->recorder, source != SAMPLE_SOURCE_NONE ? source : SAMPLE_SOURCE_RUNTIME);
}

void sample_statement_request(MonoProfiler *profiler, uint32_t hz, uint32_t tick_hz)
{
	if (states_samples(profiler))
		sample_properties_set_request(profiler->recorder, hz, profiler->options.sample_real != 0, tick_hz);
}

/* States the totals after 1, 2, 4, ... seconds. */
static void *state_periodically(void *argument)
{
	struct timespec next;

	(void)argument;
	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&statement.lock);
	for (time_t wait = 1; !statement.is_over; wait *= 2) {
		next.tv_sec += wait;
		while (!statement.is_over &&
		       pthread_cond_timedwait(&statement.wake, &statement.lock, &next) != ETIMEDOUT)
			continue;
		if (!statement.is_over)
			state_totals(statement.profiler);
	}
	pthread_mutex_unlock(&statement.lock);
	return NULL;
}

void sample_statement_start(MonoProfiler *profiler)
{
	pthread_condattr_t attributes;

	if (!states_samples(profiler))
		return;
	statement.profiler = profiler;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&statement.wake, &attributes);
	pthread_condattr_destroy(&attributes);
	(void)own_thread_start("mprof samples", 0, state_periodically, NULL);
}

void sample_statement_end(MonoProfiler *profiler)
{
	if (!states_samples(profiler))
		return;
	pthread_mutex_lock(&statement.lock);
	statement.is_over = 1;
	/* The condition variable was initialized if the profiler is set. */
	if (statement.profiler != NULL)
		pthread_cond_signal(&statement.wake);
	pthread_mutex_unlock(&statement.lock);
	state_totals(profiler);
}
