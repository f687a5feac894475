/* SPDX-License-Identifier: MIT */
/* The bytes that each call of the writer adds to the log, and the calls that it refuses. */
#include "format/values/varint.h"
#include "writer_fixture.h"

#include <mprof/reader.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(writer, begins_and_ends_a_log)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_DEFAULT, 0);
	mprof_writer *writer;

	options.runtime = "mono";
	options.intro_flags = MPROF_INTRO_FLAG_ENTER_LEAVE;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	EXPECT_BLOCK(writer, 0, 1, "\x82mono\0\x00\xa0\x81\x85");
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 7, "\x82\x82\x85");
	cr_assert_eq(log_length(writer), 6 + 10 + 4 + 6 + 3 + 4);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, begins_and_ends_a_log_of_the_mail)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MAIL, 0);

	EXPECT_BLOCK(writer, 0, 1, "\x81\0\x80\x81\x85");
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 7, "\x81\x82\x85");
	cr_assert_eq(log_length(writer), 6 + 5 + 6 + 3);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, declares_directives)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);

	EXPECT_BLOCK(writer, 1, 10,
		     "\x82\x85\x81\x85\x83\x85\x84\x82\x84\x83\x85\x82\x85\x84\x86\x84\x90\x85\x91\x80"
		     "\x92\x84\x92\x85\x92\x88\x93\x85\x94\x85\x80\x82\x85");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, refuses_directives_of_other_dialects)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK));
	mprof_writer *writer;

	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED);
	cr_assert_not_null(writer);
	expect_error(writer, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_FATAL);
	cr_assert_eq(mprof_writer_close(writer), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_UNSUPPORTED);
	for (uint32_t directive = MPROF_DIRECTIVE_NONE + 1; directive < 256; directive++) {
		options = options_of(MPROF_DIALECT_MAIL, 0);
		mprof_number_set_add(&options.directives, directive);
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED);
		cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_UNSUPPORTED);
	}
	options = options_of(MPROF_DIALECT_MAIL, ALL_DIRECTIVES);
	options.lossy = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).left_out, 10);
	cr_assert_eq(stats_of(writer).blocks, 1);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, writes_elements)
{
	mprof_assembly_name split = {sizeof(mprof_assembly_name), "corlib", "neutral", "b77a", 4, 300, 0, 1, 1, 0};
	mprof_element element = {sizeof(mprof_element),
				 MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS,
				 9,
				 10,
				 20,
				 30,
				 "corlib, 4",
				 9,
				 &split};
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);

	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 2,
		     "\x0a\x8a\x94\x9e"
		     "corlib, 4\0");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	writer = open_plain(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 2,
		     "\x0a\x8a\x94\x9e\x89"
		     "corlib, 4\0"
		     "corlib\0"
		     "\x84\x2c\x82\x80\x81"
		     "neutral\0"
		     "b77a\0"
		     "\x81");
	cr_assert_eq(mprof_writer_write_unloaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 3,
		     "\x02\x8a\x94\x9e\x89"
		     "corlib, 4\0");
	element.assembly = NULL;
	element.name_length = 0;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 2,
		     "\x0a\x8a\x94\x9e\x89\0"
		     "\0\x80\x80\x80\x80\0\0\x80");
	element.kind = MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FLAG_FAILURE;
	element.name = NULL;
	element.assembly = &split;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 5, 2, "\x11\x8a\x94\x9e\x89\0");
	element.kind = MPROF_ELEMENT_DOMAIN;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 6, 2, "\x0c\x8a\x94\x9e\x89\0");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, refuses_elements)
{
	static const uint32_t kinds[] = {0, 3, 5, 6, 7, 8, 16, 1 | 8 | 16, 1 | 32, UINT32_MAX};
	mprof_assembly_name split = {sizeof(mprof_assembly_name), "corlib", "neutral", "b77a", 4, 300, 0, 1, 2, 0};
	mprof_element element = {sizeof(mprof_element), MPROF_ELEMENT_MODULE, 0, 1, 2, 3, "a\0b", 3, NULL};
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);

	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_ERR_NAME);
	expect_error(writer, MPROF_ERR_NAME, MPROF_SEVERITY_BLOCK);
	element.name = NULL;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_ERR_ARGUMENT);
	element.name_length = 0;
	element.assembly = &split;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_ERR_ARGUMENT);
	split.retargetable = 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		element.kind = kinds[i];
		cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_writer_write_unloaded(writer, &element), MPROF_ERR_ARGUMENT);
	}
	cr_assert_eq(mprof_writer_write_loaded(writer, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(stats_of(writer).blocks, 2);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, definitions_wait_for_the_next_block)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES);

	cr_assert_eq(define_class(writer, 1, "A"), MPROF_OK);
	cr_assert_eq(define_method(writer, 300, 1, "f ()"), MPROF_OK);
	cr_assert_eq(define_class(writer, 300, ""), MPROF_OK);
	cr_assert_eq(define_method(writer, 1, 0, "g ()"), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 2);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 0), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 3);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 4,
		     "\x83\x85\x80\x81\x83\x98"
		     "A\0"
		     "\x2c\x82\x83\x98\0"
		     "\x80"
		     "\x2c\x82\x81\x81"
		     "f ()\0"
		     "\x81\x80\x81"
		     "g ()\0"
		     "\x80\x83\x85");
	cr_assert_eq(define_class(writer, 2, "B"), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 4,
		     "\x86\x85\x80\x82\x83\x98"
		     "B\0"
		     "\x80\x80\x86\x85");
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 5);
	cr_assert_eq(define_method(writer, 2, 2, "h ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 5, 4,
		     "\x87\x85\x80\x80\x82\x82\x81"
		     "h ()\0"
		     "\x80\x87\x85");
	EXPECT_BLOCK(writer, 6, 7, "\x82\x88\x85");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, definitions_without_directives)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MAIL, 0);

	cr_assert_eq(define_class(writer, 1, "A"), MPROF_OK);
	cr_assert_eq(define_method(writer, 2, 1, "f ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 4,
		     "\x82\x85\x80\x81"
		     "A\0"
		     "\x80\x82\x81"
		     "f ()\0"
		     "\x80\x82\x85");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, refuses_definitions)
{
	mprof_class_definition with_nul = {
		.struct_size = sizeof(mprof_class_definition), .id = 5, .name = "a\0b", .name_length = 3};
	mprof_method_definition of_nothing = {sizeof(mprof_method_definition), 5, 0, 0, 0, NULL, 1, NULL, 0, 0, 0};
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	mprof_writer *writer;

	options.max_name_length = 4;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(define_class(writer, 0, "A"), MPROF_ERR_ARGUMENT);
	cr_assert_eq(define_method(writer, 0, 0, "f"), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_define_class(writer, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_define_method(writer, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_define_class(writer, &with_nul), MPROF_ERR_NAME);
	cr_assert_eq(mprof_writer_define_method(writer, &of_nothing), MPROF_ERR_ARGUMENT);
	cr_assert_eq(define_class(writer, 5, "12345"), MPROF_ERR_NAME);
	cr_assert_eq(define_method(writer, 5, 5, "f"), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(define_class(writer, 5, "1234"), MPROF_OK);
	cr_assert_eq(define_class(writer, 5, "B"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(define_method(writer, 5, 5, "f"), MPROF_OK);
	cr_assert_eq(define_method(writer, 5, 5, "g"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	cr_assert_eq(define_class(writer, 5, "B"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(define_method(writer, 5, 5, "g"), MPROF_ERR_REDEFINED_ID);
	EXPECT_BLOCK(writer, 1, 4,
		     "\x82\x85\x80\x85"
		     "1234\0"
		     "\x80\x85\x85"
		     "f\0"
		     "\x80\x82\x85");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, many_definitions_do_not_wait)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);
	static char name[100000];
	size_t content_length;

	memset(name, 'x', sizeof(name) - 1);
	for (uint32_t i = 1; i <= 100; i++) {
		cr_assert_eq(define_class(writer, i, name), MPROF_OK);
		cr_assert_eq(define_method(writer, i, i, name), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 2 + 5);
	for (size_t i = 1; i <= 5; i++) {
		block_at(writer, i, 4, &content_length);
		cr_assert_leq(content_length, WRITER_MAX_WAITING + 100);
	}
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, writes_events)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE));
	mprof_event events[] = {
		event_of(MPROF_EVENT_METHOD_ENTER, 1, 105),
		event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 110),
	};
	size_t written = 9;

	cr_assert_eq(define_method(writer, 1, 0, "f ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 100), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, 1, &written), MPROF_OK);
	cr_assert_eq(written, 1);
	cr_assert_eq(mprof_writer_write_events(writer, NULL, 0, &written), MPROF_OK);
	cr_assert_eq(written, 0);
	cr_assert_eq(mprof_writer_write_events(writer, events + 1, 1, NULL), MPROF_OK);
	cr_assert_eq(stats_of(writer).events, 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).events, 2);
	EXPECT_BLOCK(writer, 3, 5, "\x84\x85\x87\xe4\x09\x80\x85\x2a\x80\0\x85\x85");
	/* Each block starts from its own base counter. */
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 100), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, 1, &written), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 5, "\x86\x85\x87\xe4\x09\x80\x85\0\x87\x85");
	cr_assert_eq(mprof_writer_begin_events(writer, UINT64_MAX, 0), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 5, 5, "\x88\x85\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x80\0\x89\x85");
	cr_assert_eq(stats_of(writer).events, 3);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, stops_at_the_first_wrong_event)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);
	mprof_event events[] = {
		event_of(MPROF_EVENT_METHOD_ENTER, 1, 105),
		event_of(MPROF_EVENT_METHOD_ENTER, 2, 106),
		event_of(MPROF_EVENT_METHOD_LEAVE_TAIL, 1, 107),
		event_of(MPROF_EVENT_METHOD_LEAVE, 1, 110),
	};
	mprof_error error = {.struct_size = sizeof(error)};
	size_t written = 9;

	cr_assert_eq(define_method(writer, 1, 0, "f ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 100), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, NULL, 1, &written), MPROF_ERR_ARGUMENT);
	cr_assert_eq(written, 0);
	cr_assert_eq(mprof_writer_write_events(writer, events, 4, &written), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(written, 1);
	cr_assert_eq(mprof_writer_get_error(writer, &error), MPROF_OK);
	cr_assert_eq(error.severity, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(error.block_code, 5);
	cr_assert_eq(error.block_offset, log_length(writer));
	cr_assert_eq(error.offset_in_block, 6 + 4 + 3);
	cr_assert_eq(error.offset, error.block_offset + error.offset_in_block);
	cr_assert_eq(mprof_writer_write_events(writer, events + 2, 2, &written), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(written, 0);
	cr_assert_eq(mprof_writer_write_events(writer, events + 3, 1, &written), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 5, "\x83\x85\x87\xe4\x09\x80\x85\x0b\x80\x85\0\x84\x85");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, leaves_out_when_lossy)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MAIL, 0);
	mprof_property property = {"program", "test"};
	uint64_t counts[] = {0, 1};
	mprof_event events[] = {
		event_of(MPROF_EVENT_METHOD_ENTER, 1, 105),
		event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 106),
		event_of(MPROF_EVENT_METHOD_LEAVE_TAIL, 1, 107),
		event_of(MPROF_EVENT_MONITOR, 99, 108),
	};
	mprof_writer *writer;
	size_t written = 0;

	options.lossy = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_session(writer, &property, sizeof(property), 1), MPROF_OK);
	cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "main", 4), MPROF_OK);
	cr_assert_eq(mprof_writer_write_losses(writer, 1, counts, 2), MPROF_OK);
	cr_assert_eq(stats_of(writer).left_out, 3);
	cr_assert_eq(define_method(writer, 1, 0, "f ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 100), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, 4, &written), MPROF_OK);
	cr_assert_eq(written, 4);
	cr_assert_eq(stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING], 1);
	cr_assert_eq(stats_of(writer).left_out, 7);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).events, 2);
	EXPECT_BLOCK(writer, 2, 5, "\x83\x85\x87\xe4\x09\x80\x85\x0b\x80\x82\0\x84\x85");
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, refuses_blocks_that_the_mail_lacks)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MAIL, 0);
	mprof_property property = {"program", "test"};
	uint64_t counts[] = {0, 1};

	cr_assert_eq(mprof_writer_write_session(writer, &property, sizeof(property), 1), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "main", 4), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_writer_write_losses(writer, 1, counts, 2), MPROF_ERR_UNSUPPORTED);
	expect_error(writer, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(stats_of(writer).left_out, 0);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, writes_samples)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MAIL, 0);
	uint32_t methods[] = {1, 300, 1};
	uint32_t functions[] = {UINT32_MAX};

	cr_assert_eq(define_method(writer, 1, 0, "f ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_write_statistical(writer, 1, methods, 3, functions, 1, 2), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(define_method(writer, 300, 0, "g ()"), MPROF_OK);
	cr_assert_eq(mprof_writer_write_statistical(writer, 10, methods, 3, functions, 1, 20), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 6, "\x8a\x81\x2c\x82\x81\x80\x7f\x7f\x7f\x7f\x8f\x80\x94");
	cr_assert_eq(mprof_writer_write_statistical(writer, 10, NULL, 0, NULL, 0, 20), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 6, "\x8a\x80\x80\x94");
	methods[2] = 0;
	cr_assert_eq(mprof_writer_write_statistical(writer, 10, methods, 3, NULL, 0, 20), MPROF_ERR_ARGUMENT);
	functions[0] = 0;
	cr_assert_eq(mprof_writer_write_statistical(writer, 10, methods, 2, functions, 1, 20), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_statistical(writer, 10, NULL, 1, NULL, 0, 20), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_statistical(writer, 10, NULL, 0, NULL, 1, 20), MPROF_ERR_ARGUMENT);
	cr_assert_eq(stats_of(writer).blocks, 4);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, writes_facts_names_and_losses)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);
	mprof_property properties[] = {{"program", "test"}, {"arguments", ""}};
	uint64_t counts[] = {99, 300, 0, 1, 0, 7};

	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(*properties), 2), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 32,
		     "\x82\x85"
		     "program\0"
		     "test\0"
		     "arguments\0"
		     "\0"
		     "\0");
	cr_assert_eq(mprof_writer_write_session(writer, NULL, sizeof(mprof_property), 0), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 32, "\x83\x85\0");
	cr_assert_eq(mprof_writer_write_thread_name(writer, 300, "main", 4), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 33,
		     "\x84\x85\x2c\x82"
		     "main\0");
	cr_assert_eq(mprof_writer_write_thread_name(writer, 1, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 33, "\x85\x85\x81\0");
	cr_assert_eq(mprof_writer_write_losses(writer, 0, counts, 6), MPROF_OK);
	EXPECT_BLOCK(writer, 5, 34, "\x86\x85\x80\x81\x2c\x82\x83\x81\x85\x87\x80\x86\x85");
	cr_assert_eq(mprof_writer_write_losses(writer, 0, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 6, 34, "\x87\x85\x80\x80\x87\x85");
	cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "a\0b", 3), MPROF_ERR_NAME);
	cr_assert_eq(mprof_writer_write_losses(writer, 0, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_session(writer, NULL, sizeof(mprof_property), 1), MPROF_ERR_ARGUMENT);
	properties[1].key = "";
	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(*properties), 2), MPROF_ERR_ARGUMENT);
	properties[1].key = NULL;
	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(*properties), 2), MPROF_ERR_ARGUMENT);
	properties[1].key = "arguments";
	properties[1].value = NULL;
	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(*properties), 2), MPROF_ERR_ARGUMENT);
	cr_assert_eq(stats_of(writer).blocks, 7);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, defaults)
{
	mprof_writer *writer;
	const uint8_t *content;
	size_t length;
	uint64_t counter;
	uint64_t time;
	int used;

	cr_assert_eq(mprof_writer_open_memory(NULL, &writer), MPROF_OK);
	content = block_at(writer, 0, 1, &length);
	used = varint_decode(content + 3, length - 3, &counter);
	cr_assert_gt(used, 0);
	cr_assert_gt(varint_decode(content + 3 + used, length - 3 - (size_t)used, &time), 0);
	/* A time after 2020 and before 2100. */
	cr_assert_gt(time, UINT64_C(1577836800000000));
	cr_assert_lt(time, UINT64_C(4102444800000000));
	cr_assert_gt(counter, 0);
	expect_error(writer, MPROF_OK, MPROF_SEVERITY_NONE);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer, files)
{
	char path[] = "mprof-test-writer-XXXXXX";
	char content[256];
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;
	int fd = mkstemp(path);

	cr_assert_eq(mprof_writer_open_path(path, NULL, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_ERR_STATE);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	length = (size_t)stats_of(writer).bytes;
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	cr_assert_eq(read(fd, content, sizeof(content)), (ssize_t)length);
	cr_assert_eq(mprof_writer_open_fd(fd, NULL, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	cr_assert_gt(lseek(fd, 0, SEEK_CUR), (off_t)length);
	close(fd);
	unlink(path);
	cr_assert_eq(mprof_writer_open_path("/nonexistent/log", NULL, &writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_get_error(writer, &error), MPROF_OK);
	cr_assert_eq(error.system_error, ENOENT);
	cr_assert_eq(error.severity, MPROF_SEVERITY_FATAL);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_open_fd(-1, NULL, &writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_IO);
}

Test(writer, blocks_end_before_their_length_overflows)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);
	mprof_event events[1000];
	uint32_t functions[1000];
	size_t written;
	size_t first;
	size_t content_length;

	for (size_t i = 0; i < 1000; i++) {
		events[i] = event_of(MPROF_EVENT_GC_START, 0, i * 1000);
		functions[i] = 1000000;
	}
	writer_limit_blocks(writer, 1000);
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, 1000, &first), MPROF_ERR_LIMIT);
	cr_assert_gt(first, 100);
	expect_error(writer, MPROF_ERR_LIMIT, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(mprof_writer_write_events(writer, events + first, 1000 - first, &written), MPROF_ERR_LIMIT);
	cr_assert_eq(written, 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	block_at(writer, 1, 5, &content_length);
	cr_assert_leq(content_length + 4, 1000);
	/* The next block takes the rest. */
	cr_assert_eq(mprof_writer_begin_events(writer, 1, events[first - 1].counter), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events + first, 10, &written), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).events, first + 10);
	cr_assert_eq(mprof_writer_write_statistical(writer, 1, NULL, 0, functions, 1000, 2), MPROF_ERR_LIMIT);
	cr_assert_eq(mprof_writer_write_statistical(writer, 1, NULL, 0, functions, 100, 2), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 5);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

#ifdef MPROF_WITH_ZLIB

Test(writer, compresses)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	options.gzip_level = 9;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "main", 4), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(bytes[0], 0x1f);
	cr_assert_eq(bytes[1], 0x8b);
	/* The trailer exists: the length of the log. */
	cr_assert_eq(bytes_load_32(bytes + length - 4), stats_of(writer).bytes);
	cr_assert_eq(stats_of(writer).sink_bytes, length);
	cr_assert_lt(length, stats_of(writer).bytes / 2);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

#else

Test(writer, refuses_to_compress)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	mprof_writer *writer;

	options.gzip_level = 9;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_UNSUPPORTED);
}

#endif

/* The only allocation of a log. */
static void read_allocation(mprof_writer *writer, uint64_t *object, uint64_t *declared)
{
	const uint8_t *bytes;
	size_t length;
	size_t count;
	mprof_reader *reader;
	mprof_block block;
	mprof_event event;

	*object = *declared = 0;
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_DIRECTIVES)
			*declared = block.as.directives.declared.bits[0];
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		cr_assert_eq(mprof_reader_next_events(reader, &event, 1, &count), MPROF_OK);
		*object = event.more.detail != NULL ? event.more.detail->object : 0;
	}
	mprof_reader_destroy(reader);
}

/* Writes an allocation with the address of its object. */
static mprof_status write_allocation(mprof_writer *writer)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = 1, .name = "C", .name_length = 1};
	const mprof_event_detail detail = {.struct_size = sizeof(detail), .object = 0x1000};
	const mprof_event event = {.kind = MPROF_EVENT_ALLOCATION, .id = 1, .value = 24, .more.detail = &detail};
	size_t written;
	mprof_status status;

	cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	status = mprof_writer_write_events(writer, &event, 1, &written);
	cr_assert_eq(written, status == MPROF_OK ? 1 : 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	return status;
}

Test(writer, declares_all_directives_by_default)
{
	static const mprof_dialect dialects[] = {MPROF_DIALECT_MPROF2, MPROF_DIALECT_MONO, MPROF_DIALECT_UNITY};

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		mprof_dialect_info info = {.struct_size = sizeof(info)};
		mprof_writer_options options = {.struct_size = sizeof(options), .dialect = dialects[i]};
		mprof_writer *writer;
		uint64_t object;
		uint64_t declared;

		cr_assert_eq(mprof_dialect_get_info(dialects[i], &info), MPROF_OK);
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
		cr_assert_eq(write_allocation(writer), MPROF_OK);
		read_allocation(writer, &object, &declared);
		cr_expect_eq(object, 0x1000);
		cr_expect_eq(declared, info.directives.bits[0]);
		mprof_writer_destroy(writer);
	}
}

Test(writer, counts_a_field_without_its_directive)
{
	static const uint64_t others = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER);

	for (uint32_t columns = 0; columns <= 1; columns++) {
		for (uint32_t lossy = 0; lossy <= 1; lossy++) {
			mprof_writer_options options = {.struct_size = sizeof(options),
							.directives.bits[0] = others,
							.lossy = lossy,
							.has_columns = columns};
			mprof_writer_stats stats = {.struct_size = sizeof(stats)};
			mprof_writer *writer;

			cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
			cr_expect_eq(write_allocation(writer), MPROF_OK);
			cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
			cr_expect_eq(stats.left_out, 1);
			cr_expect_eq(stats.shortened_events[MPROF_EVENT_ALLOCATION], 1);
			mprof_writer_destroy(writer);
		}
	}
}

/* A field of a definition or a code unit, and the directive that it needs. */
typedef struct optional_field {
	mprof_directive directive;
	mprof_class_definition class_definition;
	mprof_method_definition method;
	mprof_element element;
} optional_field;

static mprof_status write_field(mprof_writer *writer, const optional_field *field)
{
	if (field->class_definition.struct_size != 0)
		return mprof_writer_define_class(writer, &field->class_definition);
	if (field->method.struct_size != 0)
		return mprof_writer_define_method(writer, &field->method);
	return mprof_writer_write_loaded(writer, &field->element);
}

Test(writer, counts_fields_of_definitions_without_their_directives)
{
	static const mprof_assembly_name assembly = {.struct_size = sizeof(assembly), .major = 1};
	static const optional_field fields[] = {
		{.directive = MPROF_DIRECTIVE_ASSEMBLY_IDS,
		 .class_definition = {.struct_size = sizeof(mprof_class_definition), .id = 1, .assembly_id = 1}},
		{.directive = MPROF_DIRECTIVE_CLASS_SIZES,
		 .class_definition = {.struct_size = sizeof(mprof_class_definition), .id = 1, .size = 24}},
		{.directive = MPROF_DIRECTIVE_METHOD_FLAGS,
		 .method = {.struct_size = sizeof(mprof_method_definition),
			    .id = 1,
			    .flags = MPROF_METHOD_FLAG_WRAPPER}},
		{.directive = MPROF_DIRECTIVE_SOURCE_LINES,
		 .method = {.struct_size = sizeof(mprof_method_definition),
			    .id = 1,
			    .source_file = "a.c",
			    .source_file_length = 3}},
		{.directive = MPROF_DIRECTIVE_ELEMENT_IDS,
		 .element = {.struct_size = sizeof(mprof_element), .kind = MPROF_ELEMENT_MODULE, .id = 1}},
		{.directive = MPROF_DIRECTIVE_ASSEMBLY_IDS,
		 .element = {.struct_size = sizeof(mprof_element),
			     .kind = MPROF_ELEMENT_ASSEMBLY,
			     .assembly = &assembly}},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (int has_directive = 0; has_directive <= 1; has_directive++) {
			const uint64_t bit = MPROF_DIRECTIVE_BIT(fields[i].directive);
			mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, has_directive ? bit : 0);

			mprof_writer_stats stats = {.struct_size = sizeof(stats)};

			cr_expect_eq(write_field(writer, &fields[i]), MPROF_OK);
			cr_expect_eq(mprof_writer_close(writer), MPROF_OK);
			cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
			cr_expect_eq(stats.left_out, has_directive ? 0 : 1, "field %zu", i);
			mprof_writer_destroy(writer);
		}
	}
}

Test(writer, states_the_rate_of_the_clock)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	mprof_session session = {.struct_size = sizeof(session)};
	const uint8_t *bytes;
	size_t length;
	mprof_reader *reader;
	mprof_writer *writer;
	mprof_block block;

	options.counters_per_second = 2500;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		;
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	cr_expect_eq(session.states_rate, 1);
	cr_expect_float_eq(session.counters_per_second, 2500, 1e-9);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
	options.counters_per_second = -1;
	cr_expect_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_ARGUMENT);
	options.counters_per_second = 2500;
	options.dialect = MPROF_DIALECT_MONO;
	cr_expect_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED, "it has no SESSION block");
	mprof_writer_destroy(writer);
}
