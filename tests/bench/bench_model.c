/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_model.c
 * \brief What a profile costs for each event, against only decoding the log, and what it costs to measure durations.
 */
#include "bench.h"

#include "bench_log.h"

#include <mprof/profile.h>

typedef struct model_state {
	const uint8_t *bytes;
	size_t length;
} model_state;

static mprof_reader *open_log(const model_state *state)
{
	mprof_reader *reader;

	bench_require(mprof_reader_open_memory(state->bytes, state->length, NULL, &reader) == MPROF_OK,
		      "cannot open the log");
	return reader;
}

static double measure_decode(void *user)
{
	enum { BATCH = 256 };
	mprof_reader *reader = open_log(user);
	mprof_event events[BATCH];
	mprof_block block;
	uint64_t sum = 0;
	size_t count;
	double start = bench_thread_time();

	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, BATCH, &count) == MPROF_OK)
			sum += events[0].counter + count;
	}
	bench_keep(sum);
	start = bench_thread_time() - start;
	mprof_reader_destroy(reader);
	return start / BENCH_CALL_EVENTS;
}

static double add_log(const model_state *state, uint32_t with_durations)
{
	mprof_reader *reader = open_log(state);
	mprof_profile_options options;
	mprof_profile *profile;
	double start = bench_thread_time();

	mprof_profile_options_init(&options, sizeof(options));
	options.with_durations = with_durations;
	options.slow_calls = with_durations * 3;
	bench_require(mprof_profile_create(&options, &profile) == MPROF_OK &&
			      mprof_profile_read(profile, reader, NULL, NULL) == MPROF_OK,
		      "cannot add the log to a profile");
	start = bench_thread_time() - start;
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return start / BENCH_CALL_EVENTS;
}

static double measure_profile(void *user)
{
	return add_log(user, 0);
}

static double measure_durations(void *user)
{
	return add_log(user, 1);
}

void bench_model(void)
{
	bench_row profile = {"profile of calls", measure_profile, measure_decode, "decoding", 0};
	bench_row durations = {"profile of calls with durations", measure_durations, measure_profile, "profile", 0};
	model_state state;
	mprof_writer *writer;

	bench_write_calls(&writer);
	bench_require(mprof_writer_get_memory(writer, &state.bytes, &state.length) == MPROF_OK, "cannot get the log");
	bench_print(&profile, &state);
	bench_print(&durations, &state);
	mprof_writer_destroy(writer);
}
