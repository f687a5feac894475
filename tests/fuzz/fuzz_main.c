/* SPDX-License-Identifier: MIT */
/*
 * Runs LLVMFuzzerTestOneInput() over the files that are named; without any, over changed copies of good logs, written
 * by the library and described in tests/data, always the same. MPROF_FUZZ_FACTOR has that many more copies made, and
 * MPROF_FUZZ_SEED other ones. MPROF_FUZZ_KEEP names a file that receives each input before it is used.
 */
#include "fuzz_logs.h"
#include "fuzz_mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/*
 * Changed copies of each log that the library writes, of the longer ones of these, and of each of those of tests/data,
 * which are many and short.
 */
#define CHANGES_OF_WRITTEN 1000
#define CHANGES_OF_LONG 250
#define CHANGES_OF_DESCRIBED 60

/* Targets that take longer for an input make a part of these copies only. */
#ifndef FUZZ_PART
#define FUZZ_PART 1
#endif

#define MAX_LOG_LENGTH ((size_t)16 << 20)

static int factor = 1;

static unsigned long inputs;

/* The last log, whose blocks are put into others. */
static fuzz_log other;

static void run_input(const uint8_t *bytes, size_t length)
{
	const char *kept = getenv("MPROF_FUZZ_KEEP");
	/* Memory of exactly that length, so that sanitizers detect reads after its end. */
	uint8_t *exact = malloc(length + (length == 0));

	fuzz_require(exact != NULL);
	memcpy(exact, bytes, length);
	if (kept != NULL) {
		FILE *file = fopen(kept, "wb");

		fuzz_require(file != NULL && fwrite(exact, 1, length, file) == length && fclose(file) == 0);
	}
	(void)LLVMFuzzerTestOneInput(exact, length);
	free(exact);
	inputs++;
}

static void fuzz_good(fuzz_log log, int changes)
{
	const int is_changed_by_block = log.length < FUZZ_MAX_LENGTH / 2 && log.length > 10 && log.bytes[0] == 1;
	uint8_t *bytes = malloc(log.length + FUZZ_MAX_LENGTH);

	fuzz_require(bytes != NULL && log.bytes != NULL);
	/* An input takes several times as long. */
	if (getenv("MPROF_SANITIZED") != NULL)
		changes = (changes + 2) / 3;
	changes = (changes * factor + FUZZ_PART - 1) / FUZZ_PART;
	run_input(log.bytes, log.length);
	for (int i = 0; i < changes; i++) {
		size_t length;

		memcpy(bytes, log.bytes, log.length);
		length = is_changed_by_block && i % 3 != 0 ? fuzz_mutate(bytes, log.length, &other)
							   : fuzz_damage(bytes, log.length);
		run_input(bytes, length);
	}
	free(bytes);
	free(other.bytes);
	other = log;
}

/* Returns no bytes if the file cannot be read. */
static fuzz_log read_log(const char *path)
{
	FILE *file = fopen(path, "rb");
	fuzz_log log = {malloc(MAX_LOG_LENGTH), 0};

	if (file == NULL || log.bytes == NULL) {
		perror(path);
		free(log.bytes);
		log.bytes = NULL;
	} else {
		log.length = fread(log.bytes, 1, MAX_LOG_LENGTH, file);
	}
	if (file != NULL)
		fclose(file);
	return log;
}

/* Writes a log with these options and fuzzes it, unless the library has no codec for it. */
static void fuzz_written_log(const mprof_writer_options *options, int event_blocks)
{
	mprof_writer *probe = NULL;

	if (mprof_writer_open_memory(options, &probe) == MPROF_OK)
		fuzz_good(fuzz_log_write(options, event_blocks),
			  event_blocks == 0 ? CHANGES_OF_WRITTEN : CHANGES_OF_LONG);
	(void)mprof_writer_destroy(probe);
}

/* Logs with the blocks that only mprof2 has: columns, INDEX, and those that are compressed. */
static void fuzz_blocks_of_mprof2(mprof_writer_options *options)
{
	options->has_columns = 1;
	fuzz_written_log(options, 0);
	options->has_index = 1;
	fuzz_written_log(options, 4);
	for (uint32_t codec = MPROF_CODEC_DEFLATE; codec <= MPROF_CODEC_ZSTD; codec++) {
		options->codec = codec;
		fuzz_written_log(options, 0);
		fuzz_written_log(options, 4);
	}
	options->codec = MPROF_CODEC_NONE;
	options->has_columns = 0;
	fuzz_written_log(options, 4);
}

static void fuzz_written(void)
{
	uint64_t directives =
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_COLUMNS) |
		MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_POSITIONS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS);
	mprof_writer_options options;

	for (uint32_t directive = 1; directive <= 6; directive++) {
		if (directive != MPROF_DIRECTIVE_ALLOCATION_STACK)
			directives |= MPROF_DIRECTIVE_BIT(directive);
	}
	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "fuzz";
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = MPROF_DIALECT_MAIL;
	fuzz_written_log(&options, 0);
	options.dialect = MPROF_DIALECT_MPROF2;
	fuzz_written_log(&options, 0);
	options.gzip_level = 6;
	fuzz_written_log(&options, 0);
	options.gzip_level = 0;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	fuzz_written_log(&options, 0);
	fuzz_blocks_of_mprof2(&options);
}

static void fuzz_described(void)
{
	const char *build = getenv("builddir");
	char path[4096];
	DIR *directory;
	const struct dirent *entry;

	snprintf(path, sizeof(path), "%s/tests/data", build != NULL ? build : ".");
	directory = opendir(path);
	fuzz_require(directory != NULL);
	while ((entry = readdir(directory)) != NULL) {
		const char *ending = strrchr(entry->d_name, '.');

		if (ending == NULL || strcmp(ending, ".mprof") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/tests/data/%s", build != NULL ? build : ".", entry->d_name);
		fuzz_good(read_log(path), CHANGES_OF_DESCRIBED);
	}
	closedir(directory);
}

int main(int count, char **arguments)
{
	int failed = 0;

	if (getenv("MPROF_FUZZ_FACTOR") != NULL)
		factor = atoi(getenv("MPROF_FUZZ_FACTOR"));
	if (getenv("MPROF_FUZZ_SEED") != NULL)
		fuzz_random_seed(strtoull(getenv("MPROF_FUZZ_SEED"), NULL, 10));
	for (int i = 1; i < count; i++) {
		fuzz_log log = read_log(arguments[i]);

		if (log.bytes != NULL)
			(void)LLVMFuzzerTestOneInput(log.bytes, log.length);
		failed |= log.bytes == NULL;
		free(log.bytes);
	}
	if (count == 1) {
		fuzz_written();
		fuzz_described();
		free(other.bytes);
	}
	printf("%lu inputs\n", inputs);
	return failed;
}
