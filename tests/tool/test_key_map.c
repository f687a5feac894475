/* SPDX-License-Identifier: MIT */
/* Maps of 64-bit keys find every entry until it is removed, for any keys. */
#include "shared/key_map.h"

#include "base/colliding_keys.h"

#include <criterion/criterion.h>

Test(key_map, keeps_what_is_added)
{
	key_map set = {0};

	cr_expect_null(key_map_find(&set, 0));
	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 3000; i++)
			cr_assert_eq(key_map_add(&set, i * i), round == 0);
	}
	cr_expect_eq(set.count, 3000);
	cr_expect_not_null(key_map_find(&set, 0));
	cr_expect_not_null(key_map_find(&set, 2999 * 2999));
	cr_expect_null(key_map_find(&set, 2));
	key_map_clear(&set);
	cr_expect_null(key_map_find(&set, 0));
}

typedef struct square {
	uint64_t key;
	uint64_t value;
} square;

Test(key_map, removes_no_other_entries)
{
	key_map map = {.value_size = sizeof(square) - sizeof(uint64_t)};
	size_t visited = 0;

	for (uint64_t i = 0; i < 3000; i++) {
		square *entry = key_map_put(&map, i);

		cr_assert_not_null(entry);
		cr_assert_eq(entry->value, 0);
		entry->value = i * i;
	}
	for (uint64_t i = 0; i < 3000; i += 3)
		key_map_remove(&map, i);
	key_map_remove(&map, 3000);
	cr_expect_eq(map.count, 2000);
	for (uint64_t i = 0; i < 3000; i++) {
		const square *entry = key_map_find(&map, i);

		cr_assert_eq(entry != NULL, i % 3 != 0, "%d", (int)i);
		cr_assert(entry == NULL || (entry->key == i && entry->value == i * i));
	}
	for (size_t slot = 0; slot <= map.capacity; slot++)
		visited += key_map_slot(&map, slot) != NULL;
	cr_expect_eq(visited, map.count);
	cr_expect_eq(((square *)key_map_put(&map, 0))->value, 0, "of the removed entry");
	key_map_clear(&map);
}

/* The next key whose search would start at slot 0 if the array of slots were at address 0. */
static uint64_t next_colliding(uint64_t key)
{
	do
		key++;
	while ((hash_mix(0, key) * HASH_FACTOR >> 16 & 0xfff) != 0);
	return key;
}

static uint64_t next_multiple(uint64_t key)
{
	return key + (UINT64_C(1) << 28);
}

static size_t run_of_keys(uint64_t (*next)(uint64_t key))
{
	key_map set = {0};
	uint64_t key = 0;
	size_t run;

	for (size_t i = 0; i < COLLIDING_KEYS; i++) {
		key = next(key);
		cr_assert_eq(key_map_add(&set, key), 1);
	}
	run = longest_run(set.slots, set.capacity, sizeof(uint64_t));
	key_map_clear(&set);
	return run;
}

Test(key_map, keys_are_spread)
{
	cr_expect_lt(run_of_keys(next_colliding), LONG_RUN, "made for the map");
	cr_expect_lt(run_of_keys(next_multiple), LONG_RUN, "alike in their low bits");
}
