/* SPDX-License-Identifier: MIT */
/* Reads the options of the native modules from their environment variables. */
#include "instrument_options.h"

#include "shared/dialects.h"
#include "shared/codec_names.h"
#include "shared/resolution.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORD 512
#define LABEL_SIZE 40

/* The salvage path of this process. Static, since the recorder options point to it until the recorder is open. */
static char salvage_path[MAX_WORD];

static uint32_t number_of(const char *value)
{
	return (uint32_t)strtoul(value, NULL, 10);
}

/* Reads "64k". Returns 0 if it is not a number of at most 2^63. */
static uint64_t size_of(const char *value)
{
	static const char letters[] = "kmg";
	char *end;
	uint64_t number;
	const char *letter;
	int shift;

	errno = 0;
	number = strtoull(value, &end, 10);
	letter = *end != '\0' ? strchr(letters, tolower((unsigned char)*end)) : NULL;
	shift = letter != NULL ? 10 * (int)(letter - letters + 1) : 0;
	if (errno != 0 || (*end != '\0' && *end != ',' && letter == NULL) || number > UINT64_MAX >> 1 >> shift)
		return 0;
	return number << shift;
}

uint64_t instrument_options_number(const char *words, const char *name)
{
	size_t length = strlen(name);

	for (const char *word = words; word != NULL; word = strchr(word, ',')) {
		word += word[0] == ',';
		if (strncmp(word, name, length) == 0 && word[length] == '=')
			return size_of(word + length + 1);
	}
	return 0;
}

int instrument_options_has(const char *words, const char *name)
{
	size_t length = strlen(name);

	for (const char *word = words; word != NULL; word = strchr(word, ',')) {
		word += word[0] == ',';
		if (strncmp(word, name, length) == 0 && (word[length] == ',' || word[length] == '\0'))
			return 1;
	}
	return 0;
}

int instrument_options_text(const char *words, const char *name, char *value, size_t size)
{
	size_t length = strlen(name);

	for (const char *word = words; word != NULL; word = strchr(word, ',')) {
		word += word[0] == ',';
		if (strncmp(word, name, length) == 0 && word[length] == '=') {
			word += length + 1;
			/* A value that does not fit is truncated; the rest is still too long to be used. */
			snprintf(value, size, "%.*s", (int)strcspn(word, ","), word);
			return 1;
		}
	}
	return 0;
}

static void read_word(const char *word, const char *value, mprof_writer_options *writer,
		      mprof_recorder_options *recorder)
{
	if (strcmp(word, "drop") == 0)
		recorder->overflow = MPROF_OVERFLOW_DROP;
	else if (strcmp(word, "gzip") == 0)
		writer->gzip_level = value[0] != '\0' ? number_of(value) : 1;
	else if (strcmp(word, "compress") == 0)
		(void)codec_names_parse(value, &writer->codec, &writer->codec_level);
	else if (strcmp(word, "buffers") == 0)
		recorder->max_buffers = number_of(value);
	else if (strcmp(word, "buffer-events") == 0)
		recorder->buffer_events = number_of(value);
	else if (strcmp(word, "interval") == 0)
		recorder->drain_interval_ms = number_of(value);
	else if (strcmp(word, "resolution") == 0)
		/* An invalid value means the default, as for other words. */
		(void)resolution_parse(value, &recorder->resolution_ns);
	else if (strcmp(word, "drain-threads") == 0)
		recorder->drain_threads = number_of(value);
	else if (strcmp(word, "max-size") == 0)
		recorder->max_log_bytes = size_of(value);
	else if (strcmp(word, "salvage") == 0 && strlen(value) < sizeof(salvage_path))
		recorder->salvage_path = strcpy(salvage_path, value);
	else if (strcmp(word, "format") == 0)
		/* An invalid name means the default, as for other values. */
		writer->dialect = dialects_find(value);
}

void instrument_options_read(const char *words, mprof_writer_options *writer, mprof_recorder_options *recorder)
{
	const char *rest = words;

	while (rest != NULL && *rest != '\0') {
		size_t length = strcspn(rest, ",");
		char word[MAX_WORD];
		char *value;

		if (length < MAX_WORD) {
			memcpy(word, rest, length);
			word[length] = '\0';
			value = strchr(word, '=');
			if (value != NULL)
				*value++ = '\0';
			read_word(word, value != NULL ? value : "", writer, recorder);
		}
		rest += length + (rest[length] == ',');
	}
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
		const char *name = program_invocation_short_name + strspn(program_invocation_short_name, "-");
		int made = snprintf(path, INSTRUMENT_PATH_SIZE, "%s.mprof", *name != '\0' ? name : "log");

		return made > 0 && made < INSTRUMENT_PATH_SIZE && make_absolute(path);
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
