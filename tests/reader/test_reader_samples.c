/* SPDX-License-Identifier: MIT */
/* Hits of STATISTICAL blocks become samples with call stacks; modules and functions get IDs that the reader assigns. */
#include "logs/classic_log.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

/* Tokens of a STATISTICAL block, from May 2008 on. */
#define METHOD(id) ((uint64_t)(id) << 3 | 1)
#define FUNCTION(id) ((uint64_t)(id) << 3 | 2)
#define NEW_FUNCTION_IN(region) ((uint64_t)(region) << 3 | 3)
#define OFFSET_IN(region) ((uint64_t)(region) << 3 | 4)
#define CHAIN(callers) ((uint64_t)(callers) << 3 | 5)
#define REGIONS 7

static classic_log the_log;

static classic_log *begin(mprof_dialect dialect)
{
	classic_log_begin(&the_log, dialect);
	return &the_log;
}

/* In a table of regions. */
static void put_region(classic_log *log, uint64_t id, uint64_t start, const char *name)
{
	CLASSIC_PUT(log, id, start, 0x1000, 0);
	classic_log_put_text(log, name);
}

/* Starts and ends a block: its CLOCKs and the end of its list. */
static void put_new_function(classic_log *log, uint64_t region, uint64_t id, const char *name)
{
	CLASSIC_PUT(log, NEW_FUNCTION_IN(region), id);
	classic_log_put_text(log, name);
}

static void open_hits(classic_log *log)
{
	classic_log_open(log, CLASSIC_STATISTICAL);
}

static void close_hits(classic_log *log)
{
	CLASSIC_PUT(log, 0);
	classic_log_close(log);
}

static mprof_reader *finish(classic_log *log)
{
	classic_log_end(log);
	return classic_log_read(log, NULL);
}

/* A sample as text: its frames, the innermost first, methods by number, native code by name. */
static size_t put_sample(const mprof_reader *reader, const mprof_event *event, char *text, size_t size)
{
	uint32_t stack = (uint32_t)event->value;
	mprof_stack_frame frame;
	size_t length = 0;

	cr_assert_eq(event->kind, MPROF_EVENT_SAMPLE);
	while (mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &stack) == MPROF_OK) {
		char name[64];

		if (length == 0) {
			cr_assert_eq(event->flags, frame.is_native ? MPROF_EVENT_FLAG_NATIVE : 0);
			cr_assert_eq(event->id, frame.is_native ? 0 : frame.id);
		}
		snprintf(name, sizeof(name), "%u", (unsigned)frame.id);
		if (frame.is_native)
			mprof_reader_format_location(reader, frame.id, name, sizeof(name));
		length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? "<" : "", name);
	}
	if (event->more.detail != NULL)
		length += (size_t)snprintf(text + length, size - length, "*%u", (unsigned)event->more.detail->samples);
	cr_assert_lt(length, size);
	return length;
}

/* The samples of the next STATISTICAL block, separated by blanks. */
static const char *next_samples_by(mprof_reader *reader, size_t capacity)
{
	static char text[4096];
	mprof_event events[32];
	mprof_block block;
	size_t length = 0;
	size_t count;

	classic_log_go_to(reader, MPROF_BLOCK_STATISTICAL, &block);
	text[0] = 0;
	while (mprof_reader_next_events(reader, events, capacity, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			if (length > 0)
				text[length++] = ' ';
			length += put_sample(reader, &events[i], text + length, sizeof(text) - length);
		}
	}
	cr_assert_eq(count, 0);
	return text;
}

static const char *next_samples(mprof_reader *reader)
{
	return next_samples_by(reader, 32);
}

/* Every kind of hit, alone and with callers. */
static classic_log *make_all_hits(void)
{
	classic_log *log = begin(MPROF_DIALECT_MONO);

	open_hits(log);
	CLASSIC_PUT(log, METHOD(2), CHAIN(1), METHOD(1));
	CLASSIC_PUT(log, REGIONS, 0);
	put_region(log, 1, 0x7f1000000000, "/lib/liba.so");
	put_region(log, 2, 0x7f2000000000, "[vdso]");
	CLASSIC_PUT(log, 0);
	put_new_function(log, 1, 1, "native");
	CLASSIC_PUT(log, CHAIN(2), METHOD(2), METHOD(1));
	CLASSIC_PUT(log, FUNCTION(1));
	CLASSIC_PUT(log, OFFSET_IN(2), 0x345);
	CLASSIC_PUT(log, OFFSET_IN(0), 0xdeadbeef0000);
	CLASSIC_PUT(log, METHOD(0));
	CLASSIC_PUT(log, METHOD(3), CHAIN(3), METHOD(0), FUNCTION(1), METHOD(1));
	/* An offset equal to the size is still inside. */
	CLASSIC_PUT(log, OFFSET_IN(1), 0x1000);
	CLASSIC_PUT(log, OFFSET_IN(0), 0);
	close_hits(log);
	return log;
}

#define ALL_HITS "2<1 native<2<1 native [vdso]+0x345 0xdeadbeef0000 0 3<0<native<1 liba.so+0x1000 0x0"

Test(reader_samples, all_kinds_of_hits)
{
	mprof_reader *reader = finish(make_all_hits());
	mprof_record record;

	cr_assert_str_eq(next_samples(reader), ALL_HITS);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_MODULE), 2);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_FUNCTION), 1);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, 1, &record, sizeof(record)), MPROF_OK);
	cr_assert_str_eq(record.as.module.file, "/lib/liba.so");
	cr_assert_eq(record.as.module.address, 0x7f1000000000);
	cr_assert_eq(record.as.module.size, 0x1000);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, 1, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.function.module, 1);
	cr_assert_str_eq(record.as.function.name, "native");
	mprof_reader_destroy(reader);
}

/* The same with any number of samples per fetch. */
Test(reader_samples, batches)
{
	mprof_reader *reader = finish(make_all_hits());
	uint64_t stacks = 0;

	for (size_t capacity = 1; capacity < 12; capacity++) {
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
		cr_assert_str_eq(next_samples_by(reader, capacity), ALL_HITS, "%zu at once", capacity);
		cr_assert(capacity == 1 || mprof_reader_get_record_count(reader, MPROF_RECORD_STACK) == stacks);
		stacks = mprof_reader_get_record_count(reader, MPROF_RECORD_STACK);
	}
	mprof_reader_destroy(reader);
}

/* More frames than are fetched from the parser at once. */
Test(reader_samples, long_chains)
{
	classic_log *log = begin(MPROF_DIALECT_MONO);
	mprof_reader *reader;
	mprof_block block;
	mprof_event events[8];
	size_t count;

	open_hits(log);
	for (int sample = 0; sample < 3; sample++) {
		CLASSIC_PUT(log, METHOD(1), CHAIN(999));
		for (uint64_t method = 2; method <= 1000; method++)
			CLASSIC_PUT(log, METHOD(method));
	}
	close_hits(log);
	reader = finish(log);
	classic_log_go_to(reader, MPROF_BLOCK_STATISTICAL, &block);
	cr_assert_eq(mprof_reader_next_events(reader, events, 8, &count), MPROF_OK);
	cr_assert_eq(count, 3);
	for (size_t i = 0; i < 3; i++) {
		mprof_stack_frame frames[1000];

		cr_assert_eq(events[i].value, 1000);
		cr_assert_eq(mprof_reader_lookup_stack(reader, 1000, frames, sizeof(*frames), 1000, &count), MPROF_OK);
		cr_assert_eq(count, 1000);
		cr_assert_eq(frames[0].id, 1);
		cr_assert_eq(frames[999].id, 1000);
	}
	mprof_reader_destroy(reader);
}

/* In unity the callers precede the sample. */
Test(reader_samples, unity)
{
	classic_log *log = begin(MPROF_DIALECT_MONO);
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_reader *reader;

	open_hits(log);
	CLASSIC_PUT(log, CHAIN(1), METHOD(2), METHOD(1));
	CLASSIC_PUT(log, CHAIN(0), METHOD(3));
	CLASSIC_PUT(log, CHAIN(2), REGIONS, 0);
	put_region(log, 1, 0x7f1000000000, "/lib/liba.so");
	CLASSIC_PUT(log, 0);
	put_new_function(log, 1, 1, "native");
	CLASSIC_PUT(log, METHOD(2), METHOD(1));
	close_hits(log);
	reader = finish(log);
	cr_assert_str_eq(next_samples(reader), "2<1 3 native<2<1");
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	cr_assert_eq(session.dialect, MPROF_DIALECT_UNITY);
	mprof_reader_destroy(reader);
}

/* If a region is removed, earlier hits in it keep its name. */
Test(reader_samples, removed_region)
{
	classic_log *log = make_all_hits();
	mprof_record records[8];
	mprof_reader *reader;
	mprof_block block;
	size_t count;

	open_hits(log);
	CLASSIC_PUT(log, REGIONS, 1, 0);
	put_region(log, 3, 0x7f3000000000, "/lib/libc.so");
	CLASSIC_PUT(log, 0, OFFSET_IN(3), 0x10, FUNCTION(1));
	close_hits(log);
	reader = finish(log);
	next_samples(reader);
	cr_assert_str_eq(next_samples(reader), "libc.so+0x10 native");
	mprof_reader_destroy(reader);
	/* The records of the block have the IDs of the reader. */
	reader = classic_log_read(log, NULL);
	next_samples(reader);
	classic_log_go_to(reader, MPROF_BLOCK_STATISTICAL, &block);
	cr_assert_eq(mprof_reader_next_records(reader, records, sizeof(*records), 8, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_assert_eq(records[0].kind, MPROF_RECORD_MODULE);
	cr_assert_eq(records[0].id, 1);
	cr_assert_eq(records[0].as.module.is_removed, 1);
	cr_assert_eq(records[1].kind, MPROF_RECORD_MODULE);
	cr_assert_eq(records[1].id, 3);
	cr_assert_eq(records[1].as.module.is_removed, 0);
	mprof_reader_destroy(reader);
}

/* drop reuses numbers of regions: the later definition is in force from there on, and both are kept. */
Test(reader_samples, region_defined_again)
{
	classic_log *log = begin(MPROF_DIALECT_DROP);
	mprof_reader *reader;

	for (int round = 0; round < 2; round++) {
		open_hits(log);
		/* Tags of two bits: 3 for regions, 2 for a hit in one. */
		CLASSIC_PUT(log, 3, 0);
		put_region(log, 1, 0x10000000, round == 0 ? "/lib/liba.so" : "/lib/libb.so");
		CLASSIC_PUT(log, 0, 1 << 2 | 2, 0x40, 5 << 2 | 1);
		close_hits(log);
	}
	reader = finish(log);
	for (int round = 0; round < 2; round++) {
		cr_assert_str_eq(next_samples(reader), "liba.so+0x40 5");
		cr_assert_str_eq(next_samples(reader), "libb.so+0x40 5");
		cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_MODULE), 2);
		cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_LOCATION), 2);
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	}
	mprof_reader_destroy(reader);
}

/* A file that is mapped again is another region, whose functions have other numbers; they are the same functions. */
Test(reader_samples, function_numbered_again)
{
	classic_log *log = make_all_hits();
	mprof_reader *reader;
	mprof_record record;

	open_hits(log);
	CLASSIC_PUT(log, REGIONS, 1, 0);
	put_region(log, 3, 0x7f3000000000, "/lib/liba.so");
	put_region(log, 4, 0x7f4000000000, "/lib/libother.so");
	CLASSIC_PUT(log, 0);
	put_new_function(log, 3, 2, "native");
	put_new_function(log, 4, 3, "native");
	CLASSIC_PUT(log, FUNCTION(1), FUNCTION(2), FUNCTION(3), OFFSET_IN(3), 0x10);
	close_hits(log);
	reader = finish(log);
	next_samples(reader);
	cr_assert_str_eq(next_samples(reader), "native native native native native liba.so+0x10");
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_MODULE), 4);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_FUNCTION), 2);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, 2, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.function.module, 4);
	mprof_reader_destroy(reader);
}

/* Code that is hit but not defined is named by its number. */
Test(reader_samples, undefined)
{
	classic_log *log = begin(MPROF_DIALECT_MONO);
	mprof_reader *reader;

	open_hits(log);
	CLASSIC_PUT(log, FUNCTION(9), OFFSET_IN(7), 0x20, METHOD(4000));
	put_new_function(log, 5, 2, "known");
	CLASSIC_PUT(log, FUNCTION(9));
	close_hits(log);
	reader = finish(log);
	cr_assert_str_eq(next_samples(reader), "#9 #7+0x20 4000 known #9");
	mprof_reader_destroy(reader);
}

/* Functions are collected from blocks that are skipped. */
Test(reader_samples, collected_from_unwanted_blocks)
{
	classic_log *log = make_all_hits();
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;

	open_hits(log);
	CLASSIC_PUT(log, FUNCTION(1));
	close_hits(log);
	classic_log_end(log);
	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS);
	reader = classic_log_read(log, &options);
	classic_log_go_to(reader, MPROF_BLOCK_STATISTICAL, &block);
	cr_assert_eq(block.loaded, 0);
	classic_log_go_to(reader, MPROF_BLOCK_STATISTICAL, &block);
	cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
	cr_assert_eq(block.loaded, 1);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_FUNCTION), 1);
	mprof_reader_destroy(reader);
}

/* March to May 2008: one hit stands for many. */
Test(reader_samples, counted_hits)
{
	classic_log *log = begin(MPROF_DIALECT_MONO);
	mprof_reader *reader;

	open_hits(log);
	CLASSIC_PUT(log, METHOD(1), METHOD(2), FUNCTION(1), 0);
	classic_log_put_text(log, "native");
	CLASSIC_PUT(log, 40, FUNCTION(1), 2, FUNCTION(1), 1);
	close_hits(log);
	reader = finish(log);
	cr_assert_str_eq(next_samples(reader), "1 2 native*40 native*2 native");
	mprof_reader_destroy(reader);
}

/* The lists of mail, whose functions have no names. */
Test(reader_samples, mail)
{
	const uint32_t methods[] = {1, 2, 1};
	const uint32_t functions[] = {7, 9, 7};
	mprof_writer_options options;
	mprof_writer *writer;
	mprof_reader *reader;
	const uint8_t *bytes;
	size_t length;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = MPROF_DIALECT_MAIL;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_statistical(writer, 100, methods, 3, functions, 3, 200), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	cr_assert_str_eq(next_samples(reader), "1 2 1 #7 #9 #7");
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

/* Call stacks are truncated at the limit, which is reported after all samples were returned. */
Test(reader_samples, memory_limit)
{
	classic_log *log = begin(MPROF_DIALECT_MONO);
	mprof_reader_options options;
	mprof_event events[32];
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	size_t samples = 0;
	size_t count;

	open_hits(log);
	for (uint64_t method = 1; method <= 2000; method++)
		CLASSIC_PUT(log, METHOD(method), CHAIN(1), METHOD(method + 1));
	close_hits(log);
	classic_log_end(log);
	mprof_reader_options_init(&options, sizeof(options));
	options.max_names_memory = 10000;
	reader = classic_log_read(log, &options);
	classic_log_go_to(reader, MPROF_BLOCK_STATISTICAL, &block);
	while ((status = mprof_reader_next_events(reader, events, 32, &count)) == MPROF_OK)
		samples += count;
	cr_assert_eq(samples, 2000);
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_eq(mprof_reader_next_events(reader, events, 32, &count), MPROF_END);
	mprof_reader_destroy(reader);
}

Test(reader_samples, no_memory)
{
	classic_log *log = make_all_hits();

	classic_log_end(log);
	classic_log_refuse_memory(log, MPROF_BLOCK_STATISTICAL, 4, 0);
}
