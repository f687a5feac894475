/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_record.c
 * \brief What recording costs the thread that records, against reading a counter and storing 16 bytes.
 */
#include "bench.h"

#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#define EVENTS 2000000
#define FLOOR_SLOTS 2048
#define METHODS 1024
#define FIRST_KEY UINT64_C(0x7f0000001000)
#define KEY_STEP 96

/* Each is an event where it ends, and another one where it begins. */
#define SPANS (EVENTS / 4)

/* Wide events take more of the buffers. */
#define WIDE_EVENTS (EVENTS / 10)
#define MAX_FRAMES 16

typedef struct record_state {
	mprof_recorder *recorder;
	mprof_thread *thread;
	size_t frame_count;
	const char *salvage_path; /* NULL: none. */
	uint32_t begin;
	uint32_t end;
	uint32_t span;
} record_state;

static uint64_t read_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

/* The bare loop: counter and 16 bytes, in a piece of memory that stays in the first cache. */
static double measure_floor(void *user)
{
	static struct {
		uint64_t key;
		uint64_t counter;
	} slots[FLOOR_SLOTS];
	double start = bench_thread_time();

	(void)user;
	for (uint32_t i = 0; i < EVENTS; i++) {
		slots[i % FLOOR_SLOTS].key = FIRST_KEY + i;
		slots[i % FLOOR_SLOTS].counter = read_counter();
		__asm__ volatile("" ::: "memory");
	}
	bench_keep(slots[0].counter);
	return (bench_thread_time() - start) / EVENTS;
}

static double measure_calls(void *user)
{
	record_state *state = user;
	double start = bench_thread_time();
	double spent;

	for (uint32_t i = 0; i < EVENTS / 2; i++) {
		uint64_t key = FIRST_KEY + i % METHODS * KEY_STEP;

		mprof_thread_enter_method(state->thread, key);
		mprof_thread_leave_method(state->thread, key);
	}
	spent = bench_thread_time() - start;
	/* So that each round begins with empty buffers. */
	mprof_recorder_drain(state->recorder);
	return spent / EVENTS;
}

static double measure_calls_wall(void *user)
{
	double start = bench_wall_time();

	measure_calls(user);
	return (bench_wall_time() - start) / EVENTS;
}

static double measure_allocations(void *user)
{
	record_state *state = user;
	double start = bench_thread_time();
	double spent;

	for (uint32_t i = 0; i < EVENTS; i++)
		mprof_thread_record_allocation(state->thread, FIRST_KEY + i % METHODS * KEY_STEP, 24);
	spent = bench_thread_time() - start;
	mprof_recorder_drain(state->recorder);
	return spent / EVENTS;
}

static double measure_detailed(void *user)
{
	record_state *state = user;
	mprof_frame frames[MAX_FRAMES];
	double start;
	double spent;

	for (uint64_t i = 0; i < MAX_FRAMES; i++)
		frames[i] = FIRST_KEY + i * KEY_STEP;
	start = bench_thread_time();
	for (uint32_t i = 0; i < WIDE_EVENTS; i++) {
		/* Chains differ at their inner ends. */
		frames[0] = FIRST_KEY + i % METHODS * KEY_STEP;
		mprof_thread_record_allocation_detailed(state->thread, FIRST_KEY, 24, FIRST_KEY + i, frames,
							state->frame_count);
	}
	spent = bench_thread_time() - start;
	mprof_recorder_drain(state->recorder);
	return spent / WIDE_EVENTS;
}

static void define_all(mprof_recorder *recorder)
{
	mprof_description description;
	char name[32];

	for (uint64_t i = 0; i < METHODS; i++) {
		mprof_description_init(&description, sizeof(description));
		description.name = name;
		description.name_length = (size_t)snprintf(name, sizeof(name), "Method%d (int)", (int)i);
		description.class_key = FIRST_KEY;
		bench_require(mprof_recorder_define_method(recorder, FIRST_KEY + i * KEY_STEP, &description) ==
					      MPROF_OK &&
				      mprof_recorder_define_class(recorder, FIRST_KEY + i * KEY_STEP, &description) ==
					      MPROF_OK,
			      "cannot define");
	}
}

static double bytes_per_event(mprof_recorder *recorder)
{
	mprof_recorder_stats stats;

	stats.struct_size = sizeof(stats);
	mprof_recorder_get_stats(recorder, &stats);
	bench_require(stats.lost_events == 0, "events were lost");
	return (double)stats.bytes / (double)(stats.events > 0 ? stats.events : 1);
}

/* Opens a recorder into a file that is removed already. Returns its descriptor. */
static int open_recorder(record_state *state, uint32_t allocation_detail)
{
	char path[] = "bench-record-XXXXXX";
	int fd = mkstemp(path);
	mprof_recorder_options options;

	bench_require(fd >= 0, "cannot make a file in the current directory");
	unlink(path);
	mprof_recorder_options_init(&options, sizeof(options));
	options.allocation_detail = allocation_detail;
	options.salvage_path = state->salvage_path;
	bench_require(mprof_recorder_open_fd(fd, &options, &state->recorder, NULL) == MPROF_OK,
		      "cannot open a recorder");
	define_all(state->recorder);
	bench_require(mprof_recorder_attach(state->recorder, 0, &state->thread) == MPROF_OK, "cannot attach");
	return fd;
}

static void close_recorder(record_state *state, int fd)
{
	mprof_thread_detach(state->thread);
	bench_require(mprof_recorder_close(state->recorder) == MPROF_OK, "the log could not be written");
	mprof_recorder_destroy(state->recorder);
	close(fd);
}

static void bench_plain(void)
{
	bench_row calls = {"record enter/leave (thread's processor time)", measure_calls, measure_floor, "bare loop",
			   0};
	bench_row wall = {"record enter/leave, drained (wall time)", measure_calls_wall, measure_floor, "bare loop", 0};
	bench_row allocations = {"record allocation (thread's processor time)", measure_allocations, measure_floor,
				 "bare loop", 0};
	record_state state = {0};
	int fd = open_recorder(&state, 0);

	measure_calls(&state);
	calls.bytes_per_event = bytes_per_event(state.recorder);
	bench_print_target(&calls, &state, &(bench_target){.ratio = 1.15});
	bench_print(&wall, &state);
	bench_print(&allocations, &state);
	close_recorder(&state, fd);
}

/* With all that is not in the log yet in a file, as the Mono module does it alone, and in memory that another process
 * shares, as it does under `mprof record`. */
static void bench_salvage(void)
{
	bench_row file = {"record enter/leave, salvage file", measure_calls, measure_floor, "bare loop", 0};
	bench_row memory = {"record enter/leave, salvage memory", measure_calls, measure_floor, "bare loop", 0};
	bench_row wall = {"record enter/leave, salvage memory, wall", measure_calls_wall, measure_floor, "bare loop",
			  0};
	record_state state = {.salvage_path = "bench-record.salvage"};
	char path[32];
	int shared;
	int fd;

	unlink(state.salvage_path);
	fd = open_recorder(&state, 0);
	bench_print(&file, &state);
	close_recorder(&state, fd);

	shared = memfd_create("salvage", MFD_CLOEXEC);
	bench_require(shared >= 0, "cannot make a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", shared);
	state.salvage_path = path;
	fd = open_recorder(&state, 0);
	bench_print(&memory, &state);
	bench_print(&wall, &state);
	close_recorder(&state, fd);
	close(shared);
}

static void bench_detailed(void)
{
	static const struct {
		size_t frame_count;
		const char *name;
	} rows[] = {
		{0, "record allocation with its object"},
		{1, "record allocation with 1 frame"},
		{MAX_FRAMES, "record allocation with 16 frames"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bench_row row = {rows[i].name, measure_detailed, measure_floor, "bare loop", 0};
		record_state state = {.frame_count = rows[i].frame_count};
		int fd = open_recorder(&state, MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT);

		measure_detailed(&state);
		row.bytes_per_event = bytes_per_event(state.recorder);
		bench_print(&row, &state);
		close_recorder(&state, fd);
	}
}

/* What a span costs before anything is recorded: its two readings of the counter. */
static double measure_readings(void *user)
{
	double start = bench_thread_time();
	uint64_t sum = 0;

	(void)user;
	for (uint32_t i = 0; i < SPANS; i++) {
		sum += read_counter();
		__asm__ volatile("" ::: "memory");
		sum += read_counter();
		__asm__ volatile("" ::: "memory");
	}
	bench_keep(sum);
	return (bench_thread_time() - start) / SPANS;
}

/* The arguments of both events: a text, as its ID, and a number. */
static double measure_begin_end(void *user)
{
	record_state *state = user;
	double start = bench_thread_time();
	double spent;

	for (uint32_t i = 0; i < SPANS; i++) {
		const mprof_argument_value values[] = {{.number = i % METHODS}, {.number = i}};

		mprof_thread_record_typed(state->thread, state->begin, values, 2);
		mprof_thread_record_typed(state->thread, state->end, values, 2);
	}
	spent = bench_thread_time() - start;
	mprof_recorder_drain(state->recorder);
	return spent / SPANS;
}

static double measure_spans(void *user)
{
	record_state *state = user;
	double start = bench_thread_time();
	double spent;

	for (uint32_t i = 0; i < SPANS; i++) {
		const uint64_t started = mprof_recorder_read_counter(state->recorder);
		const mprof_argument_value values[] = {{.number = i % METHODS}, {.number = i}};

		mprof_thread_record_span(state->thread, state->span, started, values, 2);
	}
	spent = bench_thread_time() - start;
	mprof_recorder_drain(state->recorder);
	return spent / SPANS;
}

static uint32_t define_type(mprof_recorder *recorder, uint32_t form, uint32_t pair, uint32_t count)
{
	const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "route", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, MPROF_ARGUMENT_UNIT_BYTES, "bytes", ""},
		{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
	};
	mprof_type_record type = {form, pair, 0, 0, count, 0, "request", 0, ""};
	uint32_t id = 0;

	bench_require(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count,
						      &type.first_argument) == MPROF_OK &&
			      mprof_recorder_define_type(recorder, &type, sizeof(type), &id) == MPROF_OK,
		      "cannot define");
	return id;
}

/* The figures are those of a whole span, above the readings of the counter. */
static void bench_spans(void)
{
	bench_row both = {"record begin and end of a span, 2 arguments", measure_begin_end, measure_readings,
			  "readings", 0};
	bench_row whole = {"record a complete span, 2 arguments", measure_spans, measure_readings, "readings", 0};
	record_state state = {0};
	int fd = open_recorder(&state, 0);

	state.begin = define_type(state.recorder, MPROF_TYPE_BEGIN, 0, 2);
	state.end = define_type(state.recorder, MPROF_TYPE_END, state.begin, 2);
	state.span = define_type(state.recorder, MPROF_TYPE_SPAN, 0, 3);
	measure_begin_end(&state);
	both.bytes_per_event = bytes_per_event(state.recorder);
	bench_print_target(&both, &state, &(bench_target){.above = 45});
	bench_print_target(&whole, &state, &(bench_target){.above = 45});
	close_recorder(&state, fd);
}

void bench_record(void)
{
	bench_plain();
	bench_salvage();
	bench_detailed();
	bench_spans();
}
