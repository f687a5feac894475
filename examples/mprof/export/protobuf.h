/* SPDX-License-Identifier: MIT */
/**
 * \file export/protobuf.h
 * \brief Encodes messages of Protocol Buffers.
 *
 * A message is collected in memory, because its length precedes it, and then added to another one or written to a file.
 * Fields with the default value, 0 or an empty text, are left out, as proto3 requires. When memory is exhausted, the
 * message is marked as failed and ignores what follows.
 */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Initialized with 0. */
typedef struct protobuf_message {
	unsigned char *bytes;
	size_t length;
	size_t capacity;
	int has_failed;
} protobuf_message;

/** Removes all fields, and keeps the memory. */
void protobuf_clear(protobuf_message *message);
void protobuf_release(protobuf_message *message);

/** Adds an integer without a field number, for a packed field, which is then added like a message. */
void protobuf_value(protobuf_message *message, uint64_t value);

/** Adds a field of type uint32, uint64, bool or enum; int32 and int64 are cast to uint64_t. */
void protobuf_number(protobuf_message *message, uint32_t field, uint64_t value);

/** Adds 8 bytes without a field number, for a packed field of type fixed64 or double. */
void protobuf_raw64(protobuf_message *message, uint64_t value);

/** Adds a field of type fixed64, also if it is 0. */
void protobuf_fixed64(protobuf_message *message, uint32_t field, uint64_t value);

/** Adds a field of type double, also if it is 0. */
void protobuf_double(protobuf_message *message, uint32_t field, double value);

/** Adds a text, which must be valid UTF-8; also if it is empty, because it may be an element of a list. */
void protobuf_text(protobuf_message *message, uint32_t field, const char *text);

/** Adds bytes, also if there are none. */
void protobuf_bytes(protobuf_message *message, uint32_t field, const void *bytes, size_t length);

/** Adds a message or a packed field. */
void protobuf_add(protobuf_message *message, uint32_t field, const protobuf_message *added);

/** Adds the start of a field whose content, of \p length bytes, is written after the message. */
void protobuf_begin(protobuf_message *message, uint32_t field, uint64_t length);

/** Adds the fields of a message. */
void protobuf_append(protobuf_message *message, const protobuf_message *added);

/** Writes a message as a field of the outermost message, which is the file. */
void protobuf_write(FILE *stream, uint32_t field, const protobuf_message *message);

#endif
