/* SPDX-License-Identifier: MIT */
/* Varints: encoded in the shortest form, decoded in any form up to ten bytes. */
#include "format/values/varint.h"

#include <criterion/criterion.h>

#include <string.h>

typedef struct known_int {
	uint64_t value;
	const char *bytes;
	size_t length;
} known_int;

static const known_int known[] = {
	{0, "\x80", 1},
	{1, "\x81", 1},
	{127, "\xff", 1},
	{128, "\x00\x81", 2},
	{300, "\x2c\x82", 2},
	{4095, "\x7f\x9f", 2},
	{16383, "\x7f\xff", 2},
	{16384, "\x00\x00\x81", 3},
	{UINT32_MAX, "\x7f\x7f\x7f\x7f\x8f", 5},
	{UINT64_MAX, "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81", 10},
};

Test(varint, known_values_both_ways)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint8_t bytes[MPROF_VARINT_MAX_LENGTH];
		uint64_t value = 42;

		cr_assert_eq(varint_encode(known[i].value, bytes), known[i].length);
		cr_assert_eq(memcmp(bytes, known[i].bytes, known[i].length), 0);
		cr_assert_eq(varint_length(known[i].value), known[i].length);
		cr_assert_eq(varint_decode(bytes, known[i].length, &value), (int)known[i].length);
		cr_assert_eq(value, known[i].value);
	}
}

Test(varint, around_each_power_of_two)
{
	for (uint32_t bit = 0; bit < 64; bit++) {
		for (int64_t around = -1; around <= 1; around++) {
			uint64_t value = (UINT64_C(1) << bit) + (uint64_t)around;
			uint8_t bytes[MPROF_VARINT_MAX_LENGTH];
			size_t length = varint_encode(value, bytes);
			uint64_t decoded = ~value;

			cr_assert_eq(length, varint_length(value));
			cr_assert_eq(varint_put(bytes, value), bytes + length);
			cr_assert_eq(varint_decode(bytes, sizeof(bytes), &decoded), (int)length);
			cr_assert_eq(decoded, value);
			decoded = ~value;
			cr_assert_eq(varint_get(bytes, bytes + length, &decoded), bytes + length);
			cr_assert_eq(decoded, value);
		}
	}
}

Test(varint, cut_in_each_place)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const uint8_t *bytes = (const uint8_t *)known[i].bytes;

		for (size_t length = 0; length < known[i].length; length++) {
			uint64_t value = 42;

			cr_assert_eq(varint_decode(bytes, length, &value), 0);
			cr_assert_null(varint_get(bytes, bytes + length, &value));
			cr_assert_eq(value, 42);
		}
	}
}

Test(varint, longer_forms_are_read)
{
	static const uint8_t zero[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
	uint64_t value = 42;

	for (size_t length = 1; length <= sizeof(zero); length++) {
		value = 42;
		cr_assert_eq(varint_decode(zero + sizeof(zero) - length, length, &value), (int)length);
		cr_assert_eq(value, 0);
	}
	cr_assert_eq(varint_decode((const uint8_t *)"\x01\x00\x80", 3, &value), 3);
	cr_assert_eq(value, 1);
}

Test(varint, what_does_not_fit_is_refused)
{
	static const char *const too_large[] = {
		"\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82",
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff",
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80",
		"\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x01\x80",
	};

	for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++) {
		const uint8_t *bytes = (const uint8_t *)too_large[i];
		uint64_t value = 42;

		cr_assert_eq(varint_decode(bytes, 11, &value), -1);
		cr_assert_eq(varint_decode(bytes, 10, &value), -1);
		cr_assert_null(varint_get(bytes, bytes + 11, &value));
		cr_assert_eq(value, 42);
	}
}

/* A varint has at most ten bytes: one that does not end there is damage, not a reason to request more bytes. */
Test(varint, ten_bytes_without_an_end_are_refused)
{
	static const uint8_t endless[MPROF_VARINT_MAX_LENGTH + 2] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0, 0};
	uint64_t value = 42;

	for (size_t length = 0; length < MPROF_VARINT_MAX_LENGTH; length++)
		cr_assert_eq(varint_decode(endless, length, &value), 0, "%zu bytes", length);
	for (size_t length = MPROF_VARINT_MAX_LENGTH; length <= sizeof(endless); length++)
		cr_assert_eq(varint_decode(endless, length, &value), -1, "%zu bytes", length);
	cr_assert_eq(value, 42);
}
