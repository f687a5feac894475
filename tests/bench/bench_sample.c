/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_sample.c
 * \brief What a sample costs the handler, and what it costs the writer thread.
 */
#include "bench.h"

#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES 50000
#define FRAMES 32
#define CHANGING 8
#define METHODS 64
#define FIRST_KEY UINT64_C(0x7f0000001000)
#define KEY_STEP 96

typedef struct sample_state {
	mprof_recorder *recorder;
	mprof_frame chains[METHODS][FRAMES];
} sample_state;

/* What any way to keep a chain does: copies it to the next place in memory. */
static double measure_copy(void *user)
{
	static mprof_frame copies[256][FRAMES];
	const sample_state *state = user;
	double start = bench_thread_time();

	for (uint32_t i = 0; i < SAMPLES; i++) {
		memcpy(copies[i % 256], state->chains[i % METHODS], sizeof(copies[0]));
		__asm__ volatile("" ::: "memory");
	}
	bench_keep(copies[0][0]);
	return (bench_thread_time() - start) / SAMPLES;
}

static void record_all(const sample_state *state)
{
	int recorded = 1;

	for (uint32_t i = 0; i < SAMPLES; i++)
		recorded &=
			mprof_recorder_record_sample(state->recorder, 1 + i % 4, state->chains[i % METHODS], FRAMES);
	bench_require(recorded, "samples were lost");
}

static double measure_sample(void *user)
{
	const sample_state *state = user;
	double start = bench_thread_time();
	double spent;

	record_all(state);
	spent = bench_thread_time() - start;
	/* So that each round begins with empty memory. */
	mprof_recorder_drain(state->recorder);
	return spent / SAMPLES;
}

/* The calling thread waits meanwhile. */
static double measure_drain(void *user)
{
	const sample_state *state = user;
	double start;

	record_all(state);
	start = bench_wall_time();
	mprof_recorder_drain(state->recorder);
	return (bench_wall_time() - start) / SAMPLES;
}

static void prepare(sample_state *state)
{
	mprof_description description;
	char name[32];

	for (uint64_t i = 0; i < METHODS; i++) {
		mprof_description_init(&description, sizeof(description));
		description.name = name;
		description.name_length = (size_t)snprintf(name, sizeof(name), "Method%d (int)", (int)i);
		bench_require(mprof_recorder_define_method(state->recorder, FIRST_KEY + i * KEY_STEP, &description) ==
				      MPROF_OK,
			      "cannot define");
		/* The outer frames are the same, the inner ones differ from one to the next. */
		for (uint64_t k = 0; k < FRAMES; k++)
			state->chains[i][k] = FIRST_KEY + (k < CHANGING ? (i + k * 7) % METHODS : k) * KEY_STEP;
	}
}

void bench_sample(void)
{
	bench_row handler = {"sample of 32 frames, in the handler", measure_sample, measure_copy, "copy of the chain",
			     0};
	bench_row writer = {"sample of 32 frames, 8 new, written (wall)", measure_drain, measure_copy,
			    "copy of the chain", 0};
	char path[] = "bench-sample-XXXXXX";
	int fd = mkstemp(path);
	mprof_recorder_options options;
	mprof_recorder_stats before;
	mprof_recorder_stats after;
	static sample_state state;

	bench_require(fd >= 0, "cannot make a file in the current directory");
	unlink(path);
	mprof_recorder_options_init(&options, sizeof(options));
	/* Twice what a round takes, so that the writer thread comes only when it is asked for. */
	options.max_sample_bytes = UINT64_C(64) << 20;
	options.drain_interval_ms = 3600000;
	bench_require(mprof_recorder_open_fd(fd, &options, &state.recorder, NULL) == MPROF_OK,
		      "cannot open a recorder");
	prepare(&state);
	measure_sample(&state);
	before.struct_size = sizeof(before);
	after.struct_size = sizeof(after);
	mprof_recorder_get_stats(state.recorder, &before);
	measure_sample(&state);
	mprof_recorder_get_stats(state.recorder, &after);
	writer.bytes_per_event = (double)(after.bytes - before.bytes) / SAMPLES;
	bench_print(&handler, &state);
	bench_print(&writer, &state);
	bench_require(mprof_recorder_close(state.recorder) == MPROF_OK, "the log could not be written");
	mprof_recorder_destroy(state.recorder);
	close(fd);
}
