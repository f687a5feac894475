/* SPDX-License-Identifier: MIT */
/* Widens the values of columns. */
#include "format/int_widen.h"

#include "base/bytes.h"

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
