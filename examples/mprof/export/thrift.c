/* SPDX-License-Identifier: MIT */
/* Encodes messages in the compact protocol of Thrift. */
#include "export/thrift.h"

#include <stdlib.h>
#include <string.h>

void thrift_append(thrift_buffer *buffer, const void *bytes, size_t length)
{
	size_t needed = buffer->length + length;

	if (needed > buffer->capacity) {
		size_t capacity = 2 * needed + 256;
		unsigned char *larger = realloc(buffer->bytes, capacity);

		if (larger == NULL) {
			buffer->has_failed = 1;
			return;
		}
		buffer->bytes = larger;
		buffer->capacity = capacity;
	}
	if (length > 0)
		memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length = needed;
}

static void append_byte(thrift_buffer *buffer, unsigned int byte)
{
	unsigned char value = (unsigned char)byte;

	thrift_append(buffer, &value, 1);
}

/* The high bit is set in all bytes but the last: not the varint of logs. */
void thrift_varint(thrift_buffer *buffer, uint64_t number)
{
	while (number >= 0x80) {
		append_byte(buffer, (unsigned int)(number & 0x7f) | 0x80);
		number >>= 7;
	}
	append_byte(buffer, (unsigned int)number);
}

static void append_zigzag(thrift_buffer *buffer, int64_t number)
{
	thrift_varint(buffer, ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0));
}

static void append_header(thrift_buffer *buffer, int32_t field, unsigned int type)
{
	int32_t *latest = &buffer->fields[buffer->depth];

	append_byte(buffer, (unsigned int)(field - *latest) << 4 | type);
	*latest = field;
}

void thrift_begin(thrift_buffer *buffer)
{
	if (buffer->depth + 1 < THRIFT_DEPTH)
		buffer->fields[++buffer->depth] = 0;
	else
		buffer->has_failed = 1;
}

void thrift_end(thrift_buffer *buffer)
{
	append_byte(buffer, 0);
	buffer->depth--;
}

void thrift_integer(thrift_buffer *buffer, int32_t field, int type, int64_t number)
{
	append_header(buffer, field, (unsigned int)type);
	append_zigzag(buffer, number);
}

void thrift_element_integer(thrift_buffer *buffer, int64_t number)
{
	append_zigzag(buffer, number);
}

void thrift_element_binary(thrift_buffer *buffer, const char *text)
{
	size_t length = strlen(text);

	thrift_varint(buffer, length);
	thrift_append(buffer, text, length);
}

void thrift_binary(thrift_buffer *buffer, int32_t field, const char *text)
{
	append_header(buffer, field, THRIFT_BINARY);
	thrift_element_binary(buffer, text);
}

void thrift_struct(thrift_buffer *buffer, int32_t field)
{
	append_header(buffer, field, THRIFT_STRUCT);
	thrift_begin(buffer);
}

void thrift_list(thrift_buffer *buffer, int32_t field, int type, size_t count)
{
	append_header(buffer, field, THRIFT_LIST);
	if (count < 15) {
		append_byte(buffer, (unsigned int)count << 4 | (unsigned int)type);
		return;
	}
	append_byte(buffer, 0xf0 | (unsigned int)type);
	thrift_varint(buffer, count);
}

void thrift_release(thrift_buffer *buffer)
{
	free(buffer->bytes);
	memset(buffer, 0, sizeof(*buffer));
}
