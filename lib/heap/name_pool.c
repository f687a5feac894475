/* SPDX-License-Identifier: MIT */
/* Stores names once. */
#include "heap/name_pool.h"

#include "base/array.h"

static uint64_t hash_name(const name_pool *pool, const char *text, uint64_t scope)
{
	return hash_key(hash_mix_text(pool->index.seed, text), scope);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const name_pool *pool = owner;
	const pooled_name *name = &pool->names[*(const uint32_t *)slot - 1];

	return hash_name(pool, name->text, name->scope);
}

static int slot_matches(const void *owner, const void *slot, const void *key)
{
	const pooled_name *wanted = key;
	uint32_t position = *(const uint32_t *)slot;
	const pooled_name *name;

	if (position == 0)
		return 0;
	name = &((const name_pool *)owner)->names[position - 1];
	return name->scope == wanted->scope && strcmp(name->text, wanted->text) == 0;
}

static const hash_index_type name_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

void name_pool_init(name_pool *pool, const mprof_allocator *allocator)
{
	memset(pool, 0, sizeof(*pool));
	hash_index_init(&pool->index, allocator);
}

void name_pool_destroy(name_pool *pool)
{
	const mprof_allocator *allocator = &pool->index.allocator;

	for (size_t i = 0; i < pool->count; i++)
		allocator_release(allocator, pool->names[i].text, strlen(pool->names[i].text) + 1);
	allocator_release(allocator, pool->names, pool->capacity * sizeof(*pool->names));
	hash_index_destroy(&pool->index, &name_slots);
}

void name_pool_truncate(name_pool *pool, size_t count)
{
	while (pool->count > count) {
		pooled_name *name = &pool->names[pool->count - 1];
		void *slot = hash_index_find(&pool->index, &name_slots, hash_name(pool, name->text, name->scope),
					     slot_matches, pool, name);

		hash_index_remove(&pool->index, &name_slots, pool, slot);
		allocator_release(&pool->index.allocator, name->text, strlen(name->text) + 1);
		pool->count--;
	}
}

static int add_name(name_pool *pool, const char *text, uint64_t scope)
{
	size_t length = strlen(text);
	void *names = pool->names;
	char *copy;

	if (!hash_index_reserve(&pool->index, &name_slots, pool))
		return 0;
	if (pool->count == UINT32_MAX - 1 ||
	    !array_reserve(&pool->index.allocator, &names, &pool->capacity, pool->count + 1, sizeof(*pool->names)))
		return 0;
	pool->names = names;
	copy = allocator_allocate(&pool->index.allocator, length + 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, text, length + 1);
	pool->names[pool->count].text = copy;
	pool->names[pool->count].scope = scope;
	*(uint32_t *)hash_index_take_slot(&pool->index, &name_slots, hash_name(pool, text, scope)) =
		(uint32_t)++pool->count;
	return 1;
}

int name_pool_put(name_pool *pool, const char *text, uint64_t scope, uint32_t *number)
{
	pooled_name key = {(char *)text, scope};
	const uint32_t *slot =
		hash_index_find(&pool->index, &name_slots, hash_name(pool, text, scope), slot_matches, pool, &key);

	*number = slot != NULL ? *slot - 1 : (uint32_t)pool->count;
	return slot != NULL || add_name(pool, text, scope);
}
