/* SPDX-License-Identifier: MIT */
/* The file and the line of methods: written once for a file, read for each method, and kept by a copy. */
#include "format/blocks/block_encode.h"

#include "base/failing_allocator.h"
#include "convert/convert_fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_LINES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SOURCE_LINES)

static mprof_writer *open_writer(uint64_t directives)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.lossy = directives == 0;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static mprof_status define(mprof_writer *writer, uint32_t id, const char *file, uint32_t line)
{
	const mprof_method_definition definition = {.struct_size = sizeof(definition),
						    .id = id,
						    .name = "m ()",
						    .name_length = 4,
						    .source_file = file,
						    .source_file_length = file != NULL ? strlen(file) : 0,
						    .source_line = line};

	return mprof_writer_define_method(writer, &definition);
}

static log_bytes close_writer(mprof_writer *writer)
{
	const uint8_t *bytes;
	log_bytes log;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = malloc(log.length);
	memcpy(log.bytes, bytes, log.length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return log;
}

static void expect_source(const mprof_mapping *found, const char *file, uint32_t line)
{
	cr_assert_str_eq(found->source_file, file, "method %u", (unsigned)found->id);
	cr_assert_eq(found->source_file_length, strlen(file));
	cr_assert_eq(found->source_line, line);
}

/* Two blocks: the second one uses a file that the first one names, and names another one. */
static log_bytes make_log(uint64_t directives)
{
	mprof_writer *writer = open_writer(directives);

	cr_assert_eq(define(writer, 1, "one.lua", 10), MPROF_OK);
	cr_assert_eq(define(writer, 2, NULL, 0), MPROF_OK);
	cr_assert_eq(define(writer, 3, "one.lua", 0), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	cr_assert_eq(define(writer, 4, "one.lua", 4294967295), MPROF_OK);
	cr_assert_eq(define(writer, 5, "two.lua", 7), MPROF_OK);
	return close_writer(writer);
}

static void expect_sources(const log_bytes *log)
{
	static const char *const files[] = {"", "one.lua", "", "one.lua", "one.lua", "two.lua"};
	static const uint32_t lines[] = {0, 10, 0, 0, 4294967295, 7};
	mprof_block block;
	mprof_mapping mappings[8];
	mprof_reader *reader;
	size_t seen = 0;
	size_t count;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_MAPPING)
			continue;
		cr_assert_eq(mprof_reader_next_mappings(reader, mappings, sizeof(*mappings), 8, &count), MPROF_OK);
		for (size_t i = 0; i < count; i++, seen++)
			expect_source(&mappings[i], files[mappings[i].id], lines[mappings[i].id]);
	}
	cr_assert_eq(seen, 5);
	for (uint32_t id = 1; id <= 5; id++) {
		cr_assert_eq(mprof_reader_lookup_method(reader, id, mappings, sizeof(*mappings)), MPROF_OK);
		expect_source(mappings, files[id], lines[id]);
	}
	mprof_reader_destroy(reader);
}

Test(sources, come_back_with_their_methods)
{
	log_bytes log = make_log(SOURCE_LINES);
	conversion copy = convert(&log, MPROF_DIALECT_MPROF2);

	expect_sources(&log);
	cr_assert_eq(copy.status, MPROF_OK);
	cr_assert_eq(copy.stats.left_out, 0);
	expect_sources(&copy.log);
	log_free(&copy.log);
	log_free(&log);
}

Test(sources, without_the_directive_are_left_out_and_counted)
{
	log_bytes log = make_log(SOURCE_LINES);
	conversion mail = convert(&log, MPROF_DIALECT_MAIL);
	mprof_mapping mapping;
	mprof_reader *reader;
	mprof_block block;

	cr_assert_eq(mail.stats.shortened_blocks[MPROF_BLOCK_MAPPING], 2);
	cr_assert_eq(mprof_reader_open_memory(mail.log.bytes, mail.log.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_assert_eq(mprof_reader_lookup_method(reader, 1, &mapping, sizeof(mapping)), MPROF_OK);
	expect_source(&mapping, "", 0);
	mprof_reader_destroy(reader);
	log_free(&mail.log);
	log_free(&log);
}

/* Where the block that names a file is damaged, the methods of later blocks are known, but for their file. */
Test(sources, a_file_whose_name_is_lost_is_not_known)
{
	log_bytes log = make_log(SOURCE_LINES);
	mprof_mapping mapping;
	mprof_reader *reader;
	mprof_block block;

	for (size_t i = 0; i + 7 < log.length; i++) {
		if (memcmp(log.bytes + i, "one.lua", 7) == 0)
			log.bytes[i] = 'O';
	}
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) != MPROF_END)
		continue;
	cr_assert_eq(mprof_reader_lookup_method(reader, 1, &mapping, sizeof(mapping)), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_reader_lookup_method(reader, 4, &mapping, sizeof(mapping)), MPROF_OK);
	expect_source(&mapping, "", 4294967295);
	cr_assert_eq(mprof_reader_lookup_method(reader, 5, &mapping, sizeof(mapping)), MPROF_OK);
	expect_source(&mapping, "two.lua", 7);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(sources, refuses_names_that_cannot_be_written)
{
	mprof_writer *writer = open_writer(SOURCE_LINES);
	mprof_method_definition definition = {
		.struct_size = sizeof(definition), .id = 1, .name = "m ()", .name_length = 4, .source_file_length = 3};

	cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_ERR_ARGUMENT);
	definition.source_file = "a\0b";
	cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_ERR_NAME);
	definition.source_file = "a.b";
	cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(sources, files_are_numbered_once)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	source_files files;
	char path[32];
	int is_new;

	source_files_init(&files, &allocator);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 1; i <= 1000; i++) {
			int length = snprintf(path, sizeof(path), "%u.lua", (unsigned)i);

			cr_assert_eq(source_files_number(&files, path, (size_t)length, &is_new), i);
			cr_assert_eq(is_new, round == 0);
		}
	}
	cr_assert_eq(source_files_number(&files, "new", 3, &is_new), 1001);
	source_files_undo_add(&files);
	cr_assert_eq(source_files_number(&files, "other", 5, &is_new), 1001);
	cr_assert_eq(source_files_number(&files, "new", 3, &is_new), 1002);
	source_files_destroy(&files);
	cr_assert_eq(memory.blocks, 0);
}
