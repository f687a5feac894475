/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_source_lines.c
 * \brief Methods whose description includes their source file and line.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <string.h>

static void define_in(mprof_recorder *recorder, mprof_key key, const char *name, const char *file, uint32_t line)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	description.source_file = file;
	description.source_file_length = strlen(file);
	description.source_line = line;
	cr_assert_eq(mprof_recorder_define_method(recorder, key, &description), MPROF_OK);
}

static int resolve(void *user, mprof_key key, mprof_description *description)
{
	(void)user;
	(void)key;
	description->name = "resolved";
	description->name_length = 8;
	description->source_file = "two.lua";
	description->source_file_length = 7;
	description->source_line = 30;
	return 0;
}

Test(source_lines, stand_in_the_log)
{
	static const struct {
		const char *name;
		const char *file;
		uint32_t line;
	} expected[] = {{"", "", 0},        {"first", "one.lua", 10},    {"again", "one.lua", 20},
			{"nowhere", "", 0}, {"resolved", "two.lua", 30}, {"first", "one.lua", 11}};
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_reader *reader;
	mprof_block block;

	mprof_recorder_options_init(&options, sizeof(options));
	options.resolve_method = resolve;
	options.counter = counting_counter;
	recorder = recorded_log_open(&log, &options);
	define_in(recorder, 1, "first", "one.lua", 10);
	define_in(recorder, 2, "again", "one.lua", 20);
	define_in(recorder, 3, "nowhere", "", 0);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	for (mprof_key key = 1; key <= 4; key++)
		mprof_thread_enter_method(thread, key);
	/* The same method at another line is another one; the same definition again is not. */
	define_in(recorder, 1, "first", "one.lua", 11);
	define_in(recorder, 1, "first", "one.lua", 11);
	mprof_thread_enter_method(thread, 1);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);

	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	for (uint32_t id = 1; id <= 5; id++) {
		mprof_mapping found;

		cr_assert_eq(mprof_reader_lookup_method(reader, id, &found, sizeof(found)), MPROF_OK);
		cr_assert_str_eq(found.name, expected[id].name);
		cr_assert_str_eq(found.source_file, expected[id].file);
		cr_assert_eq(found.source_line, expected[id].line);
	}
	mprof_reader_destroy(reader);
	recorded_log_free(&log);
}

Test(source_lines, refuses_what_cannot_be_written)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = "m";
	description.name_length = 1;
	description.source_file_length = 3;
	cr_assert_eq(mprof_recorder_define_method(recorder, 1, &description), MPROF_ERR_ARGUMENT);
	description.source_file = "a\0b";
	cr_assert_eq(mprof_recorder_define_method(recorder, 1, &description), MPROF_ERR_NAME);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
