/* SPDX-License-Identifier: MIT */
/* Logs that are damaged, truncated, or lack definitions that later blocks use; and refused memory. */
#include "convert_fixture.h"
#include "logs/begin_copy.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

/* Bytes of a block's header. */
#define HEADER_LENGTH 6

/* Removes the block with an index. */
static void cut_block_out(log_bytes *log, size_t n)
{
	size_t start = log_block_offset(log, n);
	size_t end = log_block_offset(log, n + 1);

	memmove(log->bytes + start, log->bytes + end, log->length - end);
	log->length -= end - start;
}

/* The number of events of a block kind in a log. Blocks that cannot be decoded are skipped. */
static uint64_t count_events(const log_bytes *log, uint32_t block_kind)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[64];
	mprof_reader *reader;
	uint64_t sum = 0;
	mprof_status status;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		size_t count = 0;

		if (status != MPROF_OK && reader_error_of(reader).severity != MPROF_SEVERITY_BLOCK)
			break;
		if (status != MPROF_OK || block.kind != block_kind)
			continue;
		do {
			status = mprof_reader_next_events(reader, events, 64, &count);
			sum += count;
		} while (status == MPROF_OK);
	}
	mprof_reader_destroy(reader);
	return sum;
}

Test(convert_damage, copies_what_is_sound_around_a_damaged_block)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	size_t position = log_block_offset(&log, MORE_MARK) + HEADER_LENGTH + 12;
	conversion created;

	log.bytes[position] ^= 0x10;
	created = convert(&log, MPROF_DIALECT_MPROF2);
	cr_assert_eq(created.status, MPROF_ERR_CHECKSUM);
	cr_assert_not(created.has_failed);
	cr_assert_eq(created.damage_count, 1);
	cr_assert_eq(created.first_damage.block_offset, log_block_offset(&log, MORE_MARK));
	cr_assert_eq(log_block_count(&created.log), MORE_COUNT - 1);
	cut_block_out(&log, MORE_MARK);
	expect_same_bytes(&created.log, &log);
	log_free(&created.log);
	log_free(&log);
}

/* IDs after the gap are renumbered; call stacks that have no frames any more are left out. */
Test(convert_damage, closes_the_gap_where_definitions_are_missing)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	uint64_t samples = count_events(&log, MPROF_BLOCK_SAMPLES);
	conversion created;
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;

	log.bytes[log_block_offset(&log, MORE_STACKS) + HEADER_LENGTH + 12] ^= 0x10;
	created = convert(&log, MPROF_DIALECT_MPROF2);
	cr_assert_eq(created.status, MPROF_ERR_CHECKSUM);
	cr_assert_eq(created.first_damage.block_offset, log_block_offset(&log, MORE_STACKS));
	cr_assert_gt(created.stats.left_out, 0);
	cr_assert_lt(count_events(&created.log, MPROF_BLOCK_SAMPLES), samples);
	cr_assert_gt(count_events(&created.log, MPROF_BLOCK_SAMPLES), 0);
	/* The copy itself is sound. */
	cr_assert_eq(mprof_reader_open_memory(created.log.bytes, created.log.length, NULL, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		continue;
	cr_assert_eq(status, MPROF_END);
	cr_assert_gt(mprof_reader_get_record_count(reader, MPROF_RECORD_STACK), 0);
	mprof_reader_destroy(reader);
	log_free(&created.log);
	log_free(&log);
}

Test(convert_damage, a_log_without_an_end_gets_none)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	size_t end = log_block_offset(&log, log_block_count(&log) - 1);
	conversion created;

	log.length = end;
	created = convert(&log, MPROF_DIALECT_MPROF2);
	cr_assert_eq(created.status, MPROF_ERR_TRUNCATED);
	cr_assert_not(created.has_failed);
	cr_assert_eq(created.damage_count, 1);
	cr_assert_eq(created.first_damage.status, MPROF_ERR_TRUNCATED);
	cr_assert_eq(created.first_damage.offset, end);
	cr_assert_eq(log_block_count(&created.log), log_block_count(&log) + 1, "DIRECTIVES of the copy's own alone");
	log_free(&created.log);
	log_free(&log);
}

Test(convert_damage, copies_the_events_of_a_block_that_is_cut)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	uint64_t events = count_events(&log, MPROF_BLOCK_EVENTS);
	conversion created;

	/* The log ends with an EVENTS block and END. */
	log.length = log_block_offset(&log, log_block_count(&log) - 1) - 200;
	created = convert(&log, MPROF_DIALECT_MAIL);
	cr_assert_eq(created.status, MPROF_ERR_TRUNCATED);
	cr_assert_eq(created.damage_count, 1);
	cr_assert_gt(count_events(&created.log, MPROF_BLOCK_EVENTS), FIXTURE_BLOCK_EVENTS);
	cr_assert_lt(count_events(&created.log, MPROF_BLOCK_EVENTS), events);
	log_free(&created.log);
	log_free(&log);
}

/* Hits of a truncated block have their call stacks, but only the start of the block as a time. */
Test(convert_damage, copies_the_hits_of_a_block_that_is_cut)
{
	log_bytes log = log_from_data("bad-unity-cut-statistical");
	conversion created = convert(&log, MPROF_DIALECT_MPROF2);

	cr_assert_eq(created.status, MPROF_ERR_TRUNCATED);
	cr_assert_eq(created.damage_count, 1);
	cr_assert_eq(count_events(&created.log, MPROF_BLOCK_SAMPLES), 3);
	cr_assert_eq(count_events(&created.log, MPROF_BLOCK_STATISTICAL), 0);
	log_free(&created.log);
	log_free(&log);
}

Test(convert_damage, each_cut_gives_a_log_that_can_be_read)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	size_t length = log.length;

	for (log.length = log_block_offset(&log, 1); log.length < length; log.length += 7) {
		conversion created = convert(&log, MPROF_DIALECT_MPROF2);
		log_digest digest;
		mprof_reader *reader;

		cr_assert_eq(created.status, MPROF_ERR_TRUNCATED, "cut at %zu", log.length);
		cr_assert_not(created.has_failed);
		cr_assert_eq(mprof_reader_open_memory(created.log.bytes, created.log.length, NULL, &reader), MPROF_OK);
		memset(&digest, 0, sizeof(digest));
		log_digest_read(&digest, reader);
		cr_assert_eq(digest.faults, 0, "cut at %zu", log.length);
		cr_assert_eq(digest.last, MPROF_END);
		mprof_reader_destroy(reader);
		log_free(&created.log);
	}
	log.length = length;
	log_free(&log);
}

/* The first definition of an ID stays, and the other definitions of the block are kept. */
Test(convert_damage, an_id_that_is_defined_twice_keeps_its_first_name)
{
	log_bytes log = log_from_data("bad-mapping-twice");
	conversion created = convert(&log, MPROF_DIALECT_MPROF2);
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	uint64_t classes;

	cr_assert_eq(created.status, MPROF_ERR_REDEFINED_ID);
	cr_assert_not(created.has_failed);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) != MPROF_END)
		continue;
	classes = mprof_reader_get_class_count(reader);
	mprof_reader_destroy(reader);
	cr_assert_eq(mprof_reader_open_memory(created.log.bytes, created.log.length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_assert_eq(mprof_reader_get_class_count(reader), classes);
	mprof_reader_destroy(reader);
	log_free(&created.log);
	log_free(&log);
}

/* Converts with the request for memory of one index refused. Returns the status of the step that failed. */
static mprof_status convert_without_memory(const log_bytes *log, mprof_dialect dialect, size_t fail_at)
{
	failing_allocator state = {.fail_at = fail_at};
	mprof_allocator allocator = failing_allocator_interface(&state);
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;
	mprof_reader *reader;
	mprof_writer_options options;
	mprof_status status;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.allocator = &allocator;
	options.lossy = 1;
	status = begin_copy(reader, &options, &converter);
	if (status == MPROF_OK)
		status = mprof_writer_open_memory(&options, &writer);
	if (status == MPROF_OK) {
		status = mprof_converter_run(converter, writer, NULL, NULL);
		cr_assert_eq(mprof_converter_has_failed(converter), status != MPROF_OK);
	}
	(void)mprof_writer_destroy(writer);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	cr_assert_eq(state.blocks, 0, "memory leaks");
	cr_assert_eq(status == MPROF_OK, state.refused == 0);
	return status;
}

static void expect_memory_errors(log_bytes log, mprof_dialect dialect)
{
	size_t fail_at = 1;
	mprof_status status;

	while ((status = convert_without_memory(&log, dialect, fail_at)) != MPROF_OK) {
		cr_assert_eq(status, MPROF_ERR_MEMORY, "request %zu: %s", fail_at, mprof_status_get_text(status));
		fail_at++;
	}
	cr_assert_gt(fail_at, 5);
	log_free(&log);
}

Test(convert_damage, says_when_there_is_no_memory)
{
	expect_memory_errors(log_make_more(FIXTURE_ALL_DIRECTIVES), MPROF_DIALECT_MPROF2);
	expect_memory_errors(log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES), MPROF_DIALECT_MAIL);
}
