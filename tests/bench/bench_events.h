/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_events.h
 * \brief Events that take four bytes on average and that no predictor can guess.
 */
#ifndef BENCH_BENCH_EVENTS_H
#define BENCH_BENCH_EVENTS_H

#include "bench.h"

#include <mprof/writer.h>

#include <stdio.h>

#define BENCH_EVENTS ((size_t)1 << 20)
#define BENCH_BLOCK_EVENTS 4096

/* Every fourth id below 4096 is used, so that most take two bytes with the code. */
#define BENCH_METHODS 4095

/** Enters and leaves at random, ids in two bytes, times in one or two. */
static inline void bench_make_events(mprof_event *events, size_t count)
{
	uint32_t state = 2463534242;
	uint64_t counter = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t random = bench_random(&state);

		/* One time in 127 fits one byte; the others are spread up to 16383, two bytes. */
		counter += (random >> 8) % 4 == 0 ? (random >> 12) % 128 : 128 + (random >> 12) % 16000;
		events[i] = (mprof_event){
			.kind = (random & 1) != 0 ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE,
			.id = 1 + bench_random(&state) % BENCH_METHODS,
			.counter = counter,
		};
	}
}

static inline void bench_define(mprof_writer *writer)
{
	mprof_method_definition definition = {0, 0, 0, 0, "Method ()", 9};

	for (uint32_t id = 1; id <= BENCH_METHODS; id++) {
		definition.id = id;
		bench_require(mprof_writer_define_method(writer, &definition) == MPROF_OK, "cannot define a method");
	}
	bench_require(mprof_writer_flush(writer) == MPROF_OK, "cannot flush");
}

#endif
