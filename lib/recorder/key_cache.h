/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/key_cache.h
 * \brief The IDs of keys that were used lately. It is searched before the tables of keys.
 */
#ifndef RECORDER_KEY_CACHE_H
#define RECORDER_KEY_CACHE_H

#include <mprof/recorder.h>

#include "base/hash_index.h"

#include <string.h>

/**
 * Number of bits of an index. 4,096 keys of 16 bytes fit into the second cache of most processors, and programs rarely
 * call more methods in a while. With fewer bits, more keys are searched in the tables, which takes much longer.
 */
#define KEY_CACHE_BITS 12

/** A key with one version, whose ID thus does not depend on the time of an event. */
typedef struct cached_key {
	mprof_key key;        /**< 0: empty. */
	uint32_t id;          /**< In the log. */
	uint32_t object_size; /**< The fixed size of a class's objects; 0 if it has none. */
} cached_key;

typedef struct key_cache {
	cached_key keys[1 << KEY_CACHE_BITS];
} key_cache;

static inline void key_cache_clear(key_cache *cache)
{
	memset(cache->keys, 0, sizeof(cache->keys));
}

/** The two elements for a key. */
static inline cached_key *key_cache_pair(key_cache *cache, mprof_key key)
{
	/* Keys are often at regular distances: without the second multiplication, many of them would share elements. */
	return &cache->keys[hash_key(0, key) >> (64 - KEY_CACHE_BITS) & ~(uint64_t)1];
}

/** The element of a key, or any other one if the cache does not contain the key. Does not branch. */
static inline const cached_key *key_cache_find(key_cache *cache, mprof_key key)
{
	const cached_key *pair = key_cache_pair(cache, key);

	return pair + (pair->key != key);
}

/** Adds a key that the cache does not contain, and evicts the older one of its pair. Returns its element. */
static inline const cached_key *key_cache_put(key_cache *cache, const cached_key *added)
{
	cached_key *pair = key_cache_pair(cache, added->key);

	pair[1] = pair[0];
	pair[0] = *added;
	return pair;
}

#endif
