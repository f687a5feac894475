/* SPDX-License-Identifier: MIT */
/* The index, and seeking. */
#include "logs/log_fixture.h"

#include "base/bytes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define MPROF2 MPROF_DIALECT_MPROF2

static mprof_reader *open_memory(const log_bytes *log)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	return reader;
}

static void expect_entry(const mprof_index_entry *entry, const log_bytes *log, size_t number)
{
	cr_assert_eq(entry->offset, log_block_offset(log, number));
	cr_assert_eq(entry->length, bytes_load_32(log->bytes + entry->offset + 2));
}

Test(reader_index, entries)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader = open_memory(&log);
	const mprof_index_entry *entries;
	mprof_error error;
	size_t count;

	entries = fetch_index(reader, &count);
	cr_assert_eq(count, log_block_count(&log));
	for (size_t i = 0; i < count; i++)
		expect_entry(&entries[i], &log, i);
	error = reader_error_of(reader);
	cr_assert_eq(error.status, MPROF_OK);
	cr_assert_eq(entries[0].kind, MPROF_BLOCK_INTRO);
	cr_assert_eq(entries[0].start_counter, 5100000);
	cr_assert_eq(entries[1].kind, MPROF_BLOCK_LOADED);
	cr_assert_eq(entries[1].start_counter, 10);
	cr_assert_eq(entries[1].end_counter, 20);
	cr_assert_eq(entries[1].thread, 0);
	cr_assert_eq(entries[5].kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(entries[5].start_counter, 5300000);
	cr_assert_gt(entries[5].end_counter, 5300000);
	cr_assert_eq(entries[5].thread, UINT64_C(0x7f0012345740));
	cr_assert_eq(entries[6].kind, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(entries[6].end_counter, 5500000);
	cr_assert_eq(mprof_reader_get_method_count(reader), 40, "all names are known");
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* After the index was built, everything is read as without it. */
Test(reader_index, reading_after_it)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_memory(&log);
	mprof_session session = {.struct_size = sizeof(session)};
	log_digest expected;
	log_digest digest;
	size_t count;

	log_digest_parse(&expected, &log, 0, NULL);
	for (int i = 0; i < 3; i++) {
		(void)fetch_index(reader, &count);
		cr_assert_eq(count, expected.blocks);
		log_digest_read(&digest, reader);
		cr_assert_eq(digest.hash, expected.hash);
		cr_assert_eq(digest.faults, 0);
	}
	mprof_reader_get_session(reader, &session);
	cr_assert_eq(session.complete, 1);
	cr_assert_eq(session.lost_events, 7);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* The same if some blocks were read before. */
Test(reader_index, from_the_middle)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader = open_memory(&log);
	mprof_block block;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	for (int i = 0; i < 7; i++)
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	(void)fetch_index(reader, &count);
	cr_assert_eq(count, log_block_count(&log));
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_INTRO);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader_index, random_access)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_memory(&log);
	const mprof_index_entry *entries;
	mprof_block block;
	mprof_event events[FIXTURE_BLOCK_EVENTS];
	size_t count;
	size_t fetched;
	uint32_t random = 7;

	entries = fetch_index(reader, &count);
	mprof_block_init(&block, sizeof(block));
	for (int i = 0; i < 300; i++) {
		const mprof_index_entry *entry;

		random = random * 214013 + 2531011;
		entry = &entries[(random >> 16) % count];
		cr_assert_eq(mprof_reader_seek(reader, entry->offset), MPROF_OK);
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK, "%s", reader_error_of(reader).what);
		cr_assert_eq(block.offset, entry->offset);
		cr_assert_eq(block.loaded, 1);
		if (block.kind == MPROF_BLOCK_EVENTS) {
			cr_assert_eq(mprof_reader_next_events(reader, events, FIXTURE_BLOCK_EVENTS, &fetched),
				     MPROF_OK);
			cr_assert_eq(fetched, FIXTURE_BLOCK_EVENTS);
			cr_assert_not_null(events[5].more.detail);
		}
		if (block.kind == MPROF_BLOCK_DIRECTIVES)
			cr_assert_eq(block.as.directives.declared.bits[0], FIXTURE_ALL_DIRECTIVES);
	}
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* A log without directives up to its first events, then one with a directive, and events that it changes. */
static log_bytes join_directives(void)
{
	log_bytes log = log_make(MPROF2, 0);
	log_bytes with = log_make(MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER));
	size_t directives = log_block_offset(&with, 1);
	size_t directives_length = log_block_offset(&with, 2) - directives;
	size_t events = log_block_offset(&with, 6);
	size_t events_length = log_block_offset(&with, 7) - events;
	size_t middle = log_block_offset(&log, 7);
	log_bytes joined = {malloc(log.length + with.length), 0};

	cr_assert_not_null(joined.bytes);
	memcpy(joined.bytes, log.bytes, middle);
	memcpy(joined.bytes + middle, with.bytes + directives, directives_length);
	memcpy(joined.bytes + middle + directives_length, with.bytes + events, events_length);
	joined.length = middle + directives_length + events_length;
	log_free(&with);
	log_free(&log);
	return joined;
}

/* The content of a DIRECTIVES block is in force only after it, also after seeking back. */
Test(reader_index, directives_hold_from_their_place_on)
{
	log_bytes joined = join_directives();
	mprof_reader *reader;
	log_digest expected;
	log_digest digest;
	size_t count;

	log_digest_parse(&expected, &joined, 0, NULL);
	cr_assert_eq(expected.last, MPROF_END);
	cr_assert_eq(expected.faults, 0, "%s", expected.first.what);
	reader = open_memory(&joined);
	for (int i = 0; i < 2; i++) {
		(void)fetch_index(reader, &count);
		log_digest_read(&digest, reader);
		cr_assert_eq(digest.hash, expected.hash, "%s", digest.first.what);
	}
	mprof_reader_destroy(reader);
	log_free(&joined);
}

/* Reads from each block on, with a reader that has read nothing before, and with one that has read the whole log. */
static void expect_alike_from_all_blocks(const log_bytes *log)
{
	mprof_reader *knowing = open_memory(log);
	size_t count;

	(void)fetch_index(knowing, &count);
	for (size_t i = 0; i < count; i++) {
		mprof_reader *reader = open_memory(log);
		log_digest expected;
		log_digest digest;

		cr_assert_eq(mprof_reader_seek(knowing, log_block_offset(log, i)), MPROF_OK);
		log_digest_read(&expected, knowing);
		cr_assert_eq(mprof_reader_seek(reader, log_block_offset(log, i)), MPROF_OK);
		log_digest_read(&digest, reader);
		cr_assert_eq(digest.hash, expected.hash, "block %zu: %s", i, digest.first.what);
		cr_assert_eq(digest.faults, 0, "block %zu: %s", i, digest.first.what);
		mprof_reader_destroy(reader);
	}
	mprof_reader_destroy(knowing);
}

/* Skipped directives are in force after a seek, though they were not read before. */
Test(reader_index, seek_past_directives)
{
	log_bytes logs[] = {
		log_make(MPROF2, FIXTURE_ALL_DIRECTIVES & ~MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)),
		join_directives(), log_make_more(FIXTURE_ALL_DIRECTIVES)};

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		expect_alike_from_all_blocks(&logs[i]);
		log_free(&logs[i]);
	}
}

/* A damaged block is no error of a seek past it, and definitions after it are collected nevertheless. */
Test(reader_index, seek_past_damage)
{
	log_bytes log = join_directives();
	mprof_reader *reader;
	mprof_block block;
	mprof_event events[FIXTURE_BLOCK_EVENTS];
	size_t count;

	log.bytes[log_block_offset(&log, 5) + 50] ^= 4;
	reader = open_memory(&log);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&log, 8)), MPROF_OK);
	cr_assert_eq(reader_error_of(reader).status, MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(mprof_reader_next_events(reader, events, FIXTURE_BLOCK_EVENTS, &count), MPROF_OK);
	cr_assert_eq(count, FIXTURE_BLOCK_EVENTS);
	cr_assert_eq(mprof_reader_next_events(reader, events, FIXTURE_BLOCK_EVENTS, &count), MPROF_END);
	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&log, 5)), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_ERR_CHECKSUM,
		     "reading at that offset returns the error");
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader_index, cut_log)
{
	log_bytes log = log_make(MPROF2, 0);

	for (size_t cut = log_block_offset(&log, 1); cut <= log.length; cut += 3) {
		log_bytes part = {log.bytes, cut};
		mprof_reader *reader = open_memory(&part);
		const mprof_index_entry *entries;
		mprof_session session = {.struct_size = sizeof(session)};
		size_t count;

		entries = fetch_index(reader, &count);
		cr_assert_leq(entries[count - 1].offset + 6 + entries[count - 1].length, cut);
		mprof_reader_get_session(reader, &session);
		cr_assert_eq(session.valid_bytes, entries[count - 1].offset + 6 + entries[count - 1].length);
		cr_assert_eq(reader_error_of(reader).status,
			     session.valid_bytes == cut ? MPROF_OK : MPROF_ERR_TRUNCATED);
		mprof_reader_destroy(reader);
	}
	log_free(&log);
}

Test(reader_index, damaged_log)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, 5);
	mprof_reader *reader;
	const mprof_index_entry *entries;
	mprof_error error;
	size_t count;

	log.bytes[offset + 50] ^= 4;
	log.bytes[log_block_offset(&log, 8) + 10] ^= 4;
	reader = open_memory(&log);
	for (int i = 0; i < 2; i++) {
		entries = fetch_index(reader, &count);
		cr_assert_eq(count, log_block_count(&log) - 2);
		for (size_t entry = 0; entry < count; entry++)
			cr_assert_neq(entries[entry].offset, offset);
		error = reader_error_of(reader);
		cr_assert_eq(error.status, MPROF_ERR_CHECKSUM);
		cr_assert_eq(error.block_offset, offset, "the first error");
	}
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* Blocks that are complete but cannot be decoded are in the index, too. */
Test(reader_index, refused_blocks)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader_options options;
	mprof_reader *reader;
	const mprof_index_entry *entries;
	size_t count;

	mprof_reader_options_init(&options, sizeof(options));
	options.max_block_length = 300;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	entries = fetch_index(reader, &count);
	cr_assert_eq(count, log_block_count(&log));
	cr_assert_eq(entries[5].kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(entries[5].start_counter, 0);
	cr_assert_eq(reader_error_of(reader).status, MPROF_ERR_LIMIT);
	mprof_reader_destroy(reader);
	log_free(&log);
}

static int no_seek_read(void *user, void *bytes, size_t length, size_t *got)
{
	log_bytes *remaining = user;

	*got = length < remaining->length ? length : remaining->length;
	memcpy(bytes, remaining->bytes, *got);
	remaining->bytes += *got;
	remaining->length -= *got;
	return 0;
}

Test(reader_index, source_without_seek)
{
	log_bytes log = log_make(MPROF2, 0);
	log_bytes remaining = log;
	mprof_source source = {sizeof(mprof_source), no_seek_read, NULL, NULL, &remaining, NULL};
	mprof_reader *reader;
	mprof_block block;

	cr_assert_eq(mprof_reader_open_source(&source, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_reader_get_index_count(reader), 0);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_ERR_UNSUPPORTED);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK, "reading continues");
	cr_assert_eq(block.kind, MPROF_BLOCK_INTRO);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader_index, seek_past_the_end)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader = open_memory(&log);
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_seek(reader, log.length + 1000), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_END);
	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&log, 5)), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* A seek to an offset at which no block starts is an error, not a crash. */
Test(reader_index, seek_anywhere)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_memory(&log);

	for (size_t offset = 0; offset < log.length; offset++) {
		log_digest digest;

		cr_assert_eq(mprof_reader_seek(reader, offset), MPROF_OK);
		log_digest_read(&digest, reader);
		cr_assert(digest.last == MPROF_END || digest.first.status != MPROF_OK);
	}
	mprof_reader_destroy(reader);
	log_free(&log);
}
