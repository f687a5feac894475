/* SPDX-License-Identifier: MIT */
/* Reads the content of a block. */
#include "format/values/content_cursor.h"

#include <string.h>

void content_cursor_init(content_cursor *cursor, const uint8_t *bytes, size_t length, uint64_t name_limit)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->bytes = bytes;
	cursor->length = length;
	cursor->name_limit = name_limit < SIZE_MAX ? (size_t)name_limit : SIZE_MAX;
	cursor->what = "no fault";
}

mprof_status content_cursor_fail(content_cursor *cursor, size_t position, mprof_status status, const char *what)
{
	if (cursor->status == MPROF_OK) {
		cursor->status = status;
		cursor->what = what;
		cursor->position = position;
	}
	return cursor->status;
}

static void fail_at_end(content_cursor *cursor)
{
	cursor->ran_out = 1;
	content_cursor_fail(cursor, cursor->length, MPROF_ERR_MALFORMED, "block ends inside a field");
}

uint8_t content_cursor_byte(content_cursor *cursor)
{
	if (cursor->status != MPROF_OK)
		return 0;
	if (cursor->position == cursor->length) {
		fail_at_end(cursor);
		return 0;
	}
	return cursor->bytes[cursor->position++];
}

static uint64_t decode_fixed_int(content_cursor *cursor, size_t length)
{
	const uint8_t *next = cursor->bytes + cursor->position;

	if (cursor->status != MPROF_OK)
		return 0;
	if (cursor->length - cursor->position < length) {
		fail_at_end(cursor);
		return 0;
	}
	cursor->position += length;
	return length == 8 ? bytes_load_64(next) : bytes_load_32(next);
}

/* The varints of most IDs and addresses. */
#define MEDIUM_LENGTH 5

/* Decodes a varint of a few bytes that the content has. Returns 0 if there is none at the cursor. */
static inline int decode_medium(content_cursor *cursor, uint64_t *value)
{
	const uint8_t *next = cursor->bytes + cursor->position;

	if (cursor->has_fixed_ints || cursor->status != MPROF_OK || cursor->length - cursor->position < MEDIUM_LENGTH)
		return 0;
	*value = 0;
	for (size_t i = 0; i < MEDIUM_LENGTH; i++) {
		*value |= (uint64_t)(next[i] & 127) << 7 * i;
		if ((next[i] & VARINT_LAST_BIT) != 0) {
			cursor->position += i + 1;
			return 1;
		}
	}
	return 0;
}

uint64_t content_cursor_varint_long(content_cursor *cursor)
{
	const uint8_t *next = cursor->bytes + cursor->position;
	uint64_t value = 0;
	int length;

	if (decode_medium(cursor, &value))
		return value;
	if (cursor->has_fixed_ints)
		return decode_fixed_int(cursor, 8);
	value = 0;
	if (cursor->status != MPROF_OK)
		return 0;
	length = varint_read(&next, cursor->bytes + cursor->length, &value);
	if (length == 0)
		fail_at_end(cursor);
	else if (length < 0)
		content_cursor_fail(cursor, cursor->position, MPROF_ERR_MALFORMED, "varint exceeds 64 bits");
	else
		cursor->position = (size_t)(next - cursor->bytes);
	return value;
}

uint64_t content_cursor_amount(content_cursor *cursor)
{
	return cursor->has_fixed_ints ? decode_fixed_int(cursor, 4) : content_cursor_varint(cursor);
}

uint32_t content_cursor_id_long(content_cursor *cursor)
{
	size_t start = cursor->position;
	uint64_t value;

	if (!decode_medium(cursor, &value))
		value = content_cursor_amount(cursor);
	if (value > UINT32_MAX) {
		content_cursor_fail(cursor, start, MPROF_ERR_MALFORMED, "ID exceeds 32 bits");
		return 0;
	}
	return (uint32_t)value;
}

const uint8_t *content_cursor_bytes(content_cursor *cursor, size_t *length)
{
	const uint64_t count = content_cursor_varint(cursor);
	const uint8_t *start = cursor->bytes + cursor->position;

	*length = 0;
	if (cursor->status != MPROF_OK)
		return start;
	if (count > cursor->length - cursor->position) {
		fail_at_end(cursor);
		return start;
	}
	*length = (size_t)count;
	cursor->position += *length;
	return start;
}

const char *content_cursor_string(content_cursor *cursor, size_t *length)
{
	const uint8_t *start = cursor->bytes + cursor->position;
	const uint8_t *end;

	if (length != NULL)
		*length = 0;
	if (cursor->status != MPROF_OK)
		return "";
	end = memchr(start, 0, cursor->length - cursor->position);
	if (end == NULL) {
		fail_at_end(cursor);
		return "";
	}
	if ((size_t)(end - start) > cursor->name_limit) {
		content_cursor_fail(cursor, cursor->position, MPROF_ERR_LIMIT, "name is longer than the limit");
		return "";
	}
	if (length != NULL)
		*length = (size_t)(end - start);
	cursor->position += (size_t)(end - start) + 1;
	return (const char *)start;
}

void content_cursor_clock(content_cursor *cursor, mprof_clock *clock)
{
	clock->counter = content_cursor_varint(cursor);
	clock->time = content_cursor_varint(cursor);
}

mprof_status content_cursor_finish(content_cursor *cursor)
{
	if (cursor->status == MPROF_OK && cursor->position < cursor->length)
		content_cursor_fail(cursor, cursor->position, MPROF_ERR_MALFORMED,
				    "bytes are left over at the end of the block");
	return cursor->status;
}

/*
 * Steps back from \p end over a varint: its last byte, and the bytes before it without VARINT_LAST_BIT. Returns the
 * position of its first byte, or of a byte 00 before it that ends a list; 0 if there is no varint.
 */
static size_t varint_start_before(const content_cursor *cursor, size_t end)
{
	if (end <= cursor->position || (cursor->bytes[end - 1] & VARINT_LAST_BIT) == 0)
		return 0;
	end--;
	while (end > cursor->position && (cursor->bytes[end - 1] & VARINT_LAST_BIT) == 0)
		end--;
	return end;
}

size_t list_end_find(const content_cursor *cursor, int is_byte, size_t *list_end)
{
	size_t time = varint_start_before(cursor, cursor->length);
	size_t counter = time == 0 ? 0 : varint_start_before(cursor, time);
	uint64_t value;

	if (is_byte) {
		/*
		 * The byte 0 that ends the list has no VARINT_LAST_BIT, but the byte before it has: stepping back over
		 * the counter has therefore stopped at the 0.
		 */
		*list_end = counter;
		return counter != 0 && cursor->bytes[counter] == 0 ? 1 : 0;
	}
	*list_end = counter == 0 ? 0 : varint_start_before(cursor, counter);
	if (*list_end == 0 || varint_decode(cursor->bytes + *list_end, counter - *list_end, &value) <= 0 || value != 0)
		return 0;
	return counter - *list_end;
}
