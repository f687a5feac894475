/* SPDX-License-Identifier: MIT */
#include "convert_fixture.h"
#include "logs/begin_copy.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static void note_damage(void *user, const mprof_error *error)
{
	conversion *created = user;

	if (created->damage_count++ == 0)
		created->first_damage = *error;
}

static log_bytes copy_memory(const mprof_writer *writer)
{
	log_bytes copy = {NULL, 0};
	const uint8_t *bytes;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &copy.length), MPROF_OK);
	copy.bytes = malloc(copy.length + 1);
	cr_assert_not_null(copy.bytes);
	memcpy(copy.bytes, bytes, copy.length);
	return copy;
}

conversion convert_with(const log_bytes *log, const mprof_writer_options *input)
{
	conversion created = {.stats = {.struct_size = sizeof(created.stats)}};
	mprof_writer_options options = *input;
	mprof_reader *reader = NULL;
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	created.status = mprof_converter_run(converter, writer, note_damage, &created);
	created.has_failed = mprof_converter_has_failed(converter);
	cr_assert_eq(mprof_writer_get_stats(writer, &created.stats), MPROF_OK);
	created.log = copy_memory(writer);
	(void)mprof_writer_destroy(writer);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return created;
}

conversion convert(const log_bytes *log, mprof_dialect dialect)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.lossy = 1;
	return convert_with(log, &options);
}

log_bytes convert_whole(const log_bytes *log, mprof_dialect dialect)
{
	mprof_writer_options options;
	conversion created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	created = convert_with(log, &options);
	cr_assert_eq(created.status, MPROF_OK, "%s", mprof_status_get_text(created.status));
	cr_assert_not(created.has_failed);
	cr_assert_eq(created.damage_count, 0);
	cr_assert_eq(created.stats.left_out, 0);
	return created.log;
}

/* Words that are removed from lines of blocks, up to the blank after them. */
static const struct {
	const char *block; /**< Prefix of the line. */
	const char *word;
} dropped_words[] = {
	{"", " delta="},           {"events", " base="},  {"mapping", " start="},   {"mapping", " end="},
	{"heap-summary", " end="}, {"intro", " flags="},  {"heap-data", " start="}, {"heap-data", " end="},
	{"lost", " end="},         {"lost", " unknown="}, {"statistical", " end="}, {"end", " index="},
};

/* Lines that are removed, together with the following lines that are indented more. */
static const char *const dropped_lines[] = {"directives ", "unknown ",   "  unknown ",       "stacks ",
					    "code ",       "index ",     "  stack-section ", "  module ",
					    "  function ", "  location "};

static int starts_with_any(const char *line, const char *const starts[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(line, starts[i], strlen(starts[i])) == 0)
			return 1;
	}
	return 0;
}

/* Removes words from the line of a block. */
static void drop_words(char *line)
{
	for (size_t i = 0; i < sizeof(dropped_words) / sizeof(dropped_words[0]); i++) {
		char *word = strstr(line, dropped_words[i].word);

		if (word != NULL && strncmp(line, dropped_words[i].block, strlen(dropped_words[i].block)) == 0) {
			char *end = word + strlen(dropped_words[i].word) - 1;

			end += strcspn(end, " ");
			memmove(word, end, strlen(end) + 1);
		}
	}
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the definitions of each MAPPING block: their order has no meaning. */
static void sort_names(char **lines, size_t count)
{
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;

		while (end < count && lines[end][0] == ' ')
			end++;
		if (strncmp(lines[i], "mapping", 7) == 0)
			qsort(lines + i + 1, end - i - 1, sizeof(*lines), compare_lines);
		i = end;
	}
}

/* Splits a text into lines and keeps those that are compared. Returns their number. */
static size_t select_lines(char *text, char **lines, size_t capacity)
{
	size_t count = 0;
	int is_dropped = 0;

	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		if (*line != ' ') {
			is_dropped = 0;
			drop_words(line);
		}
		if (starts_with_any(line, dropped_lines, sizeof(dropped_lines) / sizeof(dropped_lines[0]))) {
			is_dropped = *line != ' ';
			continue;
		}
		cr_assert_lt(count, capacity);
		if (!is_dropped)
			lines[count++] = line;
	}
	return count;
}

#define MAX_LINES 4096

char *text_of_log(const log_bytes *log)
{
	log_text *rendered = malloc(sizeof(*rendered));
	char **lines = malloc(MAX_LINES * sizeof(*lines));
	char *text;
	size_t length = 0;
	size_t count;

	cr_assert_not_null(rendered);
	cr_assert_not_null(lines);
	log_text_read(rendered, log->bytes, log->length);
	text = malloc(rendered->length + 1);
	cr_assert_not_null(text);
	count = select_lines(rendered->text, lines, MAX_LINES);
	sort_names(lines, count);
	for (size_t i = 0; i < count; i++) {
		size_t line_length = strlen(lines[i]);

		memcpy(text + length, lines[i], line_length);
		text[length + line_length] = '\n';
		length += line_length + 1;
	}
	text[length] = '\0';
	free(lines);
	free(rendered);
	return text;
}

void expect_same_text(const char *name, const log_bytes *found, const log_bytes *expected)
{
	char *found_text = text_of_log(found);
	char *expected_text = text_of_log(expected);
	const char *left = found_text;
	const char *right = expected_text;

	while (*left != '\0' || *right != '\0') {
		int left_length = (int)strcspn(left, "\n");
		int right_length = (int)strcspn(right, "\n");

		if (left_length != right_length || memcmp(left, right, (size_t)left_length) != 0) {
			cr_expect_fail("%s:\nfound    %.*s\nexpected %.*s", name, left_length, left, right_length,
				       right);
			break;
		}
		left += left_length + (left[left_length] != '\0');
		right += right_length + (right[right_length] != '\0');
	}
	free(found_text);
	free(expected_text);
}

void expect_same_bytes(const log_bytes *found, const log_bytes *expected)
{
	size_t position = 0;

	while (position < found->length && position < expected->length &&
	       found->bytes[position] == expected->bytes[position])
		position++;
	cr_assert(found->length == expected->length && position == found->length,
		  "the copy has %zu bytes and not %zu; byte %zu differs", found->length, expected->length, position);
}
