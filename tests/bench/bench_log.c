/* SPDX-License-Identifier: MIT */
#include "bench_log.h"

#include <stdlib.h>

/* Call stacks are IDs or stack sections. */
#define STACKS                                                                                                         \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |                                                    \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK))

static void write_blocks(mprof_writer *writer, const mprof_event *events)
{
	uint64_t base = 0;

	for (size_t done = 0; done < BENCH_EVENTS; done += BENCH_BLOCK_EVENTS) {
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
	options.directives = directives;
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
	write_blocks(*writer, events);
	free(details);
	free(events);
}
