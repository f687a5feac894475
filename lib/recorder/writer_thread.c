/* SPDX-License-Identifier: MIT */
#include "recorder/writer_thread.h"

#include "writer/parts.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* __GLIBC_PREREQ cannot be named, not even after &&, where the C library is another one. */
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 30)
#define HAS_SEM_CLOCKWAIT
#endif
#endif

#if defined(HAS_SEM_CLOCKWAIT)
/* A step of the wall clock must not make an interval long. */
#define WAIT_CLOCK CLOCK_MONOTONIC
#define wait_until(semaphore, deadline) sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline)
#else
#define WAIT_CLOCK CLOCK_REALTIME
#define wait_until(semaphore, deadline) sem_timedwait(semaphore, deadline)
#endif

static void add_milliseconds(struct timespec *moment, uint32_t milliseconds)
{
	moment->tv_sec += milliseconds / 1000;
	moment->tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (moment->tv_nsec >= 1000000000) {
		moment->tv_sec++;
		moment->tv_nsec -= 1000000000;
	}
}

/* Publishes the figures of the round and wakes those who asked for it. */
static void end_round(mprof_recorder *recorder, uint64_t served)
{
	mprof_writer_stats *written = &recorder->written;
	mprof_recorder_stats *stats = &recorder->stats;

	pthread_mutex_lock(&recorder->state_lock);
	written->struct_size = sizeof(*written);
	mprof_writer_get_stats(recorder->writer, written);
	stats->events = written->events;
	stats->bytes = written->sink_bytes;
	stats->log_bytes = written->bytes;
	stats->left_out = written->left_out;
	stats->unresolved_keys = recorder->unresolved_keys;
	stats->methods = recorder->keys[0].next_id - 1;
	stats->classes = recorder->keys[1].next_id - 1;
	stats->lost_events = 0;
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++) {
		stats->lost[cause] = recorder->lost_total[cause];
		stats->lost_events += recorder->lost_total[cause];
	}
	stats->samples = recorder->samples.written;
	stats->stacks = recorder->stacks.count;
	stats->heap_shots = recorder->heap.shots;
	stats->incomplete_shots = recorder->heap.incomplete_shots;
	stats->status = recorder->status;
	stats->system_error = recorder->error.system_error;
	if (served > recorder->drain_completed) {
		recorder->drain_completed = served;
		pthread_cond_broadcast(&recorder->drained);
	}
	pthread_mutex_unlock(&recorder->state_lock);
}

/* Waits for work. Returns 1 when buffers that are not full are due as well. */
static int wait_for_work(mprof_recorder *recorder, struct timespec *deadline)
{
	while (wait_until(&recorder->work, deadline) != 0) {
		if (errno == EINTR)
			continue;
		clock_gettime(WAIT_CLOCK, deadline);
		add_milliseconds(deadline, recorder->drain_interval_ms);
		return 1;
	}
	/* One round serves all posts so far. */
	while (sem_trywait(&recorder->work) == 0)
		;
	return 0;
}

/* Drains until the recorder is closed. */
static void run(mprof_recorder *recorder)
{
	struct timespec deadline;
	uint64_t served = 0;
	int closing;

	clock_gettime(WAIT_CLOCK, &deadline);
	add_milliseconds(&deadline, recorder->drain_interval_ms);
	do {
		int partial = wait_for_work(recorder, &deadline);
		uint64_t requested;

		/* Both before the buffers are looked at: what was recorded before the closing or the request is
		 * written. And in this order: no request comes after closing began, so the last round serves all. */
		closing = atomic_load_explicit(&recorder->closing, memory_order_acquire);
		requested = atomic_load_explicit(&recorder->drain_requested, memory_order_acquire);
		recorder_drain_round(recorder,
				     partial || closing || requested > served || recorder_needs_watermark(recorder),
				     closing);
		served = requested;
		unloading_retire_keys(recorder, served);
		if (closing && recorder->status == MPROF_OK)
			recorder->status = mprof_writer_close(recorder->writer);
		recorder_count_lost(recorder, MPROF_LOSS_LIMIT, writer_take_refused_events(recorder->writer));
		if (closing)
			mprof_writer_get_error(recorder->writer, &recorder->error);
		end_round(recorder, served);
	} while (!closing);
}

/* Allocates nothing but through the recorder's allocator, from here to the end. */
static void *writer_thread_main(void *argument)
{
	mprof_recorder *recorder = argument;

	atomic_store_explicit(&recorder->writer_self, pthread_self(), memory_order_relaxed);
	if (recorder->thread_started != NULL)
		recorder->thread_started(recorder->thread_user);
	run(recorder);
	if (recorder->thread_ended != NULL)
		recorder->thread_ended(recorder->thread_user);
	/* Another thread may come to have the same number. */
	atomic_store_explicit(&recorder->writer_self, (pthread_t)0, memory_order_relaxed);
	return NULL;
}

int writer_thread_start(mprof_recorder *recorder)
{
	sigset_t all;
	sigset_t before;
	int failed;

	/* The new thread inherits the mask. A profiled program's signals, sampling ones above all, are not for it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&recorder->writer_thread, NULL, writer_thread_main, recorder);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
#if defined(__GLIBC__)
	if (!failed)
		pthread_setname_np(recorder->writer_thread, "mprof-writer");
#endif
	return !failed;
}

void writer_thread_finish(mprof_recorder *recorder)
{
	/* Release, with the acquire in the writer thread: its last round sees all that was recorded before. */
	atomic_store(&recorder->closing, 1);
	sem_post(&recorder->work);
	pthread_mutex_lock(&recorder->wait_lock);
	pthread_cond_broadcast(&recorder->buffers_free);
	pthread_mutex_unlock(&recorder->wait_lock);
	pthread_join(recorder->writer_thread, NULL);
}
