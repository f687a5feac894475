/* SPDX-License-Identifier: MIT */
/* Encodes and decodes columns of integers. */
#include "format/int_column.h"

#include "format/int_narrow.h"
#include "format/int_widen.h"

#include <stdint.h>

#define WIDTHS 5

static const uint8_t widths[WIDTHS] = {0, 1, 2, 4, 8};

/*
 * What an exception counts for when the width is chosen, in bytes. Few have more than five, but each interrupts the
 * decoding of the values.
 */
#define EXCEPTION_COST 6

/* The bits of a value that a width does not hold. */
static uint64_t high_part(uint64_t value, uint32_t width)
{
	return width == 8 ? 0 : value >> 8 * width;
}

/* Chooses the width, and returns the number of values that exceed it. */
static size_t choose_width(const uint64_t *values, size_t count, uint32_t *width)
{
	size_t longer[WIDTHS] = {0};
	size_t best = WIDTHS - 1;

	int_narrow_count(values, count, longer);
	for (size_t i = WIDTHS - 1; i-- > 0;) {
		if (widths[i] * count + EXCEPTION_COST * longer[i] <=
		    widths[best] * count + EXCEPTION_COST * longer[best])
			best = i;
	}
	*width = widths[best];
	return longer[best];
}

/* Values that are searched for exceptions at once. */
#define SEARCHED 8

static inline uint64_t any_bits(const uint64_t *values)
{
	return values[0] | values[1] | values[2] | values[3] | values[4] | values[5] | values[6] | values[7];
}

static void encode_exceptions(encode_buffer *buffer, const uint64_t *values, size_t count, uint32_t width,
			      size_t exceptions)
{
	size_t next = 0;
	size_t i = 0;

	for (; exceptions > 0; exceptions--) {
		while (count - i >= SEARCHED && high_part(any_bits(values + i), width) == 0)
			i += SEARCHED;
		while (high_part(values[i], width) == 0)
			i++;
		encode_varint(buffer, i - next);
		encode_varint(buffer, high_part(values[i], width));
		next = ++i;
	}
}

static void encode_values(encode_buffer *buffer, const uint64_t *values, size_t count, uint32_t width)
{
	if (!encode_buffer_reserve(buffer, count * width))
		return;
	int_narrow_store(buffer->bytes + buffer->length, width, values, count);
	buffer->length += count * width;
}

void int_column_encode(encode_buffer *buffer, const uint64_t *values, size_t count)
{
	uint32_t width;
	size_t exceptions;

	if (count == 0)
		return;
	exceptions = choose_width(values, count, &width);
	encode_byte(buffer, (uint8_t)width);
	encode_varint(buffer, exceptions);
	encode_exceptions(buffer, values, count, width, exceptions);
	encode_values(buffer, values, count, width);
}

/* Decodes the next exception, if there is one. Only int_column_init() can find it malformed. */
static int next_exception(int_column *column, const uint8_t *bytes)
{
	const uint8_t *cursor = bytes + column->exceptions;
	const uint8_t *end = bytes + column->exception_end;
	uint64_t gap;
	uint64_t high;

	column->until_exception = SIZE_MAX;
	if (cursor == end)
		return 1;
	cursor = varint_get(cursor, end, &gap);
	if (cursor == NULL || gap >= SIZE_MAX)
		return 0;
	cursor = varint_get(cursor, end, &high);
	if (cursor == NULL || high == 0 || column->width == 8 || high > UINT64_MAX >> 8 * column->width)
		return 0;
	column->exceptions = (size_t)(cursor - bytes);
	column->until_exception = (size_t)gap;
	column->exception = high << 8 * column->width;
	return 1;
}

/* Checks the exceptions, which start at int_column::exceptions, and finds their end. */
static int_column_fault check_exceptions(int_column *column, const uint8_t *bytes, size_t length, uint64_t exceptions,
					 size_t count, uint64_t limit)
{
	const size_t start = column->exceptions;
	size_t position = 0;

	column->exception_end = length;
	for (; exceptions > 0; exceptions--) {
		if (column->exceptions == length)
			return INT_COLUMN_TRUNCATED;
		if (!next_exception(column, bytes) || column->until_exception >= count - position)
			return INT_COLUMN_BAD_EXCEPTION;
		if (column->exception > limit)
			return INT_COLUMN_TOO_LARGE;
		position += column->until_exception + 1;
	}
	column->exception_end = column->exceptions;
	column->exceptions = start;
	next_exception(column, bytes);
	return INT_COLUMN_VALID;
}

int_column_fault int_column_init(int_column *column, const uint8_t *bytes, size_t length, size_t count, uint64_t limit)
{
	const uint8_t *cursor = bytes + 1;
	uint64_t exceptions;
	int_column_fault fault;

	*column = (int_column){.until_exception = SIZE_MAX};
	if (count == 0)
		return length == 0 ? INT_COLUMN_VALID : INT_COLUMN_TOO_LONG;
	if (length == 0)
		return INT_COLUMN_TRUNCATED;
	column->width = bytes[0];
	if (column->width > 8 || (column->width & (column->width - 1)) != 0)
		return INT_COLUMN_BAD_WIDTH;
	if (column->width == 8 && limit < UINT64_MAX)
		return INT_COLUMN_TOO_LARGE;
	if (varint_read(&cursor, bytes + length, &exceptions) <= 0)
		return length == 1 ? INT_COLUMN_TRUNCATED : INT_COLUMN_BAD_EXCEPTION;
	column->exceptions = (size_t)(cursor - bytes);
	fault = check_exceptions(column, bytes, length, exceptions, count, limit);
	if (fault != INT_COLUMN_VALID)
		return fault;
	column->values = column->exception_end;
	column->left = count;
	length -= column->values;
	if (length == count * column->width)
		return INT_COLUMN_VALID;
	if (length > count * column->width)
		return INT_COLUMN_TOO_LONG;
	column->left = length / column->width;
	return INT_COLUMN_TRUNCATED;
}

/* The position of the next exception among the next \p count values, counted from \p position; \p count if none. */
static size_t take_exception(int_column *column, const uint8_t *bytes, size_t position, size_t count, uint64_t *high)
{
	if (column->until_exception >= count - position) {
		if (column->until_exception != SIZE_MAX)
			column->until_exception -= count - position;
		return count;
	}
	position += column->until_exception;
	*high = column->exception;
	next_exception(column, bytes);
	return position;
}

static void advance(int_column *column, size_t count)
{
	column->values += count * column->width;
	column->left -= count;
}

void int_column_read_32(int_column *column, const uint8_t *bytes, uint32_t *values, size_t count)
{
	uint64_t high;

	int_widen_32(bytes + column->values, column->width, values, count);
	for (size_t i = 0; (i = take_exception(column, bytes, i, count, &high)) < count; i++)
		values[i] |= (uint32_t)high;
	advance(column, count);
}

void int_column_read_64(int_column *column, const uint8_t *bytes, uint64_t *values, size_t count)
{
	uint64_t high;

	int_widen_64(bytes + column->values, column->width, values, count);
	for (size_t i = 0; (i = take_exception(column, bytes, i, count, &high)) < count; i++)
		values[i] |= high;
	advance(column, count);
}
