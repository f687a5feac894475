/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.c
 * \brief An open table with linear probing; it only grows.
 */
#include "key_set.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

void key_set_init(key_set *set)
{
	pthread_mutex_init(&set->lock, NULL);
	set->keys = NULL;
	set->flags = NULL;
	set->capacity = 0;
	set->count = 0;
}

/* Where the key is, or where it would be put. The table is never full. */
static size_t place_of(const uintptr_t *keys, size_t capacity, uintptr_t key)
{
	/* The runtime's structures lie at multiples of 8. */
	size_t place = (size_t)(((uint64_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);

	while (keys[place] != 0 && keys[place] != key)
		place = (place + 1) & (capacity - 1);
	return place;
}

static int grow(key_set *set)
{
	size_t capacity = set->capacity == 0 ? FIRST_CAPACITY : set->capacity * 2;
	uintptr_t *keys = calloc(capacity, sizeof(*keys));
	uint8_t *flags = calloc(capacity, sizeof(*flags));

	if (keys == NULL || flags == NULL) {
		free(keys);
		free(flags);
		return 0;
	}
	for (size_t i = 0; i < set->capacity; i++) {
		size_t place;

		if (set->keys[i] == 0)
			continue;
		place = place_of(keys, capacity, set->keys[i]);
		keys[place] = set->keys[i];
		flags[place] = set->flags[i];
	}
	free(set->keys);
	free(set->flags);
	set->keys = keys;
	set->flags = flags;
	set->capacity = capacity;
	return 1;
}

uint8_t key_set_get(key_set *set, const void *key)
{
	uint8_t flags = 0;

	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0)
		flags = set->flags[place_of(set->keys, set->capacity, (uintptr_t)key)];
	pthread_mutex_unlock(&set->lock);
	return flags;
}

void key_set_add(key_set *set, const void *key, uint8_t flags)
{
	pthread_mutex_lock(&set->lock);
	/* At most half full, so that probes stay short. */
	if (set->count * 2 < set->capacity || grow(set)) {
		size_t place = place_of(set->keys, set->capacity, (uintptr_t)key);

		set->count += set->keys[place] == 0;
		set->keys[place] = (uintptr_t)key;
		set->flags[place] |= flags;
	}
	pthread_mutex_unlock(&set->lock);
}

void key_set_clear(key_set *set)
{
	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0) {
		memset(set->keys, 0, set->capacity * sizeof(*set->keys));
		memset(set->flags, 0, set->capacity * sizeof(*set->flags));
	}
	set->count = 0;
	pthread_mutex_unlock(&set->lock);
}
