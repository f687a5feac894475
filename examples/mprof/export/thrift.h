/* SPDX-License-Identifier: MIT */
/**
 * \file export/thrift.h
 * \brief Messages in the compact protocol of Thrift, in memory.
 */
#ifndef EXPORT_THRIFT_H
#define EXPORT_THRIFT_H

#include <stddef.h>
#include <stdint.h>

/** Types of fields and elements. */
enum {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

/** The maximum depth of structs in each other. */
#define THRIFT_DEPTH 8

/** Bytes. Initialized with 0. */
typedef struct thrift_buffer {
	unsigned char *bytes;
	size_t length;
	size_t capacity;
	int has_failed;               /**< Out of memory. */
	int32_t fields[THRIFT_DEPTH]; /**< The latest field of each open struct. */
	size_t depth;
} thrift_buffer;

void thrift_append(thrift_buffer *buffer, const void *bytes, size_t length);
void thrift_varint(thrift_buffer *buffer, uint64_t number);

/** Begins a struct: an element of a list, or the message itself. */
void thrift_begin(thrift_buffer *buffer);
void thrift_end(thrift_buffer *buffer);

/** Fields of the open struct, in the order of their IDs. A struct ends with thrift_end(). */
void thrift_integer(thrift_buffer *buffer, int32_t field, int type, int64_t number);
void thrift_binary(thrift_buffer *buffer, int32_t field, const char *text);
void thrift_struct(thrift_buffer *buffer, int32_t field);
/** The elements follow: with thrift_begin(), thrift_element_integer() or thrift_element_binary(). */
void thrift_list(thrift_buffer *buffer, int32_t field, int type, size_t count);
void thrift_element_integer(thrift_buffer *buffer, int64_t number);
void thrift_element_binary(thrift_buffer *buffer, const char *text);

void thrift_release(thrift_buffer *buffer);

#endif
