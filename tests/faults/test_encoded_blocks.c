/* SPDX-License-Identifier: MIT */
/*
 * Logs with columns, compressed blocks and an index are read with each request for memory refused: by the parser and
 * the reader, as arrays, and with queries. The same is read, or an error is returned; and it terminates.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fault_content.h"
#include "logs/encoded_log.h"

#include <mprof/reader.h>

#include <criterion/criterion.h>

#include <string.h>

#define LAST_RESORT 3000

/* Pieces in which a parser is fed. */
#define PIECE 97

/* The log has an index and, with a codec, blocks that are compressed. */
static void expect_encoded(const log_bytes *log, uint32_t codec)
{
	size_t compressed = 0;
	size_t indexes = 0;
	mprof_reader *reader;
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		compressed += block.codec != MPROF_CODEC_NONE && block.codec == codec;
		indexes += block.kind == MPROF_BLOCK_INDEX;
	}
	cr_assert_gt(indexes, 0);
	cr_assert_eq(compressed > 0, codec != MPROF_CODEC_NONE);
	mprof_reader_destroy(reader);
}

/* Runs a scenario on logs with blocks of all kinds and with each codec of the library. */
static void try_encoded(fault_scenario scenario)
{
	static const char *const names[] = {"not compressed", "with deflate", "with zstd"};
	log_bytes logs[] = {log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES),
			    log_make_more(FIXTURE_ALL_DIRECTIVES)};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		for (uint32_t codec = MPROF_CODEC_NONE; codec <= MPROF_CODEC_ZSTD; codec++) {
			log_bytes encoded;

			if (!log_has_codec(codec))
				continue;
			encoded = log_encode(&logs[i], codec);
			expect_encoded(&encoded, codec);
			fault_try_log(names[codec], &encoded, scenario);
			log_free(&encoded);
		}
		log_free(&logs[i]);
	}
}

static mprof_status parse(fault_run *run, const log_bytes *log)
{
	mprof_parser_options options;
	log_input input = {NULL, NULL};
	mprof_block block;
	mprof_status status;
	size_t fed = 0;
	int goes_on = 1;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	status = mprof_parser_create(&options, &input.parser);
	if (status != MPROF_OK)
		return status;
	while (goes_on) {
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		status = mprof_parser_next_block(input.parser, &block);
		if (status == MPROF_AGAIN) {
			size_t length = log->length - fed < PIECE ? log->length - fed : PIECE;

			fault_step(run);
			if (length == 0)
				mprof_parser_finish(input.parser);
			status = mprof_parser_feed(input.parser, log->bytes + fed, length);
			fed += length;
			/* Nothing can be fed after the end. */
			goes_on = status == MPROF_OK || status == MPROF_ERR_STATE;
		} else {
			goes_on = fault_process_block(run, &input, &block, &status);
		}
	}
	mprof_parser_destroy(input.parser);
	return status;
}

Test(faults_encoded, parsed_in_pieces, .timeout = LAST_RESORT)
{
	try_encoded(parse);
}

typedef mprof_status (*read_function)(fault_run *run, mprof_reader *reader);

static mprof_status read_with(fault_run *run, const log_bytes *log, read_function read_all)
{
	const mprof_reader_options options = fault_reader_options(run);
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &options, &reader);

	if (status == MPROF_OK)
		status = read_all(run, reader);
	if (reader != NULL)
		fault_hash_dictionary(run, reader);
	mprof_reader_destroy(reader);
	return status;
}

static mprof_status read_structs(fault_run *run, const log_bytes *log)
{
	return read_with(run, log, fault_read_blocks);
}

Test(faults_encoded, read_as_structs, .timeout = LAST_RESORT)
{
	try_encoded(read_structs);
}

static void hash_columns(fault_run *run, const mprof_columns *columns)
{
	const size_t allocations = columns->allocation_count;

	fault_hash_bytes(run, columns->symbols, columns->event_count);
	fault_hash_bytes(run, columns->methods, columns->method_count * sizeof(*columns->methods));
	fault_hash_bytes(run, columns->times, columns->time_count * sizeof(*columns->times));
	fault_hash_bytes(run, columns->classes, allocations * sizeof(*columns->classes));
	fault_hash_bytes(run, columns->sizes, allocations * sizeof(*columns->sizes));
	fault_hash_bytes(run, columns->callers, allocations * sizeof(*columns->callers));
	fault_hash_bytes(run, columns->stacks, allocations * sizeof(*columns->stacks));
	fault_hash_bytes(run, columns->objects, allocations * sizeof(*columns->objects));
	for (size_t i = 0; i < columns->row_count; i++)
		fault_hash_number(run, columns->rows[i].kind | (uint64_t)columns->rows[i].id << 32);
}

static mprof_status fetch_columns(fault_run *run, mprof_reader *reader)
{
	const uint32_t all = MPROF_COLUMN_OBJECTS * 2 - 1;
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_status status;

	while ((status = mprof_reader_next_columns(reader, all, &columns)) == MPROF_OK) {
		fault_step(run);
		hash_columns(run, &columns);
	}
	return status;
}

static mprof_status read_columns(fault_run *run, mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		fault_step(run);
		fault_hash_block(run, &block);
		if (block.kind == MPROF_BLOCK_EVENTS)
			status = fetch_columns(run, reader);
		if (status == MPROF_ERR_MEMORY)
			return status;
	}
	return status;
}

static mprof_status read_arrays(fault_run *run, const log_bytes *log)
{
	return read_with(run, log, read_columns);
}

Test(faults_encoded, read_as_arrays, .timeout = LAST_RESORT)
{
	try_encoded(read_arrays);
}

/* Builds the index, which the log contains, and reads the events of the thread of the last block of events. */
static mprof_status read_query(fault_run *run, mprof_reader *reader)
{
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_status status = mprof_reader_build_index(reader);
	mprof_query query;
	int64_t time = 0;

	if (status != MPROF_OK)
		return status;
	mprof_query_init(&query, sizeof(query));
	query.kinds.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES);
	for (uint64_t i = 0; i < mprof_reader_get_index_count(reader); i++) {
		cr_assert_eq(mprof_reader_get_index_entry(reader, i, &entry), MPROF_OK);
		fault_hash_number(run, entry.offset);
		fault_hash_number(run, entry.end_counter);
		if (entry.kind != MPROF_BLOCK_EVENTS)
			continue;
		query.thread = entry.thread;
		cr_assert_eq(mprof_reader_get_time(reader, entry.start_counter, &time), MPROF_OK);
		query.start_ns = time;
	}
	cr_assert_eq(mprof_reader_select(reader, &query), MPROF_OK);
	status = mprof_reader_seek(reader, 0);
	return status == MPROF_OK ? fault_read_blocks(run, reader) : status;
}

static mprof_status read_selected(fault_run *run, const log_bytes *log)
{
	return read_with(run, log, read_query);
}

Test(faults_encoded, read_with_a_query, .timeout = LAST_RESORT)
{
	try_encoded(read_selected);
}
