/* SPDX-License-Identifier: MIT */
/* Reads JSON token by token. */
#include "import/json_reader.h"

#include "shared/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A longer text is a fault. */
#define MAX_TEXT (SIZE_MAX / 4 < ((size_t)1 << 30) ? SIZE_MAX / 4 : (size_t)1 << 30)

#define REPLACEMENT 0xfffd

enum { HEX_DIGITS = 4 };

void json_reader_init(json_reader *json, import_source *source)
{
	memset(json, 0, sizeof(*json));
	json->source = source;
}

void json_reader_release(json_reader *json)
{
	free(json->text);
	json->text = NULL;
}

json_token json_reader_refuse(json_reader *json, const char *problem)
{
	if (json->problem == NULL)
		json->problem = problem;
	return JSON_FAULT;
}

/* A fault at the byte that was taken last, or at the end. */
static json_token refuse_byte(json_reader *json, int byte, const char *problem)
{
	if (json->problem != NULL)
		return JSON_FAULT;
	json->offset = import_source_offset(json->source) - (byte >= 0);
	if (byte < 0)
		problem = json->source->problem != NULL ? json->source->problem : "the file ends within the document";
	return json_reader_refuse(json, problem);
}

static int append_byte(json_reader *json, int byte)
{
	if (json->length + 1 >= json->capacity) {
		const size_t capacity = 2 * json->capacity + 256;
		char *text = capacity <= MAX_TEXT ? realloc(json->text, capacity) : NULL;

		if (text == NULL) {
			json_reader_refuse(json, capacity <= MAX_TEXT ? "out of memory" : "a text is too long");
			return 0;
		}
		json->text = text;
		json->capacity = capacity;
	}
	json->text[json->length++] = (char)byte;
	json->text[json->length] = '\0';
	return 1;
}

/* A NUL character cannot be in a name of a log, and half of a surrogate pair is not a character. */
static int append_character(json_reader *json, uint32_t number)
{
	if (number == 0 || (number >= 0xd800 && number < 0xe000))
		number = REPLACEMENT;
	if (number < 0x80)
		return append_byte(json, (int)number);
	if (number < 0x800)
		return append_byte(json, (int)(0xc0 | number >> 6)) && append_byte(json, (int)(0x80 | (number & 0x3f)));
	if (number < 0x10000)
		return append_byte(json, (int)(0xe0 | number >> 12)) &&
		       append_byte(json, (int)(0x80 | (number >> 6 & 0x3f))) &&
		       append_byte(json, (int)(0x80 | (number & 0x3f)));
	return append_byte(json, (int)(0xf0 | number >> 18)) &&
	       append_byte(json, (int)(0x80 | (number >> 12 & 0x3f))) &&
	       append_byte(json, (int)(0x80 | (number >> 6 & 0x3f))) &&
	       append_byte(json, (int)(0x80 | (number & 0x3f)));
}

static int read_hex(json_reader *json, uint32_t *number)
{
	*number = 0;
	for (int i = 0; i < HEX_DIGITS; i++) {
		const int byte = import_source_byte(json->source);
		const char *digits = "0123456789abcdef", *found;

		found = byte > 0 ? strchr(digits, byte >= 'A' && byte <= 'F' ? byte - 'A' + 'a' : byte) : NULL;
		if (found == NULL) {
			refuse_byte(json, byte, "\\u is not followed by four hexadecimal digits");
			return 0;
		}
		*number = *number << 4 | (uint32_t)(found - digits);
	}
	return 1;
}

/* A character outside of the first 65536 is written as a surrogate pair. \p high: the half before, or 0. */
static int read_escape(json_reader *json, uint32_t *high)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const int byte = import_source_byte(json->source);
	const char *found = byte > 0 ? strchr(letters, byte) : NULL;
	uint32_t number;

	if (byte != 'u') {
		if (*high != 0 && !append_character(json, *high))
			return 0;
		*high = 0;
		if (found == NULL)
			return refuse_byte(json, byte, "unknown escape sequence") != JSON_FAULT;
		return append_byte(json, values[found - letters]);
	}
	if (!read_hex(json, &number))
		return 0;
	if (*high != 0 && number >= 0xdc00 && number < 0xe000) {
		number = 0x10000 + ((*high - 0xd800) << 10) + (number - 0xdc00);
		*high = 0;
		return append_character(json, number);
	}
	if (*high != 0 && !append_character(json, *high))
		return 0;
	*high = number >= 0xd800 && number < 0xdc00 ? number : 0;
	return *high != 0 || append_character(json, number);
}

/* Replaces bytes that are not UTF-8. */
static int repair_text(json_reader *json)
{
	char *bytes;
	size_t length = json->length;
	int is_valid = 1;

	for (size_t i = 0, step; i < length; i += step) {
		step = utf8_sequence(json->text + i);
		if (step == 0) {
			is_valid = 0;
			break;
		}
	}
	if (is_valid)
		return 1;
	bytes = strdup(json->text);
	if (bytes == NULL)
		return json_reader_refuse(json, "out of memory") != JSON_FAULT;
	json->length = 0;
	for (size_t i = 0; i < length && json->problem == NULL;) {
		const size_t step = utf8_sequence(bytes + i);

		if (step == 0)
			append_character(json, REPLACEMENT);
		for (size_t k = 0; k < step; k++)
			append_byte(json, bytes[i + k]);
		i += step > 0 ? step : 1;
	}
	free(bytes);
	return json->problem == NULL;
}

static int read_string(json_reader *json)
{
	uint32_t high = 0;
	int has_high_bytes = 0;

	for (;;) {
		const int byte = import_source_byte(json->source);

		if (byte == '\\') {
			if (!read_escape(json, &high))
				return 0;
			continue;
		}
		if (high != 0 && !append_character(json, high))
			return 0;
		high = 0;
		if (byte == '"')
			break;
		if (byte < ' ')
			return refuse_byte(json, byte, "a control character in a string") != JSON_FAULT;
		has_high_bytes |= byte >= 0x80;
		if (!append_byte(json, byte))
			return 0;
	}
	return !has_high_bytes || repair_text(json);
}

/* Numbers and literals end before the next byte that cannot be one of theirs. */
static json_token read_word(json_reader *json, int byte)
{
	static const char *const literals[] = {"true", "false", "null"};
	const char *digits;
	char *end;

	while (byte == '-' || byte == '+' || byte == '.' || (byte >= '0' && byte <= '9') ||
	       (byte >= 'a' && byte <= 'z') || byte == 'E') {
		if (!append_byte(json, byte))
			return JSON_FAULT;
		byte = import_source_byte(json->source);
	}
	if (byte >= 0)
		json->source->position--;
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
		if (strcmp(json->text, literals[i]) == 0)
			return JSON_LITERAL;
	}
	digits = json->text + (json->text[0] == '-');
	strtod(json->text, &end);
	/* strtod() also accepts what is not a number of JSON: words, and hexadecimal digits. */
	if (*end != '\0' || *digits < '0' || *digits > '9' || strspn(json->text, "0123456789+-.eE") != json->length)
		return json_reader_refuse(json, "not a value of JSON");
	return JSON_NUMBER;
}

static json_token begin(json_reader *json, uint8_t kind)
{
	if (json->depth == JSON_MAX_DEPTH)
		return json_reader_refuse(json, "too many objects and arrays inside each other");
	json->kinds[json->depth++] = kind;
	json->after_value = json->after_key = 0;
	return kind == '{' ? JSON_OBJECT_BEGIN : JSON_ARRAY_BEGIN;
}

static json_token end(json_reader *json, uint8_t kind)
{
	if (json->depth == 0 || json->kinds[json->depth - 1] != kind || json->after_key)
		return json_reader_refuse(json, "an end without a start");
	json->depth--;
	json->after_value = 1;
	return kind == '{' ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static int next_byte(json_reader *json)
{
	int byte;

	do
		byte = import_source_byte(json->source);
	while (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t');
	return byte;
}

/* A string is a key, if the object has no key yet that waits for its value. */
static json_token read_key(json_reader *json)
{
	int byte;

	if (!read_string(json))
		return JSON_FAULT;
	byte = next_byte(json);
	if (byte != ':')
		return refuse_byte(json, byte, "no colon after a key");
	json->after_key = 1;
	return JSON_KEY;
}

static json_token read_value(json_reader *json, int byte)
{
	const int in_object = json->depth > 0 && json->kinds[json->depth - 1] == '{';
	json_token token;

	if (byte == '}' || byte == ']')
		return end(json, byte == '}' ? '{' : '[');
	if (in_object && !json->after_key)
		return byte == '"' ? read_key(json) : refuse_byte(json, byte, "no key where one must be");
	json->after_key = 0;
	if (byte == '{' || byte == '[')
		return begin(json, (uint8_t)byte);
	token = byte == '"' ? (read_string(json) ? JSON_STRING : JSON_FAULT) : read_word(json, byte);
	json->after_value = token != JSON_FAULT;
	return token;
}

json_token json_reader_next(json_reader *json)
{
	int byte;

	if (json->problem != NULL)
		return JSON_FAULT;
	json->length = 0;
	if (!append_byte(json, ' '))
		return JSON_FAULT;
	json->length = 0;
	json->text[0] = '\0';
	byte = next_byte(json);
	if (json->depth == 0 && json->after_value)
		return byte < 0 && json->source->problem == NULL ? JSON_END
								 : refuse_byte(json, byte, "bytes after the document");
	if (json->after_value && byte == ',') {
		json->after_value = 0;
		byte = next_byte(json);
		if (byte == '}' || byte == ']')
			return refuse_byte(json, byte, "a comma before an end");
	} else if (json->after_value && byte != '}' && byte != ']') {
		return refuse_byte(json, byte, "no comma between values");
	}
	if (byte < 0)
		return refuse_byte(json, byte, NULL);
	json->offset = import_source_offset(json->source) - 1;
	return read_value(json, byte);
}

int json_reader_skip(json_reader *json, json_token first)
{
	const uint32_t depth = json->depth;

	if (first == JSON_OBJECT_BEGIN || first == JSON_ARRAY_BEGIN) {
		while (json->problem == NULL && json->depth >= depth)
			json_reader_next(json);
	}
	return json->problem == NULL;
}

int json_reader_integer(json_reader *json, int64_t least, int64_t most, int64_t *number)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(json->text, &end, 10);
	/* A fraction of 0 is written by some programs. */
	if (*end == '.' && end[1 + strspn(end + 1, "0")] == '\0')
		end += strlen(end);
	*number = value;
	if (end != json->text && *end == '\0' && errno == 0 && value >= least && value <= most)
		return 1;
	*number = 0;
	return json_reader_refuse(json, "a number is not an integer, or is out of range") != JSON_FAULT;
}
