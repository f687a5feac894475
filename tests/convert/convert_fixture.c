/* SPDX-License-Identifier: MIT */
#include "convert/convert_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static void note_damage(void *user, const mprof_error *error)
{
	conversion *made = user;

	if (made->damage_count++ == 0)
		made->first_damage = *error;
}

static log_bytes copy_memory(const mprof_writer *writer)
{
	log_bytes copy = {NULL, 0};
	const uint8_t *bytes;

	cr_assert_eq(mprof_writer_memory(writer, &bytes, &copy.length), MPROF_OK);
	copy.bytes = malloc(copy.length + 1);
	cr_assert_not_null(copy.bytes);
	memcpy(copy.bytes, bytes, copy.length);
	return copy;
}

conversion convert_with(const log_bytes *log, const mprof_writer_options *given)
{
	conversion made = {.stats = {.struct_size = sizeof(made.stats)}};
	mprof_writer_options options = *given;
	mprof_reader *reader = NULL;
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_converter_create(reader, &options, &converter), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	made.status = mprof_converter_run(converter, writer, note_damage, &made);
	made.has_failed = mprof_converter_failed(converter);
	cr_assert_eq(mprof_writer_get_stats(writer, &made.stats), MPROF_OK);
	made.log = copy_memory(writer);
	(void)mprof_writer_destroy(writer);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return made;
}

conversion convert(const log_bytes *log, mprof_dialect dialect)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options);
	options.dialect = dialect;
	options.lossy = 1;
	return convert_with(log, &options);
}

log_bytes convert_whole(const log_bytes *log, mprof_dialect dialect)
{
	mprof_writer_options options;
	conversion made;

	mprof_writer_options_init(&options);
	options.dialect = dialect;
	made = convert_with(log, &options);
	cr_assert_eq(made.status, MPROF_OK, "%s", mprof_status_text(made.status));
	cr_assert_not(made.has_failed);
	cr_assert_eq(made.damage_count, 0);
	cr_assert_eq(made.stats.left_out, 0);
	return made.log;
}

/* Drops the lines of blocks that only define, whose numbers and order the copy may choose. */
static void drop_definitions(char *text)
{
	char *out = text;
	int is_dropped = 0;

	for (char *line = text; *line != '\0';) {
		size_t length = strcspn(line, "\n") + 1;

		if (*line != ' ')
			is_dropped = strncmp(line, "stacks ", 7) == 0 || strncmp(line, "code ", 5) == 0;
		if (!is_dropped) {
			memmove(out, line, length);
			out += length;
		}
		line += length;
	}
	*out = '\0';
}

char *text_of_log(const log_bytes *log)
{
	log_text *rendered = malloc(sizeof(*rendered));
	char *text;

	cr_assert_not_null(rendered);
	log_text_read(rendered, log->bytes, log->length);
	text = strdup(rendered->text);
	cr_assert_not_null(text);
	free(rendered);
	drop_definitions(text);
	return text;
}

void expect_same_text(const log_bytes *found, const log_bytes *expected)
{
	char *found_text = text_of_log(found);
	char *expected_text = text_of_log(expected);
	const char *left = found_text;
	const char *right = expected_text;

	while (*left != '\0' || *right != '\0') {
		int left_length = (int)strcspn(left, "\n");
		int right_length = (int)strcspn(right, "\n");

		cr_assert(left_length == right_length && memcmp(left, right, (size_t)left_length) == 0,
			  "found    %.*s\nexpected %.*s", left_length, left, right_length, right);
		left += left_length + (left[left_length] != '\0');
		right += right_length + (right[right_length] != '\0');
	}
	free(found_text);
	free(expected_text);
}

void expect_same_bytes(const log_bytes *found, const log_bytes *expected)
{
	size_t place = 0;

	while (place < found->length && place < expected->length && found->bytes[place] == expected->bytes[place])
		place++;
	cr_assert(found->length == expected->length && place == found->length,
		  "the copy has %zu bytes and not %zu; byte %zu differs", found->length, expected->length, place);
}
