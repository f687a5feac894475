/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_recorder_threads.c
 * \brief Many threads, few and small buffers: no event is lost, and the order is kept.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6, GENERATIONS = 3, CALLS = 2000, METHODS = 50 };

#define KEY_OF(thread, method) (UINT64_C(0x10000) + (uint64_t)(thread)*0x1000 + (uint64_t)(method)*16)

typedef struct worker {
	mprof_recorder *recorder;
	int number;
	int generation;
	pthread_t handle;
} worker;

static uint64_t thread_id(int number, int generation)
{
	return 1000 + (uint64_t)generation * 100 + (uint64_t)number;
}

/* Each thread has methods of its own, defined just before their first use. */
static void *work(void *argument)
{
	worker *copy = argument;
	mprof_thread *thread;
	char name[32];

	if (mprof_recorder_attach(copy->recorder, thread_id(copy->number, copy->generation), &thread) != MPROF_OK)
		return copy;
	for (int i = 0; i < CALLS; i++) {
		mprof_key key = KEY_OF(copy->number, i % METHODS);

		if (copy->generation == 0 && i < METHODS) {
			snprintf(name, sizeof(name), "M%d.%d ()", copy->number, i);
			define_method(copy->recorder, key, 0, name);
		}
		mprof_thread_enter_method(thread, key);
		mprof_thread_record_allocation(thread, KEY_OF(copy->number, METHODS), (uint64_t)i);
		mprof_thread_leave_method(thread, key);
	}
	mprof_thread_detach(thread);
	return NULL;
}

static void check_thread(const recorded_log *log, int number, int generation)
{
	uint64_t id = thread_id(number, generation);
	int position = 0;
	uint64_t counter = 0;
	char name[32];

	for (size_t i = 0; i < log->event_count; i++) {
		const recorded_event *recorded = &log->events[i];
		int call = position / 3;

		if (recorded->thread != id)
			continue;
		cr_assert_geq(recorded->event.counter, counter, "time increases within a thread");
		counter = recorded->event.counter;
		snprintf(name, sizeof(name), "M%d.%d ()", number, call % METHODS);
		switch (position % 3) {
		case 0:
			cr_assert_eq(recorded->event.kind, MPROF_EVENT_METHOD_ENTER);
			cr_assert_str_eq(recorded->name, name);
			break;
		case 1:
			cr_assert_eq(recorded->event.kind, MPROF_EVENT_ALLOCATION);
			cr_assert_eq(recorded->event.value, (uint64_t)call);
			break;
		default:
			cr_assert_eq(recorded->event.kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
		}
		position++;
	}
	cr_assert_eq(position, 3 * CALLS, "thread %d of generation %d has all its events", number, generation);
}

static void run(uint32_t buffer_events, uint32_t max_buffers)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_recorder_stats stats;
	worker workers[THREADS];

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = buffer_events;
	options.max_buffers = max_buffers;
	options.drain_interval_ms = 1;
	recorder = recorded_log_open(&log, &options);
	for (int number = 0; number < THREADS; number++)
		define_class(recorder, KEY_OF(number, METHODS), "Some.Class");
	for (int generation = 0; generation < GENERATIONS; generation++) {
		for (int number = 0; number < THREADS; number++) {
			workers[number] = (worker){recorder, number, generation, 0};
			cr_assert_eq(pthread_create(&workers[number].handle, NULL, work, &workers[number]), 0);
		}
		for (int request = 0; request < 3; request++)
			cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		for (int number = 0; number < THREADS; number++) {
			void *failed;

			pthread_join(workers[number].handle, &failed);
			cr_assert_null(failed);
		}
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.events, (uint64_t)THREADS * GENERATIONS * CALLS * 3);
	cr_assert_eq(stats.lost_events, 0);
	cr_assert_eq(stats.unresolved_keys, 0);
	cr_assert_eq(stats.threads, THREADS * GENERATIONS);
	/* One more for each thread; those of the previous generation may not have been reclaimed yet. */
	cr_assert_leq(stats.buffers, max_buffers + THREADS * GENERATIONS);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	for (int generation = 0; generation < GENERATIONS; generation++) {
		for (int number = 0; number < THREADS; number++)
			check_thread(&log, number, generation);
	}
	recorded_log_free(&log);
}

Test(recorder_threads, enough_buffers, .timeout = 300)
{
	run(256, 64);
}

Test(recorder_threads, fewer_buffers_than_threads, .timeout = 300)
{
	run(128, 2);
}

Test(recorder_threads, buffers_of_odd_sizes, .timeout = 300)
{
	run(129, 5);
}

Test(recorder_threads, idle_threads_hold_up_nobody, .timeout = 300)
{
	enum { IDLE = 20 };
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *idle[IDLE];
	mprof_thread *busy;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.max_buffers = 2;
	recorder = recorded_log_open(&log, &options);
	define_method(recorder, KEY_OF(0, 0), 0, "M ()");
	/* More threads than buffers, each with a buffer that never becomes full. */
	for (int i = 0; i < IDLE; i++) {
		cr_assert_eq(mprof_recorder_attach(recorder, 100 + (uint64_t)i, &idle[i]), MPROF_OK);
		mprof_thread_enter_method(idle[i], KEY_OF(0, 0));
	}
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &busy), MPROF_OK);
	for (int i = 0; i < 10000; i++)
		mprof_thread_enter_method(busy, KEY_OF(0, 0));
	mprof_thread_detach(busy);
	for (int i = 0; i < IDLE; i++)
		mprof_thread_detach(idle[i]);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 10000 + IDLE);
	recorded_log_free(&log);
}

static void *record_until_closed(void *argument)
{
	worker *copy = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, 1, &thread) != MPROF_OK)
		return copy;
	for (int i = 0; i < 200000; i++)
		mprof_thread_enter_method(thread, KEY_OF(0, 0));
	mprof_thread_detach(thread);
	return NULL;
}

Test(recorder_threads, closing_does_not_wait_for_threads_that_record, .timeout = 300)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	worker copy = {0};

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.max_buffers = 2;
	recorder = recorded_log_open(&log, &options);
	define_method(recorder, KEY_OF(0, 0), 0, "M ()");
	copy.recorder = recorder;
	cr_assert_eq(pthread_create(&copy.handle, NULL, record_until_closed, &copy), 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	pthread_join(copy.handle, NULL);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	recorded_log_free(&log);
}

/* Multi-slot events are drained while the thread fills the buffer: all their slots become visible at once. */
static void *record_wide_events(void *argument)
{
	worker *copy = argument;
	const mprof_frame frames[] = {KEY_OF(0, 1), KEY_OF(0, 2), KEY_OF(0, 3)};
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, 1, &thread) != MPROF_OK)
		return copy;
	for (int i = 0; i < CALLS; i++)
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, KEY_OF(0, METHODS), (uint64_t)i, frames,
					    3);
	mprof_thread_detach(thread);
	return NULL;
}

Test(recorder_threads, wide_events_are_whole_whenever_they_are_drained, .timeout = 240)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	worker copy;
	void *failed;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 65536;
	options.drain_interval_ms = 60000;
	copy.recorder = recorded_log_open(&log, &options);
	cr_assert_eq(pthread_create(&copy.handle, NULL, record_wide_events, &copy), 0);
	for (int i = 0; i < 50; i++)
		cr_assert_eq(mprof_recorder_drain(copy.recorder), MPROF_OK);
	pthread_join(copy.handle, &failed);
	cr_assert_null(failed);
	cr_assert_eq(mprof_recorder_close(copy.recorder), MPROF_OK);
	mprof_recorder_destroy(copy.recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.event_count, CALLS);
	for (size_t i = 0; i < log.event_count; i++) {
		cr_assert_eq(log.events[i].detail.object, i);
		cr_assert_neq(log.events[i].detail.stack, 0);
	}
	recorded_log_free(&log);
}
