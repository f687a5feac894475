/* SPDX-License-Identifier: MIT */
/* The hash index, with slots of each kind: what was added is found, also after removals and refused memory. */
#include "base/hash_map.h"

#include "colliding_keys.h"
#include "failing_allocator.h"

#include <criterion/criterion.h>

/* Enough for several growths of each type. */
#define KEYS 5000

/* Slots that contain the keys themselves. Key UINT64_MAX marks an empty slot. */
static int has_key(const void *slot)
{
	return *(const uint64_t *)slot != UINT64_MAX;
}

/* The owner is the index. */
static uint64_t hash_of_slot(const void *owner, const void *slot)
{
	return hash_key(((const hash_index *)owner)->seed, *(const uint64_t *)slot);
}

static int same_key(const void *owner, const void *slot, const void *key)
{
	(void)owner;
	return *(const uint64_t *)slot == *(const uint64_t *)key;
}

static const hash_index_type doubling = {
	.size = sizeof(uint64_t),
	.first_capacity = 8,
	.used_eighths = 4,
	.empty_byte = 0xff,
	.is_used = has_key,
	.hash = hash_of_slot,
};

static const hash_index_type growing_by_half = {
	.size = sizeof(uint64_t),
	.first_capacity = 64,
	.used_eighths = 6,
	.empty_byte = 0xff,
	.grows_by_half = 1,
	.is_used = has_key,
	.hash = hash_of_slot,
};

/* Nearly full: long runs, also around the end of the slots. */
static const hash_index_type crowded = {
	.size = sizeof(uint64_t),
	.first_capacity = 16,
	.used_eighths = 7,
	.empty_byte = 0xff,
	.is_used = has_key,
	.hash = hash_of_slot,
};

static const hash_index_type *const types[] = {&doubling, &growing_by_half, &crowded};

#define TYPES (sizeof(types) / sizeof(types[0]))

static uint64_t key_of(uint64_t i)
{
	return i % 2 == 0 ? i * 64 : i << 40;
}

static uint64_t *find(const hash_index *index, const hash_index_type *type, uint64_t key)
{
	return hash_index_find(index, type, hash_key(index->seed, key), same_key, index, &key);
}

static int add(hash_index *index, const hash_index_type *type, uint64_t key)
{
	uint64_t *slot;

	if (!hash_index_reserve(index, type, index))
		return 0;
	slot = hash_index_take_slot(index, type, hash_key(index->seed, key));
	*slot = key;
	return 1;
}

/* Every key of the first \p count is found if and only if its number is not a multiple of \p removed. */
static void expect_keys(const hash_index *index, const hash_index_type *type, uint64_t count, uint64_t removed)
{
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t *slot = find(index, type, key_of(i));

		cr_assert_eq(slot != NULL, removed == 0 || i % removed != 0, "key %llu", (unsigned long long)i);
		cr_assert(slot == NULL || *slot == key_of(i));
	}
}

Test(hash_index, grows_and_finds)
{
	for (size_t t = 0; t < TYPES; t++) {
		failing_allocator memory = {0};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		hash_index index;

		hash_index_init(&index, &allocator);
		cr_assert_null(find(&index, types[t], 5));
		cr_assert_eq(memory.requests, 0);
		for (uint64_t i = 0; i < KEYS; i++) {
			cr_assert_null(find(&index, types[t], key_of(i)));
			cr_assert(add(&index, types[t], key_of(i)));
			cr_assert_leq(index.count, index.capacity - index.capacity / 8 * (8 - types[t]->used_eighths));
		}
		cr_assert_eq(index.count, KEYS);
		expect_keys(&index, types[t], KEYS, 0);
		cr_assert_eq(memory.bytes, index.capacity * types[t]->size);
		hash_index_destroy(&index, types[t]);
		cr_assert_eq(memory.blocks, 0);
		cr_assert_null(find(&index, types[t], key_of(1)));
	}
}

/* Removal leaves no gap that ends a search too early, wherever the run of the key is. */
Test(hash_index, removes)
{
	for (size_t t = 0; t < TYPES; t++) {
		failing_allocator memory = {0};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		hash_index index;

		hash_index_init(&index, &allocator);
		for (uint64_t i = 0; i < KEYS; i++)
			cr_assert(add(&index, types[t], key_of(i)));
		for (uint64_t i = 0; i < KEYS; i += 3)
			hash_index_remove(&index, types[t], &index, find(&index, types[t], key_of(i)));
		expect_keys(&index, types[t], KEYS, 3);
		for (uint64_t i = 0; i < KEYS; i += 3)
			cr_assert(add(&index, types[t], key_of(i)));
		expect_keys(&index, types[t], KEYS, 0);
		for (uint64_t i = 0; i < KEYS; i++)
			hash_index_remove(&index, types[t], &index, find(&index, types[t], key_of(i)));
		cr_assert_eq(index.count, 0);
		cr_assert_eq(longest_run_of(index.slots, index.capacity, types[t]->size, types[t]->empty_byte), 0);
		hash_index_destroy(&index, types[t]);
	}
}

/* Keys with one hash form a single run. It starts at the last slot, so it continues at the first one. */
static uint64_t last_hash(const void *owner, const void *slot)
{
	(void)owner;
	(void)slot;
	return UINT64_MAX;
}

Test(hash_index, collisions_around_the_end)
{
	enum { COUNT = 200 };
	static const int halves[] = {0, 1};

	for (size_t h = 0; h < 2; h++) {
		const hash_index_type type = {.size = sizeof(uint64_t),
					      .first_capacity = 16,
					      .used_eighths = 6,
					      .empty_byte = 0xff,
					      .grows_by_half = halves[h],
					      .is_used = has_key,
					      .hash = last_hash};
		failing_allocator memory = {0};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		hash_index index;

		hash_index_init(&index, &allocator);
		for (uint64_t key = 0; key < COUNT; key++) {
			cr_assert(hash_index_reserve(&index, &type, &index));
			*(uint64_t *)hash_index_take_slot(&index, &type, UINT64_MAX) = key;
		}
		for (uint64_t removed = 0; removed < COUNT; removed++) {
			uint64_t key = (removed * 77) % COUNT;

			hash_index_remove(&index, &type, &index,
					  hash_index_find(&index, &type, UINT64_MAX, same_key, &index, &key));
			for (uint64_t i = 0; i < COUNT; i++) {
				uint64_t other = (i * 77) % COUNT;
				const void *slot = hash_index_find(&index, &type, UINT64_MAX, same_key, &index, &other);

				cr_assert_eq(slot != NULL, i > removed);
			}
		}
		hash_index_destroy(&index, &type);
		cr_assert_eq(memory.blocks, 0);
	}
}

/* Each allocation is refused once. Nothing changes then, and the key can be added afterwards. */
Test(hash_index, refused_memory_changes_nothing)
{
	for (size_t t = 0; t < TYPES; t++) {
		failing_allocator memory = {0};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		size_t refused = 0;
		hash_index index;

		hash_index_init(&index, &allocator);
		memory.fail_once = 1;
		for (uint64_t i = 0; i < KEYS; i++) {
			memory.fail_at = memory.requests + 1;
			if (!add(&index, types[t], key_of(i))) {
				cr_assert_eq(index.count, i);
				expect_keys(&index, types[t], i, 0);
				cr_assert_null(find(&index, types[t], key_of(i)));
				cr_assert(add(&index, types[t], key_of(i)));
				refused++;
			}
		}
		cr_assert_eq(refused, memory.refused);
		cr_assert_gt(refused, 6);
		expect_keys(&index, types[t], KEYS, 0);
		hash_index_destroy(&index, types[t]);
		cr_assert_eq(memory.blocks, 0);
	}
}

/* Sizes that do not fit are refused without a request, and nothing changes. */
Test(hash_index, maximum_size)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);

	for (size_t t = 0; t < TYPES; t++) {
		hash_index index;
		hash_index full;
		size_t requests;

		hash_index_init(&index, &allocator);
		cr_assert(add(&index, types[t], 1));
		requests = memory.requests;
		cr_expect_not(hash_index_resize(&index, types[t], &index, SIZE_MAX / 2 + 1));
#if SIZE_MAX > UINT32_MAX
		cr_expect(!types[t]->grows_by_half ||
			  !hash_index_resize(&index, types[t], &index, (size_t)UINT32_MAX + 1));
#endif
		full = index;
		full.capacity = SIZE_MAX / 2 + 1;
		cr_expect_not(hash_index_grow(&full, types[t], &full));
		cr_expect_eq(memory.requests, requests);
		cr_expect_not_null(find(&index, types[t], 1));
		hash_index_destroy(&index, types[t]);
	}
}

/* A smaller capacity keeps all keys. */
Test(hash_index, shrinks)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	hash_index index;

	hash_index_init(&index, &allocator);
	for (uint64_t i = 0; i < KEYS; i++)
		cr_assert(add(&index, &growing_by_half, key_of(i)));
	for (uint64_t i = 100; i < KEYS; i++)
		hash_index_remove(&index, &growing_by_half, &index, find(&index, &growing_by_half, key_of(i)));
	cr_assert(hash_index_resize(&index, &growing_by_half, &index, 200));
	cr_assert_eq(index.count, 100);
	expect_keys(&index, &growing_by_half, 100, 0);
	cr_assert_eq(memory.bytes, 200 * sizeof(uint64_t));
	hash_index_destroy(&index, &growing_by_half);
}

/* Slots that are positions in an array of texts: equality is the owner's. */
static const char *const names[] = {"alpha", "beta", "gamma", "delta"};

static uint64_t hash_of_name(const void *owner, const void *slot)
{
	return hash_key(0, hash_mix_text(1, ((const char *const *)owner)[*(const uint32_t *)slot - 1]));
}

static int is_name(const void *owner, const void *slot, const void *key)
{
	uint32_t position = *(const uint32_t *)slot;

	return position != 0 && strcmp(((const char *const *)owner)[position - 1], key) == 0;
}

Test(hash_index, positions)
{
	static const hash_index_type type = {.size = sizeof(uint32_t),
					     .first_capacity = 8,
					     .used_eighths = 2,
					     .is_used = hash_index_has_position,
					     .hash = hash_of_name};
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	char copy[8];
	hash_index index;

	hash_index_init(&index, &allocator);
	for (uint32_t position = 1; position <= 4; position++) {
		uint64_t hash = hash_of_name(names, &position);

		strcpy(copy, names[position - 1]);
		cr_assert_null(hash_index_find(&index, &type, hash, is_name, names, copy));
		cr_assert(hash_index_reserve(&index, &type, names));
		*(uint32_t *)hash_index_take_slot(&index, &type, hash) = position;
	}
	for (uint32_t position = 1; position <= 4; position++) {
		const uint32_t *slot;

		strcpy(copy, names[position - 1]);
		slot = hash_index_find(&index, &type, hash_of_name(names, &position), is_name, names, copy);
		cr_assert_not_null(slot);
		cr_assert_eq(*slot, position);
	}
	hash_index_destroy(&index, &type);
}
