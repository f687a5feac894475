/* SPDX-License-Identifier: MIT */
#include "base/sort.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

/* Several words long, and not a multiple of them. */
typedef struct element {
	uint32_t key;
	uint32_t copies[24];
} element;

enum { MOST = 300 };

static int compare(const void *first, const void *second)
{
	uint32_t left = ((const element *)first)->key;
	uint32_t right = ((const element *)second)->key;

	return (left > right) - (left < right);
}

static int compare_bytes(const void *first, const void *second)
{
	return *(const unsigned char *)first - *(const unsigned char *)second;
}

/* The next of a sequence that looks random and is the same each time. */
static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void fill(element *elements, size_t count, uint32_t different, uint32_t *state)
{
	for (size_t i = 0; i < count; i++) {
		elements[i].key = next_number(state) % different;
		for (size_t copy = 0; copy < 24; copy++)
			elements[i].copies[copy] = elements[i].key * 31 + (uint32_t)copy;
	}
}

static uint64_t sum_of_keys(const element *elements, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (uint64_t)elements[i].key * elements[i].key;
	return sum;
}

Test(sort, puts_every_count_in_order)
{
	static element elements[MOST + 1];
	uint32_t state = 7;

	for (size_t count = 0; count <= MOST; count++) {
		uint64_t sum;

		fill(elements, count, count % 3 == 0 ? 5 : 100000, &state);
		elements[count].key = 0xdead;
		sum = sum_of_keys(elements, count);
		sort_in_place(elements, count, sizeof(*elements), compare);
		cr_assert_eq(sum_of_keys(elements, count), sum);
		cr_assert_eq(elements[count].key, 0xdead, "the element after the last stays");
		for (size_t i = 0; i < count; i++) {
			cr_assert(i == 0 || elements[i - 1].key <= elements[i].key, "%zu of %zu", i, count);
			for (uint32_t copy = 0; copy < 24; copy++)
				cr_assert_eq(elements[i].copies[copy], elements[i].key * 31 + copy);
		}
	}
}

Test(sort, takes_what_is_sorted_already_and_what_is_reversed)
{
	static element elements[MOST];

	for (uint32_t i = 0; i < MOST; i++)
		elements[i].key = i;
	sort_in_place(elements, MOST, sizeof(*elements), compare);
	for (uint32_t i = 0; i < MOST; i++)
		cr_assert_eq(elements[i].key, i);
	for (uint32_t i = 0; i < MOST; i++)
		elements[i].key = MOST - i;
	sort_in_place(elements, MOST, sizeof(*elements), compare);
	for (uint32_t i = 0; i < MOST; i++)
		cr_assert_eq(elements[i].key, i + 1);
}

Test(sort, takes_elements_of_one_byte)
{
	char text[] = "the quick brown fox";

	sort_in_place(text, strlen(text), 1, compare_bytes);
	cr_assert_str_eq(text, "   bcefhiknooqrtuwx");
	sort_in_place(NULL, 0, 1, compare_bytes);
}
