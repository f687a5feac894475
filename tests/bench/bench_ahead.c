/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_ahead.c
 * \brief What a profile costs in time, and in processor time of all threads, if several threads decode the events.
 *
 * Times are only meaningful if the machine has as many free processors as threads.
 */
#include "bench.h"

#include "bench_input.h"

#include <mprof/profile.h>

#include <stdio.h>

#define MAX_NAME_LENGTH 64

typedef struct ahead_state {
	const bench_input *input;
	uint32_t threads;
} ahead_state;

/* Builds a profile; the result is in nanoseconds of the clock for each event. */
static double build(const bench_input *input, uint32_t threads, double (*now)(void))
{
	const double start = now();
	mprof_reader_options options;
	mprof_profile *profile;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.threads = threads;
	bench_require(mprof_reader_open_memory(input->bytes, input->length, &options, &reader) == MPROF_OK &&
			      mprof_profile_create(NULL, &profile) == MPROF_OK &&
			      mprof_profile_read(profile, reader, NULL, NULL) == MPROF_OK,
		      "cannot build a profile");
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return (now() - start) / (double)input->events;
}

static double wall_of_threads(void *user)
{
	const ahead_state *state = user;

	return build(state->input, state->threads, bench_wall_time);
}

static double wall_of_one(void *user)
{
	return build(((const ahead_state *)user)->input, 1, bench_wall_time);
}

static double processor_of_threads(void *user)
{
	const ahead_state *state = user;

	return build(state->input, state->threads, bench_process_time);
}

static double processor_of_one(void *user)
{
	return build(((const ahead_state *)user)->input, 1, bench_process_time);
}

/* Of the thread that adds the events to the profile: with free processors, it takes at least as long. */
static double caller_of_threads(void *user)
{
	const ahead_state *state = user;

	return build(state->input, state->threads, bench_thread_time);
}

static double caller_of_one(void *user)
{
	return build(((const ahead_state *)user)->input, 1, bench_thread_time);
}

static void print_rows(const char *layout, const bench_input *input)
{
	const bench_target target = {.ratio = 1 / 1.8};
	ahead_state state = {input, 2};
	bench_row row = {NULL, NULL, NULL, "1 thread", 0};
	char name[MAX_NAME_LENGTH];

	row.name = name;
	(void)snprintf(name, sizeof(name), "%s, 2 threads: time", layout);
	row.measure = wall_of_threads;
	row.floor = wall_of_one;
	bench_print_target(&row, &state, &target);
	(void)snprintf(name, sizeof(name), "%s: processor time of the caller", layout);
	row.measure = caller_of_threads;
	row.floor = caller_of_one;
	bench_print(&row, &state);
	(void)snprintf(name, sizeof(name), "%s: processor time of both", layout);
	row.measure = processor_of_threads;
	row.floor = processor_of_one;
	bench_print(&row, &state);
}

/* Columns in compressed blocks, if the library has the codec. */
static void print_compressed(const char *layout, uint32_t codec)
{
	mprof_writer_options options;
	mprof_writer *writer;
	mprof_status status;
	bench_input input;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.has_columns = 1;
	options.codec = codec;
	status = mprof_writer_open_memory(&options, &writer);
	mprof_writer_destroy(writer);
	if (status != MPROF_OK) {
		bench_print_missing(layout, "the library was built without this codec");
		return;
	}
	bench_input_convert(&options, 0, &input);
	print_rows(layout, &input);
	mprof_writer_destroy(input.writer);
}

void bench_ahead(void)
{
	print_rows("rows", bench_input_rows());
	print_rows("columns", bench_input_columns());
	print_compressed("zstd", MPROF_CODEC_ZSTD);
	print_compressed("deflate", MPROF_CODEC_DEFLATE);
}
