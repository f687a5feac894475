/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_input.c
 * \brief Reads or makes the log that the targets are about, and converts it.
 */
#include "bench_input.h"
#include "logs/begin_copy.h"

#include "bench.h"
#include "bench_log.h"

#include <mprof/convert.h>
#include <mprof/reader.h>

#include <stdio.h>

#define BATCH 1024

static const char *input_path;
static bench_input rows;
static bench_input columns;

void bench_input_set_path(const char *path)
{
	input_path = path;
}

/* Uses the last event of a batch only, as bench_columns.c does: the library has decoded all. Returns their number. */
static uint64_t read_events(const uint8_t *bytes, size_t length)
{
	static mprof_event events[BATCH];
	mprof_reader *reader;
	mprof_block block;
	uint64_t total = 0;
	uint64_t sum = 0;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	bench_require(mprof_reader_open_memory(bytes, length, NULL, &reader) == MPROF_OK, "cannot open the log");
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, BATCH, &count) == MPROF_OK) {
			sum += events[count - 1].counter;
			total += count;
		}
	}
	mprof_reader_destroy(reader);
	bench_keep(sum);
	return total;
}

static void take_bytes(bench_input *input)
{
	bench_require(mprof_writer_get_memory(input->writer, &input->bytes, &input->length) == MPROF_OK,
		      "cannot get the log");
	input->events = read_events(input->bytes, input->length);
	bench_require(input->events > 0, "the log has no events");
}

/* Takes the reader. */
static void convert(mprof_reader *reader, mprof_writer_options *options, uint64_t resolution_ns, double frequency,
		    bench_input *converted)
{
	mprof_converter *converter;

	bench_require(begin_coarse_copy(reader, options, resolution_ns, frequency, &converter) == MPROF_OK &&
			      mprof_writer_open_memory(options, &converted->writer) == MPROF_OK &&
			      mprof_converter_run(converter, converted->writer, NULL, NULL) == MPROF_OK,
		      "cannot convert the log");
	take_bytes(converted);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
}

static void read_file(void)
{
	mprof_writer_options options;
	mprof_reader *reader;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	bench_require(mprof_reader_open_path(input_path, NULL, &reader) == MPROF_OK, "cannot open the file of --log");
	convert(reader, &options, 0, 0, &rows);
}

const bench_input *bench_input_rows(void)
{
	if (rows.writer != NULL)
		return &rows;
	if (input_path != NULL) {
		read_file();
	} else {
		bench_write_calls(&rows.writer);
		take_bytes(&rows);
	}
	printf("  input: %s, %llu events\n", input_path != NULL ? input_path : "made of calls alone",
	       (unsigned long long)rows.events);
	return &rows;
}

/* Counters per second, which the log has at its end. */
static double measure_frequency(const bench_input *input)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_reader *reader;
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	bench_require(mprof_reader_open_memory(input->bytes, input->length, NULL, &reader) == MPROF_OK,
		      "cannot open the log");
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	bench_require(mprof_reader_get_session(reader, &session) == MPROF_OK, "cannot get the frequency");
	mprof_reader_destroy(reader);
	return session.counters_per_second;
}

void bench_input_convert(mprof_writer_options *options, uint64_t resolution_ns, bench_input *converted)
{
	const bench_input *input = bench_input_rows();
	double frequency = resolution_ns > 0 ? measure_frequency(input) : 0;
	mprof_reader *reader;

	bench_require(mprof_reader_open_memory(input->bytes, input->length, NULL, &reader) == MPROF_OK,
		      "cannot open the log");
	convert(reader, options, resolution_ns, frequency, converted);
	bench_require(converted->events == input->events, "the converted log has other events");
}

const bench_input *bench_input_columns(void)
{
	mprof_writer_options options;

	if (columns.writer != NULL)
		return &columns;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.has_columns = 1;
	bench_input_convert(&options, 0, &columns);
	return &columns;
}

double bench_input_read(const bench_input *input)
{
	double start = bench_thread_time();

	bench_require(read_events(input->bytes, input->length) == input->events, "events are missing");
	return bench_thread_time() - start;
}

void bench_input_free(void)
{
	mprof_writer_destroy(rows.writer);
	mprof_writer_destroy(columns.writer);
}
