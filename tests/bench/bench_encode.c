/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_encode.c
 * \brief What encoding costs, against copying the events.
 */
#include "bench.h"

#include "bench_events.h"

#include <mprof/writer.h>

#include <stdlib.h>
#include <string.h>

#define ROUNDS_OVER_EVENTS 8
#define TOTAL ((double)BENCH_EVENTS * ROUNDS_OVER_EVENTS)

typedef struct encode_state {
	mprof_event *events;
	mprof_event *copy;
	uint64_t bytes;
} encode_state;

static int swallow(void *user, const void *bytes, size_t length)
{
	encode_state *state = user;

	(void)bytes;
	state->bytes += length;
	return 0;
}

static double measure_encode(void *user)
{
	encode_state *state = user;
	mprof_sink sink = {sizeof(mprof_sink), swallow, NULL, NULL, state};
	mprof_writer *writer;
	double start;

	state->bytes = 0;
	bench_require(mprof_writer_open_sink(&sink, NULL, &writer) == MPROF_OK, "cannot open a writer");
	bench_define(writer);
	start = bench_thread_time();
	for (int i = 0; i < ROUNDS_OVER_EVENTS; i++) {
		for (size_t done = 0; done < BENCH_EVENTS; done += BENCH_BLOCK_EVENTS) {
			bench_require(mprof_writer_begin_events(
					      writer, 1, done == 0 ? 0 : state->events[done - 1].counter) == MPROF_OK &&
					      mprof_writer_write_events(writer, state->events + done,
									BENCH_BLOCK_EVENTS, NULL) == MPROF_OK &&
					      mprof_writer_end_events(writer) == MPROF_OK,
				      "cannot write");
		}
	}
	start = bench_thread_time() - start;
	mprof_writer_destroy(writer);
	return start / TOTAL;
}

static double measure_copy(void *user)
{
	encode_state *state = user;
	double start = bench_thread_time();

	for (int i = 0; i < ROUNDS_OVER_EVENTS; i++) {
		memcpy(state->copy, state->events, BENCH_EVENTS * sizeof(*state->events));
		bench_keep(state->copy[i].counter);
	}
	return (bench_thread_time() - start) / TOTAL;
}

void bench_encode(void)
{
	bench_row row = {"encode through mprof_writer_write_events()", measure_encode, measure_copy,
			 "memcpy of the events", 0};
	encode_state state;

	state.events = malloc(BENCH_EVENTS * sizeof(*state.events));
	state.copy = malloc(BENCH_EVENTS * sizeof(*state.copy));
	bench_require(state.events != NULL && state.copy != NULL, "no memory");
	bench_make_events(state.events, BENCH_EVENTS);
	measure_encode(&state);
	row.bytes_per_event = (double)state.bytes / TOTAL;
	bench_print(&row, &state);
	free(state.events);
	free(state.copy);
}
