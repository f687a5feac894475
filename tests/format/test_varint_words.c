/* SPDX-License-Identifier: MIT */
/* The word-wise varint functions match the byte-wise ones. */
#include "format/values/varint.h"

#include <criterion/criterion.h>

#include <string.h>

/* Encodes and decodes with any number of bytes after the varint. */
static void check(uint64_t value)
{
	uint8_t expected[MPROF_VARINT_MAX_LENGTH + 8];
	uint8_t bytes[MPROF_VARINT_MAX_LENGTH + 8];
	size_t length;

	memset(expected, 0x55, sizeof(expected));
	memset(bytes, 0x55, sizeof(bytes));
	length = (size_t)(varint_put(expected, value) - expected);
	cr_assert_eq(varint_word_put(bytes, value) - bytes, (ptrdiff_t)length, "%llx", (unsigned long long)value);
	cr_assert_arr_eq(bytes, expected, length, "%llx", (unsigned long long)value);
	for (size_t more = 0; more <= 8; more++) {
		uint64_t decoded = ~value;
		const uint8_t *end = varint_word_get(expected, expected + length + more, &decoded);

		cr_assert_eq(end, expected + length, "%llx", (unsigned long long)value);
		cr_assert_eq(decoded, value);
	}
	for (size_t cut = 0; cut < length; cut++) {
		uint64_t decoded;

		cr_assert_null(varint_word_get(expected, expected + cut, &decoded));
	}
}

Test(varint_words, same_as_by_bytes)
{
	uint64_t random = 88172645463325252u;

	check(0);
	check(UINT64_MAX);
	for (uint32_t bit = 0; bit < 64; bit++) {
		check(UINT64_C(1) << bit);
		check((UINT64_C(1) << bit) - 1);
		check((UINT64_C(1) << bit) + 1);
	}
	for (uint32_t i = 0; i < 100000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		check(random >> random % 64);
	}
}

/* Longer than necessary, and too long. */
Test(varint_words, long_forms)
{
	const uint8_t longer[] = {0x05, 0x00, 0x00, 0x80, 0x55, 0x55, 0x55, 0x55};
	const uint8_t nine[] = {0x05, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x55};
	const uint8_t eleven[] = {0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
	const uint8_t large[] = {0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x82};
	uint64_t value = 0;

	cr_assert_eq(varint_word_get(longer, longer + sizeof(longer), &value), longer + 4);
	cr_assert_eq(value, 5);
	value = 0;
	cr_assert_eq(varint_word_get(nine, nine + sizeof(nine), &value), nine + 9);
	cr_assert_eq(value, 5);
	cr_assert_null(varint_word_get(eleven, eleven + sizeof(eleven), &value));
	cr_assert_null(varint_word_get(large, large + sizeof(large), &value));
}

Test(zigzag, small_if_near_0)
{
	const int64_t numbers[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
	const uint64_t folded[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		cr_assert_eq(zigzag_fold((uint64_t)numbers[i]), folded[i]);
		cr_assert_eq(zigzag_unfold(folded[i]), (uint64_t)numbers[i]);
	}
}
