/* SPDX-License-Identifier: MIT */
/* Stores a column of integers, and reads it. */
#include "format/values/int_column.h"

#include "base/bytes.h"

void int_narrow_count_portable(const uint64_t *numbers, size_t count, size_t longer[INT_NARROW_WIDTHS])
{
	size_t counts[INT_NARROW_WIDTHS] = {0};

	for (size_t i = 0; i < count; i++) {
		counts[0] += numbers[i] != 0;
		counts[1] += numbers[i] > UINT8_MAX;
		counts[2] += numbers[i] > UINT16_MAX;
		counts[3] += numbers[i] > UINT32_MAX;
	}
	memcpy(longer, counts, sizeof(counts));
}

void int_narrow_store_portable(uint8_t *bytes, uint32_t width, const uint64_t *numbers, size_t count)
{
	switch (width) {
	case 0:
		break;
	case 1:
		for (size_t i = 0; i < count; i++)
			bytes[i] = (uint8_t)numbers[i];
		break;
	case 2:
		for (size_t i = 0; i < count; i++)
			bytes_store_16(bytes + 2 * i, (uint16_t)numbers[i]);
		break;
	case 4:
		for (size_t i = 0; i < count; i++)
			bytes_store_32(bytes + 4 * i, (uint32_t)numbers[i]);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			bytes_store_64(bytes + 8 * i, numbers[i]);
		break;
	}
}

#ifdef __SSE2__

#include <emmintrin.h>

/* After this many numbers, the counts of 32 bits are added up. */
#define MAX_COUNTED ((size_t)1 << 24)

/* The low or the high halves of four numbers. */
static inline __m128i load_low(const uint64_t *numbers)
{
	const __m128 first = _mm_loadu_ps((const void *)numbers);
	const __m128 second = _mm_loadu_ps((const void *)(numbers + 2));

	return _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
}

static inline __m128i load_high(const uint64_t *numbers)
{
	const __m128 first = _mm_loadu_ps((const void *)numbers);
	const __m128 second = _mm_loadu_ps((const void *)(numbers + 2));

	return _mm_castps_si128(_mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1)));
}

/* Adds 1 to the counts of the elements that are 0. */
static inline __m128i count_zeros(__m128i counts, __m128i vector)
{
	return _mm_sub_epi32(counts, _mm_cmpeq_epi32(vector, _mm_setzero_si128()));
}

static size_t sum_of(__m128i counts)
{
	uint32_t lanes[4];

	_mm_storeu_si128((void *)lanes, counts);
	return (size_t)lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Counts at most MAX_COUNTED numbers, a multiple of four. */
static void count_vectors(const uint64_t *numbers, size_t count, size_t longer[INT_NARROW_WIDTHS])
{
	__m128i fit[INT_NARROW_WIDTHS] = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
					  _mm_setzero_si128()};

	for (size_t i = 0; i < count; i += 4) {
		const __m128i low = load_low(numbers + i);
		const __m128i high = load_high(numbers + i);

		fit[0] = count_zeros(fit[0], _mm_or_si128(high, low));
		fit[1] = count_zeros(fit[1], _mm_or_si128(high, _mm_srli_epi32(low, 8)));
		fit[2] = count_zeros(fit[2], _mm_or_si128(high, _mm_srli_epi32(low, 16)));
		fit[3] = count_zeros(fit[3], high);
	}
	for (size_t width = 0; width < INT_NARROW_WIDTHS; width++)
		longer[width] += count - sum_of(fit[width]);
}

void int_narrow_count(const uint64_t *numbers, size_t count, size_t longer[INT_NARROW_WIDTHS])
{
	int_narrow_count_portable(numbers, count % 4, longer);
	numbers += count % 4;
	count -= count % 4;
	while (count > 0) {
		const size_t counted = count < MAX_COUNTED ? count : MAX_COUNTED;

		count_vectors(numbers, counted, longer);
		numbers += counted;
		count -= counted;
	}
}

static inline __m128i load_8_as_16(const uint64_t *numbers)
{
	/* Sign-extended, as the instruction that packs them takes them. */
	return _mm_packs_epi32(_mm_srai_epi32(_mm_slli_epi32(load_low(numbers), 16), 16),
			       _mm_srai_epi32(_mm_slli_epi32(load_low(numbers + 4), 16), 16));
}

static inline __m128i load_8_as_8(const uint64_t *numbers)
{
	const __m128i byte = _mm_set1_epi32(UINT8_MAX);

	return _mm_packs_epi32(_mm_and_si128(load_low(numbers), byte), _mm_and_si128(load_low(numbers + 4), byte));
}

void int_narrow_store(uint8_t *bytes, uint32_t width, const uint64_t *numbers, size_t count)
{
	size_t done = 0;

	if (width == 1) {
		for (; count - done >= 16; done += 16)
			_mm_storeu_si128((void *)(bytes + done), _mm_packus_epi16(load_8_as_8(numbers + done),
										  load_8_as_8(numbers + done + 8)));
	} else if (width == 2) {
		for (; count - done >= 8; done += 8)
			_mm_storeu_si128((void *)(bytes + 2 * done), load_8_as_16(numbers + done));
	} else if (width == 4) {
		for (; count - done >= 4; done += 4)
			_mm_storeu_si128((void *)(bytes + 4 * done), load_low(numbers + done));
	}
	int_narrow_store_portable(bytes + width * done, width, numbers + done, count - done);
}

#else

void int_narrow_count(const uint64_t *numbers, size_t count, size_t longer[INT_NARROW_WIDTHS])
{
	int_narrow_count_portable(numbers, count, longer);
}

void int_narrow_store(uint8_t *bytes, uint32_t width, const uint64_t *numbers, size_t count)
{
	int_narrow_store_portable(bytes, width, numbers, count);
}

#endif

void int_widen_32_portable(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count)
{
	switch (width) {
	case 0:
		memset(values, 0, count * sizeof(*values));
		break;
	case 1:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes[i];
		break;
	case 2:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes_load_16(bytes + 2 * i);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes_load_32(bytes + 4 * i);
		break;
	}
}

void int_widen_64_portable(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count)
{
	switch (width) {
	case 0:
		memset(values, 0, count * sizeof(*values));
		break;
	case 1:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes[i];
		break;
	case 2:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes_load_16(bytes + 2 * i);
		break;
	case 4:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes_load_32(bytes + 4 * i);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			values[i] = bytes_load_64(bytes + 8 * i);
		break;
	}
}

#ifdef __SSE2__

#include <emmintrin.h>

/* Bytes that are widened at once. */
#define VECTOR_LENGTH 16

static __m128i load_vector(const void *bytes)
{
	return _mm_loadu_si128(bytes);
}

/* Stores the four numbers of 32 bits. */
static void store_32(uint32_t *values, __m128i vector)
{
	_mm_storeu_si128((void *)values, vector);
}

/* Stores eight numbers of 16 bits with 32 bits. */
static void store_16_as_32(uint32_t *values, __m128i vector)
{
	store_32(values, _mm_unpacklo_epi16(vector, _mm_setzero_si128()));
	store_32(values + 4, _mm_unpackhi_epi16(vector, _mm_setzero_si128()));
}

static void store_32_as_64(uint64_t *values, __m128i vector)
{
	_mm_storeu_si128((void *)values, _mm_unpacklo_epi32(vector, _mm_setzero_si128()));
	_mm_storeu_si128((void *)(values + 2), _mm_unpackhi_epi32(vector, _mm_setzero_si128()));
}

static void store_16_as_64(uint64_t *values, __m128i vector)
{
	store_32_as_64(values, _mm_unpacklo_epi16(vector, _mm_setzero_si128()));
	store_32_as_64(values + 4, _mm_unpackhi_epi16(vector, _mm_setzero_si128()));
}

void int_widen_32(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count)
{
	size_t done = 0;

	if (width == 1) {
		for (; count - done >= VECTOR_LENGTH; done += VECTOR_LENGTH) {
			const __m128i vector = load_vector(bytes + done);

			store_16_as_32(values + done, _mm_unpacklo_epi8(vector, _mm_setzero_si128()));
			store_16_as_32(values + done + 8, _mm_unpackhi_epi8(vector, _mm_setzero_si128()));
		}
	} else if (width == 2) {
		for (; count - done >= VECTOR_LENGTH / 2; done += VECTOR_LENGTH / 2)
			store_16_as_32(values + done, load_vector(bytes + 2 * done));
	} else if (width == 4) {
		for (; count - done >= VECTOR_LENGTH / 4; done += VECTOR_LENGTH / 4)
			store_32(values + done, load_vector(bytes + 4 * done));
	}
	int_widen_32_portable(bytes + width * done, width, values + done, count - done);
}

void int_widen_64(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count)
{
	size_t done = 0;

	if (width == 1) {
		for (; count - done >= VECTOR_LENGTH; done += VECTOR_LENGTH) {
			const __m128i vector = load_vector(bytes + done);

			store_16_as_64(values + done, _mm_unpacklo_epi8(vector, _mm_setzero_si128()));
			store_16_as_64(values + done + 8, _mm_unpackhi_epi8(vector, _mm_setzero_si128()));
		}
	} else if (width == 2) {
		for (; count - done >= VECTOR_LENGTH / 2; done += VECTOR_LENGTH / 2)
			store_16_as_64(values + done, load_vector(bytes + 2 * done));
	} else if (width == 4) {
		for (; count - done >= VECTOR_LENGTH / 4; done += VECTOR_LENGTH / 4)
			store_32_as_64(values + done, load_vector(bytes + 4 * done));
	}
	int_widen_64_portable(bytes + width * done, width, values + done, count - done);
}

#else

void int_widen_32(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count)
{
	int_widen_32_portable(bytes, width, values, count);
}

void int_widen_64(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count)
{
	int_widen_64_portable(bytes, width, values, count);
}

#endif

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
	column->remaining = count;
	length -= column->values;
	if (length == count * column->width)
		return INT_COLUMN_VALID;
	if (length > count * column->width)
		return INT_COLUMN_TOO_LONG;
	column->remaining = length / column->width;
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
	column->remaining -= count;
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
