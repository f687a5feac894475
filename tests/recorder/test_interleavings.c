/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_interleavings.c
 * \brief Orders of steps of several threads that the recorder must handle, forced by test points.
 *
 * The sources of the recorder that have test points are compiled into this program with MPROF_TESTPOINTS. A test names
 * the point at which a thread is stopped, and does there what the other threads would do meanwhile. So each order
 * occurs in every run.
 */
#include "recorded_log.h"

#include "base/testpoint.h"
#include "recorder/client/recorder_internal.h"
#include "recorder/threads/thread.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The function that is called once at a point. */
static const char *awaited;
static void (*meanwhile)(void);
static _Atomic int reached;

void testpoint_reach(const char *name)
{
	if (awaited == NULL || strcmp(name, awaited) != 0)
		return;
	awaited = NULL;
	atomic_fetch_add(&reached, 1);
	meanwhile();
}

static void at(const char *name, void (*function)(void))
{
	meanwhile = function;
	awaited = name;
}

static buffer_pool pool;
static event_buffer *buffers[3];

/* Another thread takes both buffers and returns the first: it is on top again, but the one below it has changed. */
static void take_two_and_give_one(void)
{
	buffers[0] = buffer_pool_take(&pool, 0);
	buffers[1] = buffer_pool_take(&pool, 0);
	cr_assert_not_null(buffers[1]);
	buffer_pool_give(&pool, buffers[0]);
}

Test(interleavings, a_buffer_that_came_back_is_not_taken_for_one_that_never_left)
{
	event_buffer *taken;
	event_buffer *next;

	cr_assert(buffer_pool_init(&pool, 3, 16, NULL));
	for (int i = 0; i < 3; i++)
		buffers[i] = buffer_pool_take(&pool, 0);
	for (int i = 0; i < 3; i++)
		buffer_pool_give(&pool, buffers[i]);
	at("pool: next read", take_two_and_give_one);
	taken = buffer_pool_take(&pool, 0);
	cr_assert_eq(atomic_load(&reached), 1);
	cr_assert_eq(taken, buffers[0]);
	/* The other thread still has buffers[1]. */
	while ((next = buffer_pool_take(&pool, 0)) != NULL) {
		cr_assert_neq(next, buffers[1], "a buffer has two owners");
		cr_assert_neq(next, taken, "a buffer has two owners");
	}
	buffer_pool_destroy(&pool);
}

enum { CLASS = 0x1000, BUFFER = 128, EVENTS = 100 };

static recorded_log records;
static mprof_recorder *recorder;
static mprof_thread *first;
static mprof_thread *second;

/* NULL: malloc() and free(). */
static const mprof_allocator *allocator;

static void record(mprof_thread *thread, int count)
{
	for (int i = 0; i < count; i++)
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, CLASS);
}

/* With this number of buffers a full one does not wake the writer thread: it only does requested rounds. */
static void open_recorder(int with_second)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = BUFFER;
	options.max_buffers = 64;
	options.drain_interval_ms = 600000;
	options.counter = counting_counter;
	options.allocator = allocator;
	recorder = recorded_log_open(&records, &options);
	define_class(recorder, CLASS, "Error");
	if (with_second)
		cr_assert_eq(mprof_recorder_attach(recorder, 2, &second), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &first), MPROF_OK);
}

static uint64_t events_so_far(void)
{
	mprof_recorder_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.lost_events, 0);
	return stats.events;
}

/* All events are in the log, in the order in which each thread recorded them. */
static void close_and_expect(uint64_t of_first, uint64_t of_second)
{
	uint64_t counts[3] = {0};
	uint64_t last[3] = {0};

	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&records);
	cr_assert_eq(records.status, MPROF_END);
	for (size_t i = 0; i < records.event_count; i++) {
		const recorded_event *event = &records.events[i];

		cr_assert_leq(event->thread, 2);
		cr_assert_gt(event->event.counter, last[event->thread], "an event of thread %d stands after later ones",
			     (int)event->thread);
		last[event->thread] = event->event.counter;
		counts[event->thread]++;
	}
	cr_assert_eq(counts[1], of_first, "%d", (int)counts[1]);
	cr_assert_eq(counts[2], of_second, "%d", (int)counts[2]);
	recorded_log_free(&records);
}

/* The thread fills its buffer and moves to the next one. */
static void move_on(void)
{
	record(first, BUFFER);
}

/*
 * The writer thread has taken the full buffers. Then the thread hands over the buffer with the events that were
 * recorded before the round was requested.
 */
Test(interleavings, a_round_has_what_a_thread_hands_over_meanwhile, .timeout = 60)
{
	open_recorder(0);
	record(first, EVENTS);
	at("drain: full buffers taken", move_on);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(atomic_load(&reached), 1);
	cr_assert_geq(events_so_far(), EVENTS, "%d", (int)events_so_far());
	mprof_thread_detach(first);
	close_and_expect(EVENTS + BUFFER, 0);
}

/* The same, between two reads of the thread's current buffer. */
Test(interleavings, a_buffer_that_is_handed_over_while_it_is_looked_at_is_drained_once, .timeout = 60)
{
	open_recorder(0);
	record(first, EVENTS);
	at("drain: current buffer read", move_on);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(atomic_load(&reached), 1);
	cr_assert_geq(events_so_far(), EVENTS);
	mprof_thread_detach(first);
	close_and_expect(EVENTS + BUFFER, 0);
}

/*
 * The first thread has handed over its buffer. Before it takes another one, the writer thread drains and frees that
 * buffer, and a second thread takes it: the first thread still has it as its current buffer.
 */
static void pass_buffer_on(void)
{
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	record(second, BUFFER + EVENTS);
	cr_assert_eq(atomic_load(&second->current), atomic_load(&first->current));
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
}

Test(interleavings, a_buffer_that_was_passed_on_is_that_of_its_new_owner, .timeout = 60)
{
	open_recorder(1);
	record(first, BUFFER);
	at("thread: buffer handed over", pass_buffer_on);
	record(first, 1);
	cr_assert_eq(atomic_load(&reached), 1);
	record(second, EVENTS);
	mprof_thread_detach(first);
	mprof_thread_detach(second);
	close_and_expect(BUFFER + 1, BUFFER + 2 * EVENTS);
}

static void *allocate(void *user, size_t size)
{
	(void)user;
	return malloc(size);
}

static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	return realloc(memory, new_size);
}

/* Compilers leave out a memset() before free(); a call through this they keep. */
static void *(*volatile fill)(void *memory, int byte, size_t size) = memset;

/* What is read after it was freed is not what it was. */
static void spoil_and_free(void *user, void *memory, size_t size)
{
	(void)user;
	fill(memory, 0x5a, size);
	free(memory);
}

static void hand_over_and_detach(void)
{
	record(first, BUFFER);
	mprof_thread_detach(first);
}

/* The handle is needed until its last buffer is drained, which has come after the round's look at the full ones. */
Test(interleavings, a_handle_outlives_the_buffers_it_handed_over, .timeout = 60)
{
	static const mprof_allocator spoiling = {sizeof(spoiling), allocate, reallocate, spoil_and_free, NULL};

	allocator = &spoiling;
	open_recorder(0);
	record(first, EVENTS);
	at("drain: about to free handles", hand_over_and_detach);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(atomic_load(&reached), 1);
	close_and_expect(EVENTS + BUFFER, 0);
}
