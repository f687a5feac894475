/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_thread_ids.c
 * \brief The IDs of attached threads: one handle at a time for each ID, which can be used again after it was detached.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { METHOD_A = 1, METHOD_B = 2 };

static mprof_recorder *open_with_methods(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	recorder = recorded_log_open(log, &options);
	define_method(recorder, METHOD_A, 0, "A ()");
	define_method(recorder, METHOD_B, 0, "B ()");
	return recorder;
}

static void close_and_read(mprof_recorder *recorder, recorded_log *log)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
}

Test(thread_ids, one_handle_at_a_time_has_an_id)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with_methods(&log);
	mprof_thread *first;
	mprof_thread *second;
	mprof_thread *other;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &first), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &second), MPROF_ERR_STATE);
	cr_assert_null(second);
	cr_assert_eq(mprof_recorder_attach(recorder, 8, &other), MPROF_OK);
	/* 0 stands for the system's ID of the calling thread, which can be used like any other. */
	cr_assert_eq(mprof_recorder_attach(recorder, 0, &second), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, mprof_thread_get_id(second), &second), MPROF_ERR_STATE);
	mprof_thread_enter_method(first, METHOD_A);
	mprof_thread_detach(first);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &first), MPROF_OK);
	mprof_thread_leave_method(first, METHOD_A);
	mprof_thread_detach(first);
	mprof_thread_detach(other);
	close_and_read(recorder, &log);
	cr_assert_eq(log.event_count, 2);
	cr_assert_eq(log.events[0].thread, 7);
	cr_assert_eq(log.events[1].thread, 7);
	recorded_log_free(&log);
}

/* A sink that blocks the writer thread in its next write when it is armed. */
typedef struct gate {
	recorded_log *log;
	mprof_sink target;
	_Atomic int is_armed;
	sem_t reached;
	sem_t opened;
} gate;

static int gate_write(void *user, const void *bytes, size_t length)
{
	gate *held = user;

	if (atomic_exchange(&held->is_armed, 0)) {
		sem_post(&held->reached);
		sem_wait(&held->opened);
	}
	return held->target.write(held->target.user, bytes, length);
}

static void *ask_for_a_round(void *user)
{
	cr_assert_eq(mprof_recorder_drain(user), MPROF_OK);
	return NULL;
}

/*
 * The writer thread has taken the full buffers, and is about to read the current ones. In between a handle is detached
 * and another one gets its ID, so that the events of the first are in a full buffer that was not taken.
 */
Test(thread_ids, the_events_of_an_id_stay_in_order_over_its_handles)
{
	recorded_log log = {0};
	gate held = {.log = &log, .target = recorded_log_sink(&log)};
	mprof_sink sink = {sizeof(sink), gate_write, NULL, NULL, &held};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *other;
	mprof_thread *thread;
	pthread_t asking;

	cr_assert(sem_init(&held.reached, 0, 0) == 0 && sem_init(&held.opened, 0, 0) == 0);
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	options.buffer_events = 128;
	options.drain_interval_ms = 1000000;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_OK);
	define_method(recorder, METHOD_A, 0, "A ()");
	define_method(recorder, METHOD_B, 0, "B ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 8, &other), MPROF_OK);
	for (int i = 0; i < 129; i++)
		mprof_thread_enter_method(other, METHOD_A);

	atomic_store(&held.is_armed, 1);
	cr_assert_eq(pthread_create(&asking, NULL, ask_for_a_round, recorder), 0);
	sem_wait(&held.reached);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, METHOD_A);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	mprof_thread_leave_method(thread, METHOD_A);
	sem_post(&held.opened);
	pthread_join(asking, NULL);

	mprof_thread_detach(thread);
	mprof_thread_detach(other);
	close_and_read(recorder, &log);
	cr_assert_eq(log.event_count, 131);
	for (size_t i = 0, found = 0; i < log.event_count; i++) {
		if (log.events[i].thread == 7)
			cr_assert_eq(log.events[i].event.kind,
				     found++ == 0 ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE);
	}
	recorded_log_free(&log);
	sem_destroy(&held.reached);
	sem_destroy(&held.opened);
}
