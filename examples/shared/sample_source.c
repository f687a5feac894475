/* SPDX-License-Identifier: MIT */
/* Chooses what interrupts threads, and thins its hits at random. */
#include "shared/sample_source.h"

#include "shared/random.h"
#include "shared/sample_timer.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)

/*
 * How often an event comes for each sample. At low rates, more costs hardly anything, and finds shorter threads.
 */
#define LOW_HZ 250
#define LOW_FACTOR 4
#define FACTOR 2

/* Another rate is taken from the same event if that comes at most this number of times for each sample. */
#define MAX_FACTOR 8

/* The probability of 1. */
#define ALWAYS (UINT64_C(1) << 32)

static const char *const names[] = {
	[SAMPLE_SOURCE_NONE] = "none",
	[SAMPLE_SOURCE_RUNTIME] = "runtime",
	[SAMPLE_SOURCE_TIMER] = "timer",
	[SAMPLE_SOURCE_PERF] = "perf",
};

/* Relaxed: a handler may use the previous values once more, and nothing else depends on them. */
static _Atomic int used_source;
static _Atomic int used_scope;
static _Atomic uint64_t period;      /* What a sample stands for. */
static _Atomic uint64_t probability; /* With which a hit becomes a sample, times ALWAYS. */
static _Atomic uint64_t event_period;

/* The state of the thread's random numbers; 0 before the first. */
static __thread uint64_t chance __attribute__((tls_model("initial-exec")));

const char *sample_source_name(sample_source source)
{
	return names[source];
}

sample_source sample_source_find(const char *name)
{
	for (int source = SAMPLE_SOURCE_RUNTIME; source <= SAMPLE_SOURCE_PERF; source++)
		if (strcmp(name, names[source]) == 0)
			return (sample_source)source;
	return SAMPLE_SOURCE_NONE;
}

static uint64_t load(const _Atomic uint64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

static void store(_Atomic uint64_t *number, uint64_t value)
{
	atomic_store_explicit(number, value, memory_order_relaxed);
}

/* Hits come each \p hit_period; samples are requested \p hz times per second, which hits limit. */
static void thin(uint64_t hit_period, uint32_t hz)
{
	const uint64_t wanted = NS_PER_SECOND / hz;

	store(&event_period, hit_period);
	store(&period, wanted > hit_period ? wanted : hit_period);
	store(&probability, wanted > hit_period ? (hit_period << 32) / wanted : ALWAYS);
}

static int open_events(uint32_t hz, int is_enabled)
{
	const uint64_t hit_period = NS_PER_SECOND / hz / (hz <= LOW_HZ ? LOW_FACTOR : FACTOR);
	const sample_scope scope = sample_events_open(hit_period, is_enabled);

	atomic_store_explicit(&used_scope, (int)scope, memory_order_relaxed);
	if (scope == SAMPLE_SCOPE_NONE)
		return 0;
	thin(hit_period, hz);
	return 1;
}

static void thin_ticks(uint32_t hz)
{
	const uint32_t tick_hz = sample_timer_tick_hz();

	thin(tick_hz != 0 ? NS_PER_SECOND / tick_hz : NS_PER_SECOND / 100, hz);
}

sample_source sample_source_open(sample_source most, uint32_t hz, int is_enabled)
{
	sample_source source = most;

	if (source == SAMPLE_SOURCE_PERF && !open_events(hz, is_enabled))
		source = SAMPLE_SOURCE_TIMER;
	if (source == SAMPLE_SOURCE_TIMER)
		thin_ticks(hz);
	else if (source == SAMPLE_SOURCE_RUNTIME)
		thin(NS_PER_SECOND / hz, hz);
	atomic_store_explicit(&used_source, (int)source, memory_order_relaxed);
	return source;
}

/* The period of events that threads inherited cannot be changed: only the choice of hits, or the events. */
static void change_events(uint32_t hz)
{
	const uint64_t hit_period = load(&event_period);
	const uint64_t wanted = hz != 0 ? NS_PER_SECOND / hz : 0;

	if (hz == 0) {
		sample_events_disable();
	} else if (wanted < hit_period || wanted > MAX_FACTOR * hit_period) {
		(void)open_events(hz, 1);
	} else {
		thin(hit_period, hz);
		sample_events_enable();
	}
}

void sample_source_change(uint32_t hz)
{
	switch (sample_source_used()) {
	case SAMPLE_SOURCE_PERF:
		change_events(hz);
		break;
	case SAMPLE_SOURCE_TIMER:
		if (hz != 0)
			thin_ticks(hz);
		break;
	default:
		if (hz != 0)
			thin(NS_PER_SECOND / hz, hz);
		break;
	}
}

/* A different series in each thread, and in each run. */
static uint64_t seed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)(uintptr_t)&chance << 20 ^ (uint64_t)now.tv_nsec) | 1;
}

int sample_source_takes(void)
{
	const uint64_t limit = load(&probability);

	if (limit >= ALWAYS)
		return 1;
	if (chance == 0)
		chance = seed();
	return random_next(&chance) >> 32 < limit;
}

sample_source sample_source_used(void)
{
	return (sample_source)atomic_load_explicit(&used_source, memory_order_relaxed);
}

sample_scope sample_source_scope(void)
{
	return (sample_scope)atomic_load_explicit(&used_scope, memory_order_relaxed);
}

uint64_t sample_source_period(void)
{
	return load(&period);
}

uint64_t sample_source_blind_time(void)
{
	return sample_source_used() == SAMPLE_SOURCE_PERF ? load(&event_period) : 0;
}

void sample_source_forget(void)
{
	sample_events_forget();
	atomic_store_explicit(&used_source, SAMPLE_SOURCE_NONE, memory_order_relaxed);
	atomic_store_explicit(&used_scope, SAMPLE_SCOPE_NONE, memory_order_relaxed);
	store(&period, 0);
}
