/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_drain_threads.c
 * \brief Drain threads: all events of all threads are in the log, in order and with their names.
 */
#include "faults/refused_thread.h"
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The thread sanitizer takes a while for each event when the log is read. Every thread still fills two buffers. */
#if defined(__SANITIZE_THREAD__)
enum { STEPS = 2800 };
#else
enum { STEPS = 12000 };
#endif

enum { THREADS = 4, METHODS = 1500, CLASS_KEY = 0x100000, DRAIN_THREADS = 3 };

/* Methods with numbers from here on are not defined: the writer thread names them. */
enum { FIRST_UNDEFINED = METHODS - 20 };

typedef struct recording {
	mprof_recorder *recorder;
	uint64_t id;
	pthread_t handle;
} recording;

static mprof_key method_of(uint64_t id, int step)
{
	return 1 + ((uint64_t)step * 7 + id) % METHODS;
}

/* Three events, and a fourth one that drain threads leave to the writer thread. */
static int has_monitor(int step)
{
	return step % 2500 == 100;
}

static void *record_steps(void *argument)
{
	const recording *copy = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, copy->id, &thread) != MPROF_OK)
		return NULL;
	for (int i = 0; i < STEPS; i++) {
		mprof_thread_enter_method(thread, method_of(copy->id, i));
		mprof_thread_record_allocation(thread, CLASS_KEY, (uint64_t)i);
		if (has_monitor(i))
			mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, CLASS_KEY, 0x7000, NULL, 0);
		mprof_thread_leave_method(thread, method_of(copy->id, i));
	}
	mprof_thread_detach(thread);
	return NULL;
}

static const recorded_event *next_event(const recorded_log *log, uint64_t id, size_t *position)
{
	while (*position < log->event_count && log->events[*position].thread != id)
		++*position;
	cr_assert_lt(*position, log->event_count, "the log has all events of thread %d", (int)id);
	return &log->events[(*position)++];
}

static void check_thread(const recorded_log *log, uint64_t id)
{
	size_t position = 0;
	uint64_t counter = 0;
	char name[32];

	for (int i = 0; i < STEPS; i++) {
		const recorded_event *enter = next_event(log, id, &position);
		const recorded_event *allocation = next_event(log, id, &position);
		mprof_key method = method_of(id, i);

		snprintf(name, sizeof(name), method < FIRST_UNDEFINED ? "M%d ()" : "(unknown 0x%x)", (unsigned)method);
		cr_assert_eq(enter->event.kind, MPROF_EVENT_METHOD_ENTER, "step %d", i);
		cr_assert_str_eq(enter->name, name, "step %d", i);
		cr_assert_geq(enter->event.counter, counter, "step %d", i);
		counter = enter->event.counter;
		cr_assert_eq(allocation->event.kind, MPROF_EVENT_ALLOCATION, "step %d", i);
		cr_assert_eq(allocation->event.value, (uint64_t)i);
		cr_assert_str_eq(allocation->name, "Class");
		if (has_monitor(i))
			cr_assert_eq(next_event(log, id, &position)->event.kind, MPROF_EVENT_MONITOR, "step %d", i);
		cr_assert_eq(next_event(log, id, &position)->event.kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, "step %d",
			     i);
	}
}

static void count_start(void *user)
{
	++*(_Atomic int *)user;
}

/* The sink blocks the writer thread until all events are recorded, so that it finds full buffers of all threads. */
static void record_in_threads(mprof_recorder *recorder, recorded_log *log)
{
	recording recordings[THREADS];
	char name[32];

	atomic_store(&log->blocked, 1);
	for (int i = 1; i < FIRST_UNDEFINED; i++) {
		snprintf(name, sizeof(name), "M%d ()", i);
		define_method(recorder, (mprof_key)i, 0, name);
	}
	define_class(recorder, CLASS_KEY, "Class");
	for (uint64_t i = 0; i < THREADS; i++) {
		recordings[i] = (recording){.recorder = recorder, .id = 10 + i};
		cr_assert_eq(pthread_create(&recordings[i].handle, NULL, record_steps, &recordings[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(recordings[i].handle, NULL);
	atomic_store(&log->blocked, 0);
}

/* \p granted: drain threads before the system refuses one. */
static void record_all(const char *salvage_path, uint32_t buffer_events, int granted, uint32_t codec)
{
	recorded_log log = {0};
	_Atomic int started = 0;
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_recorder *recorder;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.codec = codec;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	options.drain_threads = DRAIN_THREADS;
	options.buffer_events = buffer_events;
	options.max_buffers = 4096;
	options.salvage_path = salvage_path;
	options.thread_started = count_start;
	options.thread_user = &started;
	atomic_store(&threads_before_refusal, granted < DRAIN_THREADS ? granted : -1);
	recorder = recorded_log_open(&log, &options);
	cr_assert_lt(threads_before_refusal, 0);
	record_in_threads(recorder, &log);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_get_stats(recorder, &stats);
	mprof_recorder_destroy(recorder);
	cr_assert_eq(started, 1 + granted);
	cr_assert_eq(stats.lost_events, 0);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(stats.events, log.event_count);
	for (uint64_t i = 0; i < THREADS; i++)
		check_thread(&log, 10 + i);
	recorded_log_free(&log);
}

Test(drain_threads, all_events_are_in_order)
{
	record_all(NULL, 0, DRAIN_THREADS, MPROF_CODEC_NONE);
}

Test(drain_threads, small_buffers)
{
	record_all(NULL, 128, DRAIN_THREADS, MPROF_CODEC_NONE);
}

/* Drain threads compress the blocks that they encode. */
Test(drain_threads, compressed_blocks)
{
	record_all(NULL, 0, DRAIN_THREADS, MPROF_CODEC_DEFLATE);
	record_all(NULL, 128, DRAIN_THREADS, MPROF_CODEC_DEFLATE);
}

Test(drain_threads, salvage)
{
	record_all("test_drain_threads.salvage", 1024, DRAIN_THREADS, MPROF_CODEC_NONE);
	cr_assert_neq(access("test_drain_threads.salvage", F_OK), 0);
}

Test(drain_threads, threads_may_be_refused)
{
	for (int granted = 0; granted < DRAIN_THREADS; granted++)
		record_all(NULL, 1024, granted, MPROF_CODEC_NONE);
}

static _Atomic(mprof_recorder *) requested;
static atomic_int refusals;
static atomic_int threads_that_asked;
static _Thread_local int is_own_thread;
static _Thread_local int has_requested;

static void mark_own_thread(void *user)
{
	(void)user;
	is_own_thread = 1;
}

/* On each thread of the recorder once: calls functions that wait for these threads. */
static void ask_from_own_thread(void)
{
	mprof_recorder *recorder = atomic_load(&requested);
	mprof_thread *thread;

	if (!is_own_thread || has_requested || recorder == NULL)
		return;
	has_requested = 1;
	atomic_fetch_add(&threads_that_asked, 1);
	if (mprof_recorder_attach(recorder, 99, &thread) == MPROF_ERR_STATE &&
	    mprof_recorder_drain(recorder) == MPROF_ERR_STATE)
		atomic_fetch_add(&refusals, 1);
}

static void *reallocate_and_ask(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	ask_from_own_thread();
	return realloc(memory, new_size);
}

static void *allocate_and_ask(void *user, size_t size)
{
	return reallocate_and_ask(user, NULL, 0, size);
}

static void release_plainly(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

/* Like the writer thread, drain threads may call back while threads wait for them. */
Test(drain_threads, are_not_waited_for_by_themselves, .timeout = 60)
{
	const mprof_allocator allocator = {sizeof(allocator), allocate_and_ask, reallocate_and_ask, release_plainly,
					   NULL};
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_threads = DRAIN_THREADS;
	options.buffer_events = 1024;
	options.max_buffers = 4096;
	options.thread_started = mark_own_thread;
	options.allocator = &allocator;
	atomic_store(&threads_before_refusal, -1);
	recorder = recorded_log_open(&log, &options);
	atomic_store(&requested, recorder);
	record_in_threads(recorder, &log);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	atomic_store(&requested, NULL);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	cr_assert_geq(threads_that_asked, 2, "the writer thread and a drain thread have called back");
	cr_assert_eq(refusals, threads_that_asked);
	recorded_log_free(&log);
}

/* After the drain threads, the writer thread is refused: they end, and opening fails. */
Test(drain_threads, no_writer_thread_is_an_error)
{
	recorded_log log = {0};
	const mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_threads = DRAIN_THREADS;
	atomic_store(&threads_before_refusal, DRAIN_THREADS);
	cr_assert_gt(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_END);
	cr_assert_lt(threads_before_refusal, 0);
	cr_assert_null(recorder);
	recorded_log_free(&log);
}

Test(drain_threads, a_wrong_number_is_refused)
{
	recorded_log log = {0};
	const mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_threads = 65;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_ERR_ARGUMENT);
}
