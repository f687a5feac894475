/* SPDX-License-Identifier: MIT */
#include "model/records/record_table.h"

#include "base/colliding_keys.h"
#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

/* Maps numbers to distinct pseudo-random ones. */
static uint32_t scatter(uint32_t number)
{
	number = (number ^ number >> 16) * UINT32_C(0x85ebca6b);
	number = (number ^ number >> 13) * UINT32_C(0xc2b2ae35);
	return number ^ number >> 16;
}

/* A fifth of the sites differ only in their class, a fifth only in their stack, and so on. */
static site_key site_of(uint32_t i)
{
	site_key key = {
		.class_id = i % 5 == 0 ? scatter(i) : 1,
		.stack = i % 5 == 1 ? scatter(i) : 1,
		.call = i % 5 == 2 ? scatter(i) : 1,
		.detail = i % 5 == 3 ? scatter(i) : 1,
		.other = i % 5 == 4 ? (uint64_t)scatter(i) << 20 : 1,
	};

	return key;
}

static size_t get(site_table *table, uint32_t i)
{
	site_key key = site_of(i);

	return site_table_get(table, &key);
}

Test(site_table, sites_that_differ_in_any_part)
{
	failing_allocator counting = {.fail_at = 0};
	mprof_allocator allocator = failing_allocator_interface(&counting);
	site_table table;

	site_table_init(&table, &allocator);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 4096; i++) {
			cr_assert_eq(get(&table, i), i, "site %u", i);
			table.records[i].count++;
		}
	}
	cr_expect_eq(table.count, 4096);
	for (uint32_t i = 0; i < 4096; i++) {
		site_key key = site_of(i);

		cr_assert_eq(memcmp(&table.records[i].key, &key, sizeof(key)), 0);
		cr_assert_eq(table.records[i].count, 2);
		cr_assert_eq(table.records[i].value, 0);
	}
	site_table_destroy(&table);
	cr_expect_eq(counting.blocks, 0);
}

/* A site that cannot be added changes nothing, and can be added later. */
Test(site_table, no_memory)
{
	failing_allocator failing = {.fail_at = 0};
	mprof_allocator allocator = failing_allocator_interface(&failing);
	size_t refused = 0;
	site_table table;

	site_table_init(&table, &allocator);
	failing.fail_once = 1;
	for (uint32_t i = 0; i < 4096; i++) {
		size_t found;

		failing.fail_at = failing.requests + 1;
		found = get(&table, i);
		refused += found == SITE_TABLE_NONE;
		cr_assert_eq(table.count, found == SITE_TABLE_NONE ? i : i + 1);
		failing.fail_at = 0;
		cr_assert_eq(get(&table, i), i);
	}
	cr_expect_gt(refused, 0);
	site_table_destroy(&table);
	cr_expect_eq(failing.blocks, 0);
}

/* The longest run of occupied slots in a table of sites that are made for one seed. */
static size_t run_of_colliding_sites(uint64_t seed)
{
	failing_allocator counting = {.fail_at = 0};
	mprof_allocator allocator = failing_allocator_interface(&counting);
	site_key key = {0};
	site_table table;
	size_t run;

	site_table_init(&table, &allocator);
	cr_assert_eq(table.sites.seed, hash_seed());
	table.sites.seed = seed;
	for (size_t i = 0; i < COLLIDING_KEYS; i++) {
		key.other = next_colliding_key(key.other);
		cr_assert_eq(site_table_get(&table, &key), i);
	}
	run = longest_run(table.sites.slots, table.sites.capacity, sizeof(uint32_t));
	site_table_destroy(&table);
	return run;
}

Test(site_table, sites_made_for_another_seed_are_spread)
{
	cr_expect_eq(run_of_colliding_sites(KNOWN_SEED), COLLIDING_KEYS);
	cr_expect_lt(run_of_colliding_sites(hash_seed()), LONG_RUN);
}
