/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_drain.c
 * \brief What it takes to bring events from buffers to the file, and what several recorded threads wait for it.
 */
#include "bench.h"

#include <mprof/recorder.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS 1000000
#define METHODS 1024
#define DEPTH 16
#define PATTERN ((size_t)1 << 16)
#define THREADS 8
#define FIRST_KEY UINT64_C(0x7f0000001000)
#define KEY_STEP 96
#define SLOT_BYTES 16
#define FLOOR_BYTES_PER_EVENT 2.5

/* Calls that begin and end with an empty call stack. An event is the method's key, with the lowest bit set for a
 * leave. */
typedef struct drain_state {
	mprof_recorder *recorder;
	mprof_recorder *plain; /* Writes no index. */
	int fd;
	int plain_fd;
	uint64_t pattern[PATTERN];
} drain_state;

static void make_pattern(drain_state *state)
{
	uint64_t stack[DEPTH];
	uint32_t random = 2463534242U;
	size_t depth = 0;

	for (size_t i = 0; i < PATTERN; i++) {
		uint32_t next = bench_random(&random);
		int must_enter = depth == 0;
		int must_leave = depth == DEPTH || depth >= PATTERN - i;

		if (must_enter || (!must_leave && next % 2 != 0)) {
			/* Squared, so that some methods are called much more often than others. */
			uint64_t method = ((uint64_t)(next >> 16) * (next >> 16)) >> 22;

			stack[depth] = FIRST_KEY + method * KEY_STEP;
			state->pattern[i] = stack[depth++];
		} else {
			state->pattern[i] = stack[--depth] | 1;
		}
	}
}

static void define_all(mprof_recorder *recorder)
{
	mprof_description description;
	char name[32];

	for (uint64_t i = 0; i < METHODS; i++) {
		mprof_description_init(&description, sizeof(description));
		description.name = name;
		description.name_length = (size_t)snprintf(name, sizeof(name), "Method%d (int)", (int)i);
		bench_require(mprof_recorder_define_method(recorder, FIRST_KEY + i * KEY_STEP, &description) ==
				      MPROF_OK,
			      "cannot define");
	}
}

/* A file that is removed already. */
static int open_file(void)
{
	char path[] = "bench-drain-XXXXXX";
	int fd = mkstemp(path);

	bench_require(fd >= 0, "cannot make a file in the current directory");
	unlink(path);
	return fd;
}

static mprof_recorder *open_with(const mprof_recorder_options *options, int *fd)
{
	mprof_recorder *recorder;

	*fd = open_file();
	bench_require(mprof_recorder_open_fd(*fd, options, &recorder, NULL) == MPROF_OK, "cannot open a recorder");
	define_all(recorder);
	return recorder;
}

static mprof_recorder *open_recorder(int *fd, uint32_t without_index)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.without_index = without_index;
	return open_with(&options, fd);
}

static void close_recorder(mprof_recorder *recorder, int fd, mprof_recorder_stats *stats)
{
	bench_require(mprof_recorder_close(recorder) == MPROF_OK, "the log could not be written");
	stats->struct_size = sizeof(*stats);
	mprof_recorder_get_stats(recorder, stats);
	mprof_recorder_destroy(recorder);
	close(fd);
}

static void record_pattern(const drain_state *state, mprof_thread *thread)
{
	for (size_t done = 0; done < EVENTS; done += PATTERN) {
		for (size_t i = 0; i < PATTERN; i++) {
			uint64_t key = state->pattern[i];

			if ((key & 1) == 0)
				mprof_thread_enter_method(thread, key);
			else
				mprof_thread_leave_method(thread, key - 1);
		}
	}
}

#define RECORDED ((EVENTS + PATTERN - 1) / PATTERN * PATTERN)

/* Everything that this process does outside of the recorded thread, which waits until the log is written. */
static double measure_recorder(const drain_state *state, mprof_recorder *recorder)
{
	mprof_thread *thread;
	double start;
	double copy;

	bench_require(mprof_recorder_attach(recorder, 0, &thread) == MPROF_OK, "cannot attach");
	copy = bench_thread_time();
	start = bench_process_time();
	record_pattern(state, thread);
	mprof_recorder_drain(recorder);
	copy = bench_thread_time() - copy;
	start = bench_process_time() - start;
	mprof_thread_detach(thread);
	return (start - copy) / RECORDED;
}

static double measure_drain(void *user)
{
	const drain_state *state = user;

	return measure_recorder(state, state->recorder);
}

static double measure_plain(void *user)
{
	const drain_state *state = user;

	return measure_recorder(state, state->plain);
}

/* Any recorder reads the slots and writes bytes to a file. */
static double measure_copy(void *user)
{
	enum { BYTES = 1 << 16 };
	static char from[BYTES];
	static char to[BYTES];
	int fd = open_file();
	double start = bench_thread_time();
	size_t events = 0;

	(void)user;
	while (events < EVENTS) {
		size_t length = (size_t)(BYTES / SLOT_BYTES * FLOOR_BYTES_PER_EVENT);

		memcpy(to, from, BYTES);
		bench_keep((uint64_t)to[events % BYTES]);
		bench_require(write(fd, to, length) == (ssize_t)length, "cannot write a file");
		events += BYTES / SLOT_BYTES;
	}
	start = bench_thread_time() - start;
	close(fd);
	return start / (double)events;
}

typedef struct recorded_thread {
	pthread_t thread;
	const drain_state *state;
	double ns;
} recorded_thread;

static void *record_in_thread(void *user)
{
	recorded_thread *copy = user;
	mprof_thread *thread;

	bench_require(mprof_recorder_attach(copy->state->recorder, 0, &thread) == MPROF_OK, "cannot attach");
	copy->ns = bench_thread_time();
	record_pattern(copy->state, thread);
	copy->ns = bench_thread_time() - copy->ns;
	mprof_thread_detach(thread);
	return NULL;
}

/* What threads that record as fast as they can use, wait and lose. */
typedef struct load_result {
	double ns;
	double waits;
	double lost;
} load_result;

static load_result record_with_threads(drain_state *state, size_t count, const mprof_recorder_options *options)
{
	recorded_thread threads[THREADS];
	mprof_recorder_stats stats;
	load_result result = {0, 0, 0};

	state->recorder = open_with(options, &state->fd);
	for (size_t i = 0; i < count; i++) {
		threads[i].state = state;
		bench_require(pthread_create(&threads[i].thread, NULL, record_in_thread, &threads[i]) == 0,
			      "cannot create a thread");
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(threads[i].thread, NULL);
		result.ns += threads[i].ns / (double)count / RECORDED;
	}
	close_recorder(state->recorder, state->fd, &stats);
	result.waits = (double)stats.waits / (double)count / RECORDED * 1e6;
	result.lost = (double)stats.lost_events;
	return result;
}

static load_result record_by_default(drain_state *state, size_t count)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	return record_with_threads(state, count, &options);
}

static double measure_one_thread(void *user)
{
	return record_by_default(user, 1).ns;
}

static double measure_all_threads(void *user)
{
	return record_by_default(user, THREADS).ns;
}

/* The processor time of the recorder's thread that used most. */
typedef struct busiest_thread {
	pthread_mutex_t lock;
	double ns;
} busiest_thread;

static void note_end(void *user)
{
	busiest_thread *busiest = user;
	const double ns = bench_thread_time();

	pthread_mutex_lock(&busiest->lock);
	busiest->ns = ns > busiest->ns ? ns : busiest->ns;
	pthread_mutex_unlock(&busiest->lock);
}

/* What limits the events that can be drained in a time, given enough processors. */
static double measure_busiest(drain_state *state, uint32_t drain_threads)
{
	busiest_thread busiest = {PTHREAD_MUTEX_INITIALIZER, 0};
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.drain_threads = drain_threads;
	options.thread_ended = note_end;
	options.thread_user = &busiest;
	(void)record_with_threads(state, 2, &options);
	return busiest.ns / 2 / RECORDED;
}

static double measure_writer_thread(void *user)
{
	return measure_busiest(user, 0);
}

static double measure_drain_threads(void *user)
{
	return measure_busiest(user, 2);
}

static void print_load(drain_state *state)
{
	bench_row row = {"8 threads record at once", measure_all_threads, measure_one_thread, "1 thread", 0};
	bench_row drained = {"2 drain threads: the busiest", measure_drain_threads, measure_writer_thread,
			     "writer thread alone", 0};
	load_result one = record_by_default(state, 1);
	load_result all = record_by_default(state, THREADS);

	bench_print(&row, state);
	/* One wait is no difference. */
	bench_print_value("waits for a buffer, in a million events of 8", all.waits, "times", one.waits, "1 thread",
			  one.waits + 1);
	bench_print_value("lost events of 8 threads", all.lost, "in all", one.lost, "1 thread", 0.5);
	bench_print_target(&drained, state, &(bench_target){.ratio = 1 / 1.8});
}

void bench_drain(void)
{
	bench_row row = {"calls, from buffers to a file", measure_drain, measure_copy, "copy and write()", 0};
	static drain_state state;
	mprof_recorder_stats stats;

	make_pattern(&state);
	state.recorder = open_recorder(&state.fd, 0);
	measure_drain(&state);
	stats.struct_size = sizeof(stats);
	mprof_recorder_get_stats(state.recorder, &stats);
	row.bytes_per_event = (double)stats.bytes / (double)stats.events;
	bench_print_target(&row, &state, &(bench_target){.ns = 10});
	state.plain = open_recorder(&state.plain_fd, 1);
	bench_print(&(bench_row){"the same, with an index", measure_drain, measure_plain, "without", 0}, &state);
	close_recorder(state.plain, state.plain_fd, &stats);
	close_recorder(state.recorder, state.fd, &stats);
	bench_require(stats.lost_events == 0, "events were lost");
	print_load(&state);
}
