/* SPDX-License-Identifier: MIT */
/**
 * \file import/json_reader.h
 * \brief Reads JSON token by token, in memory that does not depend on the size of the document.
 *
 * It is a parser of its own since documents of gigabytes are read as a stream, with the offset of each fault, and the
 * libraries that Debian has either build a tree or call back for each token.
 */
#ifndef IMPORT_JSON_READER_H
#define IMPORT_JSON_READER_H

#include "import/import.h"

/** Objects and arrays inside each other. */
enum { JSON_MAX_DEPTH = 256 };

typedef enum json_token {
	JSON_FAULT, /**< See json_reader::problem; all later tokens are faults, too. */
	JSON_END,   /**< Of the document. */
	JSON_OBJECT_BEGIN,
	JSON_OBJECT_END,
	JSON_ARRAY_BEGIN,
	JSON_ARRAY_END,
	JSON_KEY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_LITERAL /**< true, false, null. */
} json_token;

typedef struct json_reader {
	import_source *source;
	char *text;      /**< Of a key, string or literal, or of a number: UTF-8 without NUL bytes, NUL-terminated. */
	size_t length;   /**< Of the text in bytes. */
	size_t capacity; /**< Of the text in bytes. */
	uint64_t offset; /**< Of the token. */
	const char *problem;
	uint32_t depth;
	int after_value; /**< A comma or an end must follow. */
	int after_key;
	uint8_t kinds[JSON_MAX_DEPTH]; /**< By depth: '{' or '['. */
} json_reader;

void json_reader_init(json_reader *json, import_source *source);
void json_reader_release(json_reader *json);

/** Reads the next token. */
json_token json_reader_next(json_reader *json);

/** Skips the value whose first token was returned last. Returns whether there was no fault. */
int json_reader_skip(json_reader *json, json_token first);

/** The number that was returned last, if it is an integer from \p least to \p most; otherwise a fault, and 0. */
int json_reader_integer(json_reader *json, int64_t least, int64_t most, int64_t *number);

/** Makes the last token a fault. Returns #JSON_FAULT. */
json_token json_reader_refuse(json_reader *json, const char *problem);

#endif
