/* SPDX-License-Identifier: MIT */
/*
 * Each log of tests/data yields the text in the file beside its description: from a reader in one pass and block by
 * block in any order, and from a parser that is fed pieces of any size.
 */
#include "format/log_text.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOGS 400
#define MAX_NAME_LENGTH 64
#define MAX_BLOCKS 64

static char names[MAX_LOGS][MAX_NAME_LENGTH];
static size_t name_count;

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The names of all descriptions. */
static void find_logs(void)
{
	const char *source = getenv("srcdir");
	char path[4096];
	DIR *directory;
	const struct dirent *entry;

	snprintf(path, sizeof(path), "%s/tests/data", source != NULL ? source : ".");
	directory = opendir(path);
	cr_assert_not_null(directory, "cannot open %s", path);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strrchr(entry->d_name, '.');

		if (ending == NULL || strcmp(ending, ".desc") != 0)
			continue;
		cr_assert_lt(name_count, MAX_LOGS);
		cr_assert_lt(ending - entry->d_name, MAX_NAME_LENGTH);
		memcpy(names[name_count], entry->d_name, (size_t)(ending - entry->d_name));
		name_count++;
	}
	closedir(directory);
	cr_assert_gt(name_count, 0);
	qsort(names, name_count, sizeof(names[0]), compare_names);
}

static log_bytes read_expected(const char *name)
{
	const char *source = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s.expected", source != NULL ? source : ".", name);
	return log_from_file(path);
}

/* Saves the actual text so that it can be compared with the expected one. */
static void keep_actual(const char *name, const log_text *text)
{
	const char *build = getenv("builddir");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/%s.actual", build != NULL ? build : ".", name);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fwrite(text->text, 1, text->length, file);
	fclose(file);
}

static void expect_same_text(const char *name, const char *expected, const log_text *actual)
{
	const char *read = actual->text;

	for (unsigned line = 1; *expected != 0 || *read != 0; line++) {
		size_t expected_length = strcspn(expected, "\n");
		size_t read_length = strcspn(read, "\n");

		if (expected_length != read_length || strncmp(expected, read, read_length) != 0) {
			keep_actual(name, actual);
			cr_expect_fail("%s.expected:%u: expected\n%.*s\nread\n%.*s\nall of it is in %s.actual", name,
				       line, (int)expected_length, expected, (int)read_length, read, name);
			return;
		}
		expected += expected_length + (expected[expected_length] == '\n');
		read += read_length + (read[read_length] == '\n');
	}
}

Test(corpus, is_read_as_expected, .init = find_logs)
{
	static log_text text;

	for (size_t i = 0; i < name_count; i++) {
		log_bytes log = log_from_data(names[i]);
		log_bytes expected = read_expected(names[i]);

		log_text_read(&text, log.bytes, log.length);
		expect_same_text(names[i], (const char *)expected.bytes, &text);
		log_free(&expected);
		log_free(&log);
	}
}

static void expect_same_digest(const char *name, size_t chunk, const log_digest *expected, const log_digest *digest)
{
	cr_expect(digest->hash == expected->hash && digest->events == expected->events &&
			  digest->blocks == expected->blocks && digest->faults == expected->faults,
		  "%s in pieces of %zu: %d blocks, %d events, %d faults, not %d, %d, %d; %s", name, chunk,
		  (int)digest->blocks, (int)digest->events, (int)digest->faults, (int)expected->blocks,
		  (int)expected->events, (int)expected->faults, digest->first.what);
}

Test(corpus, is_parsed_alike_in_pieces, .init = find_logs)
{
	for (size_t i = 0; i < name_count; i++) {
		log_bytes log = log_from_data(names[i]);
		log_digest whole;
		log_digest digest;

		log_digest_parse(&whole, &log, 0, NULL);
		for (size_t chunk = 1; chunk < 20; chunk++) {
			log_digest_parse(&digest, &log, chunk, NULL);
			expect_same_digest(names[i], chunk, &whole, &digest);
		}
		log_free(&log);
	}
}

/* Reads the rest of a log block by block; returns the number of blocks, or 0 if there is an error. */
static size_t read_blocks(mprof_reader *reader, log_text *texts)
{
	size_t count = 0;

	log_text_clear(&texts[0]);
	while (log_text_next(&texts[count], reader)) {
		if (strstr(texts[count].text, "error ") != NULL)
			return 0;
		count++;
		cr_assert_lt(count, MAX_BLOCKS);
		log_text_clear(&texts[count]);
		texts[count].directives = texts[count - 1].directives;
	}
	return strstr(texts[count].text, "error ") == NULL ? count : 0;
}

/* After the index was built, blocks yield the same as in order, starting with the last one. */
static void expect_backwards(const char *name, mprof_reader *reader, const log_text *texts, size_t count)
{
	static log_text again;
	const mprof_index_entry *entries;
	size_t entry_count;

	entries = fetch_index(reader, &entry_count);
	cr_assert_eq(entry_count, count, "%s: %zu blocks, not %zu", name, entry_count, count);
	while (count-- > 0) {
		cr_assert_eq(mprof_reader_seek(reader, entries[count].offset), MPROF_OK);
		log_text_clear(&again);
		again.directives = count > 0 ? texts[count - 1].directives : 0;
		cr_assert_eq(log_text_next(&again, reader), 1);
		cr_expect_str_eq(again.text, texts[count].text, "%s: block %zu\n%s\nand before\n%s", name, count,
				 again.text, texts[count].text);
	}
}

/*
 * Two readers: one that builds the index first, and one that has read everything before and collected state by
 * fetching.
 */
static void read_backwards(const char *name, const log_bytes *log)
{
	static log_text texts[MAX_BLOCKS];
	mprof_reader *reader = NULL;
	mprof_reader *indexed = NULL;
	size_t count = 0;

	if (mprof_reader_open_memory(log->bytes, log->length, NULL, &reader) == MPROF_OK)
		count = read_blocks(reader, texts);
	if (count > 0) {
		expect_backwards(name, reader, texts, count);
		cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &indexed), MPROF_OK);
		expect_backwards(name, indexed, texts, count);
	}
	mprof_reader_destroy(indexed);
	mprof_reader_destroy(reader);
}

Test(corpus, blocks_can_be_read_in_any_order, .init = find_logs)
{
	for (size_t i = 0; i < name_count; i++) {
		log_bytes log = log_from_data(names[i]);

		read_backwards(names[i], &log);
		log_free(&log);
	}
}

static int is_described(const char *name, size_t length)
{
	for (size_t i = 0; i < name_count; i++) {
		if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
			return 1;
	}
	return 0;
}

/* A row of the table of quirks ends with its evidence: logs, or test files. */
static size_t check_quirk(const char *row, const char *end)
{
	const char *column = end - 2;
	size_t shown = 0;

	while (column[-1] != '|')
		column--;
	for (const char *name = memchr(column, '`', (size_t)(end - column)); name != NULL && name < end; shown++) {
		const char *name_end = memchr(name + 1, '`', (size_t)(end - name - 1));
		size_t length = (size_t)(name_end - name - 1);

		if (memchr(name + 1, '/', length) == NULL)
			cr_expect(is_described(name + 1, length), "no log shows it: %.*s", (int)(end - row), row);
		name = memchr(name_end + 1, '`', (size_t)(end - name_end - 1));
	}
	return shown;
}

Test(corpus, quirks_are_shown, .init = find_logs)
{
	const char *source = getenv("srcdir");
	char path[4096];
	log_bytes page;
	const char *line;
	size_t shown = 0;

	snprintf(path, sizeof(path), "%s/doc/dialects.md", source != NULL ? source : ".");
	page = log_from_file(path);
	line = strstr((const char *)page.bytes, "\n## 7. Quirks\n");
	cr_assert_not_null(line);
	line = strstr(line, "\n| 1 | ");
	cr_assert_not_null(line);
	for (line++; *line == '|'; line = strchr(line, '\n') + 1)
		shown += check_quirk(line, strchr(line, '\n'));
	cr_expect_gt(shown, 30, "%zu", shown);
	log_free(&page);
}
