/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_recorded_index.c
 * \brief The index that the recorder writes is the one that a reader builds from the blocks, with the same call stacks.
 */
#include "recorded_log.h"

#include "format/blocks/index_items.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, METHODS = 300, CLASS_KEY = 0x100000, BUFFER_EVENTS = 128, MAX_FRAMES = 2048 };

/* Longest sequence of events that is compared. */
enum { MAX_EVENTS = 65536 };

/* Methods with numbers from here on are not defined: the writer thread names them. */
enum { FIRST_UNDEFINED = METHODS - 20 };

static void define_all(mprof_recorder *recorder)
{
	char name[32];

	for (int i = 1; i < FIRST_UNDEFINED; i++) {
		snprintf(name, sizeof(name), "M%d ()", i);
		define_method(recorder, (mprof_key)i, 0, name);
	}
	define_class(recorder, CLASS_KEY, "Class");
}

static size_t frames_at(mprof_reader *reader, uint64_t offset, mprof_stack_frame *frames)
{
	size_t count = 0;

	cr_assert_eq(
		mprof_reader_get_block_frames(reader, offset, frames, sizeof(mprof_stack_frame), MAX_FRAMES, &count),
		MPROF_OK);
	return count;
}

static size_t events_at(mprof_reader *reader, uint64_t offset, mprof_event *events)
{
	mprof_block block = {.struct_size = sizeof(block)};
	size_t sum = 0;
	size_t count;

	cr_assert_eq(mprof_reader_seek(reader, offset), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	while (sum < MAX_EVENTS && mprof_reader_next_events(reader, events + sum, MAX_EVENTS - sum, &count) == MPROF_OK)
		sum += count;
	return sum;
}

static void expect_same_block(mprof_reader *stored, mprof_reader *built, uint64_t offset)
{
	static mprof_stack_frame frames[2][MAX_FRAMES];
	static mprof_event events[2][MAX_EVENTS];
	size_t count = frames_at(built, offset, frames[1]);

	cr_assert_eq(frames_at(stored, offset, frames[0]), count, "block at %llu", (unsigned long long)offset);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(frames[0][i].id, frames[1][i].id, "block at %llu", (unsigned long long)offset);
	count = events_at(built, offset, events[1]);
	cr_assert_eq(events_at(stored, offset, events[0]), count);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(events[0][i].kind, events[1][i].kind);
		cr_assert_eq(events[0][i].id, events[1][i].id);
		cr_assert_eq(events[0][i].counter, events[1][i].counter);
	}
}

/*
 * Only an index that is built finds damage in a block that nobody reads. Readers do not use an index in which a call
 * stack is unknown.
 */
static void expect_use(const recorded_log *log, uint64_t offset, int is_used)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_reader *reader;

	log->bytes[offset + 8] ^= 1;
	reader = open_with_index(log->bytes, log->length, 0);
	mprof_reader_get_error(reader, &error);
	cr_assert_eq(error.status, is_used ? MPROF_OK : MPROF_ERR_CHECKSUM, "the index of the log is used");
	mprof_reader_destroy(reader);
	log->bytes[offset + 8] ^= 1;
}

/* Compares each \p step-th EVENTS block. */
static void expect_index(const recorded_log *log, uint64_t step, int is_used)
{
	mprof_reader *stored = open_with_index(log->bytes, log->length, 0);
	mprof_reader *built = open_with_index(log->bytes, log->length, 1);
	const uint64_t count = mprof_reader_get_index_count(built);
	uint64_t last = 0;
	uint64_t blocks = 0;

	cr_assert_geq(log->blocks[MPROF_BLOCK_INDEX], 1);
	cr_assert_eq(mprof_reader_get_index_count(stored), count);
	for (uint64_t i = 0; i < count; i++) {
		mprof_index_entry first = {.struct_size = sizeof(first)};
		mprof_index_entry second = {.struct_size = sizeof(second)};

		cr_assert_eq(mprof_reader_get_index_entry(stored, i, &first), MPROF_OK);
		cr_assert_eq(mprof_reader_get_index_entry(built, i, &second), MPROF_OK);
		cr_assert_eq(memcmp(&first, &second, sizeof(first)), 0, "entry %llu", (unsigned long long)i);
		if (first.kind != MPROF_BLOCK_EVENTS)
			continue;
		if (blocks++ % step == 0)
			expect_same_block(stored, built, first.offset);
		last = first.offset;
	}
	cr_assert_geq(blocks, 1);
	mprof_reader_destroy(stored);
	mprof_reader_destroy(built);
	expect_use(log, last, is_used);
}

static void finish(mprof_recorder *recorder, recorded_log *log)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
}

typedef struct recording {
	mprof_recorder *recorder;
	uint64_t id;
	int steps;
	pthread_t handle;
} recording;

/* Calls that go deep and return by all kinds of leaves, also of methods that are not open. */
static void record_step(mprof_thread *thread, uint32_t *random, int *depth)
{
	mprof_key method;

	*random = *random * 1664525 + 1013904223;
	method = 1 + (*random >> 16) % (METHODS - 1);
	switch (*random >> 8 & 15) {
	case 0:
		mprof_thread_record_allocation(thread, CLASS_KEY, 24);
		break;
	case 1:
		mprof_thread_leave_method(thread, method);
		break;
	case 2:
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_KEY, 0x7000, NULL, 0);
		break;
	case 3:
	case 4:
	case 5:
	case 6:
	case 7:
	case 8:
		if (*depth > 0)
			mprof_thread_leave_method(thread, 0);
		*depth -= *depth > 0;
		break;
	default:
		mprof_thread_enter_method(thread, method);
		++*depth;
		break;
	}
}

static void *record_steps(void *argument)
{
	const recording *copy = argument;
	uint32_t random = (uint32_t)copy->id;
	mprof_thread *thread;
	int depth = 0;

	if (mprof_recorder_attach(copy->recorder, copy->id, &thread) != MPROF_OK)
		return NULL;
	for (int i = 0; i < copy->steps; i++)
		record_step(thread, &random, &depth);
	mprof_thread_detach(thread);
	return NULL;
}

static void record_threads(recorded_log *log, mprof_recorder_options *options, int steps)
{
	mprof_recorder *recorder = recorded_log_open(log, options);
	recording recordings[THREADS];

	define_all(recorder);
	for (int i = 0; i < THREADS; i++) {
		recordings[i] = (recording){.recorder = recorder, .id = 10 + (uint64_t)i, .steps = steps};
		cr_assert_eq(pthread_create(&recordings[i].handle, NULL, record_steps, &recordings[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(recordings[i].handle, NULL);
	finish(recorder, log);
}

/* Enough blocks for several INDEX blocks. */
Test(recorded_index, is_the_one_that_is_built, .timeout = 60)
{
	for (uint32_t drain_threads = 0; drain_threads <= 3; drain_threads += 3) {
		mprof_recorder_options options;
		recorded_log log = {0};

		mprof_recorder_options_init(&options, sizeof(options));
		options.buffer_events = BUFFER_EVENTS;
		options.max_buffers = 8192;
		options.drain_threads = drain_threads;
		/* Blocks of a few buffers. */
		options.max_log_bytes = UINT64_C(64) << 10;
		record_threads(&log, &options, 3000);
		recorded_log_free(&log);
		options.max_log_bytes = UINT64_C(512) << 10;
		memset(&log, 0, sizeof(log));
		record_threads(&log, &options, 20000);
		cr_assert_eq(log.lost[MPROF_LOSS_LIMIT], 0);
		expect_index(&log, 5, 1);
		recorded_log_free(&log);
	}
}

static uint64_t count_compressed(const recorded_log *log)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_reader *reader = open_with_index(log->bytes, log->length, 0);
	uint64_t compressed = 0;

	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		compressed += block.kind == MPROF_BLOCK_EVENTS && block.codec == MPROF_CODEC_DEFLATE;
	mprof_reader_destroy(reader);
	return compressed;
}

Test(recorded_index, of_a_compressed_log, .timeout = 60)
{
	for (uint32_t drain_threads = 0; drain_threads <= 3; drain_threads += 3) {
		mprof_writer_options writer;
		mprof_recorder_options options;
		recorded_log log = {0};

		mprof_writer_options_init(&writer, sizeof(writer));
		writer.codec = MPROF_CODEC_DEFLATE;
		mprof_recorder_options_init(&options, sizeof(options));
		options.writer = &writer;
		options.buffer_events = BUFFER_EVENTS;
		options.max_buffers = 8192;
		options.drain_threads = drain_threads;
		record_threads(&log, &options, 5000);
		expect_index(&log, 3, 1);
		cr_assert_geq(count_compressed(&log), 1);
		recorded_log_free(&log);
	}
}

Test(recorded_index, of_a_log_in_rows)
{
	mprof_recorder_options options;
	recorded_log log = {0};

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = BUFFER_EVENTS;
	options.max_buffers = 8192;
	options.event_rows = 1;
	record_threads(&log, &options, 3000);
	expect_index(&log, 7, 1);
	recorded_log_free(&log);
}

/* One thread at a time; each drain ends a block. */
static mprof_recorder *open_single(recorded_log *log)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_interval_ms = 3600000;
	recorder = recorded_log_open(log, &options);
	define_all(recorder);
	return recorder;
}

static void record_block(mprof_recorder *recorder, mprof_thread *thread, int enters, int leaves)
{
	for (int i = 0; i < enters; i++)
		mprof_thread_enter_method(thread, (mprof_key)(1 + i % 200));
	for (int i = 0; i < leaves; i++)
		mprof_thread_leave_method(thread, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
}

Test(recorded_index, has_call_stacks_up_to_a_depth)
{
	for (int depth = INDEX_MAX_FRAMES; depth <= INDEX_MAX_FRAMES + 1; depth++) {
		recorded_log log = {0};
		mprof_recorder *recorder = open_single(&log);
		mprof_thread *thread;

		cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
		record_block(recorder, thread, 20, 3);
		record_block(recorder, thread, depth - 17, 0);
		record_block(recorder, thread, 1, 700);
		record_block(recorder, thread, 0, 3);
		record_block(recorder, thread, 3, 0);
		mprof_thread_detach(thread);
		finish(recorder, &log);
		cr_assert_geq(log.blocks[MPROF_BLOCK_EVENTS], 5);
		expect_index(&log, 1, depth <= INDEX_MAX_FRAMES);
		recorded_log_free(&log);
	}
}

/* An ID that is used again continues with the calls that its last thread left open, until a thread starts. */
Test(recorded_index, of_thread_ids_that_are_used_again)
{
	for (int is_left_open = 0; is_left_open < 2; is_left_open++) {
		for (int starts = 0; starts < 2; starts++) {
			recorded_log log = {0};
			mprof_recorder *recorder = open_single(&log);
			mprof_thread *thread;

			cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
			record_block(recorder, thread, 5, is_left_open ? 3 : 5);
			mprof_thread_detach(thread);
			cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
			if (starts)
				mprof_thread_record_event(thread, MPROF_EVENT_THREAD_START, 0, 7);
			record_block(recorder, thread, 4, 1);
			record_block(recorder, thread, 4, is_left_open ? 1 : 7);
			mprof_thread_detach(thread);
			cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
			record_block(recorder, thread, 2, 1);
			record_block(recorder, thread, 2, 1);
			mprof_thread_detach(thread);
			finish(recorder, &log);
			expect_index(&log, 1, !is_left_open);
			recorded_log_free(&log);
		}
	}
}

Test(recorded_index, of_pauses_and_switches)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_single(&log);
	mprof_thread *thread;
	mprof_thread *other;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 8, &other), MPROF_OK);
	record_block(recorder, other, 5, 1);
	record_block(recorder, thread, 5, 1);
	mprof_recorder_set_enabled(recorder, 0);
	mprof_recorder_set_enabled(recorder, 1);
	record_block(recorder, thread, 5, 1);
	record_block(recorder, other, 5, 1);
	cr_assert_eq(mprof_thread_switch_stack(thread, 5), MPROF_OK);
	record_block(recorder, thread, 5, 1);
	cr_assert_eq(mprof_thread_switch_stack(thread, 0), MPROF_OK);
	record_block(recorder, thread, 1, 1);
	record_block(recorder, other, 1, 1);
	mprof_thread_detach(thread);
	mprof_thread_detach(other);
	finish(recorder, &log);
	expect_index(&log, 1, 0);
	recorded_log_free(&log);
}

static uint64_t stopped_counter(void *user)
{
	(void)user;
	return 1000;
}

/* Clock pairs with the same counter have the same time: otherwise it would matter which of them a reader has seen. */
Test(recorded_index, of_a_clock_that_stands_still)
{
	mprof_recorder_options options;
	recorded_log log = {0};

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = stopped_counter;
	record_threads(&log, &options, 3000);
	expect_index(&log, 1, 1);
	recorded_log_free(&log);
}

Test(recorded_index, is_left_out_on_request)
{
	mprof_recorder_options options;
	recorded_log log = {0};

	mprof_recorder_options_init(&options, sizeof(options));
	options.without_index = 1;
	record_threads(&log, &options, 100);
	cr_assert_eq(log.blocks[MPROF_BLOCK_INDEX], 0);
	recorded_log_free(&log);
}
