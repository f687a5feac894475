/* SPDX-License-Identifier: MIT */
/**
 * \file common/json.h
 * \brief A streaming JSON writer, which keeps no document in memory.
 *
 * The key is the name of a value in an object; it is NULL for a value in an array and for an outermost value.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdint.h>
#include <stdio.h>

/** Receives the values of a document instead of a file. */
typedef struct json_sink {
	void (*begin)(void *user, const char *key, int is_array);
	void (*end)(void *user);
	/** A value as text; NULL for null. */
	void (*value)(void *user, const char *key, const char *text);
} json_sink;

typedef struct json_writer {
	FILE *file;
	const json_sink *sink; /**< NULL if the document is written to the file. */
	void *user;            /**< For the functions of the sink. */
	int is_lines;          /**< One line for each outermost value; otherwise for each field and table row. */
	int needs_comma;       /**< The object or array already has a value. */
	unsigned int depth;
} json_writer;

/**
 * The version of all documents. It is incremented when a field changes its meaning or is removed, not when fields are
 * added.
 */
#define JSON_SCHEMA_VERSION 1

/** Starts to write to \p file, which is borrowed. \p is_lines: one line for each outermost value. */
void json_init(json_writer *json, FILE *file, int is_lines);

/** Starts to pass a document to a sink, which is borrowed. */
void json_init_sink(json_writer *json, const json_sink *sink, void *user);

void json_begin_object(json_writer *json, const char *key);
void json_end_object(json_writer *json);
/** Begins a document: an object with the version of its fields. */
void json_begin_document(json_writer *json);

void json_begin_array(json_writer *json, const char *key);
void json_end_array(json_writer *json);

/** Prints null, for an unknown value. */
void json_null(json_writer *json, const char *key);

/** A text of two hexadecimal digits for each byte. */
void json_bytes(json_writer *json, const char *key, const uint8_t *bytes, size_t size);

/** Prints a value that is JSON already. */
void json_plain(json_writer *json, const char *key, const char *text);

/** Prints text, which need not be UTF-8: invalid bytes are replaced. NULL prints null. */
void json_string(json_writer *json, const char *key, const char *text);

void json_unsigned(json_writer *json, const char *key, uint64_t number);
void json_signed(json_writer *json, const char *key, int64_t number);
void json_boolean(json_writer *json, const char *key, int truth);

/** Prints a number; NaN and infinity, which JSON does not have, are printed as null. */
void json_double(json_writer *json, const char *key, double number);

/** Prints number / 10^decimals with \p decimals digits after the point, up to 9. */
void json_fixed(json_writer *json, const char *key, uint64_t number, unsigned int decimals);

/** Prints a number; as a string if it exceeds 2^53, because most programs would round it. */
void json_large(json_writer *json, const char *key, uint64_t number);

/** Prints a number as a string such as "0x1f", for identifiers that are not used in arithmetic. */
void json_hexadecimal(json_writer *json, const char *key, uint64_t number);

#endif
