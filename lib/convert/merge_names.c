/* SPDX-License-Identifier: MIT */
/* Finds definitions by their content, and chooses numbers for what logs number independently. */
#include "convert/merge_names.h"

#include <string.h>

struct shared_definition {
	shared_definition *next; /* Another one with the same hash. */
	uint32_t id;
	uint32_t length;
	uint8_t content[];
};

void shared_definitions_init(shared_definitions *all, const mprof_allocator *allocator)
{
	all->allocator = *allocator;
	hash_map_init(&all->first, allocator);
}

static size_t size_of_definition(size_t length)
{
	return sizeof(shared_definition) + length;
}

static shared_definition *definition_of(uint64_t value)
{
	return (shared_definition *)(uintptr_t)value;
}

void shared_definitions_destroy(shared_definitions *all)
{
	const hash_map_entry *entry;
	size_t slot = 0;

	while ((entry = hash_map_next(&all->first, &slot)) != NULL) {
		shared_definition *next;

		for (shared_definition *one = definition_of(entry->value); one != NULL; one = next) {
			next = one->next;
			allocator_release(&all->allocator, one, size_of_definition(one->length));
		}
	}
	hash_map_destroy(&all->first);
}

/* hash_map_next() does not visit the key 0. */
uint64_t shared_definitions_hash(const encode_buffer *content)
{
	uint64_t hash = hash_seed();

	for (size_t i = 0; i < content->length; i++)
		hash = hash_mix(hash, content->bytes[i]);
	return hash | 1;
}

uint32_t shared_definitions_find(const shared_definitions *all, const encode_buffer *content)
{
	const uint64_t *first = hash_map_get(&all->first, shared_definitions_hash(content));

	for (const shared_definition *one = first != NULL ? definition_of(*first) : NULL; one != NULL;
	     one = one->next) {
		if (one->length == content->length && memcmp(one->content, content->bytes, one->length) == 0)
			return one->id;
	}
	return 0;
}

int shared_definitions_add(shared_definitions *all, const encode_buffer *content, uint32_t id)
{
	const uint64_t hash = shared_definitions_hash(content);
	const uint64_t *first = hash_map_get(&all->first, hash);
	shared_definition *added;

	if (content->length > UINT32_MAX)
		return 0;
	added = allocator_allocate(&all->allocator, size_of_definition(content->length));
	if (added == NULL)
		return 0;
	added->next = first != NULL ? definition_of(*first) : NULL;
	added->id = id;
	added->length = (uint32_t)content->length;
	memcpy(added->content, content->bytes, content->length);
	if (hash_map_put(&all->first, hash, (uint64_t)(uintptr_t)added))
		return 1;
	allocator_release(&all->allocator, added, size_of_definition(added->length));
	return 0;
}

void used_numbers_init(used_numbers *all, const mprof_allocator *allocator, uint64_t first, uint64_t limit)
{
	hash_map_init(&all->used, allocator);
	all->next = first;
	all->limit = limit;
}

void used_numbers_destroy(used_numbers *all)
{
	hash_map_destroy(&all->used);
}

uint64_t used_numbers_take(used_numbers *all, uint64_t wanted)
{
	uint64_t number = wanted;

	if (wanted == 0 || hash_map_get(&all->used, wanted) != NULL) {
		while (all->next < all->limit && hash_map_get(&all->used, all->next) != NULL)
			all->next++;
		number = all->next;
	}
	if (number > all->limit || hash_map_get(&all->used, number) != NULL || !hash_map_put(&all->used, number, 1))
		return 0;
	return number;
}

void used_numbers_release(used_numbers *all, uint64_t number)
{
	hash_map_remove(&all->used, number);
}

void own_numbers_init(own_numbers *own, const mprof_allocator *allocator, used_numbers *used)
{
	own->used = used;
	hash_map_init(&own->moved, allocator);
}

void own_numbers_destroy(own_numbers *own)
{
	hash_map_destroy(&own->moved);
}

int own_numbers_has(const own_numbers *own, uint64_t number)
{
	return hash_map_get(&own->moved, number) != NULL;
}

int own_numbers_set(own_numbers *own, uint64_t number, uint64_t merged)
{
	return merged != 0 && hash_map_put(&own->moved, number, merged);
}

uint64_t own_numbers_get(own_numbers *own, uint64_t number, int *is_new)
{
	const uint64_t *known = hash_map_get(&own->moved, number);
	uint64_t merged;

	if (is_new != NULL)
		*is_new = 0;
	if (number == 0 || known != NULL)
		return number == 0 ? 0 : *known;
	merged = used_numbers_take(own->used, number);
	if (merged == 0)
		return 0;
	if (!own_numbers_set(own, number, merged)) {
		used_numbers_release(own->used, merged);
		return 0;
	}
	if (is_new != NULL)
		*is_new = 1;
	return merged;
}

void own_numbers_end(own_numbers *own, uint64_t number)
{
	const uint64_t *known = hash_map_get(&own->moved, number);

	if (known == NULL)
		return;
	used_numbers_release(own->used, *known);
	hash_map_remove(&own->moved, number);
}
