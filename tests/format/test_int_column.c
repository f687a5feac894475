/* SPDX-License-Identifier: MIT */
/* Columns of numbers: values of each width, exceptions, and columns that are truncated or malformed. */
#include "format/int_column.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 1000

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
	static const size_t pieces[] = {1, 2, 7, 64, MOST_VALUES};
	uint64_t decoded[MOST_VALUES];
	uint32_t narrow[MOST_VALUES];

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
		cr_assert_eq(wide.left, 0);
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
	uint64_t values[MOST_VALUES];

	srand(1);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
			for (size_t rare = 1; rare < MOST_VALUES; rare *= 10) {
				for (size_t n = 0; n < MOST_VALUES; n++)
					values[n] = (size_t)rand() % rare == 0 ? limits[k]
									       : limits[i] - (n % 2 & limits[i]);
				encode(values, MOST_VALUES);
				expect_values(values, MOST_VALUES);
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
		cr_assert_lt(column.left, 100);
		most = column.left;
		int_column_read_64(&column, copy, decoded, column.left);
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
		  column.left == 0);
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
