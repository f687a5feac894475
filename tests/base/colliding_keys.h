/* SPDX-License-Identifier: MIT */
/**
 * \file colliding_keys.h
 * \brief Keys that a log could be made of if the seed of the tables were known, and what they do to a table.
 */
#ifndef BASE_COLLIDING_KEYS_H
#define BASE_COLLIDING_KEYS_H

#include "base/hash_map.h"

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
	while (hash_key(KNOWN_SEED, key) >> (64 - 12) != 0);
	return key;
}

/**
 * The longest run of used slots, which no search exceeds. A slot has \p size bytes, all \p empty_byte if it is empty; a
 * run does not continue from the last slot at the first.
 */
static inline size_t longest_run_of(const void *slots, size_t count, size_t size, int empty_byte)
{
	char empty[64];
	size_t run = 0;
	size_t longest = 0;

	memset(empty, empty_byte, sizeof(empty));
	for (size_t i = 0; i < count; i++) {
		run = memcmp((const char *)slots + i * size, empty, size) != 0 ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/** The same if the bytes of empty slots are 0. */
static inline size_t longest_run(const void *slots, size_t count, size_t size)
{
	return longest_run_of(slots, count, size, 0);
}

#endif
