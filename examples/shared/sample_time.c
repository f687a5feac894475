/* SPDX-License-Identifier: MIT */
/* Measures the time that samples represent. Each thread accounts for its own time, mostly in signal handlers. */
#include "shared/sample_time.h"

#include <stdatomic.h>

/*
 * A thread that ran for less than this between two hits has only answered the signal: delivering one takes the system
 * some microseconds of the thread's time.
 */
#define LEAST_RUN_NS 20000

/* Constant once threads are measured. */
static clockid_t sampling_clock;
/* Written by the control thread. Relaxed: a thread may use the previous values for one more sample. */
static _Atomic uint64_t sampling_period;
static _Atomic unsigned period_changes;

/* Relaxed: sums that nothing else depends on. */
static _Atomic uint64_t total_time;
static _Atomic uint64_t total_hits;
static _Atomic uint64_t total_discarded;

/* Time of the thread's clock up to which it is accounted for, in nanoseconds; 0 if the thread is not measured. */
static __thread uint64_t time_seen __attribute__((tls_model("initial-exec")));
/* Time that is accounted for but not covered by a sample yet, in nanoseconds. */
static __thread uint64_t time_due __attribute__((tls_model("initial-exec")));
/* Time that is accounted for since the last sample; that of the last sample itself. In nanoseconds. */
static __thread uint64_t time_open __attribute__((tls_model("initial-exec")));
static __thread uint64_t time_sampled __attribute__((tls_model("initial-exec")));
/* The last change of the period that the thread has seen. */
static __thread unsigned changes_seen __attribute__((tls_model("initial-exec")));

static uint64_t thread_time(void)
{
	struct timespec now;

	if (clock_gettime(sampling_clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Returns the time that the thread ran since it was last accounted for. */
static uint64_t account(void)
{
	uint64_t now = thread_time();
	unsigned changes = atomic_load_explicit(&period_changes, memory_order_relaxed);
	uint64_t seen = changes_seen == changes ? time_seen : 0;
	uint64_t ran = now > seen ? now - seen : 0;

	changes_seen = changes;

	if (seen == 0 || ran < LEAST_RUN_NS) {
		time_seen = seen == 0 ? now : seen;
		return 0;
	}
	time_seen = now;
	time_open += ran;
	atomic_fetch_add_explicit(&total_time, ran, memory_order_relaxed);
	return ran;
}

void sample_time_begin(void)
{
	if (sampling_period != 0 && time_seen == 0) {
		changes_seen = atomic_load_explicit(&period_changes, memory_order_relaxed);
		time_seen = thread_time();
	}
}

static void count_sample(void)
{
	time_sampled = time_open;
	time_open = 0;
	atomic_fetch_add_explicit(&total_hits, 1, memory_order_relaxed);
}

void sample_time_count(void)
{
	(void)account();
	count_sample();
}

void sample_time_discard(void)
{
	atomic_fetch_sub_explicit(&total_time, time_sampled, memory_order_relaxed);
	atomic_fetch_sub_explicit(&total_hits, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&total_discarded, 1, memory_order_relaxed);
	time_sampled = 0;
}

uint64_t sample_time_run(void)
{
	uint64_t ran = account();

	if (ran == 0)
		atomic_fetch_add_explicit(&total_discarded, 1, memory_order_relaxed);
	time_due += ran;
	return ran;
}

int sample_time_is_due(void)
{
	uint64_t period = atomic_load_explicit(&sampling_period, memory_order_relaxed);

	if (period == 0 || time_due < period)
		return 0;
	time_due = time_due < 2 * period ? time_due - period : period - 1;
	count_sample();
	return 1;
}

void sample_time_skip(void)
{
	time_seen = thread_time();
}

void sample_time_end(void)
{
	/* Without a period, the thread has not been measured since sampling stopped. */
	if (atomic_load_explicit(&sampling_period, memory_order_relaxed) != 0)
		(void)account();
	time_seen = 0;
	time_due = 0;
}

void sample_time_set(clockid_t clock, uint64_t period_ns)
{
	sampling_clock = clock;
	sampling_period = period_ns;
}

void sample_time_change(uint64_t period_ns)
{
	atomic_store_explicit(&sampling_period, period_ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&period_changes, 1, memory_order_relaxed);
}

sample_totals sample_time_totals(void)
{
	sample_totals totals;

	totals.time_ns = atomic_load_explicit(&total_time, memory_order_relaxed);
	totals.hits = atomic_load_explicit(&total_hits, memory_order_relaxed);
	totals.discarded = atomic_load_explicit(&total_discarded, memory_order_relaxed);
	return totals;
}

void sample_time_reset(void)
{
	atomic_store_explicit(&total_time, 0, memory_order_relaxed);
	atomic_store_explicit(&total_hits, 0, memory_order_relaxed);
	atomic_store_explicit(&total_discarded, 0, memory_order_relaxed);
}
