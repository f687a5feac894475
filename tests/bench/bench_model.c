/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_model.c
 * \brief What a profile costs for each event, against only decoding the log, and what it costs to measure durations.
 *
 * As in most programs, the same few call paths occur all the time, and each leave is that of the latest call.
 */
#include "bench.h"

#include "bench_events.h"

#include <mprof/profile.h>

#include <stdlib.h>

#define EVENTS ((size_t)1 << 21)
#define DEPTH 8

typedef struct model_state {
	const uint8_t *bytes;
	size_t length;
} model_state;

/* Each method calls two others, up to a depth. */
static void make_calls(mprof_event *events)
{
	uint32_t stack[DEPTH + 1] = {1};
	uint32_t random = 2463534242U;
	uint64_t counter = 0;
	size_t depth = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		uint32_t next = bench_random(&random);

		counter += next >> 8 & 1023;
		events[i] = (mprof_event){.counter = counter};
		if (depth == 0 || (depth < DEPTH && next % 2 != 0)) {
			stack[depth + 1] = 2 * stack[depth] + next / 2 % 2;
			events[i].kind = MPROF_EVENT_METHOD_ENTER;
			events[i].id = stack[++depth];
		} else {
			events[i].kind = MPROF_EVENT_METHOD_LEAVE;
			events[i].id = stack[depth--];
		}
	}
}

static mprof_writer *write_log(model_state *state)
{
	mprof_event *events = malloc(EVENTS * sizeof(*events));
	mprof_writer *writer;

	bench_require(events != NULL && mprof_writer_open_memory(NULL, &writer) == MPROF_OK, "cannot open a writer");
	make_calls(events);
	bench_define(writer);
	for (size_t done = 0; done < EVENTS; done += BENCH_BLOCK_EVENTS) {
		bench_require(mprof_writer_begin_events(writer, 1, done != 0 ? events[done - 1].counter : 0) ==
					      MPROF_OK &&
				      mprof_writer_write_events(writer, events + done, BENCH_BLOCK_EVENTS, NULL) ==
					      MPROF_OK &&
				      mprof_writer_end_events(writer) == MPROF_OK,
			      "cannot write");
	}
	bench_require(mprof_writer_close(writer) == MPROF_OK &&
			      mprof_writer_get_memory(writer, &state->bytes, &state->length) == MPROF_OK,
		      "cannot get the log");
	free(events);
	return writer;
}

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
	return start / EVENTS;
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
	return start / EVENTS;
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
	mprof_writer *writer = write_log(&state);

	bench_print(&profile, &state);
	bench_print(&durations, &state);
	mprof_writer_destroy(writer);
}
