/* SPDX-License-Identifier: MIT */
/**
 * \file colliding_keys.h
 * \brief Keys that a log could be made of if the seed of the tables were known, and what they do to a table.
 */
#ifndef COLLIDING_KEYS_H
#define COLLIDING_KEYS_H

#include "base/hash.h"

#include <string.h>

/** The seed that the keys are made for. */
#define KNOWN_SEED 0

#define COLLIDING_KEYS 1000

/** No table of that many keys has runs of taken places as long, but one that is made to. */
#define LONG_RUN 200

/** The next key that begins at the first place, in tables of up to 4096 places; less than 2^32 for some 2^20 keys. */
static inline uint64_t next_colliding_key(uint64_t key)
{
	do
		key++;
	while (hash_place(KNOWN_SEED, key, 64 - 12) != 0);
	return key;
}

/**
 * The longest run of taken places, which no search exceeds. A place takes \p size bytes, all 0 if it is free; a run
 * does not go on from the last place to the first.
 */
static inline size_t longest_run(const void *places, size_t count, size_t size)
{
	static const char is_free[64];
	size_t run = 0;
	size_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		run = memcmp((const char *)places + i * size, is_free, size) != 0 ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

#endif
