/* SPDX-License-Identifier: MIT */
/* Creates, frees and resizes hash tables. */
#include "base/hash_index.h"

#include "base/checked.h"

void hash_index_init(hash_index *index, const mprof_allocator *allocator)
{
	memset(index, 0, sizeof(*index));
	index->allocator = *allocator;
	index->seed = hash_seed();
}

void hash_index_destroy(hash_index *index, const hash_index_type *type)
{
	allocator_release(&index->allocator, index->slots, index->capacity * type->size);
	index->slots = NULL;
	index->capacity = 0;
	index->count = 0;
}

int hash_index_resize(hash_index *index, const hash_index_type *type, const void *owner, size_t capacity)
{
	const hash_index old = *index;
	size_t size;
	void *slots;

	if ((type->grows_by_half && capacity > UINT32_MAX) || !checked_multiply(capacity, type->size, &size))
		return 0;
	slots = allocator_allocate(&index->allocator, size);
	if (slots == NULL)
		return 0;
	memset(slots, type->empty_byte, size);
	index->slots = slots;
	index->capacity = capacity;
	index->count = 0;
	if (!type->grows_by_half)
		index->shift = 64 - (uint32_t)__builtin_ctzll(capacity);
	for (size_t i = 0; i < old.capacity; i++) {
		const void *slot = hash_index_slot(&old, type, i);

		if (type->is_used(slot))
			memcpy(hash_index_take_slot(index, type, type->hash(owner, slot)), slot, type->size);
	}
	allocator_release(&index->allocator, old.slots, old.capacity * type->size);
	return 1;
}

int hash_index_grow(hash_index *index, const hash_index_type *type, const void *owner)
{
	size_t capacity = index->capacity;

	if (capacity == 0)
		return hash_index_resize(index, type, owner, type->first_capacity);
	if (capacity > (type->grows_by_half ? SIZE_MAX / 3 * 2 : SIZE_MAX / 2))
		return 0;
	return hash_index_resize(index, type, owner, type->grows_by_half ? capacity + capacity / 2 : capacity * 2);
}
