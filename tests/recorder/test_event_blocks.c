/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_event_blocks.c
 * \brief Events in columns: the same as in rows, and in one block for several buffers of a thread.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The slots of seven buffers and a part of another one: too few to wake the writer thread. */
enum { BUFFER_SLOTS = 4096, FULL_BUFFERS = 7, SLOTS = FULL_BUFFERS * BUFFER_SLOTS + 100 };

enum { METHODS = 3000, CLASSES = 40, FIRST_CLASS = 0x100000, UNDEFINED = 0x200000 };

/* Deeper than stacks are followed. With larger buffers, the writer thread is not woken either. */
enum { DEEP = 70000, MAX_OPEN = DEEP + SLOTS, DEEP_BUFFER_SLOTS = 16384 };

/* One block is written when the recorder is closed. */
static mprof_recorder *open_with(recorded_log *log, mprof_recorder_options *options, uint32_t event_rows)
{
	mprof_recorder *recorder;
	char name[32];

	if (options->buffer_events == 0)
		options->buffer_events = BUFFER_SLOTS;
	options->drain_interval_ms = 3600000;
	options->counter = counting_counter;
	options->event_rows = event_rows;
	recorder = recorded_log_open(log, options);
	for (int i = 1; i <= METHODS; i++) {
		snprintf(name, sizeof(name), "M%d ()", i);
		define_method(recorder, (mprof_key)i, 0, name);
	}
	for (int i = 0; i < CLASSES; i++) {
		snprintf(name, sizeof(name), "C%d", i);
		define_class(recorder, (mprof_key)(FIRST_CLASS + i), name);
	}
	return recorder;
}

static void finish(mprof_recorder *recorder, recorded_log *log)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_get_stats(recorder, &stats);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
	cr_assert_eq(stats.events, log->event_count);
	cr_assert_eq(stats.lost_events, 0);
}

/* Two slots or three; calls are nested, some are left by another method's leave, and some have no key. */
static int record_step(mprof_thread *thread, int i)
{
	mprof_key method = (mprof_key)(1 + i * 7 % METHODS);

	switch (i % 11) {
	case 3:
		mprof_thread_leave_method(thread, method);
		mprof_thread_record_allocation(thread, (mprof_key)(FIRST_CLASS + i % CLASSES), (uint64_t)i);
		return 2;
	case 5:
		mprof_thread_leave_method(thread, 0);
		mprof_thread_enter_method(thread, 0);
		return 2;
	case 7:
		mprof_thread_enter_method(thread, (mprof_key)(UNDEFINED + i % 5));
		mprof_thread_leave_method(thread, (mprof_key)(UNDEFINED + i % 5));
		return 2;
	case 9:
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, FIRST_CLASS, 0x7000, NULL, 0);
		return 2;
	default:
		mprof_thread_enter_method(thread, method);
		mprof_thread_record_allocation(thread, (mprof_key)(FIRST_CLASS + i % CLASSES), 24);
		mprof_thread_leave_method(thread, method);
		return 3;
	}
}

static void record_steps(recorded_log *log, uint32_t event_rows, uint64_t max_log_bytes)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.max_log_bytes = max_log_bytes;
	recorder = open_with(log, &options, event_rows);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	for (int slots = 0, i = 0; slots < SLOTS; i++)
		slots += record_step(thread, i);
	mprof_thread_detach(thread);
	finish(recorder, log);
}

static void expect_events_of_rows(const recorded_log *rows, const recorded_log *columns)
{
	cr_assert_eq(rows->event_count, columns->event_count);
	for (size_t i = 0; i < rows->event_count; i++) {
		const recorded_event *row = &rows->events[i];
		const recorded_event *column = &columns->events[i];

		cr_assert_eq(row->event.kind, column->event.kind, "event %zu", i);
		cr_assert_eq(row->event.id, column->event.id, "event %zu", i);
		cr_assert_eq(row->event.flags, column->event.flags, "event %zu", i);
		cr_assert_eq(row->event.value, column->event.value, "event %zu", i);
		cr_assert_eq(row->thread, column->thread, "event %zu", i);
		cr_assert_str_eq(row->name, column->name, "event %zu", i);
		cr_assert_eq(row->detail.object, column->detail.object, "event %zu", i);
		/* Allocations have the time of the event or the block before them. */
		if (row->event.kind != MPROF_EVENT_ALLOCATION)
			cr_assert_eq(row->event.counter - rows->events[0].event.counter,
				     column->event.counter - columns->events[0].event.counter, "event %zu", i);
	}
}

Test(event_blocks, columns_contain_the_events_of_rows)
{
	recorded_log rows = {0};
	recorded_log columns = {0};

	record_steps(&rows, 1, 0);
	record_steps(&columns, 0, 0);
	cr_assert_gt(rows.event_count, 20000);
	expect_events_of_rows(&rows, &columns);
	recorded_log_free(&rows);
	recorded_log_free(&columns);
}

/* Calls at random, the same in each walk. */
typedef struct random_walk {
	uint32_t random;
	size_t depth;
	mprof_key open[MAX_OPEN]; /* The methods that are open, outermost first. */
} random_walk;

static void enter_open(mprof_thread *thread, random_walk *walk, mprof_key method)
{
	cr_assert_lt(walk->depth, MAX_OPEN);
	walk->open[walk->depth++] = method;
	mprof_thread_enter_method(thread, method);
}

/* Records a call. Most calls are simple, the others change the stack in all ways that there are. */
static void record_call(mprof_thread *thread, random_walk *walk, int is_descending)
{
	mprof_key method;

	walk->random = walk->random * 1664525 + 1013904223;
	/* More methods than a cache has room for. */
	method = (mprof_key)(1 + (walk->random >> 16) % METHODS);
	switch (walk->random >> 24) {
	case 0:
		mprof_thread_leave_method(thread, method);
		break;
	case 1:
		mprof_thread_leave_method(thread, 0);
		walk->depth -= walk->depth > 0;
		break;
	case 2:
		walk->depth -= walk->depth < 3 ? walk->depth : 3;
		mprof_thread_leave_method(thread, walk->open[walk->depth]);
		break;
	case 3:
		mprof_thread_enter_method(thread, 0);
		break;
	case 4:
		enter_open(thread, walk, UNDEFINED + method % 5);
		break;
	case 5:
		mprof_thread_record_allocation(thread, FIRST_CLASS + method % CLASSES, method);
		break;
	default:
		if (walk->depth == 0 || is_descending || (walk->random >> 12 & 1) != 0)
			enter_open(thread, walk, method);
		else
			mprof_thread_leave_method(thread, walk->open[--walk->depth]);
		break;
	}
}

/* Calls at random, after \p descent calls that hardly return. */
static void record_walk(recorded_log *log, uint32_t event_rows, int descent)
{
	static random_walk walk;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = descent > 0 ? DEEP_BUFFER_SLOTS : BUFFER_SLOTS;
	recorder = open_with(log, &options, event_rows);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	memset(&walk, 0, sizeof(walk));
	walk.random = 1;
	for (int i = 0; i < descent + SLOTS; i++)
		record_call(thread, &walk, i < descent);
	mprof_thread_detach(thread);
	finish(recorder, log);
}

static void expect_equal_walks(int descent)
{
	recorded_log rows = {0};
	recorded_log columns = {0};

	record_walk(&rows, 1, descent);
	record_walk(&columns, 0, descent);
	cr_assert_geq(rows.event_count, (size_t)(descent + SLOTS));
	expect_events_of_rows(&rows, &columns);
	recorded_log_free(&rows);
	recorded_log_free(&columns);
}

Test(event_blocks, columns_contain_the_calls_of_rows)
{
	expect_equal_walks(0);
}

Test(event_blocks, columns_contain_the_calls_of_rows_on_a_deep_stack)
{
	expect_equal_walks(DEEP);
}

Test(event_blocks, full_buffers_of_a_thread_become_one_block)
{
	recorded_log rows = {0};
	recorded_log columns = {0};

	record_steps(&rows, 1, 0);
	record_steps(&columns, 0, 0);
	cr_assert_eq(rows.blocks[MPROF_BLOCK_EVENTS], FULL_BUFFERS + 1);
	cr_assert_eq(columns.blocks[MPROF_BLOCK_EVENTS], 1);
	cr_assert_lt(columns.length, rows.length);
	recorded_log_free(&rows);
	recorded_log_free(&columns);
}

Test(event_blocks, a_limited_log_has_smaller_blocks)
{
	recorded_log log = {0};

	record_steps(&log, 0, UINT64_C(1) << 20);
	cr_assert_geq(log.blocks[MPROF_BLOCK_EVENTS], 2, "of at most 16384 events");
	recorded_log_free(&log);
}

Test(event_blocks, allocations_alone_have_the_times_of_their_buffers)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	recorder = open_with(&log, &options, 0);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	for (int i = 0; i < SLOTS; i++)
		mprof_thread_record_allocation(thread, FIRST_CLASS, 16);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_geq(log.blocks[MPROF_BLOCK_EVENTS], FULL_BUFFERS);
	cr_assert_lt(log.events[0].event.counter, log.events[log.event_count - 1].event.counter);
	recorded_log_free(&log);
}

Test(event_blocks, retired_keys_get_other_ids)
{
	recorded_log log = {0};
	const mprof_key_range range = {1, METHODS};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	size_t last;

	mprof_recorder_options_init(&options, sizeof(options));
	recorder = open_with(&log, &options, 0);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, 1);
	mprof_thread_leave_method(thread, 1);
	cr_assert_eq(mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1), MPROF_OK);
	define_method(recorder, 1, 0, "Other ()");
	mprof_thread_enter_method(thread, 1);
	mprof_thread_leave_method(thread, 1);
	define_method(recorder, 1, 0, "Third ()");
	mprof_thread_enter_method(thread, 1);
	mprof_thread_leave_method(thread, 1);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	last = log.event_count;
	cr_assert_geq(last, 6);
	cr_assert_str_eq(log.events[last - 6].name, "M1 ()");
	cr_assert_str_eq(log.events[last - 4].name, "Other ()");
	cr_assert_str_eq(log.events[last - 2].name, "Third ()");
	recorded_log_free(&log);
}
