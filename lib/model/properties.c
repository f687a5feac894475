/* SPDX-License-Identifier: MIT */
/* Collects the properties of the session. */
#include "model/properties.h"

#include "base/array.h"
#include "model/text_copy.h"

#include <string.h>

void properties_init(property_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	hash_map_init(&all->numbers, allocator);
}

void properties_destroy(property_list *all)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;

	for (size_t i = 0; i < all->count; i++) {
		text_release(allocator, all->items[i].key);
		text_release(allocator, all->items[i].value);
	}
	allocator_release(allocator, all->items, all->capacity * sizeof(*all->items));
	all->items = NULL;
	all->count = 0;
	all->capacity = 0;
	hash_map_destroy(&all->numbers);
}

static int append_property(property_list *all, uint64_t hash, const char *key, char *value)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;
	void *items = all->items;
	char *own_key;

	if (!array_reserve(allocator, &items, &all->capacity, all->count + 1, sizeof(*all->items)))
		return 0;
	all->items = items;
	own_key = text_copy(allocator, key);
	if (own_key == NULL)
		return 0;
	if (!hash_map_put(&all->numbers, hash, all->count)) {
		text_release(allocator, own_key);
		return 0;
	}
	all->items[all->count].key = own_key;
	all->items[all->count++].value = value;
	return 1;
}

int properties_set(property_list *all, const char *key, const char *value)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;
	uint64_t hash = hash_mix_text(all->numbers.index.seed, key);
	const uint64_t *number = hash_map_get(&all->numbers, hash);
	char *own_value = text_copy(allocator, value);

	if (own_value == NULL)
		return 0;
	if (number != NULL && strcmp(all->items[*number].key, key) == 0) {
		text_release(allocator, all->items[*number].value);
		all->items[*number].value = own_value;
		return 1;
	}
	if (!append_property(all, hash, key, own_value)) {
		text_release(allocator, own_value);
		return 0;
	}
	return 1;
}
