/* SPDX-License-Identifier: MIT */
/**
 * \file common/json.h
 * \brief Prints JSON as it comes, without keeping it.
 *
 * A key is given for what stands in an object and is NULL for what stands in an array or alone.
 */
#ifndef JSON_H
#define JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct json_writer {
	FILE *file;
	int is_lines; /**< Each outermost value on one line; otherwise each field of it, and each row of its tables. */
	int needs_comma; /**< Something stands before in the object or array. */
	unsigned int depth;
} json_writer;

/** The version of all documents: it grows when a field changes its meaning or goes. New fields may come at any time. */
#define JSON_SCHEMA_VERSION 1

void json_init(json_writer *json, FILE *file, int is_lines);

void json_begin_object(json_writer *json, const char *key);
void json_end_object(json_writer *json);
/** Begins a document: an object with the version of its fields. */
void json_begin_document(json_writer *json);

void json_begin_array(json_writer *json, const char *key);
void json_end_array(json_writer *json);

/** The value of what is not known. */
void json_null(json_writer *json, const char *key);

/** Text that need not be UTF-8: what is not is replaced. NULL prints null. */
void json_string(json_writer *json, const char *key, const char *text);

void json_unsigned(json_writer *json, const char *key, uint64_t number);
void json_signed(json_writer *json, const char *key, int64_t number);
void json_boolean(json_writer *json, const char *key, int truth);

/** What is no number in JSON prints null. */
void json_double(json_writer *json, const char *key, double number);

/** A number as text if it is so large (2^53) that most programs would round it. */
void json_large(json_writer *json, const char *key, uint64_t number);

/** A number as text like "0x1f": identifications, with which nobody computes. */
void json_hexadecimal(json_writer *json, const char *key, uint64_t number);

#endif
