/* SPDX-License-Identifier: MIT */
/* Numbers by ID: dense and sparse, in memory that follows what was put, with memory refused at every place. */
#include "base/id_map.h"

#include "failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

static failing_allocator memory;

static void map_init(id_map *map)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	memset(&memory, 0, sizeof(memory));
	id_map_init(map, &allocator);
}

static void map_destroy(id_map *map)
{
	id_map_destroy(map);
	cr_assert_eq(memory.blocks, 0);
	cr_assert_eq(memory.bytes, 0);
}

Test(id_map, nothing)
{
	id_map map;

	map_init(&map);
	cr_assert_eq(id_map_get(&map, 0), 0);
	cr_assert_eq(id_map_get(&map, 1), 0);
	cr_assert_eq(id_map_get(&map, UINT32_MAX), 0);
	map_destroy(&map);
}

/* IDs with gaps of a length, in both orders. */
static void check_ids(uint32_t count, uint32_t gap)
{
	id_map map;

	for (int is_backward = 0; is_backward < 2; is_backward++) {
		map_init(&map);
		for (uint32_t i = 1; i <= count; i++) {
			uint32_t id = (is_backward ? count + 1 - i : i) * gap;

			cr_assert_eq(id_map_get(&map, id), 0);
			cr_assert(id_map_put(&map, id, ~id));
			cr_assert_eq(id_map_get(&map, id), ~id);
		}
		for (uint32_t i = 1; i <= count; i++) {
			cr_assert_eq(id_map_get(&map, i * gap), ~(i * gap));
			cr_assert(gap == 1 || id_map_get(&map, i * gap + 1) == 0);
		}
		/* In addition to the initial entries, some of either kind for each number. */
		cr_assert_leq(memory.bytes, (size_t)count * 96 + 4096, "%zu bytes", memory.bytes);
		map_destroy(&map);
	}
}

Test(id_map, memory_follows_the_numbers)
{
	check_ids(1, 1);
	check_ids(1, 1000);
	check_ids(1, UINT32_MAX);
	check_ids(10000, 1);
	check_ids(10000, 3);
	check_ids(10000, 8);
	check_ids(10000, 9);
	check_ids(10000, 429496);
}

Test(id_map, dense_ids_are_found_without_hashing)
{
	id_map map;

	map_init(&map);
	for (uint32_t id = 1; id <= 10000; id += 3)
		cr_assert(id_map_put(&map, id, id));
	cr_assert_eq(map.sparse.index.count, 0);
	cr_assert_gt(map.dense_count, 10000);
	map_destroy(&map);
}

Test(id_map, numbers_change)
{
	static const uint32_t ids[] = {1, 100000, UINT32_MAX};
	id_map map;

	map_init(&map);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		cr_assert(id_map_put(&map, ids[i], 5));
		cr_assert(id_map_put(&map, ids[i], 6));
		cr_assert_eq(id_map_get(&map, ids[i]), 6);
	}
	/* The array comes to reach to an ID that was hashed before. */
	for (uint32_t id = 1; id < 100000; id++)
		cr_assert(id_map_put(&map, id, id));
	cr_assert_gt(map.dense_count, 100000);
	cr_assert_eq(id_map_get(&map, 100000), 6);
	memory.fail_at = memory.requests + 1;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		cr_assert(id_map_put(&map, ids[i], 0), "no memory is needed");
		cr_assert_eq(id_map_get(&map, ids[i]), 0);
	}
	map_destroy(&map);
}

Test(id_map, can_be_cleared)
{
	static const uint32_t ids[] = {0, 1, 400, 100000, UINT32_MAX};
	id_map map;

	map_init(&map);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
			cr_assert_eq(id_map_get(&map, ids[i]), 0);
			cr_assert(id_map_put(&map, ids[i], 7));
			cr_assert_eq(id_map_get(&map, ids[i]), 7);
		}
		id_map_clear(&map);
	}
	map_destroy(&map);
}

/* Without memory for the array nothing is hashed instead: which IDs are hashed depends on the IDs alone. */
Test(id_map, refused_array_is_not_replaced)
{
	id_map map;

	map_init(&map);
	for (uint32_t id = 0; id < 100000; id++) {
		memory.fail_at = memory.requests + 1;
		memory.fail_once = 1;
		if (!id_map_put(&map, id, id + 1)) {
			cr_assert_eq(id_map_get(&map, id), 0);
			cr_assert(id_map_put(&map, id, id + 1));
		}
		cr_assert_eq(id_map_get(&map, id), id + 1);
	}
	cr_assert_gt(memory.refused, 8);
	cr_assert_eq(map.sparse.index.count, 0);
	map_destroy(&map);
}

/* After a refusal all is as before, and the same number can be put again. */
Test(id_map, no_memory)
{
	for (size_t fail_at = 1;; fail_at++) {
		id_map map;

		map_init(&map);
		memory.fail_at = fail_at;
		memory.fail_once = 1;
		for (uint32_t i = 1; i <= 1000; i++) {
			uint32_t id = i % 2 != 0 ? i : i * 100003;

			if (!id_map_put(&map, id, i)) {
				cr_assert_eq(id_map_get(&map, id), 0);
				cr_assert(id_map_put(&map, id, i));
			}
		}
		for (uint32_t i = 1; i <= 1000; i++)
			cr_assert_eq(id_map_get(&map, i % 2 != 0 ? i : i * 100003), i);
		map_destroy(&map);
		if (memory.refused == 0)
			break;
	}
}
