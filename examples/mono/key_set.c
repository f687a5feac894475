/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.c
 * \brief An open table with linear probing and no gaps in its runs.
 */
#include "key_set.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024

void key_set_init(key_set *set)
{
	pthread_mutex_init(&set->lock, NULL);
	set->places = NULL;
	set->capacity = 0;
	set->count = 0;
}

/* Where a key belongs. */
static size_t home_of(size_t capacity, uintptr_t key)
{
	/* Structures of the runtime lie at multiples of 8. */
	return (size_t)(((uint64_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);
}

/* Where a key is, or where it would be put. The table is never full. */
static size_t place_of(const key_place *places, size_t capacity, uintptr_t key)
{
	size_t place = home_of(capacity, key);

	while (places[place].key != 0 && places[place].key != key)
		place = (place + 1) & (capacity - 1);
	return place;
}

static int grow(key_set *set)
{
	size_t capacity = set->capacity == 0 ? FIRST_CAPACITY : set->capacity * 2;
	key_place *places = calloc(capacity, sizeof(*places));

	if (places == NULL)
		return 0;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->places[i].key != 0)
			places[place_of(places, capacity, set->places[i].key)] = set->places[i];
	free(set->places);
	set->places = places;
	set->capacity = capacity;
	return 1;
}

/* Empties a place; those behind it that could not be put where they belong move up. */
static void clear_place(key_set *set, size_t place)
{
	size_t mask = set->capacity - 1;
	size_t next = place;

	for (;;) {
		size_t home;

		next = (next + 1) & mask;
		if (set->places[next].key == 0)
			break;
		home = home_of(set->capacity, set->places[next].key);
		/* Its home lies behind the gap: it stays. */
		if (((next - home) & mask) < ((next - place) & mask))
			continue;
		set->places[place] = set->places[next];
		place = next;
	}
	set->places[place].key = 0;
	set->places[place].flags = 0;
	set->count--;
}

uint8_t key_set_get(key_set *set, const void *key)
{
	uint8_t flags = 0;

	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0)
		flags = set->places[place_of(set->places, set->capacity, (uintptr_t)key)].flags;
	pthread_mutex_unlock(&set->lock);
	return flags;
}

void key_set_put(key_set *set, const void *key, const void *owner, uint8_t flags)
{
	pthread_mutex_lock(&set->lock);
	/* At most half full, so that probes stay short. */
	if (set->count * 2 < set->capacity || grow(set)) {
		key_place *place = &set->places[place_of(set->places, set->capacity, (uintptr_t)key)];

		set->count += place->key == 0;
		*place = (key_place){(uintptr_t)key, owner, flags};
	}
	pthread_mutex_unlock(&set->lock);
}

void key_set_mark(key_set *set, const void *key, uint8_t flags)
{
	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0) {
		key_place *place = &set->places[place_of(set->places, set->capacity, (uintptr_t)key)];

		if (place->key != 0)
			place->flags |= flags;
	}
	pthread_mutex_unlock(&set->lock);
}

uint8_t key_set_remove(key_set *set, const void *key)
{
	uint8_t flags = 0;

	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0) {
		size_t place = place_of(set->places, set->capacity, (uintptr_t)key);

		flags = set->places[place].flags;
		if (set->places[place].key != 0)
			clear_place(set, place);
	}
	pthread_mutex_unlock(&set->lock);
	return flags;
}

static int is_owned(const key_place *place, const void *owner)
{
	return place->key != 0 && place->owner == owner;
}

size_t key_set_count(key_set *set, const void *owner)
{
	size_t count = 0;

	pthread_mutex_lock(&set->lock);
	for (size_t i = 0; i < set->capacity; i++)
		count += (size_t)is_owned(&set->places[i], owner);
	pthread_mutex_unlock(&set->lock);
	return count;
}

size_t key_set_remove_owned(key_set *set, const void *owner, uintptr_t *keys, size_t room)
{
	size_t count = 0;

	pthread_mutex_lock(&set->lock);
	for (size_t i = 0; i < set->capacity;) {
		if (!is_owned(&set->places[i], owner)) {
			i++;
			continue;
		}
		if (count < room)
			keys[count++] = set->places[i].key;
		/* Another one may have moved here from behind: the place is looked at again. */
		clear_place(set, i);
	}
	pthread_mutex_unlock(&set->lock);
	return count;
}
