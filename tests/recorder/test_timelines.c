/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_timelines.c
 * \brief Clocks and the conversion of their times, descriptions of threads and processes, and events at times that the
 * caller states: what is refused, and that the events of a thread are in order whatever is called.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint64_t now;

/* The counter of these tests: it stands unless a test moves it. */
static uint64_t set_counter(void *user)
{
	(void)user;
	return atomic_load(&now);
}

static mprof_recorder *open_at(recorded_log *log, uint64_t counter, double rate, uint32_t buffer_events)
{
	mprof_recorder_options options;

	atomic_store(&now, counter);
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = set_counter;
	options.counters_per_second = rate;
	if (buffer_events != 0)
		options.buffer_events = buffer_events;
	return recorded_log_open(log, &options);
}

static uint32_t define_clock(mprof_recorder *recorder, uint64_t numerator, uint64_t denominator)
{
	const mprof_clock_record clock = {numerator, denominator, MPROF_CLOCK_DEVICE, 0, "device"};
	uint32_t id = 0;

	cr_assert_eq(mprof_recorder_define_clock(recorder, &clock, sizeof(clock), &id), MPROF_OK);
	return id;
}

static void add_pair(mprof_recorder *recorder, uint32_t clock, uint64_t value, uint64_t counter, uint64_t uncertainty)
{
	cr_assert_eq(mprof_recorder_record_clock_pair(recorder, clock, value, counter, uncertainty), MPROF_OK);
}

static void expect_counter(mprof_recorder *recorder, uint32_t clock, uint64_t value, uint64_t wanted)
{
	uint64_t counter = 0;

	cr_assert_eq(mprof_recorder_convert_time(recorder, clock, value, &counter), MPROF_OK, "%llu",
		     (unsigned long long)value);
	cr_assert_eq(counter, wanted, "%llu is %llu, not %llu", (unsigned long long)value, (unsigned long long)counter,
		     (unsigned long long)wanted);
}

static void expect_refused(mprof_recorder *recorder, uint32_t clock, uint64_t value, mprof_status wanted)
{
	uint64_t counter = 1;

	cr_assert_eq(mprof_recorder_convert_time(recorder, clock, value, &counter), wanted);
	cr_assert_eq(counter, 0);
}

static void finish(mprof_recorder *recorder, recorded_log *log)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
}

/* A reader at the end of a log. *pairs receives the number of pairs. */
static mprof_reader *read_all(const recorded_log *log, size_t *pairs)
{
	mprof_record records[64];
	mprof_reader *reader;
	mprof_status status;
	mprof_block block;
	size_t count;

	*pairs = 0;
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_CLOCK_PAIRS)
			continue;
		while (mprof_reader_next_records(reader, records, sizeof(records[0]), 64, &count) == MPROF_OK)
			*pairs += count;
	}
	cr_assert_eq(status, MPROF_END);
	return reader;
}

Test(timelines, times_are_interpolated)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 0);
	const uint32_t clock = define_clock(recorder, 0, 0);

	cr_assert_eq(clock, 2);
	expect_counter(recorder, MPROF_CLOCK_LOG, 77, 77);
	expect_refused(recorder, 0, 1, MPROF_ERR_UNDEFINED_ID);
	expect_refused(recorder, 3, 1, MPROF_ERR_UNDEFINED_ID);
	expect_refused(recorder, clock, 1, MPROF_ERR_STATE);
	add_pair(recorder, clock, 500, 10000, 2);
	/* One pair has no slope. */
	expect_counter(recorder, clock, 500, 10000);
	expect_refused(recorder, clock, 501, MPROF_ERR_STATE);
	add_pair(recorder, clock, 600, 10300, 2);
	expect_counter(recorder, clock, 501, 10003);
	expect_counter(recorder, clock, 700, 10600);
	expect_counter(recorder, clock, 400, 9700);
	/* The clock is slower from here on. */
	add_pair(recorder, clock, 700, 10700, 2);
	expect_counter(recorder, clock, 550, 10150);
	expect_counter(recorder, clock, 650, 10500);
	expect_counter(recorder, clock, 900, 11400);
	/* Two values at the same time, and one value for some time. */
	add_pair(recorder, clock, 800, 10700, 2);
	add_pair(recorder, clock, 800, 10900, 2);
	add_pair(recorder, clock, 900, 11000, 2);
	expect_counter(recorder, clock, 750, 10700);
	expect_counter(recorder, clock, 850, 10950);
	add_pair(recorder, clock, UINT64_MAX, 12000, 2);
	expect_counter(recorder, clock, UINT64_MAX, 12000);
	finish(recorder, &log);
	cr_assert_eq(log.blocks[MPROF_BLOCK_CLOCKS], 1);
	cr_assert_geq(log.blocks[MPROF_BLOCK_CLOCK_PAIRS], 1);
	recorded_log_free(&log);
}

Test(timelines, stated_rates_count_outside_of_close_pairs)
{
	recorded_log log = {0};
	/* A nanosecond has one counter, and a tick four. */
	mprof_recorder *recorder = open_at(&log, 1000, 1e9, 0);
	const uint32_t stated = define_clock(recorder, 1000000000, 4);
	const uint32_t fast = define_clock(recorder, UINT64_MAX, 1);
	const uint32_t slow = define_clock(recorder, 1, UINT64_MAX);

	add_pair(recorder, stated, 1000, 100000, 100);
	expect_counter(recorder, stated, 1010, 100040);
	expect_counter(recorder, stated, 990, 99960);
	expect_refused(recorder, stated, UINT64_MAX, MPROF_ERR_ARGUMENT);
	/* Too close: the slope of 5 is less certain than the stated rate. */
	add_pair(recorder, stated, 2000, 105000, 100);
	expect_counter(recorder, stated, 1500, 102500);
	expect_counter(recorder, stated, 2010, 105040);
	/* Far away, the slope is better. */
	add_pair(recorder, stated, 2001000, 10100000, 100);
	expect_counter(recorder, stated, 2001010, 10100050);
	expect_counter(recorder, stated, 990, 99950);

	add_pair(recorder, fast, 5, 100, 0);
	expect_counter(recorder, fast, UINT64_MAX, 1000000100);
	add_pair(recorder, slow, 5, 100, 0);
	/* No 64 bits hold the counters per tick. */
	expect_refused(recorder, slow, 6, MPROF_ERR_STATE);
	finish(recorder, &log);
	recorded_log_free(&log);
}

Test(timelines, pairs_that_go_back_are_refused)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 0);
	const uint32_t clock = define_clock(recorder, 0, 0);
	mprof_reader *reader;
	size_t pairs;

	add_pair(recorder, clock, 500, 10000, 1);
	cr_assert_eq(mprof_recorder_record_clock_pair(recorder, clock, 499, 10001, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_clock_pair(recorder, clock, 501, 9999, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_clock_pair(recorder, MPROF_CLOCK_LOG, 1, 1, 1), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_recorder_record_clock_pair(recorder, clock + 1, 1, 1, 1), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_recorder_record_clock_pair(NULL, clock, 1, 1, 1), MPROF_ERR_ARGUMENT);
	/* More than are kept: the first one and the latest stay. */
	for (uint64_t i = 1; i <= 10000; i++)
		add_pair(recorder, clock, 500 + 10 * i, 10000 + 20 * i, 1);
	expect_counter(recorder, clock, 500, 10000);
	expect_counter(recorder, clock, 505, 10010);
	expect_counter(recorder, clock, 100495, 209990);
	finish(recorder, &log);
	reader = read_all(&log, &pairs);
	cr_assert_eq(pairs, 10001);
	mprof_reader_destroy(reader);
	recorded_log_free(&log);
}

Test(timelines, too_many_clocks)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 0);
	const mprof_clock_record clock = {.name = NULL};
	const mprof_clock_record reserved = {.reserved = 1};
	uint32_t id = 0;

	cr_assert_eq(mprof_recorder_define_clock(recorder, &reserved, sizeof(reserved), &id), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_clock(recorder, NULL, sizeof(clock), &id), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_clock(recorder, &clock, 8, &id), MPROF_ERR_ARGUMENT);
	for (uint32_t i = 2; i <= MPROF_RECORDED_CLOCKS_MAX; i++) {
		cr_assert_eq(mprof_recorder_define_clock(recorder, &clock, sizeof(clock), &id), MPROF_OK);
		cr_assert_eq(id, i);
	}
	cr_assert_eq(mprof_recorder_define_clock(recorder, &clock, sizeof(clock), &id), MPROF_ERR_LIMIT);
	cr_assert_eq(id, 0);
	finish(recorder, &log);
	recorded_log_free(&log);
}

static mprof_record lookup(const mprof_reader *reader, uint32_t kind, uint32_t id)
{
	mprof_record record;

	cr_assert_eq(mprof_reader_lookup_record(reader, kind, id, &record, sizeof(record)), MPROF_OK);
	return record;
}

Test(timelines, descriptions_are_in_the_log)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 0);
	mprof_process_record process = {
		.number = 3, .system_id = 44, .start = 1001, .name = "one", .command = "one -v"};
	mprof_timeline_record timeline = {.thread = 7, .process = 3, .kind = MPROF_TIMELINE_QUEUE, .name = "queue"};
	mprof_reader *reader;
	size_t pairs;

	cr_assert_eq(mprof_recorder_define_process(recorder, &process, sizeof(process)), MPROF_OK);
	process.name = "two";
	process.end = 1000;
	cr_assert_eq(mprof_recorder_define_process(recorder, &process, sizeof(process)), MPROF_ERR_ARGUMENT);
	process.end = 2000;
	process.command = NULL;
	cr_assert_eq(mprof_recorder_define_process(recorder, &process, sizeof(process)), MPROF_OK);
	process.parent = 3;
	cr_assert_eq(mprof_recorder_define_process(recorder, &process, sizeof(process)), MPROF_ERR_ARGUMENT);
	process = (mprof_process_record){.number = 0};
	cr_assert_eq(mprof_recorder_define_process(recorder, &process, sizeof(process)), MPROF_ERR_ARGUMENT);

	timeline.clock = 2;
	cr_assert_eq(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), MPROF_ERR_UNDEFINED_ID);
	timeline.clock = define_clock(recorder, 1, 1);
	cr_assert_eq(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), MPROF_OK);
	timeline.clock = MPROF_CLOCK_LOG;
	timeline.flags = MPROF_TIMELINE_FLAG_ENDED;
	timeline.name = NULL;
	cr_assert_eq(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), MPROF_OK);
	timeline.flags = 2;
	cr_assert_eq(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), MPROF_ERR_ARGUMENT);
	timeline.flags = 0;
	timeline.parent = 7;
	cr_assert_eq(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), MPROF_ERR_ARGUMENT);
	finish(recorder, &log);

	reader = read_all(&log, &pairs);
	cr_assert_eq(pairs, 0);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_PROCESS), 2);
	cr_assert_str_eq(lookup(reader, MPROF_RECORD_PROCESS, 1).as.process.command, "one -v");
	cr_assert_str_eq(lookup(reader, MPROF_RECORD_PROCESS, 2).as.process.name, "two");
	cr_assert_eq(lookup(reader, MPROF_RECORD_PROCESS, 2).as.process.end, 2000);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_CLOCK), 2);
	cr_assert_str_eq(lookup(reader, MPROF_RECORD_CLOCK, 1).as.clock.name, "given by the client");
	cr_assert_str_eq(lookup(reader, MPROF_RECORD_CLOCK, 2).as.clock.name, "device");
	cr_assert_eq(lookup(reader, MPROF_RECORD_TIMELINE, 1).as.timeline.clock, 2);
	cr_assert_eq(lookup(reader, MPROF_RECORD_TIMELINE, 2).as.timeline.clock, 0);
	cr_assert_eq(lookup(reader, MPROF_RECORD_TIMELINE, 2).as.timeline.flags, MPROF_TIMELINE_FLAG_ENDED);
	mprof_reader_destroy(reader);
	recorded_log_free(&log);
}

static uint32_t define_span(mprof_recorder *recorder)
{
	const mprof_argument_record duration = {MPROF_ARGUMENT_DURATION, 0, MPROF_ROLE_DURATION, 0, "time", NULL};
	mprof_type_record type = {.form = MPROF_TYPE_SPAN, .argument_count = 1, .name = "work"};
	uint32_t id = 0;

	cr_assert_eq(mprof_recorder_define_arguments(recorder, &duration, sizeof(duration), 1, &type.first_argument),
		     MPROF_OK);
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_OK);
	return id;
}

static mprof_thread *attach(mprof_recorder *recorder, uint64_t id)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, id, &thread), MPROF_OK);
	return thread;
}

Test(timelines, stated_times_are_in_order)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 0);
	const uint32_t type = define_span(recorder);
	mprof_thread *thread = attach(recorder, 7);

	/* Before the attachment, and in the future. */
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 999, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 1001, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_span_at(NULL, type, 1, 2, NULL, 0), MPROF_ERR_ARGUMENT);
	atomic_store(&now, 5000);
	cr_assert_eq(mprof_thread_record_span_at(thread, type, 900, 2000, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_span_at(thread, type, 1000, 1999, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_span_at(thread, type, 2001, 2000, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_span_at(thread, type, 2000, 2000, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed_at(thread, type + 1, 2000, NULL, 0), MPROF_ERR_UNDEFINED_ID);
	/* After an event of the present, the past is refused. */
	mprof_thread_enter_method(thread, 1);
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 4999, NULL, 0), MPROF_ERR_ARGUMENT);
	mprof_thread_record_allocation_detailed(thread, 2, 24, 0, NULL, 0);
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 5000, NULL, 0), MPROF_OK);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_eq(log.event_count, 5);
	cr_assert_eq(log.events[0].event.counter, 2000);
	cr_assert_eq(log.events[1].event.counter, 2000);
	cr_assert_eq(log.events[2].event.kind, MPROF_EVENT_METHOD_ENTER);
	cr_assert_eq(log.events[4].event.counter, 5000);
	cr_assert_eq(log.lost[MPROF_LOSS_NO_MEMORY], 1);
	recorded_log_free(&log);
}

Test(timelines, times_in_a_pause_are_refused)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 0);
	const uint32_t type = define_span(recorder);
	mprof_thread *thread = attach(recorder, 7);

	cr_assert_eq(mprof_recorder_set_enabled(recorder, 0), MPROF_OK);
	atomic_store(&now, 2000);
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 1500, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 1), MPROF_OK);
	atomic_store(&now, 3000);
	/* This records that recording has resumed. */
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 1600, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed_at(thread, type, 3000, NULL, 0), MPROF_OK);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_eq(log.event_count, 2);
	cr_assert_eq(log.events[0].event.kind, MPROF_EVENT_RECORDING_RESUMED);
	cr_assert_eq(log.events[1].event.counter, 3000);
	recorded_log_free(&log);
}

/* Any order of calls, with buffers that are soon full: what is accepted is in the log, in order. */
Test(timelines, any_order_of_calls)
{
	const mprof_frame frames[3] = {1, 2, 3};
	recorded_log log = {0};
	mprof_recorder *recorder = open_at(&log, 1000, 0, 128);
	const uint32_t type = define_span(recorder);
	mprof_thread *thread = attach(recorder, 7);
	uint64_t latest = 1000;
	uint64_t unknown = 1000;
	uint64_t accepted = 0;

	srand(7);
	for (int i = 0; i < 20000; i++) {
		const uint64_t stated = latest + (uint64_t)(rand() % 40) - 10;
		const uint64_t at = atomic_load(&now);

		atomic_store(&now, at + (uint64_t)(rand() % 20));
		switch (rand() % 8) {
		case 0:
			mprof_thread_enter_method(thread, 1);
			latest = atomic_load(&now);
			accepted++;
			break;
		case 1:
			mprof_thread_record_allocation(thread, 2, 1 << 20);
			/* A buffer that begins with it states the time. */
			unknown = atomic_load(&now);
			accepted++;
			break;
		case 2:
			mprof_thread_record_allocation_detailed(thread, 2, 24, 64, frames, (size_t)(rand() % 4));
			/* It has a counter if the recorder keeps its details. */
			unknown = atomic_load(&now);
			accepted++;
			break;
		case 3:
			mprof_thread_record_memory_allocated(thread, 64, 8, frames, (size_t)(rand() % 4));
			latest = atomic_load(&now);
			accepted++;
			break;
		default:
			if (mprof_thread_record_span_at(thread, type, 10, stated, NULL, 0) == MPROF_OK) {
				cr_assert(stated >= latest && stated <= atomic_load(&now));
				latest = stated;
				accepted++;
			} else if (stated > latest && stated > unknown) {
				cr_assert_gt(stated, atomic_load(&now), "%llu", (unsigned long long)stated);
			}
			break;
		}
	}
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_eq(log.event_count, accepted);
	for (size_t i = 1; i < log.event_count; i++)
		cr_assert_geq(log.events[i].event.counter, log.events[i - 1].event.counter);
	recorded_log_free(&log);
}

Test(timelines, without_free_buffers)
{
	mprof_recorder_options options;
	recorded_log log = {0};
	mprof_recorder *recorder;
	mprof_thread *thread;
	uint64_t last = 1000;
	uint32_t type;

	atomic_store(&now, 1000);
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = set_counter;
	options.overflow = MPROF_OVERFLOW_DROP;
	options.buffer_events = 128;
	options.max_buffers = 2;
	recorder = recorded_log_open(&log, &options);
	type = define_span(recorder);
	thread = attach(recorder, 7);
	log.blocked = 1;
	for (int i = 0; i < 2000; i++) {
		atomic_fetch_add(&now, 10);
		cr_assert_eq(mprof_thread_record_span_at(thread, type, 1, last + 5, NULL, 0), MPROF_OK);
		last += 10;
	}
	log.blocked = 0;
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_gt(log.lost[MPROF_LOSS_NO_BUFFER], 0);
	cr_assert_eq(log.event_count + log.lost[MPROF_LOSS_NO_BUFFER], 2000);
	for (size_t i = 1; i < log.event_count; i++)
		cr_assert_geq(log.events[i].event.counter, log.events[i - 1].event.counter);
	recorded_log_free(&log);
}

Test(timelines, a_ring_keeps_definitions)
{
	static const char path[] = "timelines-ring.mprof";
	static uint8_t bytes[1 << 21];
	mprof_recorder_options options;
	recorded_log log = {0};
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_reader *reader;
	FILE *file;
	uint32_t clock;
	uint32_t type;
	size_t pairs;

	atomic_store(&now, 1000);
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = set_counter;
	cr_assert_eq(mprof_recorder_open_ring(1 << 20, &options, &recorder, NULL), MPROF_OK);
	clock = define_clock(recorder, 5, 1);
	type = define_span(recorder);
	thread = attach(recorder, 7);
	for (uint64_t i = 0; i < 400; i++) {
		add_pair(recorder, clock, i, 1000 + 100 * i, 1);
		for (int k = 0; k < 2000; k++) {
			mprof_thread_enter_method(thread, (mprof_key)(1 + k));
			atomic_fetch_add(&now, (uint64_t)(1 + k % 50));
		}
		cr_assert_eq(mprof_thread_record_typed_at(thread, type, atomic_load(&now), NULL, 0), MPROF_OK);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	file = fopen(path, "rb");
	cr_assert_not_null(file);
	log.length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	unlink(path);
	log.bytes = bytes;
	reader = read_all(&log, &pairs);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_CLOCK), 2);
	cr_assert(pairs > 0 && pairs < 400, "%zu", pairs);
	mprof_reader_destroy(reader);
	mprof_recorder_destroy(recorder);
}

Test(timelines, other_dialects_leave_them_out)
{
	const mprof_process_record process = {.number = 1};
	const mprof_timeline_record timeline = {.thread = 1};
	const mprof_clock_record clock = {.name = "c"};
	mprof_recorder_options options;
	mprof_writer_options writer;
	recorded_log log = {0};
	mprof_recorder *recorder;
	uint32_t id;

	mprof_recorder_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MAIL;
	writer.lossy = 1;
	options.writer = &writer;
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_define_clock(recorder, &clock, sizeof(clock), &id), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_process(recorder, &process, sizeof(process)), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	recorded_log_free(&log);
}
