/* SPDX-License-Identifier: MIT */
/* Stacks, native code, roots and metrics in the dictionary of a reader: lookup, names, and missing definitions. */
#include "logs/log_fixture.h"

#include "base/bytes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static mprof_reader *open_log(const log_bytes *log, uint64_t wanted)
{
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = wanted;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &options, &reader), MPROF_OK);
	return reader;
}

/* Reads all blocks; \p faults of them have errors. */
static void read_all(mprof_reader *reader, uint64_t faults)
{
	log_digest digest;

	log_digest_read(&digest, reader);
	cr_assert_eq(digest.last, MPROF_END, "%s", digest.first.what);
	cr_assert_eq(digest.faults, faults, "%s", digest.first.what);
}

/* Goes on to the block at \p offset; no block on the way may have an error. */
static mprof_block go_to(mprof_reader *reader, uint64_t offset)
{
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	do
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	while (block.offset < offset);
	return block;
}

static uint64_t count_of(const mprof_reader *reader, mprof_record_kind kind)
{
	return mprof_reader_get_record_count(reader, kind);
}

/* Expects all definitions of log_make_more(). */
static void expect_all_definitions(const mprof_reader *reader)
{
	cr_assert_eq(count_of(reader, MPROF_RECORD_STACK), 120);
	cr_assert_eq(count_of(reader, MPROF_RECORD_MODULE), 8);
	cr_assert_eq(count_of(reader, MPROF_RECORD_FUNCTION), 8);
	cr_assert_eq(count_of(reader, MPROF_RECORD_LOCATION), 8);
	cr_assert_eq(count_of(reader, MPROF_RECORD_ROOT), 3);
	cr_assert_eq(count_of(reader, MPROF_RECORD_METRIC), 2);
	cr_assert_eq(count_of(reader, MPROF_RECORD_METRIC_VALUE), 0);
	cr_assert_eq(count_of(reader, MPROF_RECORD_SUMMARY), 0);
	cr_assert_eq(count_of(reader, (mprof_record_kind)0), 0);
}

/* Stack n is called by n / 2; the last digit of n - 1 determines the frame. */
Test(reader_definitions, stacks)
{
	log_bytes log = log_make_more(0);
	mprof_reader *reader = open_log(&log, 0);
	mprof_stack_frame frames[3];
	mprof_stack_frame frame;
	uint32_t caller;
	size_t count;

	cr_assert_eq(mprof_reader_lookup_stack(reader, 1, frames, sizeof(*frames), 3, &count), MPROF_ERR_UNDEFINED_ID);
	read_all(reader, 0);
	expect_all_definitions(reader);
	cr_assert_eq(mprof_reader_lookup_stack(reader, 39, frames, sizeof(*frames), 3, &count), MPROF_OK);
	cr_assert_eq(count, 6, "39, 19, 9, 4, 2, 1");
	cr_assert_eq(frames[0].id, 1 + 38 % 4);
	cr_assert_eq(frames[0].is_native, 1);
	cr_assert_eq(frames[1].id, 1 + 18 % 4);
	cr_assert_eq(frames[1].is_native, 1);
	cr_assert_eq(frames[2].id, 1 + 8 % 4);
	frames[2].id = 99;
	cr_assert_eq(mprof_reader_lookup_stack(reader, 39, frames, sizeof(*frames), 2, &count), MPROF_OK);
	cr_assert_eq(count, 6);
	cr_assert_eq(frames[2].id, 99);
	cr_assert_eq(mprof_reader_lookup_stack(reader, 1, NULL, sizeof(mprof_stack_frame), 0, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(mprof_reader_lookup_stack(reader, 0, frames, sizeof(*frames), 3, &count), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(count, 0);
	cr_assert_eq(mprof_reader_lookup_stack(reader, 121, frames, sizeof(*frames), 3, &count),
		     MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_reader_lookup_caller(reader, 107, &frame, sizeof(frame), &caller), MPROF_OK);
	cr_assert_eq(frame.id, 0, "not known");
	cr_assert_eq(frame.is_native, 0);
	cr_assert_eq(caller, 53);
	cr_assert_eq(mprof_reader_lookup_caller(reader, 1, &frame, sizeof(frame), &caller), MPROF_OK);
	cr_assert_eq(frame.id, 1);
	cr_assert_eq(caller, 0);
	cr_assert_eq(mprof_reader_lookup_caller(reader, 0, &frame, sizeof(frame), &caller), MPROF_ERR_UNDEFINED_ID);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader_definitions, records)
{
	log_bytes log = log_make_more(0);
	mprof_reader *reader = open_log(&log, 0);
	mprof_record record;

	read_all(reader, 0);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, 5, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.module.address, UINT64_C(0x7f0000000000));
	cr_assert_eq(record.as.module.size, 0x123000);
	cr_assert_str_eq(record.as.module.file, "/usr/lib/libsome.so.1");
	cr_assert_str_eq(record.as.module.build_id, "0123456789abcdef");
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_METRIC, 1, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.metric.flags, MPROF_METRIC_UNIT_BYTES | MPROF_METRIC_FLAG_MONOTONIC);
	cr_assert_str_eq(record.as.metric.section, "memory");
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_ROOT, 1, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.root.class_id, 7);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_STACK, 4, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.stack.caller, 2);
	cr_assert_eq(record.as.stack.is_native, 1);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_ROOT, 4, &record, sizeof(record)),
		     MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_METRIC_VALUE, 1, &record, sizeof(record)),
		     MPROF_ERR_UNDEFINED_ID);
	mprof_reader_destroy(reader);
	log_free(&log);
}

static void expect_name(const mprof_reader *reader, uint32_t location, const char *expected)
{
	char text[100];
	char cut[9];

	cr_assert_eq(mprof_reader_format_location(reader, location, text, sizeof(text)), strlen(expected), "%s", text);
	cr_assert_str_eq(text, expected);
	cr_assert_eq(mprof_reader_format_location(reader, location, cut, sizeof(cut)), strlen(expected));
	cr_assert_eq(strncmp(cut, expected, sizeof(cut) - 1), 0);
	cr_assert_lt(strlen(cut), sizeof(cut));
	cr_assert_eq(mprof_reader_format_location(reader, location, NULL, 0), strlen(expected));
}

Test(reader_definitions, location_names)
{
	log_bytes log = log_make_more(0);
	mprof_reader *reader = open_log(&log, 0);

	expect_name(reader, 1, "#1");
	read_all(reader, 0);
	expect_name(reader, 1, "libsome.so.1+0x1234");
	expect_name(reader, 2, "some_function");
	expect_name(reader, 3, "libsome.so.1+0x1236");
	expect_name(reader, 4, "some_function");
	expect_name(reader, 0, "#0");
	expect_name(reader, 9, "#9");
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* Neither function nor module, or a module without a name. */
Test(reader_definitions, names_of_addresses)
{
	mprof_record records[3];
	mprof_writer *writer;
	mprof_reader *reader;
	log_bytes log;
	const uint8_t *bytes;

	memset(records, 0, sizeof(records));
	records[0].kind = MPROF_RECORD_MODULE;
	records[0].id = 1;
	records[0].as.module.address = 0x1000;
	records[1].kind = MPROF_RECORD_LOCATION;
	records[1].id = 1;
	records[1].as.location.offset = UINT64_C(0x7f0012345678);
	records[2].kind = MPROF_RECORD_LOCATION;
	records[2].id = 2;
	records[2].as.location.offset = 0x234;
	records[2].as.location.module = 1;
	cr_assert_eq(mprof_writer_open_memory(NULL, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, records, sizeof(*records), 3), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, log.length, NULL, &reader), MPROF_OK);
	read_all(reader, 0);
	expect_name(reader, 1, "0x7f0012345678");
	expect_name(reader, 2, "0x1234");
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

/* Definitions are collected also from blocks that are not wanted, of which only the headers are returned. */
Test(reader_definitions, collected_from_unwanted_blocks)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_log(&log, MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES));
	mprof_block block;
	mprof_record record;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	for (int i = 0; i < MORE_COUNT; i++) {
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
		cr_assert_eq(block.loaded, block.kind == MPROF_BLOCK_SAMPLES);
		if (block.kind != MPROF_BLOCK_STACKS)
			continue;
		/* It can still be loaded. */
		cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		cr_assert_eq(block.loaded, 1);
		cr_assert_eq(mprof_reader_next_records(reader, &record, sizeof(record), 1, &count), MPROF_OK);
		cr_assert_eq(count, 1);
	}
	expect_all_definitions(reader);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* Blocks that are read again define nothing again. */
Test(reader_definitions, read_again)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_log(&log, 0);
	const mprof_index_entry *entries;
	size_t count;

	entries = fetch_index(reader, &count);
	cr_assert_eq(count, MORE_COUNT);
	expect_all_definitions(reader);
	cr_assert_eq(entries[MORE_SAMPLES].thread, UINT64_C(0x7f0012345740));
	cr_assert_eq(entries[MORE_SAMPLES].start_counter, 5300000);
	cr_assert_eq(entries[MORE_MARK].thread, UINT64_C(0x7f0012345740));
	cr_assert_eq(entries[MORE_MARK].start_counter, 5350000);
	cr_assert_eq(entries[MORE_MARK].end_counter, 5350000);
	cr_assert_gt(entries[MORE_HEAP].start_counter, 5000000);
	cr_assert_eq(entries[MORE_HEAP].kind, MPROF_BLOCK_HEAP_DATA);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(mprof_reader_seek(reader, entries[count - 1 - i].offset), MPROF_OK);
		read_all(reader, 0);
	}
	expect_all_definitions(reader);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* A seek ahead collects the definitions of the blocks that it skips. */
Test(reader_definitions, seek_ahead)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_log(&log, 0);
	mprof_stack_frame frames[8];
	size_t count;

	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&log, MORE_SECOND_CODE)), MPROF_OK);
	cr_assert_eq(count_of(reader, MPROF_RECORD_STACK), 100, "definitions after it are not collected");
	cr_assert_eq(mprof_reader_lookup_stack(reader, 120, frames, sizeof(*frames), 8, &count),
		     MPROF_ERR_UNDEFINED_ID);
	go_to(reader, log_block_offset(&log, MORE_SECOND_METRICS));
	cr_assert_eq(mprof_reader_lookup_stack(reader, 120, frames, sizeof(*frames), 8, &count), MPROF_OK);
	cr_assert_eq(count, 7);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	read_all(reader, 0);
	expect_all_definitions(reader);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* Removes a block from the log. */
static void cut_out(log_bytes *log, size_t number)
{
	size_t start = log_block_offset(log, number);
	size_t end = log_block_offset(log, number + 1);

	memmove(log->bytes + start, log->bytes + end, log->length - end);
	log->length -= end - start;
}

/* A log in which IDs are missing is damaged, but its other definitions and blocks are available. */
Test(reader_definitions, block_left_out)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	const mprof_index_entry *entries;
	mprof_stack_frame frame;
	mprof_reader *reader;
	mprof_block block;
	uint32_t caller;
	uint64_t offset;
	mprof_error error;
	mprof_record records[30];
	size_t count;

	cut_out(&log, MORE_STACKS);
	offset = log_block_offset(&log, MORE_SECOND_STACKS - 1);
	reader = open_log(&log, 0);
	go_to(reader, log_block_offset(&log, MORE_SECOND_CODE - 1));
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_ERR_MALFORMED);
	error = reader_error_of(reader);
	cr_assert_eq(error.severity, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(error.offset, offset);
	cr_assert_eq(error.block_code, 36);
	cr_assert_eq(block.kind, MPROF_BLOCK_STACKS);
	cr_assert_eq(block.loaded, 1);
	cr_assert_eq(mprof_reader_next_records(reader, records, sizeof(*records), 30, &count), MPROF_OK);
	cr_assert_eq(count, 20);
	cr_assert_eq(mprof_reader_lookup_caller(reader, 120, &frame, sizeof(frame), &caller), MPROF_OK);
	cr_assert_eq(caller, 60);
	cr_assert_eq(mprof_reader_lookup_caller(reader, caller, &frame, sizeof(frame), &caller),
		     MPROF_ERR_UNDEFINED_ID);
	read_all(reader, 0);
	/* The index includes the block. */
	entries = fetch_index(reader, &count);
	cr_assert_eq(count, MORE_COUNT - 1);
	cr_assert_eq(entries[MORE_SECOND_STACKS - 1].offset, offset);
	mprof_reader_destroy(reader);
	reader = open_log(&log, 0);
	entries = fetch_index(reader, &count);
	cr_assert_eq(count, MORE_COUNT - 1);
	error = reader_error_of(reader);
	cr_assert_eq(error.status, MPROF_ERR_MALFORMED);
	cr_assert_eq(error.offset, offset);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* If a block cannot be decoded, the definitions that it lacks are not reported as errors of later blocks. */
Test(reader_definitions, block_damaged)
{
	static const uint8_t numbers[] = {MORE_CODE, MORE_STACKS, MORE_ROOTS, MORE_METRICS};

	for (size_t i = 0; i < sizeof(numbers); i++) {
		log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
		mprof_reader *reader;

		log.bytes[log_block_offset(&log, numbers[i]) + 20] ^= 1;
		reader = open_log(&log, 0);
		read_all(reader, 1);
		mprof_reader_destroy(reader);
		log_free(&log);
	}
}

/* After an error in a block, the log is valid only up to that block, though it was read to END. */
static void expect_valid_up_to(const mprof_reader *reader, uint64_t offset)
{
	mprof_session session = {.struct_size = sizeof(session)};

	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	cr_assert_eq(session.complete, 0);
	cr_assert_eq(session.valid_bytes, offset, "%d, not %d", (int)session.valid_bytes, (int)offset);
}

static void expect_same_definitions(const mprof_reader *reader, const mprof_reader *other)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_FIELD; kind++)
		cr_assert_eq(count_of(reader, (mprof_record_kind)kind), count_of(other, (mprof_record_kind)kind));
	for (uint32_t id = 1; id <= 130; id++) {
		mprof_stack_frame frame = {0};
		mprof_stack_frame other_frame = {0};
		uint32_t caller = 0;
		uint32_t other_caller = 0;
		char name[200];
		char other_name[200];

		mprof_reader_format_method(reader, id, name, sizeof(name));
		mprof_reader_format_method(other, id, other_name, sizeof(other_name));
		cr_assert_str_eq(name, other_name);
		mprof_reader_format_location(reader, id, name, sizeof(name));
		mprof_reader_format_location(other, id, other_name, sizeof(other_name));
		cr_assert_str_eq(name, other_name);
		cr_assert_eq(mprof_reader_lookup_caller(reader, id, &frame, sizeof(frame), &caller),
			     mprof_reader_lookup_caller(other, id, &other_frame, sizeof(other_frame), &other_caller));
		cr_assert_eq(memcmp(&frame, &other_frame, sizeof(frame)), 0);
		cr_assert_eq(caller, other_caller);
	}
}

/*
 * A block that is malformed after its definitions defines as little as one with a wrong checksum, which is not decoded
 * at all.
 */
Test(reader_definitions, block_malformed_at_its_end)
{
	static const uint8_t numbers[] = {MORE_MAPPING, MORE_CODE,        MORE_STACKS,        MORE_ROOTS,
					  MORE_METRICS, MORE_SECOND_CODE, MORE_SECOND_STACKS, MORE_SECOND_METRICS};

	for (size_t i = 0; i < sizeof(numbers); i++) {
		log_bytes malformed = log_make_more(FIXTURE_ALL_DIRECTIVES);
		log_bytes damaged = log_make_more(FIXTURE_ALL_DIRECTIVES);
		const size_t end = log_block_offset(&malformed, numbers[i] + 1U);
		mprof_reader *reader;
		mprof_reader *other;
		log_digest digest;

		/* The last varint does not end before the checksum. */
		malformed.bytes[end - 5] &= 127;
		log_sign_block(&malformed, numbers[i]);
		damaged.bytes[end - 1] ^= 1;
		reader = open_log(&malformed, 0);
		other = open_log(&damaged, 0);
		log_digest_read(&digest, reader);
		cr_assert_eq(digest.last, MPROF_END);
		cr_assert_eq(digest.first.status, MPROF_ERR_MALFORMED);
		cr_assert_eq(digest.first.offset, end - 4, "%d", (int)digest.first.offset);
		log_digest_read(&digest, other);
		cr_assert_eq(digest.first.status, MPROF_ERR_CHECKSUM);
		expect_same_definitions(reader, other);
		/* The fault is reported each time, and each time nothing is defined. */
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
		log_digest_read(&digest, reader);
		cr_assert_eq(digest.first.status, MPROF_ERR_MALFORMED);
		expect_same_definitions(reader, other);
		mprof_reader_destroy(reader);
		mprof_reader_destroy(other);
		log_free(&malformed);
		log_free(&damaged);
	}
}

/* Blocks whose definitions are stored are not decoded again, unless the caller wants what they contain. */
Test(reader_definitions, decoded_once)
{
	static const uint8_t numbers[] = {MORE_MAPPING, MORE_CODE, MORE_STACKS, MORE_ROOTS, MORE_METRICS};
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_log(&log, MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES));
	mprof_reader *whole = open_log(&log, 0);
	log_digest first;
	log_digest second;
	mprof_block block;

	read_all(reader, 0);
	log_digest_read(&first, whole);
	cr_assert_eq(mprof_reader_seek(whole, 0), MPROF_OK);
	log_digest_read(&second, whole);
	cr_assert_eq(first.last, MPROF_END);
	cr_assert_eq(memcmp(&first, &second, sizeof(first)), 0, "the same items again");
	for (size_t i = 0; i < sizeof(numbers); i++)
		log.bytes[log_block_offset(&log, numbers[i]) + 20] ^= 1;
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	read_all(reader, 0);
	expect_same_definitions(reader, whole);
	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&log, MORE_CODE)), MPROF_OK);
	block = go_to(reader, log_block_offset(&log, MORE_CODE));
	cr_assert_eq(block.loaded, 0);
	cr_assert_eq(mprof_reader_load(reader, &block), MPROF_ERR_CHECKSUM);
	mprof_reader_destroy(reader);
	mprof_reader_destroy(whole);
	log_free(&log);
}

/* A second definition of the same ID. */
Test(reader_definitions, redefined)
{
	log_bytes log = log_make_more(0);
	size_t number = MORE_SECOND_STACKS - 1;
	uint8_t *content = log.bytes + log_block_offset(&log, number) + 6;
	mprof_reader *reader;
	mprof_error error;
	log_digest digest;

	/* After the CLOCK: the first ID, 101, becomes 100. */
	while (content[0] != (101 | 0x80))
		content++;
	content[0] = 100 | 0x80;
	log_sign_block(&log, number);
	reader = open_log(&log, 0);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.last, MPROF_END);
	cr_assert_eq(digest.faults, 1);
	error = digest.first;
	cr_assert_eq(error.status, MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(error.offset, log_block_offset(&log, number));
	cr_assert_eq(count_of(reader, MPROF_RECORD_STACK), 119);
	expect_valid_up_to(reader, log_block_offset(&log, number));
	mprof_reader_destroy(reader);
	log_free(&log);
}

/*
 * Errors that do not break the grammar, in logs that no writer produces: the log is not complete, and valid up to the
 * error.
 */
Test(reader_definitions, faults_end_what_is_valid)
{
	static const struct {
		const char *name;
		mprof_status status;
	} logs[] = {
		{"bad-mapping-twice", MPROF_ERR_REDEFINED_ID},
		{"bad-stacks-twice", MPROF_ERR_REDEFINED_ID},
		{"bad-stacks-gap", MPROF_ERR_MALFORMED},
		{"unsupported-directive", MPROF_ERR_UNSUPPORTED},
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		log_bytes log = log_from_data(logs[i].name);
		mprof_reader *reader = open_log(&log, 0);
		log_digest digest;

		log_digest_read(&digest, reader);
		cr_assert_eq(digest.last, MPROF_END, "%s", logs[i].name);
		cr_assert_eq(digest.first.status, logs[i].status, "%s: %s", logs[i].name, digest.first.what);
		cr_assert_eq(digest.first.severity, MPROF_SEVERITY_BLOCK);
		expect_valid_up_to(reader, digest.first.block_offset);
		mprof_reader_destroy(reader);
		log_free(&log);
	}
}

/* One limit for the memory of names and of all other definitions. */
Test(reader_definitions, memory_limit)
{
	log_bytes log = log_make_more(0);
	mprof_reader_options options;
	mprof_reader *reader;
	log_digest digest;

	mprof_reader_options_init(&options, sizeof(options));
	options.max_names_memory = 8000;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.last, MPROF_END);
	cr_assert_geq(digest.faults, 1);
	cr_assert_eq(digest.first.status, MPROF_ERR_LIMIT);
	cr_assert_eq(digest.first.severity, MPROF_SEVERITY_BLOCK);
	mprof_reader_destroy(reader);
	options.max_names_memory = 0;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	read_all(reader, 0);
	mprof_reader_destroy(reader);
	log_free(&log);
}
