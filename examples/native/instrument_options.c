/* SPDX-License-Identifier: MIT */
/* Reads the options of the native modules from their environment variables. */
#include "instrument_options.h"

#include "shared/dialects.h"
#include "shared/codec_names.h"
#include "shared/program_name.h"
#include "shared/resolution.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORD 512
#define LABEL_SIZE 40

/* The salvage path of this process. Static, since the recorder options point to it until the recorder is open. */
static char salvage_path[MAX_WORD];

int instrument_options_has(const char *words, const char *name)
{
	size_t length;

	return record_options_value(words, name, &length) != NULL;
}

int instrument_options_text(const char *words, const char *name, char *value, size_t size)
{
	size_t length;
	const char *found = record_options_value(words, name, &length);

	if (found == NULL || length == 0)
		return 0;
	/* A value that does not fit is truncated; the rest is still too long to be used. */
	snprintf(value, size, "%.*s", (int)length, found);
	return 1;
}

/* The value of an option; "" if it has none. Returns 0 if the option is missing or its value invalid. */
static int find_value(const char *words, record_reader reader, const char *name, char value[MAX_WORD])
{
	const record_option *option = record_options_find(name, strlen(name), reader);
	char message[RECORD_MESSAGE_SIZE];
	size_t length;
	const char *found = record_options_value(words, name, &length);

	if (option == NULL || found == NULL || length >= MAX_WORD)
		return 0;
	snprintf(value, MAX_WORD, "%.*s", (int)length, found);
	return record_options_check(option, length > 0 ? value : NULL, "", message);
}

uint64_t instrument_options_number(const char *words, record_reader reader, const char *name)
{
	char value[MAX_WORD];
	uint64_t number = 0;

	if (!find_value(words, reader, name, value) || !record_values_size(value, 0, UINT64_MAX, &number))
		return 0;
	return number;
}

static void print_problem(const char *message)
{
	fprintf(stderr, "mprof: %s; it is ignored\n", message);
}

void instrument_options_print_problems(const char *words, record_reader reader)
{
	record_options_check_words(words, reader, print_problem);
}

void instrument_options_read(const char *words, record_reader reader, mprof_writer_options *writer,
			     mprof_recorder_options *recorder)
{
	static const struct {
		const char *name;
		size_t offset; /* Of a uint32_t in mprof_recorder_options. */
	} numbers[] = {
		{"buffers", offsetof(mprof_recorder_options, max_buffers)},
		{"buffer-events", offsetof(mprof_recorder_options, buffer_events)},
		{"interval", offsetof(mprof_recorder_options, drain_interval_ms)},
		{"drain-threads", offsetof(mprof_recorder_options, drain_threads)},
	};
	char value[MAX_WORD];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint64_t number = instrument_options_number(words, reader, numbers[i].name);

		if (number != 0)
			*(uint32_t *)((char *)recorder + numbers[i].offset) = (uint32_t)number;
	}
	if (instrument_options_has(words, "drop"))
		recorder->overflow = MPROF_OVERFLOW_DROP;
	if (find_value(words, reader, "gzip", value))
		writer->gzip_level = value[0] != '\0' ? (uint32_t)strtoul(value, NULL, 10) : 1;
	if (find_value(words, reader, "compress", value))
		(void)codec_names_parse(value, &writer->codec, &writer->codec_level);
	if (find_value(words, reader, "resolution", value))
		(void)resolution_parse(value, &recorder->resolution_ns);
	recorder->max_log_bytes = instrument_options_number(words, reader, "max-size");
	if (find_value(words, reader, "salvage", salvage_path))
		recorder->salvage_path = salvage_path;
	if (find_value(words, reader, "format", value))
		writer->dialect = dialects_find(value);
	/*
	 * Older formats lack names of threads and metadata; they can represent everything else that is recorded here.
	 */
	writer->lossy = (uint32_t)dialects_is_older((mprof_dialect)writer->dialect);
}

/* Expands the pattern. Returns 0 if the path is too long. */
static int expand_pattern(char path[INSTRUMENT_PATH_SIZE], const char *pattern, const char *label)
{
	size_t length = 0;

	for (; *pattern != '\0' && length + LABEL_SIZE < INSTRUMENT_PATH_SIZE; pattern++) {
		if (pattern[0] == '%' && pattern[1] == 'p') {
			length += (size_t)snprintf(path + length, INSTRUMENT_PATH_SIZE - length, "%s", label);
			pattern++;
		} else {
			path[length++] = *pattern;
			pattern += pattern[0] == '%' && pattern[1] == '%';
		}
	}
	path[length] = '\0';
	return *pattern == '\0';
}

/*
 * Makes the path absolute: the program may change its directory. Children of fork() use that of their parent's start.
 * Returns 0 if it is too long.
 */
static int make_absolute(char path[INSTRUMENT_PATH_SIZE])
{
	static char directory[INSTRUMENT_PATH_SIZE];
	const size_t length = strlen(path) + 1;
	size_t start;

	if (path[0] == '/')
		return 1;
	/* Without the name of the directory, the path is used as it is. */
	if (directory[0] == '\0' && (getcwd(directory, sizeof(directory)) == NULL || directory[0] != '/')) {
		directory[0] = '\0';
		return 1;
	}
	start = strlen(directory);
	if (start + 1 + length > INSTRUMENT_PATH_SIZE)
		return 0;
	memmove(path + start + 1, path, length);
	memcpy(path, directory, start);
	path[start] = '/';
	return 1;
}

int instrument_options_path(const char *pattern, char path[INSTRUMENT_PATH_SIZE])
{
	char label[LABEL_SIZE];

	if (pattern == NULL || pattern[0] == '\0') {
		/* Commands would take a name that begins with a dash for options. */
		const char *name = program_short_name() + strspn(program_short_name(), "-");
		int created = snprintf(path, INSTRUMENT_PATH_SIZE, "%s.mprof", *name != '\0' ? name : "log");

		return created > 0 && created < INSTRUMENT_PATH_SIZE && make_absolute(path);
	}
	snprintf(label, sizeof(label), "%ld", (long)getpid());
	if (!expand_pattern(path, pattern, label) || !make_absolute(path))
		return 0;
	/* After exec(), the process runs another program, which must not overwrite the log of the first. */
	for (int number = 2; strstr(pattern, "%p") != NULL && number < 100000 && access(path, F_OK) == 0; number++) {
		snprintf(label, sizeof(label), "%ld-%d", (long)getpid(), number);
		if (!expand_pattern(path, pattern, label) || !make_absolute(path))
			return 0;
	}
	return 1;
}

int instrument_options_next_path(const char *pattern, char path[INSTRUMENT_PATH_SIZE])
{
	static const char extension[] = ".mprof";
	const size_t end = sizeof(extension) - 1;
	char label[LABEL_SIZE + sizeof(extension)];
	size_t length;

	/* A name with the process ID gets a number by itself. */
	if (!instrument_options_path(pattern, path))
		return 0;
	length = strlen(path);
	if (length > end && strcmp(path + length - end, extension) == 0)
		length -= end;
	for (int number = 2; access(path, F_OK) == 0; number++) {
		const int added = snprintf(label, sizeof(label), ".%ld-%d%s", (long)getpid(), number, extension);

		if (number == 100000 || length + (size_t)added >= INSTRUMENT_PATH_SIZE)
			return 0;
		memcpy(path + length, label, (size_t)added + 1);
	}
	return 1;
}
