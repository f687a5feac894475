/* SPDX-License-Identifier: MIT */
/**
 * \file shared/key_map.h
 * \brief A map of 64-bit keys to small structs, or a set of keys. Not thread-safe.
 *
 * Initialise it with 0, apart from \ref key_map::value_size. Pointers to entries are valid until the next
 * key_map_put(), key_map_add() or key_map_remove().
 */
#ifndef SHARED_KEY_MAP_H
#define SHARED_KEY_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct key_map {
	size_t value_size;    /**< Bytes after the key of an entry, a multiple of the size of a pointer; 0 for a set. */
	unsigned char *slots; /**< Open addressing; an entry with key 0 is empty. One more follows, that of key 0. */
	size_t capacity;      /**< A power of two, or 0. */
	size_t count;         /**< Number of entries, including that of key 0. */
	int has_zero;         /**< Whether key 0 is in the map. */
} key_map;

/** Returns the entry of a key, which begins with the key, or NULL. */
void *key_map_find(const key_map *map, uint64_t key);

/** Returns the entry of a key. A new entry has a value of zeros. Returns NULL if out of memory. */
void *key_map_put(key_map *map, uint64_t key);

/** Adds a key. Returns 1 if it is new, 0 if it is in the map already, -1 if out of memory. */
int key_map_add(key_map *map, uint64_t key);

/** Removes the entry of a key. Another entry may move to its slot. */
void key_map_remove(key_map *map, uint64_t key);

/**
 * Returns the entry in a slot, or NULL if it is empty. The slots are numbered from 0 to \ref key_map::capacity, which
 * is that of key 0 and exists only if the capacity is not 0.
 */
void *key_map_slot(const key_map *map, size_t slot);

/** Removes all entries and releases their memory. */
void key_map_clear(key_map *map);

#endif
