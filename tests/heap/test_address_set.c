/* SPDX-License-Identifier: MIT */
/* Sets of addresses number them in ascending order. */
#include "base/caller_structs.h"
#include "heap/address_set.h"

#include <criterion/criterion.h>

#include <stdlib.h>

#define COUNT 20000

static int compare_addresses(const void *first, const void *second)
{
	uint64_t a = *(const uint64_t *)first;
	uint64_t b = *(const uint64_t *)second;

	return (a > b) - (a < b);
}

/* Near ones, far ones and repeated ones, in no order. */
static void make_addresses(uint64_t *addresses, uint32_t shift)
{
	uint64_t state = 7;

	for (size_t i = 0; i < COUNT; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		addresses[i] = i % 10 == 0 ? state >> shift << shift : (state >> 48) << shift;
	}
	addresses[0] = 0;
	addresses[1] = UINT64_MAX >> shift << shift;
}

static void expect_numbers(uint32_t shift)
{
	uint64_t *addresses = malloc(COUNT * sizeof(*addresses));
	mprof_allocator allocator;
	address_set set;
	uint32_t count = 0;
	uint32_t added = 0;
	size_t ascending = 0;
	size_t random = 0;

	cr_assert_not_null(addresses);
	cr_assert(allocator_init(&allocator, NULL));
	address_set_init(&set, &allocator, shift);
	make_addresses(addresses, shift);
	for (size_t i = 0; i < COUNT; i++) {
		int is_new = address_set_add(&set, addresses[i]);

		cr_assert_geq(is_new, 0);
		added += (uint32_t)is_new;
	}
	address_set_sort(&set);
	/* In the order of generation, so far away in both directions. */
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t number = address_set_find_near(&set, addresses[i], &random);

		cr_assert_lt(number, added);
		cr_assert_eq(address_set_get(&set, number), addresses[i]);
	}
	qsort(addresses, COUNT, sizeof(*addresses), compare_addresses);
	for (size_t i = 0; i < COUNT; i++) {
		count += i > 0 && addresses[i] != addresses[i - 1];
		cr_assert_eq(address_set_find(&set, addresses[i]), count);
		cr_assert_eq(address_set_find_near(&set, addresses[i], &ascending), count);
		cr_assert_eq(address_set_get(&set, count), addresses[i]);
	}
	cr_expect_eq(added, count + 1);
	cr_expect_eq(address_set_find(&set, UINT64_C(0x1234567) << 40), ADDRESS_SET_NONE);
	cr_expect_eq(address_set_find_near(&set, UINT64_C(0x1234567) << 40, &random), ADDRESS_SET_NONE);
	if (shift > 0)
		cr_expect_eq(address_set_find(&set, addresses[COUNT / 2] + 1), ADDRESS_SET_NONE);
	address_set_destroy(&set);
	free(addresses);
}

Test(address_set, numbers_addresses_in_order)
{
	expect_numbers(0);
	expect_numbers(3);
	expect_numbers(ADDRESS_SET_MAX_SHIFT);
}
