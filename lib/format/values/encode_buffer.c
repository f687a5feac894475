/* SPDX-License-Identifier: MIT */
/* Appends integers, strings and clock pairs to a buffer that grows. */
#include "format/values/encode_buffer.h"

#include "base/allocator.h"

#include <string.h>

void encode_buffer_init(encode_buffer *buffer, const mprof_allocator *allocator, size_t limit)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->allocator = *allocator;
	buffer->limit = limit;
}

void encode_buffer_destroy(encode_buffer *buffer)
{
	allocator_release(&buffer->allocator, buffer->bytes, buffer->capacity);
	buffer->bytes = NULL;
	buffer->capacity = 0;
	buffer->length = 0;
}

int encode_buffer_grow(encode_buffer *buffer, size_t more)
{
	void *bytes = buffer->bytes;

	if (buffer->status != MPROF_OK)
		return 0;
	if (more > buffer->limit - buffer->length) {
		buffer->status = MPROF_ERR_LIMIT;
		return 0;
	}
	if (!array_reserve(&buffer->allocator, &bytes, &buffer->capacity, buffer->length + more, 1)) {
		buffer->status = MPROF_ERR_MEMORY;
		return 0;
	}
	buffer->bytes = bytes;
	return 1;
}

void encode_bytes(encode_buffer *buffer, const void *bytes, size_t length)
{
	if (length == 0 || !encode_buffer_reserve(buffer, length))
		return;
	memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
}

void encode_byte(encode_buffer *buffer, uint8_t byte)
{
	if (!encode_buffer_reserve(buffer, 1))
		return;
	buffer->bytes[buffer->length++] = byte;
}

void encode_varint(encode_buffer *buffer, uint64_t value)
{
	if (!encode_buffer_reserve(buffer, varint_length(value)))
		return;
	buffer->length = (size_t)(varint_put(buffer->bytes + buffer->length, value) - buffer->bytes);
}

void encode_string(encode_buffer *buffer, const char *text, size_t length)
{
	encode_bytes(buffer, text, length);
	encode_byte(buffer, 0);
}

void encode_clock(encode_buffer *buffer, const mprof_clock *clock)
{
	buffer->clock_start = buffer->length;
	encode_varint(buffer, clock->counter);
	encode_varint(buffer, clock->time);
	buffer->clock_end = buffer->length;
}
