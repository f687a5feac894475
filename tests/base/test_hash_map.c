/* SPDX-License-Identifier: MIT */
/* Maps and sets: what was put is found, nothing else is, and a refused allocation changes nothing. */
#include "base/hash_map.h"
#include "base/id_map.h"

#include "colliding_keys.h"
#include "failing_allocator.h"

#include <criterion/criterion.h>

/* Keys of several kinds: small, like addresses, equal in their low or high bits. */
static uint64_t key_of(uint64_t i)
{
	switch (i % 4) {
	case 0:
		return i;
	case 1:
		return UINT64_C(0x7f0012345000) + i * 64;
	case 2:
		return i << 32;
	default:
		return UINT64_MAX - i;
	}
}

Test(hash_map, keeps_what_is_put)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	hash_map map;

	hash_map_init(&map, &allocator);
	for (uint64_t i = 0; i < 20000; i++) {
		cr_assert_null(hash_map_get(&map, key_of(i)));
		cr_assert(hash_map_put(&map, key_of(i), i));
	}
	for (uint64_t i = 0; i < 20000; i++) {
		cr_assert_not_null(hash_map_get(&map, key_of(i)));
		cr_assert_eq(*hash_map_get(&map, key_of(i)), i);
	}
	for (uint64_t i = 20000; i < 40000; i++)
		cr_assert_null(hash_map_get(&map, key_of(i)));
	hash_map_destroy(&map);
	cr_assert_eq(memory.blocks, 0);
}

/* Half of the keys go while others stay, so that gaps would show; then all of them, and the places are used again. */
Test(hash_map, forgets_what_is_removed)
{
	enum { COUNT = 5000 };
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	hash_map map;
	size_t capacity;

	hash_map_init(&map, &allocator);
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < COUNT; i++)
			cr_assert(hash_map_put(&map, key_of(i), i));
		for (uint64_t i = 0; i < COUNT; i += 2)
			hash_map_remove(&map, key_of(i));
		hash_map_remove(&map, key_of(COUNT));
		for (uint64_t i = 0; i < COUNT; i++) {
			const uint64_t *value = hash_map_get(&map, key_of(i));

			cr_assert_eq(value != NULL, i % 2 == 1, "key %llu", (unsigned long long)i);
			if (value != NULL)
				cr_assert_eq(*value, i);
		}
		for (uint64_t i = 1; i < COUNT; i += 2)
			hash_map_remove(&map, key_of(i));
		cr_assert_eq(map.index.count, 0);
		if (round == 0)
			capacity = map.index.capacity;
		cr_assert_eq(map.index.capacity, capacity);
	}
	hash_map_destroy(&map);
	cr_assert_eq(memory.blocks, 0);
}

Test(hash_map, key_zero_is_a_key)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	hash_map map;

	hash_map_init(&map, &allocator);
	cr_assert_null(hash_map_get(&map, 0));
	cr_assert(hash_map_put(&map, 0, 7));
	cr_assert_eq(*hash_map_get(&map, 0), 7);
	cr_assert(hash_map_put(&map, 0, 8));
	cr_assert_eq(*hash_map_get(&map, 0), 8);
	hash_map_destroy(&map);
	cr_assert_null(hash_map_get(&map, 0));
}

Test(hash_map, put_again_replaces)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	hash_map map;

	hash_map_init(&map, &allocator);
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert(hash_map_put(&map, 1 + i % 10, i));
	cr_assert_eq(map.index.count, 10);
	for (uint64_t i = 0; i < 10; i++)
		cr_assert_eq(*hash_map_get(&map, 1 + i), 990 + i);
	hash_map_destroy(&map);
}

Test(hash_map, refused_memory_changes_nothing)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	hash_map map;
	uint64_t held = 0;

	hash_map_init(&map, &allocator);
	for (uint64_t i = 1; i <= 1000; i++) {
		/* Each growth is refused once before it is granted. */
		memory.fail_at = memory.requests + 1;
		if (!hash_map_put(&map, i, i * 3)) {
			cr_assert_null(hash_map_get(&map, i));
			memory.fail_at = 0;
			cr_assert(hash_map_put(&map, i, i * 3));
		}
		held++;
		cr_assert_eq(map.index.count, held);
		for (uint64_t j = 1; j <= i; j += 37)
			cr_assert_eq(*hash_map_get(&map, j), j * 3);
	}
	cr_assert_gt(memory.refused, 3);
	hash_map_destroy(&map);
	cr_assert_eq(memory.blocks, 0);
}

/* The longest run of taken places in a map of keys that are made for one seed. */
static size_t run_of_colliding_keys(uint64_t seed)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	uint64_t key = 0;
	size_t run;
	hash_map map;

	hash_map_init(&map, &allocator);
	cr_assert_eq(map.index.seed, hash_seed());
	map.index.seed = seed;
	for (int i = 0; i < COLLIDING_KEYS; i++) {
		key = next_colliding_key(key);
		cr_assert(hash_map_put(&map, key, 1));
	}
	run = longest_run(map.index.slots, map.index.capacity, sizeof(hash_map_entry));
	hash_map_destroy(&map);
	return run;
}

Test(hash_map, keys_made_for_another_seed_are_spread)
{
	cr_expect_eq(run_of_colliding_keys(KNOWN_SEED), COLLIDING_KEYS);
	cr_expect_lt(run_of_colliding_keys(hash_seed()), LONG_RUN);
}

Test(hash_map, seed_is_drawn_once)
{
	cr_expect_neq(hash_seed(), 0);
	cr_expect_eq(hash_seed(), hash_seed());
}

static const uint32_t edge_ids[] = {
	1, 63, 64, 65, 511, 512, 513, 100000, (1 << 23) - 1, 1 << 23, (1 << 23) + 1, UINT32_MAX - 1, UINT32_MAX,
};

Test(id_set, edges)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	size_t count = sizeof(edge_ids) / sizeof(edge_ids[0]);
	id_set set;

	id_set_init(&set, &allocator);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++)
			cr_assert_eq(id_set_has(&set, edge_ids[j]), j < i);
		cr_assert_not(id_set_has(&set, 0));
		cr_assert_not(id_set_has(&set, edge_ids[i] - 2 == 63 ? 2 : 62));
		cr_assert(id_set_add(&set, edge_ids[i]));
	}
	/* Memory follows the IDs put, although some are near the maximum. */
	cr_assert_leq(memory.bytes, 8192);
	id_set_destroy(&set);
	cr_assert_eq(memory.blocks, 0);
}

Test(id_set, refused_memory_changes_nothing)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	id_set set;

	id_set_init(&set, &allocator);
	cr_assert(id_set_add(&set, 5));
	memory.fail_at = memory.requests + 1;
	cr_assert_not(id_set_add(&set, 70000));
	cr_assert_not(id_set_add(&set, UINT32_MAX));
	cr_assert(id_set_add(&set, 6));
	cr_assert(id_set_has(&set, 5));
	cr_assert(id_set_has(&set, 6));
	cr_assert_not(id_set_has(&set, 70000));
	cr_assert_not(id_set_has(&set, UINT32_MAX));
	id_set_destroy(&set);
	cr_assert_eq(memory.blocks, 0);
}
