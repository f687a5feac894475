/* SPDX-License-Identifier: MIT */
/* Keeps the threads that are sampled in a list, and adds up their time and their samples. */
#include "shared/sampled_threads.h"

#include "shared/sample_source.h"
#include "shared/thread_files.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* A thread that ran for less than this between two signals has only answered the signal. */
#define MIN_RUN_NS 20000

/* A thread is examined if it ran for this number of periods for each of its samples, and for one more. */
#define SUSPICIOUS_PERIODS 10

/* Constant once there are threads. */
static int is_real;
static int sampling_signal;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* Guards the following. */
static sampled_thread *threads;
static int is_paused;
static int has_timers;
static uint64_t ended_ns;   /* Time of threads that are not in the list any more, or before a pause. */
static uint64_t short_ns;   /* Of threads that ended before they could be interrupted. */
static uint64_t blocked_ns; /* Of threads that blocked the signal. */

/* Relaxed: sums that nothing else depends on. */
static _Atomic uint64_t hits;
static _Atomic uint64_t hit_ns;
static _Atomic uint64_t discarded;
static _Atomic uint64_t left_out_ns;

/* How often the thread holds the lock: a signal handler of the program may fork or exec meanwhile. */
static __thread volatile int lock_depth __attribute__((tls_model("initial-exec")));

static void add_to(_Atomic uint64_t *sum, uint64_t value)
{
	atomic_fetch_add_explicit(sum, value, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *sum)
{
	return atomic_load_explicit(sum, memory_order_relaxed);
}

static pid_t current_thread(void)
{
#if defined(__linux__)
	return (pid_t)syscall(SYS_gettid);
#else
	return getpid();
#endif
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t own_time(void)
{
	return read_clock(is_real ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
}

/* The clock of any thread of this process; 0 if it has ended, or if the system has no such clock. */
static uint64_t time_of(const sampled_thread *thread)
{
	if (is_real)
		return read_clock(CLOCK_MONOTONIC);
#if defined(__linux__)
	return read_clock((clockid_t)(~(unsigned)thread->thread << 3 | 6));
#else
	return thread->since_ns;
#endif
}

void sampled_threads_lock(void)
{
	if (lock_depth == 0)
		pthread_mutex_lock(&lock);
	lock_depth++;
}

void sampled_threads_unlock(void)
{
	if (lock_depth == 0)
		return;
	lock_depth--;
	if (lock_depth == 0)
		pthread_mutex_unlock(&lock);
}

void sampled_threads_set(int is_real_time, int begins_paused)
{
	sampled_threads_lock();
	is_real = is_real_time;
	is_paused = begins_paused;
	for (sampled_thread *thread = threads; thread != NULL; thread = thread->next)
		thread->since_ns = time_of(thread);
	sampled_threads_unlock();
}

void sampled_threads_set_signal(int signal_number)
{
	sampling_signal = signal_number;
}

static void start_timer(sampled_thread *thread)
{
	if (has_timers && !is_paused)
		(void)sample_timer_start(&thread->timer, thread->thread, sampling_signal);
}

void sampled_threads_add(sampled_thread *self)
{
	sampled_threads_lock();
	if (self->link == NULL) {
		self->thread = current_thread();
		self->since_ns = own_time();
		self->seen_ns = self->since_ns;
		self->due_ns = 0;
		atomic_store_explicit(&self->hits, 0, memory_order_relaxed);
		self->next = threads;
		self->link = &threads;
		if (threads != NULL)
			threads->link = &self->next;
		threads = self;
		start_timer(self);
	}
	sampled_threads_unlock();
}

/* The time of a thread since it was added, or since the last pause. */
static uint64_t time_since(const sampled_thread *thread, uint64_t now)
{
	return !is_paused && now > thread->since_ns ? now - thread->since_ns : 0;
}

/* The time in which a thread that blocks the signal has no samples: it may have had some before. */
static uint64_t blocked_time(const sampled_thread *thread, uint64_t time)
{
	const uint64_t count = load(&thread->hits);
	const uint64_t period = sample_source_period();

	if (time <= SUSPICIOUS_PERIODS * (count + 1) * period || is_real ||
	    !thread_files_blocks(thread->thread, sampling_signal))
		return 0;
	return time - count * period;
}

static void account_for_end(const sampled_thread *self)
{
	const uint64_t time = time_since(self, own_time());
	const uint64_t blocked = blocked_time(self, time);

	ended_ns += time;
	blocked_ns += blocked;
	if (blocked == 0 && load(&self->hits) == 0 && time < sample_source_blind_time())
		short_ns += time;
}

static void remove_thread(sampled_thread *self, int is_accounted)
{
	sampled_threads_lock();
	if (self->link != NULL) {
		sample_timer_stop(&self->timer);
		if (is_accounted)
			account_for_end(self);
		*self->link = self->next;
		if (self->next != NULL)
			self->next->link = self->link;
		self->link = NULL;
	}
	sampled_threads_unlock();
}

void sampled_threads_remove(sampled_thread *self)
{
	remove_thread(self, 1);
}

void sampled_threads_leave_out(sampled_thread *self)
{
	remove_thread(self, 0);
}

static void start_or_stop_timers(void)
{
	for (sampled_thread *thread = threads; thread != NULL; thread = thread->next) {
		if (has_timers && !is_paused)
			start_timer(thread);
		else
			sample_timer_stop(&thread->timer);
	}
}

void sampled_threads_set_timers(int are_used)
{
	sampled_threads_lock();
	has_timers = are_used;
	start_or_stop_timers();
	sampled_threads_unlock();
}

int sampled_threads_have_timers(void)
{
	int found = 0;

	sampled_threads_lock();
	for (const sampled_thread *thread = threads; thread != NULL && !found; thread = thread->next)
		found = thread->timer.is_started;
	sampled_threads_unlock();
	return found;
}

void sampled_threads_pause(int pauses)
{
	sampled_threads_lock();
	for (sampled_thread *thread = threads; thread != NULL && pauses != is_paused; thread = thread->next) {
		const uint64_t now = time_of(thread);

		ended_ns += time_since(thread, now);
		thread->since_ns = now;
	}
	is_paused = pauses;
	start_or_stop_timers();
	sampled_threads_unlock();
}

void sampled_threads_stop_timer(sampled_thread *self)
{
	sampled_threads_lock();
	sample_timer_stop(&self->timer);
	sampled_threads_unlock();
}

void sampled_threads_continue_timer(sampled_thread *self)
{
	sampled_threads_lock();
	start_timer(self);
	sampled_threads_unlock();
}

void sampled_threads_hit(sampled_thread *self)
{
	atomic_store_explicit(&self->hits, load(&self->hits) + 1, memory_order_relaxed);
	add_to(&hits, 1);
	add_to(&hit_ns, sample_source_period());
}

void sampled_threads_discard(sampled_thread *self)
{
	const uint64_t period = sample_source_period();

	(void)self;
	atomic_fetch_sub_explicit(&hits, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&hit_ns, period, memory_order_relaxed);
	add_to(&left_out_ns, period);
	add_to(&discarded, 1);
}

void sampled_threads_ignore(void)
{
	add_to(&discarded, 1);
}

int sampled_threads_is_due(sampled_thread *self)
{
	const uint64_t period = sample_source_period();
	const uint64_t now = own_time();
	const uint64_t ran = now > self->seen_ns ? now - self->seen_ns : 0;

	if (ran < MIN_RUN_NS)
		return 0;
	self->seen_ns = now;
	self->due_ns += ran;
	if (self->due_ns < period)
		return 0;
	self->due_ns = self->due_ns < 2 * period ? self->due_ns - period : period - 1;
	return 1;
}

sample_totals sampled_threads_totals(void)
{
	sample_totals totals;
	uint64_t left_out;

	memset(&totals, 0, sizeof(totals));
	sampled_threads_lock();
	totals.time_ns = ended_ns;
	totals.short_ns = short_ns;
	totals.blocked_ns = blocked_ns;
	for (const sampled_thread *thread = threads; thread != NULL; thread = thread->next) {
		const uint64_t time = time_since(thread, time_of(thread));

		totals.time_ns += time;
		totals.blocked_ns += blocked_time(thread, time);
	}
	sampled_threads_unlock();
	left_out = load(&left_out_ns);
	totals.time_ns -= left_out < totals.time_ns ? left_out : totals.time_ns;
	totals.hits = load(&hits);
	totals.hit_ns = load(&hit_ns);
	totals.discarded = load(&discarded);
	return totals;
}

void sampled_threads_forget(sampled_thread *self)
{
	/* The parent's threads, one of which may hold the lock, do not exist here, nor do its timers. */
	(void)pthread_mutex_init(&lock, NULL);
	lock_depth = 0;
	threads = NULL;
	has_timers = 0;
	is_paused = 0;
	ended_ns = 0;
	short_ns = 0;
	blocked_ns = 0;
	atomic_store_explicit(&hits, 0, memory_order_relaxed);
	atomic_store_explicit(&hit_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&discarded, 0, memory_order_relaxed);
	atomic_store_explicit(&left_out_ns, 0, memory_order_relaxed);
	if (self != NULL)
		memset(self, 0, sizeof(*self));
}
