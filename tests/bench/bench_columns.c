/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_columns.c
 * \brief What reading a log in columns costs if only some fields are needed, compared with rows read into structs.
 */
#include "bench.h"

#include "bench_input.h"

#include <mprof/reader.h>

/*
 * Uses the last values of a batch only: what a program does with the values is not measured, as for structs. The
 * library has decoded all of them.
 */
static void use_columns(const mprof_columns *columns)
{
	bench_keep(columns->symbols[columns->event_count - 1]);
	if (columns->methods != NULL && columns->method_count > 0)
		bench_keep(columns->methods[columns->method_count - 1]);
	if (columns->classes != NULL && columns->allocation_count > 0)
		bench_keep(columns->classes[columns->allocation_count - 1]);
	if (columns->times != NULL && columns->time_count > 0)
		bench_keep(columns->times[columns->time_count - 1]);
}

/* Fetches the columns of all blocks, with checksums verified. Returns the number of events. */
static uint64_t take_events(mprof_reader *reader, uint32_t wanted)
{
	mprof_columns columns = {.struct_size = sizeof(columns)};
	uint64_t events = 0;
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while ((status = mprof_reader_next_columns(reader, wanted, &columns)) == MPROF_OK) {
			events += columns.event_count;
			use_columns(&columns);
		}
		bench_require(status == MPROF_END, "cannot read columns");
	}
	bench_require(status == MPROF_END, "cannot read the log in columns");
	return events;
}

static double read_columns(void *user)
{
	const bench_input *input = bench_input_columns();
	const uint32_t *wanted = user;
	double start = bench_thread_time();
	mprof_reader *reader;

	bench_require(mprof_reader_open_memory(input->bytes, input->length, NULL, &reader) == MPROF_OK,
		      "cannot open the log in columns");
	bench_require(take_events(reader, *wanted) == input->events, "the log in columns has other events");
	mprof_reader_destroy(reader);
	return (bench_thread_time() - start) / (double)input->events;
}

static double read_rows(void *user)
{
	(void)user;
	return bench_input_read(bench_input_rows()) / (double)bench_input_rows()->events;
}

void bench_columns(void)
{
	uint32_t ids = MPROF_COLUMN_METHODS | MPROF_COLUMN_CLASSES;
	uint32_t times = ids | MPROF_COLUMN_TIMES;
	uint32_t all = times | MPROF_COLUMN_SIZES | MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS | MPROF_COLUMN_OBJECTS;
	const bench_row ids_row = {"symbols and IDs", read_columns, read_rows, "rows into structs", 0};
	const bench_row times_row = {"symbols, IDs and times", read_columns, read_rows, "rows into structs", 0};
	const bench_row all_row = {"all columns", read_columns, read_rows, "rows into structs", 0};

	bench_print_target(&ids_row, &ids, &(bench_target){.ratio = 0.05});
	bench_print_target(&times_row, &times, &(bench_target){.ratio = 0.2});
	bench_print(&all_row, &all);
}
