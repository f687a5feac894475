/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_leave_top.c
 * \brief Implicit leaves: the method on top of the thread's call stack returns.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>

enum { METHOD_F = 1, METHOD_G = 2, METHOD_H = 3 };

static mprof_recorder *open_as(recorded_log *log, mprof_dialect dialect, mprof_thread **thread)
{
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = (uint32_t)dialect;
	writer.lossy = dialect != MPROF_DIALECT_MPROF2;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	options.counter = counting_counter;
	recorder = recorded_log_open(log, &options);
	define_method(recorder, METHOD_F, 0, "F ()");
	define_method(recorder, METHOD_G, 0, "G ()");
	define_method(recorder, METHOD_H, 0, "H ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 7, thread), MPROF_OK);
	return recorder;
}

static void finish(mprof_recorder *recorder, mprof_thread *thread, recorded_log *log)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
}

static void expect(const recorded_log *log, size_t position, mprof_event_kind kind, const char *name)
{
	cr_assert_lt(position, log->event_count);
	cr_assert_eq(log->events[position].event.kind, kind, "event %zu is %s", position,
		     mprof_event_get_name(log->events[position].event.kind));
	if (kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
		cr_assert_str_eq(log->events[position].name, name, "event %zu", position);
}

/* All functions that record an implicit leave. */
static void record_leaves(mprof_thread *thread)
{
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_G);
	mprof_thread_enter_method(thread, METHOD_H);
	mprof_thread_enter_method(thread, METHOD_F);
	mprof_thread_enter_method(thread, METHOD_G);
	mprof_thread_leave_method(thread, 0);
	mprof_thread_leave_method(thread, 0);
	/* The key of an implicit leave is ignored. */
	cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, METHOD_F), MPROF_OK);
	cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, 0), MPROF_OK);
}

Test(leave_top, the_method_on_top_returns)
{
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MPROF2, &thread);

	record_leaves(thread);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 10);
	expect(&log, 5, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, "");
	expect(&log, 6, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, "");
	expect(&log, 7, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, "");
	expect(&log, 8, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, "G ()");
	expect(&log, 9, MPROF_EVENT_METHOD_LEAVE_TAIL, "F ()");
	recorded_log_free(&log);
}

Test(leave_top, a_dialect_without_implicit_leaves_gets_the_name)
{
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MAIL, &thread);

	record_leaves(thread);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 10);
	expect(&log, 5, MPROF_EVENT_METHOD_LEAVE, "G ()");
	expect(&log, 6, MPROF_EVENT_METHOD_LEAVE, "F ()");
	expect(&log, 7, MPROF_EVENT_METHOD_LEAVE, "H ()");
	expect(&log, 8, MPROF_EVENT_METHOD_LEAVE, "G ()");
	expect(&log, 9, MPROF_EVENT_METHOD_LEAVE, "F ()");
	recorded_log_free(&log);
}

/* A leave without an enter matches nothing in the log either. */
Test(leave_top, an_empty_stack_has_no_method_to_name)
{
	static const mprof_dialect dialects[] = {MPROF_DIALECT_MPROF2, MPROF_DIALECT_MAIL};

	for (size_t i = 0; i < 2; i++) {
		recorded_log log = {0};
		mprof_thread *thread;
		mprof_recorder *recorder = open_as(&log, dialects[i], &thread);
		int is_implicit = dialects[i] == MPROF_DIALECT_MPROF2;

		mprof_thread_leave_method(thread, 0);
		mprof_thread_enter_method(thread, METHOD_F);
		mprof_thread_leave_method(thread, 0);
		finish(recorder, thread, &log);
		cr_assert_eq(log.event_count, 3);
		expect(&log, 0, is_implicit ? MPROF_EVENT_METHOD_LEAVE_IMPLICIT : MPROF_EVENT_METHOD_LEAVE, "(no key)");
		expect(&log, 2, is_implicit ? MPROF_EVENT_METHOD_LEAVE_IMPLICIT : MPROF_EVENT_METHOD_LEAVE, "F ()");
		recorded_log_free(&log);
	}
}

/*
 * The call stack is deeper than the writer thread tracks, in a dialect where each leave has to name its method. Leaves
 * of the outer frames, which it cannot name, are counted as lost.
 */
Test(leave_top, what_cannot_be_named_is_counted_as_lost)
{
	enum { DEPTH = 70000, UNKNOWN = 65535 };
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MAIL, &thread);
	mprof_recorder_stats stats;

	for (int i = 0; i < DEPTH; i++)
		mprof_thread_enter_method(thread, METHOD_F);
	for (int i = 0; i < DEPTH; i++)
		mprof_thread_leave_method(thread, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.lost[MPROF_LOSS_NO_MEMORY], UNKNOWN);
	cr_assert_eq(stats.events, 2 * DEPTH - UNKNOWN);
	finish(recorder, thread, &log);
	recorded_log_free(&log);
}

Test(leave_top, kinds_with_another_way_in_are_refused)
{
	static const mprof_event_kind refused[] = {
		MPROF_EVENT_UNKNOWN,       MPROF_EVENT_ALLOCATION,     MPROF_EVENT_ALLOCATION_AT_JIT,
		MPROF_EVENT_MONITOR,       MPROF_EVENT_SAMPLE,         MPROF_EVENT_STACK_SECTION,
		MPROF_EVENT_HEAP_OBJECT,   MPROF_EVENT_HANDLE_CREATED, MPROF_EVENT_FINALIZER_START,
		MPROF_EVENT_FINALIZER_END, (mprof_event_kind)63,       MPROF_EVENT_RECORDING_RESUMED,
		(mprof_event_kind)64,      (mprof_event_kind)200,      (mprof_event_kind)1000,
	};
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MPROF2, &thread);

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		cr_assert_eq(mprof_thread_record_event(thread, refused[i], 0, 1), MPROF_ERR_ARGUMENT, "kind %u",
			     (unsigned)refused[i]);
	cr_assert_eq(mprof_thread_record_event(NULL, MPROF_EVENT_METHOD_ENTER, 0, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_collection(thread, MPROF_EVENT_METHOD_ENTER, 1, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_collection(NULL, MPROF_EVENT_GC_START, 1, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_collection(thread, MPROF_EVENT_GC_START, 1, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_monitor(thread, 4, 0, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_monitor(NULL, MPROF_MONITOR_FAILED, 0, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_monitor(thread, MPROF_MONITOR_FAILED, 0, 0, NULL, 0), MPROF_OK);
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 2);
	recorded_log_free(&log);
}
