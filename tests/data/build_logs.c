/* SPDX-License-Identifier: MIT */
/*
 * Builds a log from each description: build_logs DIRECTORY_OF_DESCRIPTIONS DIRECTORY_OF_LOGS. NAME.desc becomes
 * NAME.mprof. README.md in this directory specifies the form of a description.
 */
#include "log_output.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_LINE_LENGTH 4000

/* The wall-clock time of counter 0 in microseconds since the epoch, if a description does not specify it. */
#define TIME_OF_COUNTER_0 UINT64_C(1200000000000000)

/* How numbers and pairs of digits on the rest of a line are encoded. */
typedef enum number_form { FORM_BYTES, FORM_INT, FORM_ID } number_form;

typedef struct description {
	const char *path;
	unsigned line;
	log_output out;
	size_t cut; /* Bytes to leave out at the end. */
} description;

static void fail(const description *from, const char *what, const char *word)
{
	fprintf(stderr, "%s:%u: %s: %s\n", from->path, from->line, what, word);
	exit(1);
}

/* Reads the next word of a line, or a text with its quotes. Returns 0 after the last one. */
static int next_word(const description *from, char **cursor, char word[MAX_LINE_LENGTH])
{
	char *end = *cursor + strspn(*cursor, " \t\n");
	size_t length;

	*cursor = end;
	if (*end == 0 || *end == '#')
		return 0;
	if (*end == '"') {
		for (end++; *end != '"'; end++) {
			if (*end == 0)
				fail(from, "a text without a closing quote", *cursor);
			end += *end == '\\' && end[1] != 0;
		}
		end++;
	} else {
		end += strcspn(end, " \t\n#");
	}
	length = (size_t)(end - *cursor);
	memcpy(word, *cursor, length);
	word[length] = 0;
	*cursor = end;
	return 1;
}

static void need_word(const description *from, char **cursor, char word[MAX_LINE_LENGTH])
{
	if (!next_word(from, cursor, word))
		fail(from, "a word is missing", *cursor);
}

static uint64_t number_of(const description *from, const char *word)
{
	char *end;
	uint64_t value = word[0] == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);

	if (end == word || *end != 0)
		fail(from, "not a number", word);
	return value;
}

static uint64_t need_number(const description *from, char **cursor)
{
	char word[MAX_LINE_LENGTH];

	need_word(from, cursor, word);
	return number_of(from, word);
}

static int is_byte(const char *word)
{
	return isxdigit((unsigned char)word[0]) && isxdigit((unsigned char)word[1]) && word[2] == 0;
}

/* Writes a text and its terminating byte 0. */
static void put_text(description *from, const char *word)
{
	for (const char *cursor = word + 1; *cursor != '"' || cursor[1] != 0; cursor++) {
		if (*cursor == '\\' && cursor[1] == 'x') {
			char digits[] = {cursor[2], cursor[3], 0};

			if (!is_byte(digits))
				fail(from, "not a byte", word);
			log_output_byte(&from->out, (uint8_t)strtoul(digits, NULL, 16));
			cursor += 3;
		} else {
			cursor += *cursor == '\\';
			log_output_byte(&from->out, (uint8_t)*cursor);
		}
	}
	log_output_byte(&from->out, 0);
}

/* Writes a clock pair from COUNTER or COUNTER/TIME. */
static void put_clock(description *from, char **cursor)
{
	char word[MAX_LINE_LENGTH];
	char *slash;
	uint64_t counter;

	need_word(from, cursor, word);
	slash = strchr(word, '/');
	if (slash != NULL)
		*slash = 0;
	counter = number_of(from, word);
	log_output_clock(&from->out, counter, slash != NULL ? number_of(from, slash + 1) : TIME_OF_COUNTER_0 + counter);
}

static void begin_block(description *from, char **cursor)
{
	char word[MAX_LINE_LENGTH];
	uint32_t code;

	need_word(from, cursor, word);
	if (from->out.rules == NULL)
		fail(from, "a block before the dialect", word);
	code = log_rules_code(from->out.rules, word);
	log_output_begin(&from->out, code != 0 ? code : (uint32_t)number_of(from, word));
}

static void set_checksum(description *from, char **cursor)
{
	char word[MAX_LINE_LENGTH];

	need_word(from, cursor, word);
	from->out.has_no_checksum = strcmp(word, "none") == 0;
	if (from->out.has_no_checksum)
		return;
	from->out.has_checksum = 1;
	from->out.said_checksum = (uint32_t)number_of(from, word);
}

/* Applies a word that changes the log or the open block. Returns 0 if it is not such a word. */
static int apply_statement(description *from, const char *word, char **cursor)
{
	log_output *out = &from->out;
	char name[MAX_LINE_LENGTH];

	if (strcmp(word, "dialect") == 0) {
		need_word(from, cursor, name);
		out->rules = log_rules_find(name);
		if (out->rules == NULL)
			fail(from, "unknown dialect", name);
	} else if (strcmp(word, "block") == 0) {
		begin_block(from, cursor);
	} else if (strcmp(word, "outside") == 0) {
		log_output_end(out);
	} else if (strcmp(word, "length") == 0) {
		out->said_length = (uint32_t)need_number(from, cursor);
		out->has_length = 1;
	} else if (strcmp(word, "delta") == 0) {
		out->said_delta = (uint32_t)need_number(from, cursor);
		out->has_delta = 1;
	} else if (strcmp(word, "written") == 0) {
		out->header_counter = need_number(from, cursor);
	} else if (strcmp(word, "checksum") == 0) {
		set_checksum(from, cursor);
	} else if (strcmp(word, "cut") == 0) {
		from->cut = need_number(from, cursor);
	} else {
		return 0;
	}
	return 1;
}

static void put_number(description *from, number_form form, const char *word)
{
	if (form == FORM_INT)
		log_output_int(&from->out, number_of(from, word));
	else if (form == FORM_ID)
		log_output_id(&from->out, (uint32_t)number_of(from, word));
	else if (is_byte(word))
		log_output_byte(&from->out, (uint8_t)strtoul(word, NULL, 16));
	else
		fail(from, "unknown word", word);
}

static void take_words(description *from, char *cursor)
{
	char word[MAX_LINE_LENGTH];
	number_form form = FORM_BYTES;

	while (next_word(from, &cursor, word)) {
		if (apply_statement(from, word, &cursor))
			continue;
		if (strcmp(word, "int") == 0) {
			form = FORM_INT;
		} else if (strcmp(word, "id") == 0) {
			form = FORM_ID;
		} else if (strcmp(word, "bytes") == 0) {
			form = FORM_BYTES;
		} else if (strcmp(word, "clock") == 0) {
			put_clock(from, &cursor);
		} else if (word[0] == '"') {
			put_text(from, word);
		} else if (strcmp(word, "times") == 0) {
			for (uint64_t count = need_number(from, &cursor); count > 0; count--)
				take_words(from, cursor);
			return;
		} else {
			put_number(from, form, word);
		}
	}
}

static void read_description(description *from)
{
	FILE *file = fopen(from->path, "r");
	char line[MAX_LINE_LENGTH];

	if (file == NULL)
		fail(from, "cannot be read", "");
	while (fgets(line, sizeof(line), file) != NULL) {
		from->line++;
		if (strchr(line, '\n') == NULL)
			fail(from, "a line is too long or has no end", line);
		take_words(from, line);
	}
	fclose(file);
	if (from->out.rules != NULL)
		log_output_end(&from->out);
	if (from->cut > from->out.length)
		fail(from, "cut exceeds the size of the log", "");
	from->out.length -= from->cut;
}

static void build(const char *from_directory, const char *to_directory, const char *name, size_t stem)
{
	char path[MAX_LINE_LENGTH];
	description from;
	FILE *file;

	memset(&from, 0, sizeof(from));
	snprintf(path, sizeof(path), "%s/%s", from_directory, name);
	from.path = path;
	read_description(&from);
	snprintf(path, sizeof(path), "%s/%.*s.mprof", to_directory, (int)stem, name);
	file = fopen(path, "wb");
	if (file == NULL || fwrite(from.out.bytes, 1, from.out.length, file) != from.out.length || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
	free(from.out.bytes);
}

int main(int count, char **arguments)
{
	const char *ending = ".desc";
	DIR *directory;
	const struct dirent *entry;

	if (count != 3) {
		fprintf(stderr, "usage: %s DIRECTORY_OF_DESCRIPTIONS DIRECTORY_OF_LOGS\n", arguments[0]);
		return 2;
	}
	directory = opendir(arguments[1]);
	if (directory == NULL) {
		perror(arguments[1]);
		return 1;
	}
	(void)mkdir(arguments[2], 0777);
	while ((entry = readdir(directory)) != NULL) {
		size_t length = strlen(entry->d_name);

		if (length > strlen(ending) && strcmp(entry->d_name + length - strlen(ending), ending) == 0)
			build(arguments[1], arguments[2], entry->d_name, length - strlen(ending));
	}
	closedir(directory);
	return 0;
}
