/* SPDX-License-Identifier: MIT */
/**
 * \file key_set.c
 * \brief A hash table with open addressing and linear probing, without gaps in its probe runs.
 */
#include "key_set.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024

void key_set_init(key_set *set)
{
	pthread_mutex_init(&set->lock, NULL);
	set->slots = NULL;
	set->capacity = 0;
	set->count = 0;
}

/* The first index that a key is probed at. */
static size_t home_of(size_t capacity, uintptr_t key)
{
	/* Addresses of the runtime's structures are multiples of 8. */
	return (size_t)(((uint64_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);
}

/* The index of a key, or of the free slot where it would be inserted. The table is never full. */
static size_t slot_of(const key_slot *slots, size_t capacity, uintptr_t key)
{
	size_t slot = home_of(capacity, key);

	while (slots[slot].key != 0 && slots[slot].key != key)
		slot = (slot + 1) & (capacity - 1);
	return slot;
}

static int grow(key_set *set)
{
	size_t capacity = set->capacity == 0 ? FIRST_CAPACITY : set->capacity * 2;
	key_slot *slots = calloc(capacity, sizeof(*slots));

	if (slots == NULL)
		return 0;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->slots[i].key != 0)
			slots[slot_of(slots, capacity, set->slots[i].key)] = set->slots[i];
	free(set->slots);
	set->slots = slots;
	set->capacity = capacity;
	return 1;
}

/* Empties a slot. Later entries of the probe run that were displaced move up. */
static void clear_slot(key_set *set, size_t slot)
{
	size_t mask = set->capacity - 1;
	size_t next = slot;

	for (;;) {
		size_t home;

		next = (next + 1) & mask;
		if (set->slots[next].key == 0)
			break;
		home = home_of(set->capacity, set->slots[next].key);
		/* Its home index comes after the gap: the entry stays. */
		if (((next - home) & mask) < ((next - slot) & mask))
			continue;
		set->slots[slot] = set->slots[next];
		slot = next;
	}
	set->slots[slot].key = 0;
	set->slots[slot].flags = 0;
	set->count--;
}

uint8_t key_set_get(key_set *set, const void *key)
{
	uint8_t flags = 0;

	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0)
		flags = set->slots[slot_of(set->slots, set->capacity, (uintptr_t)key)].flags;
	pthread_mutex_unlock(&set->lock);
	return flags;
}

void key_set_put(key_set *set, const void *key, const void *owner, uint8_t flags)
{
	pthread_mutex_lock(&set->lock);
	/* At most half full, so that probes stay short. */
	if (set->count * 2 < set->capacity || grow(set)) {
		key_slot *slot = &set->slots[slot_of(set->slots, set->capacity, (uintptr_t)key)];

		set->count += slot->key == 0;
		*slot = (key_slot){(uintptr_t)key, owner, flags};
	}
	pthread_mutex_unlock(&set->lock);
}

void key_set_mark(key_set *set, const void *key, uint8_t flags)
{
	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0) {
		key_slot *slot = &set->slots[slot_of(set->slots, set->capacity, (uintptr_t)key)];

		if (slot->key != 0)
			slot->flags |= flags;
	}
	pthread_mutex_unlock(&set->lock);
}

uint8_t key_set_remove(key_set *set, const void *key)
{
	uint8_t flags = 0;

	pthread_mutex_lock(&set->lock);
	if (set->capacity != 0) {
		size_t slot = slot_of(set->slots, set->capacity, (uintptr_t)key);

		flags = set->slots[slot].flags;
		if (set->slots[slot].key != 0)
			clear_slot(set, slot);
	}
	pthread_mutex_unlock(&set->lock);
	return flags;
}

static int is_owned(const key_slot *slot, const void *owner)
{
	return slot->key != 0 && slot->owner == owner;
}

size_t key_set_count(key_set *set, const void *owner)
{
	size_t count = 0;

	pthread_mutex_lock(&set->lock);
	for (size_t i = 0; i < set->capacity; i++)
		count += (size_t)is_owned(&set->slots[i], owner);
	pthread_mutex_unlock(&set->lock);
	return count;
}

size_t key_set_remove_owned(key_set *set, const void *owner, uintptr_t *keys, size_t room)
{
	size_t count = 0;

	pthread_mutex_lock(&set->lock);
	for (size_t i = 0; i < set->capacity;) {
		if (!is_owned(&set->slots[i], owner)) {
			i++;
			continue;
		}
		if (count < room)
			keys[count++] = set->slots[i].key;
		/* A later entry may have moved here: the slot is visited again. */
		clear_slot(set, i);
	}
	pthread_mutex_unlock(&set->lock);
	return count;
}
