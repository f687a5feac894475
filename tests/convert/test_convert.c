/* SPDX-License-Identifier: MIT */
/* Copies in the same dialect or in mprof2, which can represent everything, and the errors of converters. */
#include "convert_fixture.h"
#include "logs/begin_copy.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* Directives that a copy in mprof2 declares itself: they take no room where they are not used. */
#define FREE_DIRECTIVES                                                                                                \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |  \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

static void expect_identical_copy(log_bytes log, mprof_dialect dialect)
{
	log_bytes copy = convert_whole(&log, dialect);

	expect_same_bytes(&copy, &log);
	log_free(&copy);
	log_free(&log);
}

Test(convert, copies_mprof2_byte_by_byte)
{
	expect_identical_copy(log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES), MPROF_DIALECT_MPROF2);
	expect_identical_copy(log_make(MPROF_DIALECT_MPROF2, FREE_DIRECTIVES), MPROF_DIALECT_MPROF2);
}

Test(convert, copies_chains_code_heap_and_figures_byte_by_byte)
{
	expect_identical_copy(log_make_more(FIXTURE_ALL_DIRECTIVES), MPROF_DIALECT_MPROF2);
	expect_identical_copy(log_make_more(FREE_DIRECTIVES), MPROF_DIALECT_DEFAULT);
}

Test(convert, copies_the_mail_byte_by_byte)
{
	expect_identical_copy(log_make(MPROF_DIALECT_MAIL, 0), MPROF_DIALECT_MAIL);
}

Test(convert, mail_becomes_mprof2_and_mail_again)
{
	log_bytes mail = log_make(MPROF_DIALECT_MAIL, 0);
	log_bytes mprof2 = convert_whole(&mail, MPROF_DIALECT_MPROF2);
	log_bytes again = convert_whole(&mprof2, MPROF_DIALECT_MAIL);

	expect_same_bytes(&again, &mail);
	log_free(&again);
	log_free(&mprof2);
	log_free(&mail);
}

Test(convert, represents_what_mail_cannot)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	conversion created = convert(&log, MPROF_DIALECT_MAIL);
	char *text = text_of_log(&created.log);

	cr_assert_eq(created.status, MPROF_OK);
	/* At least SESSION, THREAD and LOST. */
	cr_assert_geq(created.stats.left_out, 3);
	cr_assert_not_null(strstr(text, "statistical "));
	cr_assert_null(strstr(text, "session "));
	cr_assert_null(strstr(text, "lost "));
	free(text);
	log_free(&created.log);
	log_free(&log);
}

Test(convert, refuses_losses_unless_lossy)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_writer_options options;
	conversion created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = MPROF_DIALECT_MAIL;
	created = convert_with(&log, &options);
	cr_assert_eq(created.status, MPROF_ERR_UNSUPPORTED);
	cr_assert(created.has_failed);
	cr_assert_eq(created.damage_count, 0);
	log_free(&created.log);
	log_free(&log);
}

Test(convert, compresses)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	mprof_writer_options options;
	conversion created;

	if (getenv("MPROF_WITHOUT_ZLIB") != NULL) {
		log_free(&log);
		cr_skip("built without zlib");
	}
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.gzip_level = 9;
	created = convert_with(&log, &options);
	cr_assert_eq(created.status, MPROF_OK);
	cr_assert_lt(created.log.length, log.length);
	expect_same_text("compressed", &created.log, &log);
	log_free(&created.log);
	log_free(&log);
}

Test(convert, keeps_the_content_of_intro)
{
	log_bytes log = log_make(MPROF_DIALECT_MAIL, 0);
	log_bytes copy = convert_whole(&log, MPROF_DIALECT_MPROF2);
	mprof_session expected = {.struct_size = sizeof(expected)};
	mprof_session found = {.struct_size = sizeof(found)};
	mprof_reader *reader;
	mprof_reader *copy_reader;

	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(copy.bytes, copy.length, NULL, &copy_reader), MPROF_OK);
	mprof_reader_get_session(reader, &expected);
	mprof_reader_get_session(copy_reader, &found);
	cr_assert_eq(found.dialect, MPROF_DIALECT_MPROF2);
	cr_assert_eq(found.flags, expected.flags);
	cr_assert_str_eq(found.runtime, expected.runtime);
	cr_assert_eq(found.start.counter, expected.start.counter);
	cr_assert_eq(found.start.time, expected.start.time);
	mprof_reader_destroy(copy_reader);
	mprof_reader_destroy(reader);
	log_free(&copy);
	log_free(&log);
}

/* A log that grows. */
typedef struct growing_log {
	log_bytes log;
	size_t grown; /**< Bytes that can be read so far. */
	size_t position;
} growing_log;

static int read_growing(void *user, void *bytes, size_t length, size_t *got)
{
	growing_log *log = user;

	*got = log->grown - log->position < length ? log->grown - log->position : length;
	memcpy(bytes, log->log.bytes + log->position, *got);
	log->position += *got;
	return 0;
}

Test(convert, goes_on_when_a_log_has_grown)
{
	growing_log log = {log_make_more(FIXTURE_ALL_DIRECTIVES), 0, 0};
	const mprof_source source = {sizeof(mprof_source), read_growing, NULL, NULL, &log, NULL};
	mprof_reader_options reader_options;
	mprof_writer_options options;
	mprof_converter *converter;
	mprof_reader *reader;
	mprof_writer *writer;
	log_bytes copy = {NULL, 0};
	const uint8_t *bytes;
	mprof_status status;

	mprof_reader_options_init(&reader_options, sizeof(reader_options));
	reader_options.follow = 1;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	log.grown = log_block_offset(&log.log, MORE_MAPPING) + 3;
	cr_assert_eq(mprof_reader_open_source(&source, &reader_options, &reader), MPROF_OK);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	while ((status = mprof_converter_run(converter, writer, NULL, NULL)) == MPROF_AGAIN) {
		cr_assert_not(mprof_converter_has_failed(converter));
		cr_assert_lt(log.grown, log.log.length);
		log.grown += log.log.length - log.grown < 100 ? log.log.length - log.grown : 100;
	}
	cr_assert_eq(status, MPROF_OK, "%s", mprof_status_get_text(status));
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &copy.length), MPROF_OK);
	copy.bytes = malloc(copy.length);
	memcpy(copy.bytes, bytes, copy.length);
	expect_same_bytes(&copy, &log.log);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	log_free(&copy);
	log_free(&log.log);
}

Test(convert, is_begun_at_the_begin)
{
	log_bytes log = log_make(MPROF_DIALECT_MAIL, 0);
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_converter *converter = NULL;
	mprof_writer_options options;
	mprof_reader *reader;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_INTRO);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_OK, "INTRO alone was read");
	mprof_converter_destroy(converter);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_ERR_STATE);
	cr_assert_null(converter);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(convert, refuses_wrong_arguments)
{
	log_bytes log = log_make(MPROF_DIALECT_MAIL, 0);
	mprof_converter *converter = NULL;
	mprof_writer_options options;
	mprof_reader *reader;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	cr_assert_eq(begin_copy(NULL, &options, &converter), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_converter_create(reader, NULL, NULL), MPROF_ERR_ARGUMENT);
	options.dialect = 99;
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_ERR_ARGUMENT);
	cr_assert_null(converter);
	cr_assert_eq(mprof_converter_run(NULL, NULL, NULL, NULL), MPROF_ERR_ARGUMENT);
	mprof_converter_destroy(NULL);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(convert, refuses_what_has_no_intro)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	mprof_converter *converter = NULL;
	mprof_writer_options options;
	mprof_reader *reader;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	/* Ends inside INTRO. */
	log.bytes[8] ^= 1;
	cr_assert_neq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_ERR_STATE);
	mprof_reader_destroy(reader);
	log_free(&log);
}
