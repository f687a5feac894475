/* SPDX-License-Identifier: MIT */
/*
 * A log has the same content with rows and with columns, with and without compressed blocks and an index. This holds
 * for each valid log of tests/data, and for the logs of MPROF_SAMPLES, which real programs wrote.
 */
#include "convert_fixture.h"
#include "faults/fault_content.h"
#include "logs/encoded_log.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PATH_LENGTH 4096

typedef struct encoding {
	uint32_t codec;
	uint32_t has_columns;
	uint32_t has_index;
} encoding;

static const encoding encodings[] = {
	{MPROF_CODEC_NONE, 1, 0},    {MPROF_CODEC_NONE, 0, 1}, {MPROF_CODEC_DEFLATE, 0, 1},
	{MPROF_CODEC_DEFLATE, 1, 1}, {MPROF_CODEC_ZSTD, 0, 0}, {MPROF_CODEC_ZSTD, 1, 1},
};

/*
 * Removes the lines of EVENTS blocks, which a copy with columns joins, and the counters of allocations, which are those
 * of the event before and so depend on where a block begins.
 */
static void drop_blocks_of_events(char *text)
{
	char *out = text;
	char *line = text;

	while (*line != 0) {
		char *next = line + strcspn(line, "\n");
		char *end = *next == 0 ? next : next + 1;

		if (strncmp(line, "  allocation counter=", 21) == 0)
			line += 21 + strcspn(line + 21, " \n");
		if (strncmp(line, "events ", 7) != 0) {
			memmove(out, line, (size_t)(end - line));
			out += end - line;
		}
		line = end;
	}
	*out = 0;
}

static void expect_same_events(const char *name, const log_bytes *found, const log_bytes *expected)
{
	char *first = text_of_log(found);
	char *second = text_of_log(expected);

	drop_blocks_of_events(first);
	drop_blocks_of_events(second);
	cr_assert_str_eq(first, second, "%s", name);
	free(first);
	free(second);
}

/* Hashes of the events of a log, and of everything else that its blocks list. */
typedef struct log_content {
	uint64_t *events;
	size_t count;
	size_t capacity;
	fault_run others;
} log_content;

static void add_event(log_content *content, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	fault_run run = {.hash = 1};

	if (content->count == content->capacity) {
		content->capacity = content->capacity * 2 + 1024;
		content->events = realloc(content->events, content->capacity * sizeof(*content->events));
		cr_assert_not_null(content->events);
	}
	fault_hash_number(&run, event->kind | (uint64_t)event->flags << 16 | (uint64_t)event->id << 32);
	fault_hash_number(&run, event->value);
	/* An allocation has the counter of the event before it, or that of the block. */
	if (event->kind != MPROF_EVENT_ALLOCATION)
		fault_hash_number(&run, event->counter);
	if (detail != NULL) {
		fault_hash_number(&run, detail->object);
		fault_hash_number(&run, detail->stack | (uint64_t)detail->caller << 32);
		fault_hash_number(&run, detail->size + detail->samples);
		fault_hash_bytes(&run, detail->references, detail->reference_count * sizeof(*detail->references));
	}
	content->events[content->count++] = run.hash;
}

static void add_block(log_content *content, const log_input *input, const mprof_block *block)
{
	mprof_event events[64];
	size_t count;

	if (block->kind == MPROF_BLOCK_INDEX)
		return;
	if (block->kind != MPROF_BLOCK_EVENTS) {
		fault_hash_number(&content->others, block->kind);
		fault_hash_number(&content->others, block->thread);
		(void)!fault_fetch(&content->others, input, block);
		return;
	}
	while (log_input_events(input, events, sizeof(events) / sizeof(events[0]), &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			add_event(content, &events[i]);
	}
}

static log_content content_of_log(const log_bytes *log)
{
	log_content content = {.others = {.hash = 1, .most_steps = UINT64_MAX}};
	log_input input = {NULL, NULL};
	mprof_block block;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &input.reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(input.reader, &block) == MPROF_OK)
		add_block(&content, &input, &block);
	mprof_reader_destroy(input.reader);
	return content;
}

static void expect_same_content(const char *name, const log_bytes *found, const log_bytes *expected)
{
	log_content first = content_of_log(found);
	log_content second = content_of_log(expected);

	cr_assert_eq(first.count, second.count, "%s: %zu events, not %zu", name, first.count, second.count);
	for (size_t i = 0; i < first.count; i++)
		cr_assert_eq(first.events[i], second.events[i], "%s: event %zu", name, i);
	cr_assert_eq(first.others.hash, second.others.hash, "%s: other blocks differ", name);
	free(first.events);
	free(second.events);
}

typedef void (*compare_function)(const char *name, const log_bytes *found, const log_bytes *expected);

static void compare_encodings(const char *name, const log_bytes *log, compare_function compare)
{
	conversion rows = convert(log, MPROF_DIALECT_MPROF2);

	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		mprof_writer_options options;
		conversion created;

		if (!log_has_codec(encodings[i].codec))
			continue;
		mprof_writer_options_init(&options, sizeof(options));
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
		options.lossy = 1;
		options.has_columns = encodings[i].has_columns;
		options.has_index = encodings[i].has_index;
		options.codec = encodings[i].codec;
		created = convert_with(log, &options);
		cr_assert_eq(created.status, rows.status, "%s: %s", name, mprof_status_get_text(created.status));
		cr_assert_eq(created.stats.events, rows.stats.events, "%s", name);
		cr_assert_eq(created.stats.left_out, rows.stats.left_out, "%s", name);
		compare(name, &created.log, &rows.log);
		log_free(&created.log);
	}
	log_free(&rows.log);
}

/* Compares the logs of a folder. Returns their number. */
static int compare_folder(const char *folder, compare_function compare)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	int count = 0;

	cr_assert_not_null(directory, "cannot open %s", folder);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strrchr(entry->d_name, '.');
		char path[MAX_PATH_LENGTH];
		mprof_reader *reader;
		log_bytes log;

		if (ending == NULL || strcmp(ending, ".mprof") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		log = log_from_file(path);
		/* Some logs of tests/data are too damaged for a reader. */
		if (mprof_reader_open_memory(log.bytes, log.length, NULL, &reader) == MPROF_OK) {
			compare_encodings(path, &log, compare);
			count++;
		}
		mprof_reader_destroy(reader);
		log_free(&log);
	}
	closedir(directory);
	return count;
}

Test(convert_encodings, do_not_change_logs_of_tests)
{
	const char *build = getenv("builddir");
	char path[MAX_PATH_LENGTH];

	snprintf(path, sizeof(path), "%s/tests/data", build != NULL ? build : ".");
	cr_assert_gt(compare_folder(path, expect_same_events), 100);
}

Test(convert_encodings, do_not_change_logs_of_real_programs)
{
	const char *samples = getenv("MPROF_SAMPLES");

	if (samples == NULL)
		cr_skip_test("MPROF_SAMPLES names no folder of logs");
	cr_assert_gt(compare_folder(samples, expect_same_content), 0);
}
