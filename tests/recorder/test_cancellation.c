/* SPDX-License-Identifier: MIT */
/* Threads that the program cancels: no function of a recorder is a cancellation point, and no lock stays held. */
#include <mprof.h>

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLASS 0x1000
#define EVENTS 2000

/*
 * The thread sanitizer takes locks of its own for accesses to atomic variables. A thread that is cancelled there holds
 * them for ever, and all others wait for them.
 */
#if defined(__SANITIZE_THREAD__)
#define IS_CANCELLED_ANYWHERE 0
#else
#define IS_CANCELLED_ANYWHERE 1
#endif

static char log_path[64];
static char salvage_path[80];
static mprof_recorder *recorder;
static int steps; /* How many calls have returned to the thread that was cancelled. */

static void open_recorder(void)
{
	mprof_recorder_options options;
	mprof_error error;
	int fd;

	strcpy(log_path, "mprof-test-cancel-XXXXXX");
	fd = mkstemp(log_path);
	cr_assert(fd >= 0);
	close(fd);
	snprintf(salvage_path, sizeof(salvage_path), "%s.salvage", log_path);
	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.thread_times = 1;
	options.salvage_path = salvage_path;
	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	cr_assert_eq(mprof_recorder_open_path(log_path, &options, &recorder, &error), MPROF_OK);
}

static void record(mprof_thread *thread)
{
	for (int i = 0; i < EVENTS; i++)
		mprof_thread_record_allocation(thread, CLASS, 16);
}

/* Each call would be the last one of the thread if it contained a cancellation point. */
static void *run_cancelled(void *unused)
{
	mprof_description description;
	mprof_recorder_stats stats;
	mprof_thread *thread = NULL;
	uint32_t metric;

	(void)unused;
	mprof_description_init(&description, sizeof(description));
	description.name = "Class";
	description.name_length = 5;
	stats.struct_size = sizeof(stats);
	pthread_cancel(pthread_self());
	steps += mprof_recorder_attach(recorder, 0, &thread) == MPROF_OK;
	record(thread);
	steps++;
	steps += mprof_recorder_define_class(recorder, CLASS, &description) == MPROF_OK;
	steps += mprof_recorder_set_thread_name(recorder, 1, "name", 4) == MPROF_OK;
	steps += mprof_recorder_record_mark(recorder, 0, "mark", 4) == MPROF_OK;
	steps += mprof_recorder_define_metric(recorder, "section", "name", 0, &metric) == MPROF_OK;
	steps += mprof_recorder_drain(recorder) == MPROF_OK;
	steps += mprof_recorder_set_enabled(recorder, 0) == MPROF_OK;
	steps += mprof_recorder_set_enabled(recorder, 1) == MPROF_OK;
	steps += mprof_recorder_get_stats(recorder, &stats) == MPROF_OK;
	mprof_thread_detach(thread);
	steps++;
	pthread_testcancel();
	steps++;
	return NULL;
}

Test(cancellation, no_function_is_a_cancellation_point, .timeout = 30)
{
	mprof_recorder_stats stats;
	pthread_t thread;
	void *result;

	open_recorder();
	cr_assert_eq(pthread_create(&thread, NULL, run_cancelled, NULL), 0);
	cr_assert_eq(pthread_join(thread, &result), 0);
	cr_assert_eq(result, PTHREAD_CANCELED);
	cr_assert_eq(steps, 11);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.events, EVENTS);
	mprof_recorder_destroy(recorder);
	cr_assert_eq(access(salvage_path, F_OK), -1);
	unlink(log_path);
}

static void *run_asynchronously(void *argument)
{
	mprof_thread *thread = NULL;
	int before;

	pthread_barrier_wait(argument);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	if (mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK)
		return NULL;
	for (;;)
		record(thread);
}

/* Cancelled at any instruction, the thread may stay attached, but holds no lock. */
Test(cancellation, threads_that_are_cancelled_at_any_time_hold_no_lock, .timeout = 30)
{
	if (!IS_CANCELLED_ANYWHERE)
		cr_skip("the sanitizer cannot do that");
	open_recorder();
	for (int i = 0; i < 1000; i++) {
		pthread_barrier_t start;
		mprof_thread *copy = NULL;
		pthread_t thread;

		pthread_barrier_init(&start, NULL, 2);
		cr_assert_eq(pthread_create(&thread, NULL, run_asynchronously, &start), 0);
		pthread_barrier_wait(&start);
		for (volatile int spin = 0; spin < i % 300 * 100; spin++)
			continue;
		pthread_cancel(thread);
		cr_assert_eq(pthread_join(thread, NULL), 0);
		pthread_barrier_destroy(&start);
		cr_assert_eq(mprof_recorder_attach(recorder, (uint64_t)i + 1000000, &copy), MPROF_OK);
		record(copy);
		mprof_thread_detach(copy);
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	unlink(log_path);
}
