/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.c
 * \brief A map of keys to owners and flags, with a lock.
 */
#include "key_set.h"

#include <stdlib.h>

/** An entry of the map. */
typedef struct key_entry {
	uint64_t key;
	const void *owner;
	uint8_t flags;
} key_entry;

void key_set_init(key_set *set)
{
	pthread_mutex_init(&set->lock, NULL);
	set->entries = (key_map){.value_size = sizeof(key_entry) - sizeof(uint64_t)};
}

uint8_t key_set_get(key_set *set, const void *key)
{
	const key_entry *entry;
	uint8_t flags;

	pthread_mutex_lock(&set->lock);
	entry = key_map_find(&set->entries, (uintptr_t)key);
	flags = entry != NULL ? entry->flags : 0;
	pthread_mutex_unlock(&set->lock);
	return flags;
}

void key_set_put(key_set *set, const void *key, const void *owner, uint8_t flags)
{
	key_entry *entry;

	pthread_mutex_lock(&set->lock);
	entry = key_map_put(&set->entries, (uintptr_t)key);
	if (entry != NULL) {
		entry->owner = owner;
		entry->flags = flags;
	}
	pthread_mutex_unlock(&set->lock);
}

void key_set_mark(key_set *set, const void *key, uint8_t flags)
{
	key_entry *entry;

	pthread_mutex_lock(&set->lock);
	entry = key_map_find(&set->entries, (uintptr_t)key);
	if (entry != NULL)
		entry->flags |= flags;
	pthread_mutex_unlock(&set->lock);
}

uint8_t key_set_remove(key_set *set, const void *key)
{
	const key_entry *entry;
	uint8_t flags = 0;

	pthread_mutex_lock(&set->lock);
	entry = key_map_find(&set->entries, (uintptr_t)key);
	if (entry != NULL) {
		flags = entry->flags;
		key_map_remove(&set->entries, (uintptr_t)key);
	}
	pthread_mutex_unlock(&set->lock);
	return flags;
}

uintptr_t *key_set_list(key_set *set, size_t *count)
{
	uintptr_t *keys;

	*count = 0;
	pthread_mutex_lock(&set->lock);
	keys = malloc((set->entries.count + 1) * sizeof(*keys));
	for (size_t slot = 0; keys != NULL && slot < set->entries.capacity; slot++) {
		const key_entry *entry = key_map_slot(&set->entries, slot);

		if (entry != NULL)
			keys[(*count)++] = (uintptr_t)entry->key;
	}
	pthread_mutex_unlock(&set->lock);
	return keys;
}

/* The entry in a slot if it has this owner, else NULL. */
static const key_entry *owned_entry(const key_set *set, size_t slot, const void *owner)
{
	const key_entry *entry = key_map_slot(&set->entries, slot);

	return entry != NULL && entry->owner == owner ? entry : NULL;
}

size_t key_set_count(key_set *set, const void *owner)
{
	size_t count = 0;

	pthread_mutex_lock(&set->lock);
	for (size_t slot = 0; slot < set->entries.capacity; slot++)
		count += owned_entry(set, slot, owner) != NULL;
	pthread_mutex_unlock(&set->lock);
	return count;
}

size_t key_set_remove_owned(key_set *set, const void *owner, uintptr_t *keys, size_t room)
{
	size_t count = 0;

	pthread_mutex_lock(&set->lock);
	for (size_t slot = 0; slot < set->entries.capacity;) {
		const key_entry *entry = owned_entry(set, slot, owner);

		if (entry == NULL) {
			slot++;
			continue;
		}
		if (count < room)
			keys[count++] = (uintptr_t)entry->key;
		/* A later entry may move here: the slot is visited again. */
		key_map_remove(&set->entries, entry->key);
	}
	pthread_mutex_unlock(&set->lock);
	return count;
}
