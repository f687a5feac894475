/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_enabled.c
 * \brief Recording that is stopped and resumed: which events are left out, which are not, and how the log shows it.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { METHOD_F = 0x5000, METHOD_G = 0x6000, CLASS_A = 0x1000 };

static mprof_recorder *open_with(recorded_log *log, uint32_t start_disabled)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	options.start_disabled = start_disabled;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	recorder = recorded_log_open(log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	define_method(recorder, METHOD_F, 0, "F ()");
	define_method(recorder, METHOD_G, 0, "G ()");
	return recorder;
}

static mprof_thread *attach(mprof_recorder *recorder)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	return thread;
}

static void enable(mprof_recorder *recorder, int enabled)
{
	cr_assert_eq(mprof_recorder_set_enabled(recorder, enabled), MPROF_OK);
	cr_assert_eq(mprof_recorder_is_enabled(recorder), enabled);
}

static void finish(mprof_recorder *recorder, mprof_thread *thread, recorded_log *log)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_is_enabled(recorder), 0);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 1), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
}

/* Calls one function of each sort. */
static void record_all(mprof_thread *thread)
{
	mprof_thread_enter_method(thread, METHOD_G);
	mprof_thread_leave_method(thread, METHOD_G);
	mprof_thread_record_allocation(thread, CLASS_A, 8);
	mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 16, NULL, 0);
	mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, 16, NULL, 0);
	mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_A);
	mprof_thread_record_event(thread, MPROF_EVENT_GC_START, 0, 0);
}

Test(enabled, nothing_is_recorded_while_stopped_but_threads)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);
	const uint32_t kinds[] = {MPROF_EVENT_METHOD_ENTER,         MPROF_EVENT_THREAD_START, MPROF_EVENT_THREAD_END,
				  MPROF_EVENT_RECORDING_RESUMED,    MPROF_EVENT_METHOD_LEAVE, MPROF_EVENT_METHOD_ENTER,
				  MPROF_EVENT_METHOD_LEAVE_IMPLICIT};
	uint64_t stopped;

	mprof_thread_enter_method(thread, METHOD_F);
	enable(recorder, 0);
	stopped = mprof_recorder_read_counter(recorder) - 1;
	record_all(thread);
	mprof_thread_record_event(thread, MPROF_EVENT_THREAD_START, 0, 99);
	mprof_thread_record_event(thread, MPROF_EVENT_THREAD_END, 0, 99);
	enable(recorder, 1);
	/* The call stack is not known any more: the leave names its method. */
	mprof_thread_leave_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_G);
	mprof_thread_leave_method(thread, METHOD_G);
	finish(recorder, thread, &log);

	cr_assert_eq(log.event_count, 7);
	for (size_t i = 0; i < 7; i++)
		cr_assert_eq(log.events[i].event.kind, kinds[i], "event %zu", i);
	/* From the stop to the first event after it. */
	cr_assert_eq(log.events[3].event.value, log.events[3].event.counter - stopped);
	cr_assert_eq(log.events[4].event.counter, log.events[3].event.counter + 1);
	cr_assert_str_eq(log.events[4].name, "F ()");
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
		cr_assert_eq(log.lost[cause], 0);
	recorded_log_free(&log);
}

Test(enabled, every_first_event_is_preceded_by_the_gap)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);

	for (int sort = 0; sort < 5; sort++) {
		enable(recorder, 0);
		enable(recorder, 1);
		switch (sort) {
		case 0:
			mprof_thread_enter_method(thread, METHOD_F);
			break;
		case 1:
			mprof_thread_record_allocation(thread, CLASS_A, 8);
			break;
		case 2:
			mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 16, NULL, 0);
			break;
		case 3:
			mprof_thread_record_event(thread, MPROF_EVENT_GC_START, 0, 0);
			break;
		default:
			mprof_thread_record_event(thread, MPROF_EVENT_THREAD_END, 0, 7);
		}
	}
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 10);
	for (size_t i = 0; i < 10; i += 2) {
		cr_assert_eq(log.events[i].event.kind, MPROF_EVENT_RECORDING_RESUMED);
		cr_assert_neq(log.events[i + 1].event.kind, MPROF_EVENT_RECORDING_RESUMED);
	}
	recorded_log_free(&log);
}

Test(enabled, a_gap_without_events_in_it_is_one_gap)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_thread *thread = attach(recorder);
	uint64_t stopped;

	enable(recorder, 1);
	mprof_thread_enter_method(thread, METHOD_F);
	enable(recorder, 0);
	stopped = mprof_recorder_read_counter(recorder) - 1;
	enable(recorder, 0);
	enable(recorder, 1);
	enable(recorder, 0);
	enable(recorder, 1);
	enable(recorder, 1);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 4);
	cr_assert_eq(log.events[1].event.kind, MPROF_EVENT_RECORDING_RESUMED);
	cr_assert_eq(log.events[1].event.value, log.events[1].event.counter - stopped);
	recorded_log_free(&log);
}

Test(enabled, may_start_disabled)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 1);
	mprof_thread *thread;
	mprof_thread *late;

	cr_assert_eq(mprof_recorder_is_enabled(recorder), 0);
	thread = attach(recorder);
	record_all(thread);
	mprof_thread_record_event(thread, MPROF_EVENT_THREAD_START, 0, 7);
	enable(recorder, 1);
	/* A thread that is attached after recording was resumed has no gap. */
	cr_assert_eq(mprof_recorder_attach(recorder, 8, &late), MPROF_OK);
	mprof_thread_enter_method(late, METHOD_G);
	mprof_thread_detach(late);
	mprof_thread_enter_method(thread, METHOD_F);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 4);
	for (size_t i = 0; i < 4; i++) {
		if (log.events[i].thread == 8)
			cr_assert_eq(log.events[i].event.kind, MPROF_EVENT_METHOD_ENTER);
		else
			cr_assert_eq(log.events[i].event.kind == MPROF_EVENT_RECORDING_RESUMED,
				     i > 0 && log.events[i - 1].event.kind == MPROF_EVENT_THREAD_START);
	}
	recorded_log_free(&log);
}

Test(enabled, a_gap_without_a_buffer_is_recorded_later, .timeout = 60)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_thread *thread;
	uint64_t entered = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.max_buffers = 2;
	options.overflow = MPROF_OVERFLOW_DROP;
	options.drain_interval_ms = 60000;
	recorder = recorded_log_open(&log, &options);
	thread = attach(recorder);
	atomic_store(&log.blocked, 1);
	/* Until it waits, the writer thread gives buffers back. */
	for (; !atomic_load(&log.waits); entered++)
		mprof_thread_enter_method(thread, METHOD_F);
	for (int i = 0; i < 1000; i++, entered++)
		mprof_thread_enter_method(thread, METHOD_F);
	enable(recorder, 0);
	enable(recorder, 1);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_F);
	atomic_store(&log.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_leave_method(thread, METHOD_F);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	/* The events at the gap count once each. */
	cr_assert_eq(stats.events + stats.lost_events, entered + 5);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.events[log.event_count - 3].event.kind, MPROF_EVENT_RECORDING_RESUMED);
	cr_assert_eq(log.events[log.event_count - 1].event.kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	recorded_log_free(&log);
}

Test(enabled, refuses_what_the_contract_forbids)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	mprof_recorder_options options;
	mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder *other;

	cr_assert_eq(mprof_recorder_set_enabled(NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 2), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_is_enabled(NULL), 0);
	mprof_recorder_options_init(&options, sizeof(options));
	options.start_disabled = 2;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &other, NULL), MPROF_ERR_ARGUMENT);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

/* On a machine that switches threads slowly the log must not become too large to check. */
#define MAX_RECORDED 200000

enum { THREADS = 3, SWITCHES = 300 };

typedef struct worker {
	mprof_recorder *recorder;
	uint64_t id;
	uint64_t recorded;
	_Atomic int *stop;
	pthread_t handle;
} worker;

static void *work(void *argument)
{
	worker *copy = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, copy->id, &thread) != MPROF_OK)
		return copy;
	while (copy->recorded < MAX_RECORDED && !atomic_load_explicit(copy->stop, memory_order_relaxed)) {
		mprof_thread_enter_method(thread, METHOD_F);
		mprof_thread_record_allocation_detailed(thread, CLASS_A, 8, 16, NULL, 0);
		mprof_thread_record_event(thread, MPROF_EVENT_GC_START, 0, 0);
		mprof_thread_leave_method(thread, METHOD_F);
		copy->recorded += 4;
	}
	mprof_thread_detach(thread);
	return NULL;
}

/* There are events between gaps, and leaves are implicit only if the log has their enter. */
static void check_thread(const recorded_log *log, uint64_t id)
{
	uint64_t last_counter = 0;
	int depth = 0;
	int after_gap = 0;

	for (size_t i = 0; i < log->event_count; i++) {
		const mprof_event *event = &log->events[i].event;

		if (log->events[i].thread != id)
			continue;
		cr_assert_geq(event->counter, last_counter);
		last_counter = event->counter;
		if (event->kind == MPROF_EVENT_RECORDING_RESUMED) {
			cr_assert_not(after_gap);
			depth = 0;
		}
		after_gap = event->kind == MPROF_EVENT_RECORDING_RESUMED;
		depth += event->kind == MPROF_EVENT_METHOD_ENTER;
		if (event->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
			cr_assert_geq(--depth, 0);
	}
}

Test(enabled, may_be_switched_while_threads_record, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_with(&log, 0);
	worker workers[THREADS];
	_Atomic int stop = 0;

	for (uint64_t i = 0; i < THREADS; i++) {
		workers[i] = (worker){recorder, i + 1, 0, &stop, 0};
		cr_assert_eq(pthread_create(&workers[i].handle, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < SWITCHES; i++) {
		cr_assert_eq(mprof_recorder_set_enabled(recorder, i % 2), MPROF_OK);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(workers[i].handle, &failed);
		cr_assert_null(failed);
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	for (uint64_t i = 0; i < THREADS; i++)
		check_thread(&log, i + 1);
	recorded_log_free(&log);
}
