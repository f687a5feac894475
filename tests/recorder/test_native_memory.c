/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_native_memory.c
 * \brief Allocations and frees of native memory: recorded events are read back, and watermarks hold for all threads.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { METHOD_F = 0x5000, METHOD_G = 0x6000 };

static mprof_recorder *open_counting(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	recorder = recorded_log_open(log, &options);
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

static void finish(mprof_recorder *recorder, mprof_thread *thread, recorded_log *log)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
}

Test(native_memory, all_that_is_recorded_comes_back)
{
	const mprof_frame frames[] = {METHOD_F, METHOD_G};
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread = attach(recorder);
	uint64_t started;

	mprof_thread_record_memory_allocated(thread, 0x10010, 100, frames, 2);
	mprof_thread_record_memory_allocated(thread, UINT64_MAX, UINT64_C(1) << 40, NULL, 0);
	mprof_thread_record_memory_freed(thread, UINT64_MAX, NULL, 0);
	started = mprof_recorder_read_counter(recorder);
	mprof_thread_record_memory_resized(thread, 0x10010, started, 0x10083, 200, frames + 1, 1);
	mprof_thread_record_memory_resized(thread, 0x10083, 0, 0x10083, 300, NULL, 0);
	mprof_thread_record_memory_freed(thread, 0x10083, frames, 2);
	finish(recorder, thread, &log);

	cr_assert_eq(log.event_count, 6);
	cr_expect_eq(log.events[0].event.kind, MPROF_EVENT_MEMORY_ALLOCATED);
	cr_expect_eq(log.events[0].event.value, 0x10010);
	cr_expect_eq(log.events[0].detail.size, 100);
	cr_expect_str_eq(log.events[0].stack, "F () < G ()");
	cr_expect_eq(log.events[1].event.value, UINT64_MAX);
	cr_expect_eq(log.events[1].detail.size, UINT64_C(1) << 40);
	cr_expect_str_eq(log.events[1].stack, "");
	cr_expect_eq(log.events[2].event.kind, MPROF_EVENT_MEMORY_FREED);
	cr_expect_eq(log.events[2].event.value, UINT64_MAX);
	cr_expect_eq(log.events[3].event.kind, MPROF_EVENT_MEMORY_RESIZED);
	cr_expect_eq(log.events[3].event.value, 0x10083);
	cr_expect_eq(log.events[3].detail.object, 0x10010);
	cr_expect_eq(log.events[3].detail.size, 200);
	cr_expect_eq(log.events[3].detail.started, started);
	cr_expect_str_eq(log.events[3].stack, "G ()");
	cr_expect_gt(log.events[3].event.counter, started);
	cr_expect_eq(log.events[4].detail.object, 0x10083);
	cr_expect_eq(log.events[4].detail.started, log.events[4].event.counter);
	cr_expect_str_eq(log.events[4].stack, "");
	cr_expect_eq(log.events[5].event.kind, MPROF_EVENT_MEMORY_FREED);
	cr_expect_str_eq(log.events[5].stack, "F () < G ()");
	for (size_t i = 1; i < log.event_count; i++)
		cr_expect_gt(log.events[i].event.counter, log.events[i - 1].event.counter);
	recorded_log_free(&log);
}

Test(native_memory, the_deepest_call_stack_fits)
{
	mprof_frame frames[MPROF_STACK_MAX + 10];
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	recorder = recorded_log_open(&log, &options);
	define_method(recorder, METHOD_F, 0, "F ()");
	for (size_t i = 0; i < MPROF_STACK_MAX + 10; i++)
		frames[i] = METHOD_F;
	thread = attach(recorder);
	for (uint64_t i = 0; i < 100; i++) {
		mprof_thread_record_memory_resized(thread, i, 0, i + 1, 1, frames, MPROF_STACK_MAX + 10);
		mprof_thread_record_memory_freed(thread, i + 1, frames, MPROF_STACK_MAX + 10);
	}
	finish(recorder, thread, &log);
	cr_assert_eq(log.event_count, 200);
	cr_expect_eq(log.events[198].detail.object, 99);
	cr_expect_eq(log.events[199].event.value, 100);
	recorded_log_free(&log);
}

Test(native_memory, nothing_is_recorded_without_a_thread)
{
	const mprof_frame frame = METHOD_F;
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread = attach(recorder);

	mprof_thread_record_memory_allocated(NULL, 1, 1, &frame, 1);
	mprof_thread_record_memory_freed(NULL, 1, NULL, 0);
	mprof_thread_record_memory_resized(NULL, 1, 0, 2, 3, NULL, 0);
	/* A list that is NULL has no frames. */
	mprof_thread_record_memory_allocated(thread, 1, 1, NULL, 5);
	mprof_thread_record_memory_freed(thread, 1, NULL, 5);
	mprof_thread_record_memory_resized(thread, 1, 0, 2, 3, NULL, 5);
	finish(recorder, thread, &log);
	cr_expect_eq(log.event_count, 3);
	recorded_log_free(&log);
}

#define THREADS 4
#define ROUNDS 60000

static mprof_recorder *shared;
static atomic_int ready;

static void *allocate_and_free(void *number)
{
	const uint64_t base = (uint64_t)(uintptr_t)number << 32;
	mprof_thread *thread;

	if (mprof_recorder_attach(shared, (uint64_t)(uintptr_t)number + 1, &thread) != MPROF_OK)
		return NULL;
	/* All threads record at the same time. */
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < THREADS)
		;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		mprof_thread_record_memory_allocated(thread, base + i * 16, i, NULL, 0);
		mprof_thread_record_memory_freed(thread, base + i * 16, NULL, 0);
	}
	mprof_thread_detach(thread);
	return number;
}

/* Parses the log once more: no event after a watermark has a counter below it. */
static size_t check_watermarks(const recorded_log *log, size_t *events_seen)
{
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[256];
	uint64_t watermark = 0;
	size_t watermarks = 0;
	size_t count;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log->bytes, log->length), MPROF_OK);
	mprof_parser_finish(parser);
	mprof_block_init(&block, sizeof(block));
	while (mprof_parser_next_block(parser, &block) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_WATERMARK) {
			cr_assert_gt(block.as.watermark.counter, watermark);
			watermark = block.as.watermark.counter;
			watermarks++;
		}
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_parser_next_events(parser, events, 256, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				cr_assert_geq(events[i].counter, watermark);
			*events_seen += count;
		}
	}
	mprof_parser_destroy(parser);
	return watermarks;
}

Test(native_memory, watermarks_hold_for_all_threads, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	pthread_t threads[THREADS];
	size_t events = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	/* The log is only written on request, so that it can be read in between. */
	options.drain_interval_ms = 3600 * 1000;
	shared = recorded_log_open(&log, &options);
	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, allocate_and_free, (void *)(i + 1)), 0);
	for (size_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_join(threads[i], NULL), 0);
	/* A watermark is written some time after a round in which all threads were drained. */
	do {
		events = 0;
		cr_assert_eq(mprof_recorder_drain(shared), MPROF_OK);
	} while (check_watermarks(&log, &events) == 0);
	cr_assert_eq(events, THREADS * ROUNDS * 2);
	cr_assert_eq(mprof_recorder_close(shared), MPROF_OK);
	mprof_recorder_destroy(shared);
	recorded_log_free(&log);
}

Test(native_memory, other_logs_have_no_watermarks)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_counting(&log);
	mprof_thread *thread = attach(recorder);
	size_t events = 0;

	mprof_thread_enter_method(thread, METHOD_F);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	finish(recorder, thread, &log);
	cr_assert_eq(check_watermarks(&log, &events), 0);
	cr_assert_eq(events, 1);
	recorded_log_free(&log);
}

Test(native_memory, is_left_out_of_other_dialects)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_writer_stats written;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MONO;
	writer.lossy = 1;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	recorder = recorded_log_open(&log, &options);
	thread = attach(recorder);
	mprof_thread_record_memory_allocated(thread, 16, 1, NULL, 0);
	mprof_thread_record_memory_freed(thread, 16, NULL, 0);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	written.struct_size = sizeof(written);
	cr_assert_eq(mprof_recorder_get_writer_stats(recorder, &written), MPROF_OK);
	cr_expect_eq(written.left_out_events[MPROF_EVENT_MEMORY_ALLOCATED], 1);
	cr_expect_eq(written.left_out_events[MPROF_EVENT_MEMORY_FREED], 1);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
