/* SPDX-License-Identifier: MIT */
/* Writes JSON values one after another, with line breaks or one document per line. */
#include "common/json.h"

#include "shared/utf8.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXACT (UINT64_C(1) << 53)

/* Deeper values are on the line of their row: in a deep tree, most of the output would be indentation. */
#define MAX_INDENTATION 2

void json_init(json_writer *json, FILE *file, int is_lines)
{
	json->file = file;
	json->sink = NULL;
	json->user = NULL;
	json->is_lines = is_lines;
	json->needs_comma = 0;
	json->depth = 0;
}

void json_init_sink(json_writer *json, const json_sink *sink, void *user)
{
	json_init(json, NULL, 0);
	json->sink = sink;
	json->user = user;
}

static void begin_line(json_writer *json)
{
	unsigned int indentation = json->depth;

	if (json->is_lines || json->depth > MAX_INDENTATION)
		return;
	putc_unlocked('\n', json->file);
	while (indentation-- > 0)
		putc_unlocked(' ', json->file);
}

/* Length of the start of a text that needs no escaping in JSON. Terminal control characters are escaped. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	for (;;) {
		unsigned char first = (unsigned char)text[length];

		if (first < 0x20 || first == 0x7f || first == '"' || first == '\\')
			return length;
		if (first < 0x80)
			length++;
		else if (utf8_sequence(text + length) > 0 && !utf8_is_control(text + length) &&
			 !utf8_changes_order(text + length))
			length += utf8_sequence(text + length);
		else
			return length;
	}
}

/* Prints an escaped character, or a replacement for invalid UTF-8. Returns the rest of the text. */
static const char *put_special(FILE *file, const char *text)
{
	size_t bytes = utf8_sequence(text);

	if (bytes == 0)
		fputs("\\ufffd", file);
	else if (*text == '"' || *text == '\\')
		fprintf(file, "\\%c", *text);
	else
		fprintf(file, "\\u%04x", (unsigned int)utf8_code_point(text));
	return text + (bytes > 0 ? bytes : 1);
}

static void put_string(json_writer *json, const char *text)
{
	FILE *file = json->file;

	putc_unlocked('"', file);
	for (;;) {
		size_t length = plain_length(text);

		fwrite(text, 1, length, file);
		text += length;
		if (*text == '\0')
			break;
		text = put_special(file, text);
	}
	putc_unlocked('"', file);
}

#define NUMBER_SIZE 40

/* Returns the start of the digits in \p text. printf() is slow, and a dump consists mostly of numbers. */
static char *format_number(char *text, uint64_t number, unsigned int base)
{
	char *first = text + NUMBER_SIZE - 1;

	*first = '\0';
	do {
		*--first = "0123456789abcdef"[number % base];
		number /= base;
	} while (number > 0);
	return first;
}

/* Prints the separator, indentation and key before a value. */
static void begin_value(json_writer *json, const char *key)
{
	if (json->needs_comma)
		putc_unlocked(',', json->file);
	if (json->depth > 0)
		begin_line(json);
	if (key != NULL) {
		put_string(json, key);
		putc_unlocked(':', json->file);
		if (!json->is_lines && json->depth <= MAX_INDENTATION)
			putc_unlocked(' ', json->file);
	}
	json->needs_comma = 1;
}

/* An outermost value is followed by a line feed, not by a comma. */
static void end_value(json_writer *json)
{
	if (json->depth > 0)
		return;
	putc_unlocked('\n', json->file);
	json->needs_comma = 0;
}

void json_plain(json_writer *json, const char *key, const char *text)
{
	if (json->sink != NULL) {
		json->sink->value(json->user, key, text);
		return;
	}
	begin_value(json, key);
	fputs(text, json->file);
	end_value(json);
}

/* Writes a text in quotes. */
static void put_quoted(json_writer *json, const char *key, const char *text)
{
	if (json->sink != NULL) {
		json->sink->value(json->user, key, text);
		return;
	}
	begin_value(json, key);
	putc_unlocked('"', json->file);
	fputs(text, json->file);
	putc_unlocked('"', json->file);
	end_value(json);
}

static void begin_group(json_writer *json, const char *key, char bracket)
{
	if (json->sink != NULL) {
		json->sink->begin(json->user, key, bracket == '[');
		return;
	}
	begin_value(json, key);
	putc_unlocked(bracket, json->file);
	json->needs_comma = 0;
	json->depth++;
}

static void end_group(json_writer *json, char bracket)
{
	int has_lines = json->needs_comma && json->depth <= MAX_INDENTATION;

	if (json->sink != NULL) {
		json->sink->end(json->user);
		return;
	}
	json->depth--;
	if (has_lines)
		begin_line(json);
	putc_unlocked(bracket, json->file);
	json->needs_comma = 1;
	end_value(json);
}

void json_begin_object(json_writer *json, const char *key)
{
	begin_group(json, key, '{');
}

void json_begin_document(json_writer *json)
{
	json_begin_object(json, NULL);
	json_unsigned(json, "schema_version", JSON_SCHEMA_VERSION);
}

void json_end_object(json_writer *json)
{
	end_group(json, '}');
}

void json_begin_array(json_writer *json, const char *key)
{
	begin_group(json, key, '[');
}

void json_end_array(json_writer *json)
{
	end_group(json, ']');
}

void json_string(json_writer *json, const char *key, const char *text)
{
	if (json->sink != NULL) {
		json->sink->value(json->user, key, text);
		return;
	}
	begin_value(json, key);
	if (text != NULL)
		put_string(json, text);
	else
		fputs("null", json->file);
	end_value(json);
}

void json_bytes(json_writer *json, const char *key, const uint8_t *bytes, size_t size)
{
	char *text = malloc(2 * size + 1);

	if (text == NULL) {
		json_null(json, key);
		return;
	}
	for (size_t i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	text[2 * size] = '\0';
	put_quoted(json, key, text);
	free(text);
}

void json_null(json_writer *json, const char *key)
{
	json_string(json, key, NULL);
}

void json_unsigned(json_writer *json, const char *key, uint64_t number)
{
	char text[NUMBER_SIZE];

	json_plain(json, key, format_number(text, number, 10));
}

void json_signed(json_writer *json, const char *key, int64_t number)
{
	char text[NUMBER_SIZE];
	char *first = format_number(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);

	if (number < 0)
		*--first = '-';
	json_plain(json, key, first);
}

void json_boolean(json_writer *json, const char *key, int truth)
{
	json_plain(json, key, truth ? "true" : "false");
}

void json_double(json_writer *json, const char *key, double number)
{
	char text[NUMBER_SIZE];

	if (!isfinite(number)) {
		json_null(json, key);
		return;
	}
	snprintf(text, sizeof(text), "%.15g", number);
	if (strtod(text, NULL) != number)
		snprintf(text, sizeof(text), "%.17g", number);
	json_plain(json, key, text);
}

void json_fixed(json_writer *json, const char *key, uint64_t number, unsigned int decimals)
{
	char text[NUMBER_SIZE];
	char *first = format_number(text, number, 10);
	char *const end = text + NUMBER_SIZE - 1;

	while (first >= end - decimals)
		*--first = '0';
	memmove(first - 1, first, (size_t)(end - first) - decimals);
	end[-1 - (ptrdiff_t)decimals] = '.';
	json_plain(json, key, first - 1);
}

void json_large(json_writer *json, const char *key, uint64_t number)
{
	char text[NUMBER_SIZE];
	const char *digits = format_number(text, number, 10);

	if (number > MAX_EXACT)
		put_quoted(json, key, digits);
	else
		json_plain(json, key, digits);
}

void json_hexadecimal(json_writer *json, const char *key, uint64_t number)
{
	char text[NUMBER_SIZE];
	char *first = format_number(text, number, 16);

	*--first = 'x';
	*--first = '0';
	put_quoted(json, key, first);
}
