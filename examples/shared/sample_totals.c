/* SPDX-License-Identifier: MIT */
/* What the log states of its samples. */
#include "shared/sample_totals.h"

#include "shared/own_thread.h"
#include "shared/sampled_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

void sample_properties_set_number(mprof_recorder *recorder, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	(void)mprof_recorder_set_property(recorder, key, text);
}

void sample_properties_set_request(mprof_recorder *recorder, uint64_t hz, int is_real_time, uint32_t tick_hz)
{
	sample_properties_set_number(recorder, "sample_hz", hz);
	(void)mprof_recorder_set_property(recorder, "sample_clock", is_real_time ? "real" : "processor");
	if (tick_hz != 0)
		sample_properties_set_number(recorder, "tick_hz", tick_hz);
}

void sample_properties_set_period(mprof_recorder *recorder, int is_real_time)
{
	const sample_scope scope = sample_source_scope();

	(void)mprof_recorder_set_property(recorder, "sample_source", sample_source_name(sample_source_used()));
	sample_properties_set_number(recorder, "sample_period_ns", sample_source_period());
	if (!is_real_time && sample_source_used() == SAMPLE_SOURCE_PERF && scope != SAMPLE_SCOPE_NONE)
		(void)mprof_recorder_set_property(recorder, "sample_scope",
						  scope == SAMPLE_SCOPE_USER ? "user" : "all");
}

void sample_properties_set_totals(mprof_recorder *recorder)
{
	const sample_totals totals = sampled_threads_totals();

	(void)mprof_recorder_set_property(recorder, "sample_source", sample_source_name(sample_source_used()));
	sample_properties_set_number(recorder, "sample_time_ns", totals.time_ns);
	sample_properties_set_number(recorder, "sample_hits", totals.hits);
	sample_properties_set_number(recorder, "sample_hit_ns", totals.hit_ns);
	sample_properties_set_number(recorder, "sample_discarded", totals.discarded);
	sample_properties_set_number(recorder, "sample_short_ns", totals.short_ns);
	sample_properties_set_number(recorder, "sample_blocked_ns", totals.blocked_ns);
}

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
