/* SPDX-License-Identifier: MIT */
/* Narrows numbers to the values of columns. */
#include "format/int_narrow.h"

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
