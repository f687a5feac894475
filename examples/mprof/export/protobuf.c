/* SPDX-License-Identifier: MIT */
/* Encodes messages of Protocol Buffers. */
#include "export/protobuf.h"

#include <stdlib.h>
#include <string.h>

/* Wire types. */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

#define WIRE_BITS 3

#define MAX_VARINT 10
#define FIXED64_SIZE 8

void protobuf_clear(protobuf_message *message)
{
	message->length = 0;
}

void protobuf_release(protobuf_message *message)
{
	free(message->bytes);
	memset(message, 0, sizeof(*message));
}

/* Makes room for more bytes. Returns 0 if out of memory. */
static int reserve(protobuf_message *message, size_t length)
{
	size_t capacity;
	unsigned char *bytes;

	if (message->has_failed)
		return 0;
	if (length <= message->capacity - message->length)
		return 1;
	capacity = 2 * message->capacity + length + 256;
	bytes = realloc(message->bytes, capacity);
	if (bytes == NULL) {
		message->has_failed = 1;
		return 0;
	}
	message->bytes = bytes;
	message->capacity = capacity;
	return 1;
}

/* Seven bits in a byte, least significant first; all bytes except the last have the high bit. */
static size_t encode_varint(unsigned char *bytes, uint64_t value)
{
	size_t length = 0;

	while (value >= 0x80) {
		bytes[length++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	bytes[length++] = (unsigned char)value;
	return length;
}

void protobuf_value(protobuf_message *message, uint64_t value)
{
	if (reserve(message, MAX_VARINT))
		message->length += encode_varint(message->bytes + message->length, value);
}

static void add_key(protobuf_message *message, uint32_t field, uint32_t type)
{
	protobuf_value(message, (uint64_t)field << WIRE_BITS | type);
}

void protobuf_number(protobuf_message *message, uint32_t field, uint64_t value)
{
	if (value == 0)
		return;
	add_key(message, field, WIRE_VARINT);
	protobuf_value(message, value);
}

void protobuf_raw64(protobuf_message *message, uint64_t value)
{
	if (!reserve(message, FIXED64_SIZE))
		return;
	for (int i = 0; i < FIXED64_SIZE; i++)
		message->bytes[message->length++] = (unsigned char)(value >> (8 * i));
}

void protobuf_fixed64(protobuf_message *message, uint32_t field, uint64_t value)
{
	add_key(message, field, WIRE_FIXED64);
	protobuf_raw64(message, value);
}

void protobuf_double(protobuf_message *message, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	protobuf_fixed64(message, field, bits);
}

void protobuf_bytes(protobuf_message *message, uint32_t field, const void *bytes, size_t length)
{
	add_key(message, field, WIRE_LENGTH);
	protobuf_value(message, length);
	if (length == 0 || !reserve(message, length))
		return;
	memcpy(message->bytes + message->length, bytes, length);
	message->length += length;
}

void protobuf_text(protobuf_message *message, uint32_t field, const char *text)
{
	protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_add(protobuf_message *message, uint32_t field, const protobuf_message *added)
{
	message->has_failed |= added->has_failed;
	protobuf_bytes(message, field, added->bytes, added->length);
}

void protobuf_begin(protobuf_message *message, uint32_t field, uint64_t length)
{
	add_key(message, field, WIRE_LENGTH);
	protobuf_value(message, length);
}

void protobuf_append(protobuf_message *message, const protobuf_message *added)
{
	message->has_failed |= added->has_failed;
	if (added->length == 0 || !reserve(message, added->length))
		return;
	memcpy(message->bytes + message->length, added->bytes, added->length);
	message->length += added->length;
}

void protobuf_write(FILE *stream, uint32_t field, const protobuf_message *message)
{
	unsigned char head[2 * MAX_VARINT];
	size_t length = encode_varint(head, (uint64_t)field << WIRE_BITS | WIRE_LENGTH);

	length += encode_varint(head + length, message->length);
	fwrite(head, 1, length, stream);
	if (message->length > 0)
		fwrite(message->bytes, 1, message->length, stream);
}
