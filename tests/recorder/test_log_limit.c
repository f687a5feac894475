/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_log_limit.c
 * \brief A log that has reached its greatest size takes nothing more but what was lost, and its end.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { METHOD = 0x5000, CLASS_A = 0x1000, LIMIT = 20000 };

static mprof_recorder *open_limited(recorded_log *log, mprof_thread **thread)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options);
	options.max_log_bytes = LIMIT;
	options.buffer_events = 128;
	options.drain_interval_ms = 60000;
	recorder = recorded_log_open(log, &options);
	define_class(recorder, CLASS_A, "Space.A");
	define_method(recorder, METHOD, CLASS_A, "F ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 7, thread), MPROF_OK);
	return recorder;
}

static void record(mprof_thread *thread, int events)
{
	for (int i = 0; i < events; i++)
		mprof_thread_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_A);
}

static mprof_recorder_stats stats_of(mprof_recorder *recorder)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	return stats;
}

Test(log_limit, what_comes_later_is_counted_and_the_log_is_whole, .timeout = 60)
{
	const mprof_frame frames[] = {METHOD, METHOD};
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_limited(&log, &thread);
	mprof_recorder_stats stats;

	record(thread, 100000);
	for (int i = 0; i < 10; i++)
		mprof_thread_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, 8, frames, 2);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.status, MPROF_OK);
	cr_assert_gt(stats.lost[MPROF_LOSS_LIMIT], 0);
	cr_assert_eq(stats.lost_events, stats.lost[MPROF_LOSS_LIMIT]);
	cr_assert_eq(stats.events + stats.lost_events, 100010);
	/* The last block may pass the limit. */
	cr_assert_geq(stats.log_bytes, LIMIT);
	cr_assert_lt(stats.log_bytes, LIMIT + 2000);
	mprof_recorder_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, stats.events);
	cr_assert_eq(log.lost[MPROF_LOSS_LIMIT], stats.lost_events);
	recorded_log_free(&log);
}

Test(log_limit, nothing_but_losses_is_written_behind_it, .timeout = 60)
{
	const mprof_frame frames[] = {METHOD, METHOD};
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_limited(&log, &thread);
	const mprof_element element = {MPROF_ELEMENT_MODULE, 0, 1, 2, 3, "late.dll", 8, NULL};
	mprof_metric_value value = {0, 0, 1};
	mprof_recorder_stats stats;
	uint64_t length;

	record(thread, 100000);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	length = stats_of(recorder).log_bytes;
	/* Threads that come and go would each have a block. */
	for (uint64_t i = 0; i < 50; i++) {
		mprof_thread *late;
		char name[32];

		cr_assert_eq(mprof_recorder_attach(recorder, 100 + i, &late), MPROF_OK);
		snprintf(name, sizeof(name), "Late%d ()", (int)i);
		define_method(recorder, 0x9000 + i, 0, name);
		mprof_thread_method_enter(late, 0x9000 + i);
		mprof_recorder_detach(late);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	cr_assert_eq(mprof_recorder_mark(recorder, 0, "late", 4), MPROF_OK);
	cr_assert_eq(mprof_recorder_thread_name(recorder, 7, "late", 4), MPROF_OK);
	cr_assert_eq(mprof_recorder_loaded(recorder, 1, &element), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 0, &value.metric), MPROF_OK);
	cr_assert_eq(mprof_recorder_metric_values(recorder, &value, 1), MPROF_OK);
	cr_assert_eq(mprof_recorder_sample(recorder, 7, frames, 2), 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.log_bytes, length);
	cr_assert_eq(stats.samples, 0);
	/* The sample counts too. */
	cr_assert_eq(stats.events + stats.lost[MPROF_LOSS_LIMIT], 100051);
	mprof_recorder_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.record_count, 0);
	cr_assert_eq(log.blocks[MPROF_BLOCK_THREAD], 0);
	cr_assert_eq(log.blocks[MPROF_BLOCK_LOADED], 0);
	cr_assert_eq(log.method_count, 0);
	cr_assert_eq(log.event_count + log.lost[MPROF_LOSS_LIMIT], 100051);
	cr_assert_eq(log.losses_of_nobody, 51);
	recorded_log_free(&log);
}

Test(log_limit, is_none_where_it_is_not_reached)
{
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_limited(&log, &thread);

	record(thread, 100);
	mprof_recorder_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 100);
	cr_assert_eq(log.blocks[MPROF_BLOCK_LOST], 0);
	recorded_log_free(&log);
}

Test(log_limit, may_be_smaller_than_the_first_blocks)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options);
	options.max_log_bytes = 1;
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	record(thread, 10);
	mprof_recorder_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 0);
	cr_assert_eq(log.lost[MPROF_LOSS_LIMIT], 10);
	recorded_log_free(&log);
}
