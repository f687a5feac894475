/* SPDX-License-Identifier: MIT */
/**
 * \file base/hash_map.h
 * \brief A map from 64-bit keys to 64-bit values.
 */
#ifndef BASE_HASH_MAP_H
#define BASE_HASH_MAP_H

#include "base/allocator.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** 2^64 divided by the golden ratio, and odd: multiplication spreads similar keys over the high bits. */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/** Returns the random seed of the process, which the first call generates; never 0. Thread-safe. */
uint64_t hash_seed(void);

/** Adds a value to a hash, which starts as the seed. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * HASH_FACTOR;
	return hash ^ hash >> 32;
}

/** Adds a text, which ends with NUL. */
static inline uint64_t hash_mix_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = hash_mix(hash, (unsigned char)*text);
	return hash;
}

/**
 * The hash of a key. \p seed may be a hash of the key's other parts. Without the second multiplication, small keys that
 * collide with one seed would do so with most seeds.
 */
static inline uint64_t hash_key(uint64_t seed, uint64_t key)
{
	return hash_mix(seed, key) * HASH_FACTOR;
}

/** The hash of an address or a number that the program itself chooses: one multiplication, and no seed. */
static inline uint64_t hash_address(uint64_t address)
{
	return address * HASH_FACTOR;
}

/** Functions with a hash_index_type as an argument are inlined, so that the constant's fields become immediates. */
#define HASH_INDEX_INLINE static inline __attribute__((always_inline))

/*
 * A slot is either the position of an element in an array of the owner, as a 32-bit number plus 1, or the element
 * itself. The owner describes its slots by a constant hash_index_type. Searches and removals are inlined together with
 * the functions of that constant, so a table is as fast as one written by hand.
 *
 * Tables that a log fills take their hashes from hash_key() and hash_index::seed. Nothing may depend on the order of
 * the slots.
 */

typedef struct hash_index {
	mprof_allocator allocator;
	void *slots;
	size_t capacity; /**< In slots; 0 before the first key. */
	size_t count;    /**< Slots that are used. */
	uint64_t seed;   /**< hash_seed(). */
	uint32_t shift;  /**< 64 - log2(capacity), unless the type grows by half. */
} hash_index;

/** Whether a slot is used. */
typedef int (*hash_index_used)(const void *slot);

/** The hash of the key in a used slot. */
typedef uint64_t (*hash_index_hash)(const void *owner, const void *slot);

/** Whether a slot has a key. It is also called for empty slots, and returns 0 for them. */
typedef int (*hash_index_match)(const void *owner, const void *slot, const void *key);

/** The slots of one kind of table. */
typedef struct hash_index_type {
	size_t size;           /**< Of a slot, in bytes. */
	size_t first_capacity; /**< A power of two, at least 8. */
	uint32_t used_eighths; /**< The part of the slots that may be used, 1 to 7 eighths, rounded up. */
	int empty_byte;        /**< All bytes of an empty slot: 0 or 0xff. */
	/**
	 * Grows to one and a half times the size instead of twice, so that fewer slots are empty. Finding the first
	 * slot of a key then takes a multiplication, and only 2^32 slots are possible.
	 */
	int grows_by_half;
	hash_index_used is_used;
	hash_index_hash hash;
} hash_index_type;

/** Initializes an empty table; allocates nothing yet. */
void hash_index_init(hash_index *index, const mprof_allocator *allocator);

/** Frees the slots and removes all keys; the index can be used again. */
void hash_index_destroy(hash_index *index, const hash_index_type *type);

/**
 * Changes the number of slots. \p capacity has room for the used ones, and is a power of two unless the type grows by
 * half. Returns 0, changing nothing, if there is no memory or \p capacity is too large.
 */
int hash_index_resize(hash_index *index, const hash_index_type *type, const void *owner, size_t capacity);

/** The slow path of hash_index_reserve(). */
int hash_index_grow(hash_index *index, const hash_index_type *type, const void *owner);

/** Makes room for one more key. Returns 0, changing nothing, if there is no memory. */
HASH_INDEX_INLINE int hash_index_reserve(hash_index *index, const hash_index_type *type, const void *owner)
{
	return __builtin_expect(index->count < index->capacity - index->capacity / 8 * (8 - type->used_eighths), 1) ||
	       hash_index_grow(index, type, owner);
}

/** The slot with a number. */
HASH_INDEX_INLINE void *hash_index_slot(const hash_index *index, const hash_index_type *type, size_t number)
{
	return (char *)index->slots + number * type->size;
}

/** The number of the slot where the search for a hash starts. */
HASH_INDEX_INLINE size_t hash_index_home(const hash_index *index, const hash_index_type *type, uint64_t hash)
{
	if (type->grows_by_half)
		return (size_t)((hash >> 32) * index->capacity >> 32);
	return (size_t)(hash >> index->shift);
}

/** The number of the slot that is searched after another one. */
HASH_INDEX_INLINE size_t hash_index_next(const hash_index *index, const hash_index_type *type, size_t number)
{
	if (type->grows_by_half)
		return number + 1 == index->capacity ? 0 : number + 1;
	return (number + 1) & (index->capacity - 1);
}

/** The slot of a key with a hash, or NULL. Valid until a key is added or removed. */
HASH_INDEX_INLINE void *hash_index_find(const hash_index *index, const hash_index_type *type, uint64_t hash,
					hash_index_match matches, const void *owner, const void *key)
{
	if (index->capacity == 0)
		return NULL;
	for (size_t i = hash_index_home(index, type, hash);; i = hash_index_next(index, type, i)) {
		void *slot = hash_index_slot(index, type, i);

		if (matches(owner, slot, key))
			return slot;
		if (!type->is_used(slot))
			return NULL;
	}
}

/**
 * Takes an empty slot for a key that has none, after hash_index_reserve(). The caller stores the key there.
 */
HASH_INDEX_INLINE void *hash_index_take_slot(hash_index *index, const hash_index_type *type, uint64_t hash)
{
	size_t i = hash_index_home(index, type, hash);

	while (type->is_used(hash_index_slot(index, type, i)))
		i = hash_index_next(index, type, i);
	index->count++;
	return hash_index_slot(index, type, i);
}

/**
 * Empties a slot. A key in a following slot moves into the hole if its search would otherwise end there too early, so
 * that no marker for deleted slots is needed.
 */
HASH_INDEX_INLINE void hash_index_remove(hash_index *index, const hash_index_type *type, const void *owner, void *slot)
{
	size_t hole = (size_t)((char *)slot - (char *)index->slots) / type->size;
	size_t i = hole;

	for (;;) {
		size_t home;

		i = hash_index_next(index, type, i);
		slot = hash_index_slot(index, type, i);
		if (!type->is_used(slot))
			break;
		home = hash_index_home(index, type, type->hash(owner, slot));
		/* The key stays if its search starts after the hole. */
		if (hole <= i ? hole < home && home <= i : hole < home || home <= i)
			continue;
		memcpy(hash_index_slot(index, type, hole), slot, type->size);
		hole = i;
	}
	memset(hash_index_slot(index, type, hole), type->empty_byte, type->size);
	index->count--;
}

/** hash_index_type::is_used of slots that are positions + 1 of elements. */
static inline int hash_index_has_position(const void *slot)
{
	return *(const uint32_t *)slot != 0;
}

/** A slot of the index. */
typedef struct hash_map_entry {
	uint64_t key; /**< 0 marks an empty slot; the value of key 0 is in hash_map::zero. */
	uint64_t value;
} hash_map_entry;

typedef struct hash_map {
	hash_index index;
	uint64_t zero; /**< Value of key 0. */
	int has_zero;
} hash_map;

void hash_map_init(hash_map *map, const mprof_allocator *allocator);

/** Frees the memory and removes all keys; the map can be used again. */
void hash_map_destroy(hash_map *map);

static inline int hash_map_entry_is_used(const void *slot)
{
	return ((const hash_map_entry *)slot)->key != 0;
}

static inline uint64_t hash_map_entry_hash(const void *owner, const void *slot)
{
	return hash_key(((const hash_map *)owner)->index.seed, ((const hash_map_entry *)slot)->key);
}

static inline int hash_map_entry_matches(const void *owner, const void *slot, const void *key)
{
	(void)owner;
	return ((const hash_map_entry *)slot)->key == *(const uint64_t *)key;
}

static const hash_index_type hash_map_entries = {
	.size = sizeof(hash_map_entry),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = hash_map_entry_is_used,
	.hash = hash_map_entry_hash,
};

/** The value of a key, or NULL. Valid until the next hash_map_put() or hash_map_remove(). */
static inline uint64_t *hash_map_get(const hash_map *map, uint64_t key)
{
	hash_map_entry *entry;

	if (key == 0)
		return map->has_zero ? (uint64_t *)&map->zero : NULL;
	entry = hash_index_find(&map->index, &hash_map_entries, hash_key(map->index.seed, key), hash_map_entry_matches,
				map, &key);
	return entry != NULL ? &entry->value : NULL;
}

/** Sets a key's value. Returns 0, changing nothing, if there is no memory. */
int hash_map_put(hash_map *map, uint64_t key, uint64_t value);

/** Removes a key, if the map has it. */
void hash_map_remove(hash_map *map, uint64_t key);

/**
 * Visits all keys but 0, in no particular order, so no result may depend on it: returns the next entry from slot
 * \p *slot on, which starts as 0, or NULL at the end.
 */
static inline const hash_map_entry *hash_map_next(const hash_map *map, size_t *slot)
{
	while (*slot < map->index.capacity) {
		const hash_map_entry *entry = hash_index_slot(&map->index, &hash_map_entries, (*slot)++);

		if (entry->key != 0)
			return entry;
	}
	return NULL;
}

#endif
