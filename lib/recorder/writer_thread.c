/* SPDX-License-Identifier: MIT */
/* The writer thread, and keys that are no longer used. */
#include "recorder/writer_thread.h"

#include "recorder/drain.h"
#include "recorder/drain_threads.h"
#include "recorder/salvage_commit.h"
#include "recorder/switches.h"
#include "recorder/thread.h"
#include "writer/writer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static void retire_keys(recorder_drain *drain, const retire_request *request)
{
	mprof_thread *thread = recorder_threads(drain->shared);

	keys_retire(&drain->keys, request->ranges, request->count, counter_read(&drain->shared->counter));
	/* The leave of another method with the same key must not end a frame whose own leave was never recorded. */
	for (; thread != NULL; thread = thread->next)
		shadow_stack_forget(&thread->drain.stacks.own, request->ranges, request->count);
	switches_forget(&drain->switched, request->ranges, request->count);
}

/*
 * Retires the keys of all requests that a round has served. Call it at the end of the round, before it is declared
 * complete.
 */
static void key_retirement_serve(recorder_drain *drain, uint64_t served)
{
	recorder_shared *shared = drain->shared;
	retire_request **link = &shared->retiring;
	retire_request *done = NULL;

	pthread_mutex_lock(&shared->state_lock);
	while (*link != NULL) {
		retire_request *request = *link;

		if (request->round <= served) {
			*link = request->next;
			request->next = done;
			done = request;
		} else {
			link = &request->next;
		}
	}
	pthread_mutex_unlock(&shared->state_lock);
	/* The threads that made the requests wait until the round is declared complete, so the requests still exist. */
	for (; done != NULL; done = done->next)
		retire_keys(drain, done);
}

/* Nested, because with another C library __GLIBC_PREREQ() is a syntax error even after &&. */
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 30)
#define HAS_SEM_CLOCKWAIT
#endif
#endif

#if defined(HAS_SEM_CLOCKWAIT)
/* Monotonic where possible: a step of the wall clock must not extend an interval. */
#define WAIT_CLOCK CLOCK_MONOTONIC
#define wait_until(semaphore, deadline) sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline)
#else
#define WAIT_CLOCK CLOCK_REALTIME
#define wait_until(semaphore, deadline) sem_timedwait(semaphore, deadline)
#endif

/* Also for the client's callbacks: see mprof/recorder.h. */
#define OWN_STACK_SIZE ((size_t)1 << 20)

static void add_milliseconds(struct timespec *time, uint32_t milliseconds)
{
	time->tv_sec += milliseconds / 1000;
	time->tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (time->tv_nsec >= 1000000000) {
		time->tv_sec++;
		time->tv_nsec -= 1000000000;
	}
}

static void collect_stats(const recorder_drain *drain, mprof_recorder_stats *stats, mprof_writer_stats *log_stats)
{
	const recorder_output *output = drain->output;

	log_stats->struct_size = sizeof(*log_stats);
	mprof_writer_get_stats(output->writer, log_stats);
	stats->events = log_stats->events;
	stats->bytes = log_stats->sink_bytes;
	stats->log_bytes = log_stats->bytes;
	stats->left_out = log_stats->left_out;
	stats->unresolved_keys = drain->keys.unresolved;
	stats->methods = drain->keys.tables[SUBJECT_METHOD].next_id - 1;
	stats->classes = drain->keys.tables[SUBJECT_CLASS].next_id - 1;
	stats->lost_events = 0;
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++) {
		stats->lost[cause] = output->lost[cause];
		stats->lost_events += output->lost[cause];
	}
	stats->samples = drain->samples_written;
	stats->stacks = drain->stacks.count;
	stats->heap_shots = drain->heap.blocks.snapshots;
	stats->incomplete_shots = drain->heap.blocks.incomplete_shots;
	stats->status = output->status;
	stats->system_error = output->error.system_error;
}

/* Publishes the statistics of the round and wakes the threads that requested it. */
static void end_round(recorder_drain *drain, uint64_t served)
{
	recorder_shared *shared = drain->shared;

	pthread_mutex_lock(&shared->state_lock);
	collect_stats(drain, &shared->stats, &shared->log_stats);
	if (served > shared->drain_completed) {
		shared->drain_completed = served;
		pthread_cond_broadcast(&shared->drained);
	}
	pthread_mutex_unlock(&shared->state_lock);
}

/*
 * From here on, threads see that recording failed. Before end_round(), so that a thread that has waited for the round
 * sees it too. Returns 1 the first time.
 */
static int note_failure(recorder_drain *drain)
{
	if (drain->output->status == MPROF_OK || drain->has_failed)
		return 0;
	drain->has_failed = 1;
	atomic_store_explicit(&drain->shared->failed, (uint32_t)drain->output->status, memory_order_relaxed);
	return 1;
}

/* Waits for work. Returns 1 when buffers that are not full are due as well. */
static int wait_for_work(recorder_drain *drain, struct timespec *deadline)
{
	while (wait_until(&drain->shared->work, deadline) != 0) {
		if (errno == EINTR)
			continue;
		clock_gettime(WAIT_CLOCK, deadline);
		add_milliseconds(deadline, drain->interval_ms);
		return 1;
	}
	/* One round serves all posts so far. */
	while (sem_trywait(&drain->shared->work) == 0)
		;
	return 0;
}

/* Drains until the recorder is closed. */
static void drain_until_closed(recorder_drain *drain)
{
	recorder_shared *shared = drain->shared;
	recorder_output *output = drain->output;
	struct timespec deadline;
	uint64_t served = 0;
	int has_just_failed;
	int closing;

	clock_gettime(WAIT_CLOCK, &deadline);
	add_milliseconds(&deadline, drain->interval_ms);
	do {
		int partial = wait_for_work(drain, &deadline);
		uint64_t requested;

		/* Acquire, before the buffers are read: pairs with the stores in writer_thread_finish() and
		 * control_request_round(), so all events recorded before them are drained. In this order: no request is
		 * made after closing has begun, so the last round serves all. */
		closing = atomic_load_explicit(&shared->closing, memory_order_acquire);
		requested = atomic_load_explicit(&shared->drain_requested, memory_order_acquire);
		drain_round(drain, partial || closing || requested > served || drain_needs_watermark(drain), closing);
		served = requested;
		key_retirement_serve(drain, served);
		salvage_commit(drain);
		if (closing)
			output_close(output);
		output_count_lost(output, MPROF_LOSS_LIMIT, writer_take_refused_events(output->writer));
		has_just_failed = note_failure(drain);
		end_round(drain, served);
		/* No lock is held here, and no thread waits for this round any more. */
		if (has_just_failed && drain->failed != NULL)
			drain->failed(drain->failed_user, &output->error);
	} while (!closing);
}

/* The body of the writer thread. Everything in it allocates only through the recorder's allocator. */
static void *writer_thread_main(void *argument)
{
	recorder_drain *drain = argument;

	recorder_begin_own_thread(drain->shared);
	if (drain->thread_started != NULL)
		drain->thread_started(drain->thread_user);
	drain_until_closed(drain);
	if (drain->thread_ended != NULL)
		drain->thread_ended(drain->thread_user);
	recorder_end_own_thread(drain->shared);
	return NULL;
}

int writer_thread_start(recorder_drain *drain, pthread_t *thread)
{
	pthread_attr_t attributes;
	sigset_t all;
	sigset_t before;
	int failed;

	/*
	 * The new thread inherits the mask: it must not handle signals of the profiled program, above all those for
	 * sampling.
	 */
	if (pthread_attr_init(&attributes) != 0)
		return 0;
	/* The default would take 8 MiB of the address space of the program. */
	(void)pthread_attr_setstacksize(&attributes, OWN_STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	drain_threads_start(&drain->threads, drain, &attributes);
	failed = pthread_create(thread, &attributes, writer_thread_main, drain);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
#if defined(__GLIBC__)
	if (!failed)
		pthread_setname_np(*thread, "mprof-writer");
#endif
	if (failed)
		drain_threads_finish(&drain->threads);
	return !failed;
}

void writer_thread_finish(recorder_shared *shared, pthread_t thread)
{
	/*
	 * Sequentially consistent, because threads that wait load it after they are counted. Its release
	 * part pairs with the acquire in drain_until_closed(), whose last round drains all earlier events.
	 */
	atomic_store(&shared->closing, 1);
	sem_post(&shared->work);
	pthread_mutex_lock(&shared->wait_lock);
	pthread_cond_broadcast(&shared->buffers_free);
	pthread_cond_broadcast(&shared->room_free);
	pthread_mutex_unlock(&shared->wait_lock);
	pthread_join(thread, NULL);
}
