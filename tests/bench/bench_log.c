/* SPDX-License-Identifier: MIT */
#include "bench_log.h"

#include <stdlib.h>

/* Call stacks are IDs or stack sections. */
#define STACKS                                                                                                         \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |                                                    \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK))

#define DEPTH 8

static void write_blocks(mprof_writer *writer, const mprof_event *events, size_t count)
{
	uint64_t base = 0;

	for (size_t done = 0; done < count; done += BENCH_BLOCK_EVENTS) {
		bench_require(mprof_writer_begin_events(writer, 1, base) == MPROF_OK &&
				      mprof_writer_write_events(writer, events + done, BENCH_BLOCK_EVENTS, NULL) ==
					      MPROF_OK &&
				      mprof_writer_end_events(writer) == MPROF_OK,
			      "cannot write");
		for (size_t i = done; i < done + BENCH_BLOCK_EVENTS; i++)
			base = events[i].kind != MPROF_EVENT_ALLOCATION ? events[i].counter : base;
	}
	bench_require(mprof_writer_close(writer) == MPROF_OK, "cannot close");
}

void bench_write_log(mprof_writer **writer, uint32_t dialect, int has_allocations, uint64_t directives)
{
	mprof_event *events = malloc(BENCH_EVENTS * sizeof(*events));
	mprof_event_detail *details = malloc(BENCH_EVENTS * sizeof(*details));
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	bench_require(events != NULL && details != NULL && mprof_writer_open_memory(&options, writer) == MPROF_OK,
		      "cannot open a writer");
	bench_make_events(events, BENCH_EVENTS);
	bench_define(*writer);
	if (has_allocations) {
		bench_make_allocations(events, details, BENCH_EVENTS);
		bench_define_classes(*writer);
		if ((directives & STACKS) != 0)
			bench_define_stacks(*writer);
	}
	write_blocks(*writer, events, BENCH_EVENTS);
	free(details);
	free(events);
}

/* Each method calls two others, up to a depth. */
static void make_calls(mprof_event *events)
{
	uint32_t stack[DEPTH + 1] = {1};
	uint32_t random = 2463534242U;
	uint64_t counter = 0;
	size_t depth = 0;

	for (size_t i = 0; i < BENCH_CALL_EVENTS; i++) {
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

void bench_write_calls(mprof_writer **writer)
{
	const mprof_writer_options options = {.struct_size = sizeof(options),
					      .directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE)};
	mprof_event *events = malloc(BENCH_CALL_EVENTS * sizeof(*events));

	bench_require(events != NULL && mprof_writer_open_memory(&options, writer) == MPROF_OK, "cannot open a writer");
	make_calls(events);
	bench_define(*writer);
	write_blocks(*writer, events, BENCH_CALL_EVENTS);
	free(events);
}
