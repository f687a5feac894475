/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_dialects.c
 * \brief What decoding costs in the dialect of Mono, against the same events in the library's own.
 */
#include "bench.h"

#include "bench_log.h"

#include <mprof/reader.h>

#define BATCH 256
#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

/* What Mono always declares. */
#define ALWAYS                                                                                                         \
	(BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS))
#define CALLER BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)
#define OBJECT BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)

typedef struct stored_log {
	const uint8_t *bytes;
	size_t length;
} stored_log;

typedef struct dialect_state {
	stored_log mono;
	stored_log mprof2;
} dialect_state;

/* What was read, so that nothing of it can be left out. Stack sections are part of the events that follow them. */
typedef struct event_sum {
	uint64_t sum;
	uint64_t events;
} event_sum;

static void add_events(event_sum *total, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		total->sum += events[i].kind + events[i].id + events[i].counter;
		total->events += events[i].kind != MPROF_EVENT_STACK_SECTION;
	}
}

static double finish(const event_sum *total, double start)
{
	bench_keep(total->sum);
	bench_require(total->events == BENCH_EVENTS, "events are missing");
	return (bench_thread_time() - start) / BENCH_EVENTS;
}

static double read_log(const stored_log *log)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_event events[BATCH];
	event_sum total = {0, 0};
	size_t count;
	double start = bench_thread_time();

	mprof_block_init(&block, sizeof(block));
	bench_require(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader) == MPROF_OK,
		      "cannot open the log");
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, BATCH, &count) == MPROF_OK)
			add_events(&total, events, count);
	}
	mprof_reader_destroy(reader);
	return finish(&total, start);
}

/* Fed in pieces as a reader of a file does. */
#define PIECE ((size_t)1 << 18)

static double parse_log(const stored_log *log)
{
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[BATCH];
	event_sum total = {0, 0};
	mprof_status status;
	size_t fed = 0;
	size_t count;
	double start = bench_thread_time();

	mprof_block_init(&block, sizeof(block));
	bench_require(mprof_parser_create(NULL, &parser) == MPROF_OK, "cannot make a parser");
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		size_t piece = log->length - fed < PIECE ? log->length - fed : PIECE;

		if (status == MPROF_AGAIN && piece == 0) {
			mprof_parser_finish(parser);
		} else if (status == MPROF_AGAIN) {
			bench_require(mprof_parser_feed(parser, log->bytes + fed, piece) == MPROF_OK, "cannot feed");
			fed += piece;
		} else {
			bench_require(status == MPROF_OK, "cannot parse");
		}
		if (status != MPROF_OK || block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_parser_next_events(parser, events, BATCH, &count) == MPROF_OK)
			add_events(&total, events, count);
	}
	mprof_parser_destroy(parser);
	return finish(&total, start);
}

static double measure_read_mono(void *user)
{
	return read_log(&((dialect_state *)user)->mono);
}

static double measure_read_own(void *user)
{
	return read_log(&((dialect_state *)user)->mprof2);
}

static double measure_parse_mono(void *user)
{
	return parse_log(&((dialect_state *)user)->mono);
}

static double measure_parse_own(void *user)
{
	return parse_log(&((dialect_state *)user)->mprof2);
}

typedef struct dialect_row {
	const char *what;
	int has_allocations;
	uint64_t directives_of_mono;
	uint64_t own_directives;
} dialect_row;

static void measure_row(const dialect_row *row)
{
	dialect_state state;
	mprof_writer *mono;
	mprof_writer *mprof2;
	bench_row parse = {row->what, measure_parse_mono, measure_parse_own, "mprof2", 0};
	bench_row read = {row->what, measure_read_mono, measure_read_own, "mprof2", 0};

	bench_write_log(&mono, MPROF_DIALECT_MONO, row->has_allocations, ALWAYS | row->directives_of_mono);
	bench_write_log(&mprof2, MPROF_DIALECT_MPROF2, row->has_allocations, ALWAYS | row->own_directives);
	bench_require(mprof_writer_get_memory(mono, &state.mono.bytes, &state.mono.length) == MPROF_OK &&
			      mprof_writer_get_memory(mprof2, &state.mprof2.bytes, &state.mprof2.length) == MPROF_OK,
		      "cannot get the logs");
	parse.bytes_per_event = read.bytes_per_event = (double)state.mono.length / BENCH_EVENTS;
	printf("parse ");
	bench_print(&parse, &state);
	printf("read  ");
	bench_print(&read, &state);
	mprof_writer_destroy(mprof2);
	mprof_writer_destroy(mono);
}

void bench_dialects(void)
{
	static const dialect_row rows[] = {
		{"mono: calls", 0, 0, 0},
		{"mono: half allocations", 1, 0, 0},
		{"mono: half allocations, caller, object", 1, CALLER | OBJECT, CALLER | OBJECT},
		{"mono: half allocations, stacks, object", 1, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) | OBJECT,
		 BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) | OBJECT},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		measure_row(&rows[i]);
}
