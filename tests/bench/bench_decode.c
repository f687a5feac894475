/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_decode.c
 * \brief What decoding costs, against a plain loop over the bytes.
 */
#include "bench.h"

#include "bench_log.h"

#include <mprof/reader.h>

#include <stdlib.h>
#include <string.h>

#define BATCH 256
#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

typedef struct decode_state {
	const uint8_t *bytes;
	size_t length;
	uint8_t *copy;
	uint64_t events;
	uint32_t ignore_checksums;
} decode_state;

/* Adds up all fields, so that nothing of the decoding can be left out. */
static double measure_decode(void *user)
{
	decode_state *state = user;
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_event events[BATCH];
	uint64_t sum = 0;
	size_t count;
	double start = bench_thread_time();

	mprof_reader_options_init(&options, sizeof(options));
	options.ignore_checksums = state->ignore_checksums;
	mprof_block_init(&block, sizeof(block));
	state->events = 0;
	bench_require(mprof_reader_open_memory(state->bytes, state->length, &options, &reader) == MPROF_OK,
		      "cannot open the log");
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, BATCH, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				sum += events[i].kind + events[i].id + events[i].counter;
			state->events += count;
		}
	}
	mprof_reader_destroy(reader);
	bench_keep(sum);
	bench_require(state->events == BENCH_EVENTS, "events are missing");
	return (bench_thread_time() - start) / BENCH_EVENTS;
}

static double measure_copy(void *user)
{
	decode_state *state = user;
	double start = bench_thread_time();

	memcpy(state->copy, state->bytes, state->length);
	bench_keep(state->copy[state->length / 2]);
	return (bench_thread_time() - start) / BENCH_EVENTS;
}

/* What a simple decoder does at least: find the end of each number and add it up, a byte at a time. */
static double measure_scan(void *user)
{
	decode_state *state = user;
	double start = bench_thread_time();
	uint64_t sum = 0;
	uint64_t value = 0;
	unsigned shift = 0;

	for (size_t i = 0; i < state->length; i++) {
		value |= (uint64_t)(state->bytes[i] & 127) << shift;
		shift = (shift + 7) & 63;
		if ((state->bytes[i] & 128) != 0) {
			sum += value;
			value = 0;
			shift = 0;
		}
	}
	bench_keep(sum);
	return (bench_thread_time() - start) / BENCH_EVENTS;
}

typedef struct decode_row {
	bench_row row;
	int has_allocations;
	uint64_t directives;
	uint32_t ignore_checksums;
} decode_row;

void bench_decode(void)
{
	decode_row rows[] = {
		{{"decode through mprof_reader_next_events()", measure_decode, measure_scan, "byte loop", 0}, 0, 0, 0},
		{{"decode, checksums ignored", measure_decode, measure_scan, "byte loop", 0}, 0, 0, 1},
		{{"decode, against memory", measure_decode, measure_copy, "memcpy of the log", 0}, 0, 0, 0},
		{{"decode, half allocations", measure_decode, measure_scan, "byte loop", 0}, 1, 0, 0},
		{{"decode, half allocations, class sizes", measure_decode, measure_scan, "byte loop", 0},
		 1,
		 BIT(MPROF_DIRECTIVE_CLASS_SIZES),
		 0},
		{{"decode, half allocations, stacks", measure_decode, measure_scan, "byte loop", 0},
		 1,
		 BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID),
		 0},
		{{"decode, half allocations, stacks and objects", measure_decode, measure_scan, "byte loop", 0},
		 1,
		 BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
			 BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT),
		 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		decode_state state = {.ignore_checksums = rows[i].ignore_checksums};
		mprof_writer *writer;

		bench_write_log(&writer, MPROF_DIALECT_MPROF2, rows[i].has_allocations, rows[i].directives);
		bench_require(mprof_writer_get_memory(writer, &state.bytes, &state.length) == MPROF_OK,
			      "cannot get the log");
		state.copy = malloc(state.length);
		bench_require(state.copy != NULL, "no memory");
		rows[i].row.bytes_per_event = (double)state.length / BENCH_EVENTS;
		bench_print(&rows[i].row, &state);
		free(state.copy);
		mprof_writer_destroy(writer);
	}
}
