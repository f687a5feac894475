/* SPDX-License-Identifier: MIT */
/* Grows and moves the bytes that a parser keeps. */
#include "parser/buffer.h"

#include "base/checked.h"

#include <string.h>

#define SMALLEST_CAPACITY 4096

void parser_buffer_init(parser_buffer *buffer, const mprof_allocator *allocator)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->allocator = *allocator;
}

void parser_buffer_destroy(parser_buffer *buffer)
{
	allocator_release(&buffer->allocator, buffer->memory, buffer->capacity);
	buffer->memory = NULL;
	buffer->bytes = NULL;
	buffer->capacity = 0;
}

/* Allocates new memory instead of resizing the old, so that only the bytes kept are copied. */
static int buffer_grow(parser_buffer *buffer, size_t needed)
{
	size_t length = parser_buffer_length(buffer);
	size_t capacity = buffer->capacity < SMALLEST_CAPACITY ? SMALLEST_CAPACITY : buffer->capacity;
	uint8_t *memory;

	while (capacity < needed) {
		if (!checked_multiply(capacity, 2, &capacity))
			return 0;
	}
	memory = allocator_allocate(&buffer->allocator, capacity);
	if (memory == NULL)
		return 0;
	if (length > 0)
		memcpy(memory, parser_buffer_bytes(buffer), length);
	allocator_release(&buffer->allocator, buffer->memory, buffer->capacity);
	buffer->memory = memory;
	buffer->capacity = capacity;
	buffer->bytes = memory;
	buffer->begin = 0;
	buffer->end = length;
	return 1;
}

/* Moves the bytes kept to the start of the buffer's own memory, which must have room for them. */
static void buffer_move_to_start(parser_buffer *buffer)
{
	size_t length = parser_buffer_length(buffer);

	if (length > 0)
		memmove(buffer->memory, parser_buffer_bytes(buffer), length);
	buffer->bytes = buffer->memory;
	buffer->begin = 0;
	buffer->end = length;
}

int parser_buffer_reserve(parser_buffer *buffer, size_t minimum)
{
	size_t length = parser_buffer_length(buffer);
	size_t together;
	size_t needed;

	if (buffer->bytes == buffer->memory && buffer->capacity - buffer->end >= minimum)
		return 1;
	if (length <= buffer->capacity / 2 && buffer->capacity - length >= minimum) {
		buffer_move_to_start(buffer);
		return 1;
	}
	/* At least twice the bytes kept, so that as many bytes can be fed before these are moved again. */
	if (!checked_multiply(length, 2, &needed) || !checked_add(length, minimum, &together))
		return 0;
	return buffer_grow(buffer, needed > together ? needed : together);
}

int parser_buffer_append_borrowed(parser_buffer *buffer, const uint8_t *bytes, size_t length)
{
	const int is_empty = parser_buffer_length(buffer) == 0;

	if (!is_empty && (buffer->bytes == buffer->memory || buffer->bytes + buffer->end != bytes)) {
		if (!parser_buffer_reserve(buffer, length))
			return 0;
		memcpy(buffer->memory + buffer->end, bytes, length);
	} else if (is_empty) {
		buffer->bytes = bytes;
		buffer->begin = 0;
		buffer->end = 0;
	}
	buffer->end += length;
	return 1;
}

void parser_buffer_restart(parser_buffer *buffer, uint64_t offset)
{
	buffer->bytes = buffer->memory;
	buffer->begin = 0;
	buffer->end = 0;
	buffer->lent = 0;
	buffer->offset = offset;
}
