/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_definitions.c
 * \brief What it costs to read definitions into the tables of a reader, against copying the bytes of the log.
 */
#include "bench.h"

#include <mprof/reader.h>
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METHODS 500000U
#define METHODS_OF_CLASS 10U
#define STACKS 500000U
#define LOCATIONS 200000U
#define LOCATIONS_OF_FUNCTION 4U
#define BLOCK 1000U
#define BLOCK_FUNCTIONS (BLOCK / LOCATIONS_OF_FUNCTION)

/* Definitions of some kinds. */
typedef struct definitions_log {
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;
	size_t count;
	uint8_t *copy;
} definitions_log;

static void require_written(mprof_status status)
{
	bench_require(status == MPROF_OK, "cannot write a definition");
}

static void define_class(mprof_writer *writer, uint32_t id, const char *name)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = id, .name = name, .name_length = strlen(name), .size = 8 * id};

	require_written(mprof_writer_define_class(writer, &definition));
}

static void define_method(mprof_writer *writer, uint32_t id, uint32_t class_id, const char *name)
{
	const mprof_method_definition definition = {.struct_size = sizeof(definition),
						    .id = id,
						    .class_id = class_id,
						    .name = name,
						    .name_length = strlen(name)};

	require_written(mprof_writer_define_method(writer, &definition));
}

/* A block of names ends where another block begins. */
static void end_block(mprof_writer *writer)
{
	require_written(mprof_writer_flush(writer));
}

static void write_names(mprof_writer *writer)
{
	char name[80];

	for (uint32_t id = 1; id <= METHODS; id++) {
		const uint32_t class_id = (id - 1) / METHODS_OF_CLASS + 1;

		if ((id - 1) % METHODS_OF_CLASS == 0) {
			snprintf(name, sizeof(name), "Company.Product.Namespace%u.Class%u", class_id % 97, class_id);
			define_class(writer, class_id, name);
		}
		snprintf(name, sizeof(name), "Method%u (int,string,System.Object)", id);
		define_method(writer, id, class_id, name);
		if (id % BLOCK == 0)
			end_block(writer);
	}
}

/* Each call stack is the caller of two others. */
static void write_stacks(mprof_writer *writer)
{
	static mprof_record records[BLOCK];

	define_class(writer, 1, "Class");
	for (uint32_t id = 1; id <= BLOCK; id++)
		define_method(writer, id, 1, "Method");
	for (uint32_t id = 1; id <= STACKS; id++) {
		mprof_record *record = &records[(id - 1) % BLOCK];

		memset(record, 0, sizeof(*record));
		record->kind = MPROF_RECORD_STACK;
		record->id = id;
		record->as.stack.caller = id / 2;
		record->as.stack.target = id % BLOCK + 1;
		if (id % BLOCK == 0)
			require_written(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, records,
								   sizeof(*records), BLOCK));
	}
}

/* Each block has some functions, and then the locations in them. */
static void write_code(mprof_writer *writer)
{
	static char names[BLOCK_FUNCTIONS][48];
	static mprof_record records[BLOCK_FUNCTIONS + BLOCK];
	uint32_t location = 0;

	records[0] = (mprof_record){.kind = MPROF_RECORD_MODULE, .id = 1, .as.module.file = "/usr/lib/library.so"};
	require_written(mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, records, sizeof(*records), 1));
	while (location < LOCATIONS) {
		for (uint32_t i = 0; i < BLOCK_FUNCTIONS; i++) {
			const uint32_t id = location / LOCATIONS_OF_FUNCTION + i + 1;

			snprintf(names[i], sizeof(names[i]), "library_function_number_%u", id);
			records[i] = (mprof_record){.kind = MPROF_RECORD_FUNCTION, .id = id};
			records[i].as.function.module = 1;
			records[i].as.function.offset = (uint64_t)id * 4096;
			records[i].as.function.name = names[i];
		}
		for (uint32_t i = 0; i < BLOCK; i++) {
			mprof_record *record = &records[BLOCK_FUNCTIONS + i];

			*record = (mprof_record){.kind = MPROF_RECORD_LOCATION, .id = ++location};
			record->as.location.module = 1;
			record->as.location.offset = (uint64_t)location * 1024;
			record->as.location.function = (location - 1) / LOCATIONS_OF_FUNCTION + 1;
		}
		require_written(mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, records, sizeof(*records),
							   BLOCK_FUNCTIONS + BLOCK));
	}
}

static void log_open(definitions_log *log, void (*write)(mprof_writer *), size_t count)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES);
	bench_require(mprof_writer_open_memory(&options, &log->writer) == MPROF_OK, "cannot open a writer");
	write(log->writer);
	bench_require(mprof_writer_close(log->writer) == MPROF_OK &&
			      mprof_writer_get_memory(log->writer, &log->bytes, &log->length) == MPROF_OK,
		      "cannot get the log");
	log->count = count;
	log->copy = malloc(log->length);
	bench_require(log->copy != NULL, "no memory");
}

/* Visits all blocks, of which none is delivered. */
static void read_blocks(mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		continue;
	bench_require(status == MPROF_END, "a block cannot be read");
}

static mprof_reader *reader_of(const definitions_log *log)
{
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO);
	bench_require(mprof_reader_open_memory(log->bytes, log->length, &options, &reader) == MPROF_OK,
		      "cannot open the log");
	return reader;
}

static double measure_reading(void *user)
{
	definitions_log *log = user;
	const double start = bench_thread_time();
	mprof_reader *reader = reader_of(log);
	double spent;

	read_blocks(reader);
	spent = bench_thread_time() - start;
	mprof_reader_destroy(reader);
	return spent / (double)log->count;
}

/* Definitions that are in the tables already. */
static double measure_reading_again(void *user)
{
	definitions_log *log = user;
	mprof_reader *reader = reader_of(log);
	double start;
	double spent;

	read_blocks(reader);
	start = bench_thread_time();
	bench_require(mprof_reader_seek(reader, 0) == MPROF_OK, "cannot seek");
	read_blocks(reader);
	spent = bench_thread_time() - start;
	mprof_reader_destroy(reader);
	return spent / (double)log->count;
}

static double measure_copy(void *user)
{
	definitions_log *log = user;
	const double start = bench_thread_time();

	memcpy(log->copy, log->bytes, log->length);
	bench_keep(log->copy[log->length / 2]);
	return (bench_thread_time() - start) / (double)log->count;
}

static void print_rows(const char *what, void (*write)(mprof_writer *), size_t count)
{
	definitions_log log;
	char name[64];
	char again[64];
	bench_row rows[] = {
		{name, measure_reading, measure_copy, "memcpy of the log", 0},
		{again, measure_reading_again, measure_copy, "memcpy of the log", 0},
	};

	snprintf(name, sizeof(name), "%s, into the tables", what);
	snprintf(again, sizeof(again), "%s, a second time", what);
	log_open(&log, write, count);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rows[i].bytes_per_event = (double)log.length / (double)count;
		bench_print(&rows[i], &log);
	}
	free(log.copy);
	mprof_writer_destroy(log.writer);
}

void bench_definitions(void)
{
	print_rows("classes and methods", write_names, METHODS + METHODS / METHODS_OF_CLASS);
	print_rows("call stacks", write_stacks, STACKS);
	print_rows("native code", write_code, LOCATIONS + LOCATIONS / LOCATIONS_OF_FUNCTION);
}
