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

/* Classes, whose objects mostly have one size, and call stacks. */
#define BENCH_CLASSES 1000
#define BENCH_STACKS 2000

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

static inline uint32_t bench_object_size(uint32_t class_id)
{
	return class_id % 8 == 0 ? 0 : 16 + class_id % 32 * 8;
}

/* The call stack of the next allocation: as before, after a return, or after a call of one of two methods. */
static inline uint32_t bench_walk(uint32_t stack, uint32_t random)
{
	uint32_t callee = 2 * stack + 1 + random % 2;

	if (random / 2 % 2 != 0)
		return callee <= BENCH_STACKS ? callee : stack;
	return random / 4 % 2 != 0 && stack > 0 ? (stack - 1) / 2 : stack;
}

/** Every second event becomes an allocation, at random; three of four have the size of their class. */
static inline void bench_make_allocations(mprof_event *events, mprof_event_detail *details, size_t count)
{
	uint32_t state = 88172645;
	uint64_t object = UINT64_C(0x7f0012340000);
	uint32_t stack = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t random = bench_random(&state);
		uint32_t class_id = 1 + (random >> 4) % BENCH_CLASSES;
		uint32_t size = bench_object_size(class_id);

		if ((random & 1) != 0)
			continue;
		if (size == 0 || (random >> 16) % 8 == 0)
			size = 16 + (random >> 20) % 500;
		stack = bench_walk(stack, bench_random(&state));
		details[i] = (mprof_event_detail){
			.struct_size = sizeof(mprof_event_detail), .object = object, .stack = stack};
		details[i].caller = 1 + details[i].stack % BENCH_METHODS;
		events[i] = (mprof_event){.kind = MPROF_EVENT_ALLOCATION, .id = class_id, .value = size};
		events[i].more.detail = &details[i];
		object += (size + 15) / 16 * 16;
	}
}

static inline void bench_define_classes(mprof_writer *writer)
{
	mprof_class_definition definition = {sizeof(mprof_class_definition), 0, 0, "Class", 5, 0, 0};

	for (uint32_t id = 1; id <= BENCH_CLASSES; id++) {
		definition.id = id;
		definition.size = bench_object_size(id);
		bench_require(mprof_writer_define_class(writer, &definition) == MPROF_OK, "cannot define a class");
	}
}

static inline void bench_define_stacks(mprof_writer *writer)
{
	static mprof_record records[BENCH_STACKS];

	for (uint32_t i = 0; i < BENCH_STACKS; i++)
		records[i] = (mprof_record){.kind = MPROF_RECORD_STACK,
					    .id = i + 1,
					    .as.stack.caller = i / 2,
					    .as.stack.target = 1 + i % BENCH_METHODS};
	bench_require(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, records, sizeof(*records),
						 BENCH_STACKS) == MPROF_OK,
		      "cannot define call stacks");
}

static inline void bench_define(mprof_writer *writer)
{
	mprof_method_definition definition = {
		sizeof(mprof_method_definition), 0, 0, 0, 0, "Method ()", 9, NULL, 0, 0, 0};

	for (uint32_t id = 1; id <= BENCH_METHODS; id++) {
		definition.id = id;
		bench_require(mprof_writer_define_method(writer, &definition) == MPROF_OK, "cannot define a method");
	}
	bench_require(mprof_writer_flush(writer) == MPROF_OK, "cannot flush");
}

#endif
