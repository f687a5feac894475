/* SPDX-License-Identifier: MIT */
/* Columns of numbers: values of each width, exceptions, and columns that are truncated or malformed. */
#include "base/caller_structs.h"
#include "format/values/int_column.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 1000

static mprof_allocator allocator;
static encode_buffer buffer;

static void set_up(void)
{
	allocator_init(&allocator, NULL);
	encode_buffer_init(&buffer, &allocator, SIZE_MAX);
}

static void tear_down(void)
{
	encode_buffer_destroy(&buffer);
}

TestSuite(int_column, .init = set_up, .fini = tear_down, .timeout = 60);

static void encode(const uint64_t *values, size_t count)
{
	encode_buffer_clear(&buffer);
	int_column_encode(&buffer, values, count);
	cr_assert_eq(buffer.status, MPROF_OK);
}

/* The column yields the values, in pieces of any size. */
static void expect_values(const uint64_t *values, size_t count)
{
	static const size_t pieces[] = {1, 2, 7, 64, MAX_VALUES};
	uint64_t decoded[MAX_VALUES];
	uint32_t narrow[MAX_VALUES];

	for (size_t piece = 0; piece < sizeof(pieces) / sizeof(pieces[0]); piece++) {
		int_column wide;
		int_column ids;
		int are_ids = 1;

		for (size_t i = 0; i < count; i++)
			are_ids &= values[i] <= UINT32_MAX;
		cr_assert_eq(int_column_init(&wide, buffer.bytes, buffer.length, count, UINT64_MAX), INT_COLUMN_VALID);
		cr_assert_eq(int_column_init(&ids, buffer.bytes, buffer.length, count, UINT32_MAX),
			     are_ids ? INT_COLUMN_VALID : INT_COLUMN_TOO_LARGE);
		for (size_t i = 0; i < count; i += pieces[piece]) {
			size_t taken = count - i < pieces[piece] ? count - i : pieces[piece];

			int_column_read_64(&wide, buffer.bytes, decoded + i, taken);
			if (are_ids)
				int_column_read_32(&ids, buffer.bytes, narrow + i, taken);
		}
		cr_assert_eq(wide.remaining, 0);
		for (size_t i = 0; i < count; i++) {
			cr_assert_eq(decoded[i], values[i], "value %zu", i);
			cr_assert(!are_ids || narrow[i] == values[i], "value %zu", i);
		}
	}
}

Test(int_column, has_the_bytes_of_the_specification)
{
	static const uint64_t values[] = {1, 2, 700, 3};
	static const uint8_t bytes[] = {0x01, 0x81, 0x82, 0x82, 0x01, 0x02, 0xbc, 0x03};
	int_column column;
	uint64_t decoded[4];

	cr_assert_eq(int_column_init(&column, bytes, sizeof(bytes), 4, UINT64_MAX), INT_COLUMN_VALID);
	int_column_read_64(&column, bytes, decoded, 4);
	cr_assert_arr_eq(decoded, values, sizeof(values));
}

Test(int_column, is_empty_without_values)
{
	int_column column;

	encode(NULL, 0);
	cr_assert_eq(buffer.length, 0);
	cr_assert_eq(int_column_init(&column, NULL, 0, 0, UINT64_MAX), INT_COLUMN_VALID);
	cr_assert_eq(int_column_init(&column, NULL, 0, 1, UINT64_MAX), INT_COLUMN_TRUNCATED);
	cr_assert_eq(int_column_init(&column, (const uint8_t *)"\x01", 1, 0, UINT64_MAX), INT_COLUMN_TOO_LONG);
}

Test(int_column, yields_values_of_each_width_with_exceptions)
{
	static const uint64_t limits[] = {0,         1, 255, 256, 65535, 65536, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
					  UINT64_MAX};
	uint64_t values[MAX_VALUES];

	srand(1);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
			for (size_t rare = 1; rare < MAX_VALUES; rare *= 10) {
				for (size_t n = 0; n < MAX_VALUES; n++)
					values[n] = (size_t)rand() % rare == 0 ? limits[k]
									       : limits[i] - (n % 2 & limits[i]);
				encode(values, MAX_VALUES);
				expect_values(values, MAX_VALUES);
			}
		}
	}
}

/* A column that is truncated at any byte yields the values before that, unless its exceptions are truncated. */
Test(int_column, yields_the_values_before_it_is_truncated)
{
	uint64_t values[100];
	uint64_t decoded[100];
	int_column column;
	size_t most = 0;

	for (size_t i = 0; i < 100; i++)
		values[i] = i % 30 == 7 ? (uint64_t)i << 40 : i;
	encode(values, 100);
	for (size_t length = 0; length < buffer.length; length++) {
		uint8_t *copy = malloc(length + 1);

		memcpy(copy, buffer.bytes, length);
		cr_assert_neq(int_column_init(&column, copy, length, 100, UINT64_MAX), INT_COLUMN_VALID);
		cr_assert_lt(column.remaining, 100);
		most = column.remaining;
		int_column_read_64(&column, copy, decoded, column.remaining);
		for (size_t i = 0; i < most; i++)
			cr_assert_eq(decoded[i], values[i]);
		free(copy);
	}
	cr_assert_eq(most, 99);
}

/* The fault of a column of five values. */
static int_column_fault fault_of(const char *bytes, size_t length, uint64_t limit)
{
	int_column column;
	uint8_t *copy = malloc(length);
	int_column_fault fault;

	memcpy(copy, bytes, length);
	fault = int_column_init(&column, copy, length, 5, limit);
	cr_assert(fault == INT_COLUMN_TRUNCATED || fault == INT_COLUMN_VALID || fault == INT_COLUMN_TOO_LONG ||
		  column.remaining == 0);
	free(copy);
	return fault;
}

Test(int_column, is_refused_if_it_is_malformed)
{
	cr_assert_eq(fault_of("\x01\x80"
			      "abcde",
			      7, UINT64_MAX),
		     INT_COLUMN_VALID);
	cr_assert_eq(fault_of("\x01\x80"
			      "abcdef",
			      8, UINT64_MAX),
		     INT_COLUMN_TOO_LONG);
	cr_assert_eq(fault_of("\x01\x80"
			      "abcd",
			      6, UINT64_MAX),
		     INT_COLUMN_TRUNCATED);
	cr_assert_eq(fault_of("\x01", 1, UINT64_MAX), INT_COLUMN_TRUNCATED);
	cr_assert_eq(fault_of("\x03\x80"
			      "abcde",
			      7, UINT64_MAX),
		     INT_COLUMN_BAD_WIDTH);
	cr_assert_eq(fault_of("\x10\x80"
			      "abcde",
			      7, UINT64_MAX),
		     INT_COLUMN_BAD_WIDTH);
	/* An exception after the last value, without a high part, and one that does not fit 64 bits. */
	cr_assert_eq(fault_of("\x01\x81\x85\x81"
			      "abcde",
			      9, UINT64_MAX),
		     INT_COLUMN_BAD_EXCEPTION);
	cr_assert_eq(fault_of("\x01\x81\x84\x81"
			      "abcde",
			      9, UINT64_MAX),
		     INT_COLUMN_VALID);
	cr_assert_eq(fault_of("\x01\x81\x84\x80"
			      "abcde",
			      9, UINT64_MAX),
		     INT_COLUMN_BAD_EXCEPTION);
	cr_assert_eq(fault_of("\x01\x81\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\xff"
			      "abcde",
			      17, UINT64_MAX),
		     INT_COLUMN_BAD_EXCEPTION);
	cr_assert_eq(fault_of("\x08\x81\x80\x81", 4, UINT64_MAX), INT_COLUMN_BAD_EXCEPTION);
	/* More exceptions than values, and more than bytes. */
	cr_assert_eq(fault_of("\x00\x86\x80\x81\x80\x81\x80\x81\x80\x81\x80\x81\x80\x81", 14, UINT64_MAX),
		     INT_COLUMN_BAD_EXCEPTION);
	cr_assert_eq(fault_of("\x00\x7f\x7f\x7f\x7f\xff\x80\x81", 8, UINT64_MAX), INT_COLUMN_TRUNCATED);
	/* IDs of more than 32 bits. */
	cr_assert_eq(fault_of("\x02\x81\x80\x00\x00\x84"
			      "aabbccddee",
			      16, UINT32_MAX),
		     INT_COLUMN_TOO_LARGE);
	cr_assert_eq(fault_of("\x02\x81\x80\x7f\x7f\x83"
			      "aabbccddee",
			      16, UINT32_MAX),
		     INT_COLUMN_VALID);
	cr_assert_eq(fault_of("\x08\x80"
			      "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeee",
			      42, UINT32_MAX),
		     INT_COLUMN_TOO_LARGE);
}

Test(int_column, is_widened_alike_with_vectors_and_without)
{
	static const uint32_t widths[] = {0, 1, 2, 4, 8};
	uint8_t bytes[8 * 70];
	uint32_t ids[2][71];
	uint64_t numbers[2][71];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + 129);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		for (size_t count = 0; count < 70; count++) {
			memset(ids, 0xaa, sizeof(ids));
			memset(numbers, 0xaa, sizeof(numbers));
			if (widths[i] <= 4) {
				int_widen_32(bytes + 1, widths[i], ids[0], count);
				int_widen_32_portable(bytes + 1, widths[i], ids[1], count);
			}
			int_widen_64(bytes + 1, widths[i], numbers[0], count);
			int_widen_64_portable(bytes + 1, widths[i], numbers[1], count);
			/* This includes that nothing is stored after the values. */
			cr_assert_arr_eq(ids[0], ids[1], sizeof(ids[0]), "width %u, %zu values", widths[i], count);
			cr_assert_arr_eq(numbers[0], numbers[1], sizeof(numbers[0]), "width %u, %zu values", widths[i],
					 count);
		}
	}
}

Test(int_column, is_narrowed_alike_with_vectors_and_without)
{
	static const uint32_t widths[] = {0, 1, 2, 4, 8};
	uint64_t numbers[70];
	uint8_t bytes[2][8 * 70 + 1];

	for (size_t i = 0; i < 70; i++)
		numbers[i] = (i * UINT64_C(0x9e3779b97f4a7c15) | UINT64_C(1) << 63) >> i * 29 % 64;
	numbers[5] = 0;
	numbers[6] = UINT64_C(1) << 32;
	numbers[7] = UINT32_MAX;
	for (size_t count = 0; count < 70; count++) {
		size_t longer[2][INT_NARROW_WIDTHS] = {{0}};

		int_narrow_count(numbers, count, longer[0]);
		int_narrow_count_portable(numbers, count, longer[1]);
		cr_assert_arr_eq(longer[0], longer[1], sizeof(longer[0]), "%zu numbers", count);
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
			memset(bytes, 0xaa, sizeof(bytes));
			int_narrow_store(bytes[0] + 1, widths[i], numbers, count);
			int_narrow_store_portable(bytes[1] + 1, widths[i], numbers, count);
			/* This includes that nothing is stored after the values. */
			cr_assert_arr_eq(bytes[0], bytes[1], sizeof(bytes[0]), "width %u, %zu numbers", widths[i],
					 count);
		}
	}
}
