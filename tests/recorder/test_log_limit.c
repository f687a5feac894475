/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_log_limit.c
 * \brief A log that has reached its maximum size only gets the lost events and END.
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

	mprof_recorder_options_init(&options, sizeof(options));
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
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS_A);
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
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, 8, frames, 2);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.status, MPROF_OK);
	cr_assert_gt(stats.lost[MPROF_LOSS_LIMIT], 0);
	cr_assert_eq(stats.lost_events, stats.lost[MPROF_LOSS_LIMIT]);
	cr_assert_eq(stats.events + stats.lost_events, 100010);
	cr_assert_leq(stats.log_bytes, LIMIT);
	cr_assert_gt(stats.log_bytes, LIMIT - 3000);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, stats.events);
	cr_assert_eq(log.lost[MPROF_LOSS_LIMIT], stats.lost_events);
	recorded_log_free(&log);
}

Test(log_limit, nothing_but_losses_is_written_after_it, .timeout = 60)
{
	const mprof_frame frames[] = {METHOD, METHOD};
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_limited(&log, &thread);
	const mprof_element element = {sizeof(mprof_element), MPROF_ELEMENT_MODULE, 0, 1, 2, 3, "late.dll", 8, NULL};
	mprof_metric_value value = {.value = 1};
	mprof_recorder_stats stats;
	uint64_t length;

	record(thread, 100000);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	length = stats_of(recorder).log_bytes;
	/* Each of these threads would have a block of its own. */
	for (uint64_t i = 0; i < 50; i++) {
		mprof_thread *late;
		char name[32];

		cr_assert_eq(mprof_recorder_attach(recorder, 100 + i, &late), MPROF_OK);
		snprintf(name, sizeof(name), "Late%d ()", (int)i);
		define_method(recorder, 0x9000 + i, 0, name);
		mprof_thread_enter_method(late, 0x9000 + i);
		mprof_thread_detach(late);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	cr_assert_eq(mprof_recorder_record_mark(recorder, 0, "late", 4), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_thread_name(recorder, 7, "late", 4), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_loaded(recorder, 1, &element), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 0, &value.metric), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, &value, sizeof(value), 1), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_sample(recorder, 7, frames, 2), 1);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.log_bytes, length);
	cr_assert_eq(stats.samples, 0);
	/* The sample counts too. */
	cr_assert_eq(stats.events + stats.lost[MPROF_LOSS_LIMIT], 100051);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_thread_detach(thread);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.record_count, 0);
	cr_assert_eq(log.blocks[MPROF_BLOCK_THREAD], 0);
	cr_assert_eq(log.blocks[MPROF_BLOCK_LOADED], 0);
	cr_assert_eq(log.method_count, 0);
	cr_assert_eq(log.event_count + log.lost[MPROF_LOSS_LIMIT], 100051);
	/* Events of the thread itself in refused blocks are counted there too. */
	cr_assert_geq(log.losses_of_nobody, 51);
	recorded_log_free(&log);
}

Test(log_limit, has_no_effect_if_not_reached)
{
	recorded_log log = {0};
	mprof_thread *thread;
	mprof_recorder *recorder = open_limited(&log, &thread);

	record(thread, 100);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 100);
	cr_assert_eq(log.blocks[MPROF_BLOCK_LOST], 0);
	recorded_log_free(&log);
}

Test(log_limit, has_room_for_the_first_blocks)
{
	recorded_log log = {0};
	mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_recorder_options_init(&options, sizeof(options));
	options.max_log_bytes = 1;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, &error), MPROF_ERR_LIMIT);
	cr_assert_null(recorder);
	cr_assert_str_neq(error.what, "");
	recorded_log_free(&log);
}

/* Many call stacks, including native ones, so that blocks of all lengths are written in between. */
static uint64_t record_chains(mprof_recorder *recorder, mprof_thread *thread, uint32_t round)
{
	for (uint32_t i = 0; i < 200; i++) {
		mprof_frame frames[20];

		for (uint32_t k = 0; k < 20; k++)
			frames[k] = METHOD + (i * 7919 + k * 104729 + round * 31) % 997 * 8;
		frames[0] = MPROF_FRAME_NATIVE | (0x10000 + i * 64 + round);
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_A, 8, frames, 1 + i % 20);
		mprof_recorder_record_sample(recorder, 7, frames, 1 + i % 20);
		mprof_thread_enter_method(thread, frames[1]);
	}
	return 600;
}

/* Returns the number of recorded events. */
static uint64_t record_heap(mprof_recorder *recorder)
{
	uint64_t last = 0;

	cr_assert(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 1));
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t object = 0x100000 + i * i * 16;

		mprof_recorder_add_heap_object(recorder, object, CLASS_A + i % 300 * 8, 16, &last, NULL, last != 0);
		last = object;
	}
	mprof_recorder_end_heap(recorder);
	return 500;
}

/* Counts the events of all kinds of blocks. */
static uint64_t count_events(const recorded_log *log)
{
	mprof_event events[64];
	mprof_block block;
	mprof_reader *reader;
	uint64_t all = 0;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS && block.kind != MPROF_BLOCK_SAMPLES &&
		    block.kind != MPROF_BLOCK_HEAP_DATA)
			continue;
		while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK && count > 0)
			all += count;
	}
	mprof_reader_destroy(reader);
	return all;
}

static void expect_all_counted(const recorded_log *log, uint64_t limit, uint64_t recorded, const char *what)
{
	uint64_t written = count_events(log);

	cr_assert_leq(log->length, limit, "%s: %zu bytes of %d", what, log->length, (int)limit);
	cr_assert_eq(log->status, MPROF_END, "%s, %d bytes: %s", what, (int)limit, mprof_status_get_text(log->status));
	cr_assert(log->complete);
	cr_assert_eq(written + log->lost[MPROF_LOSS_LIMIT], recorded, "%s, %d bytes: %d and %d of %d", what, (int)limit,
		     (int)written, (int)log->lost[MPROF_LOSS_LIMIT], (int)recorded);
}

static void keep_limit(uint64_t limit, uint32_t gzip_level, int with_heap)
{
	recorded_log log = {0};
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_recorder_stats stats;
	uint64_t recorded = 0;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.gzip_level = gzip_level;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	options.max_log_bytes = limit;
	options.max_sample_bytes = 4 << 20;
	recorder = recorded_log_open(&log, &options);
	for (uint32_t round = 0; round < 6; round++) {
		mprof_thread *thread;

		cr_assert_eq(mprof_recorder_attach(recorder, 7 + round, &thread), MPROF_OK);
		recorded += record_chains(recorder, thread, round);
		recorded += with_heap ? record_heap(recorder) : 0;
		if (round % 2 == 0)
			cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		mprof_thread_detach(thread);
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.events + stats.lost_events, recorded);
	cr_assert_eq(stats.bytes, log.length);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	expect_all_counted(&log, limit, recorded, gzip_level > 0 ? "gzip" : with_heap ? "heap" : "calls");
	recorded_log_free(&log);
}

/* The thread sanitizer, which takes ten times as long, tries a quarter of the limits. */
#if defined(__SANITIZE_THREAD__)
enum { LIMIT_STEPS = 4 };
#else
enum { LIMIT_STEPS = 1 };
#endif

/* Limits up to the length of the whole log, so that each kind of block is the first one that does not fit. */
Test(log_limit, is_kept_whatever_block_comes_to_it, .timeout = 300)
{
	for (uint64_t limit = 2000; limit < 120000; limit += (limit / 16 + 61) * LIMIT_STEPS) {
		keep_limit(limit, 0, 0);
		keep_limit(limit, 0, 1);
	}
}

Test(log_limit, is_that_of_what_is_stored, .timeout = 300)
{
	if (mprof_version_has_feature(MPROF_FEATURE_GZIP) == 0)
		cr_skip("built without compression");
	for (uint64_t limit = 1500; limit < 60000; limit += (limit / 8 + 31) * LIMIT_STEPS) {
		keep_limit(limit, 6, 1);
		keep_limit(limit, 1, 0);
	}
}
