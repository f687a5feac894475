/* SPDX-License-Identifier: MIT */
/**
 * \file base/hash.h
 * \brief The hash functions of all tables.
 *
 * Keys of a log are mixed with a random seed, so that its author cannot choose keys that collide: each search would
 * then visit the whole table. No result may depend on the seed. Tables use the high bits of these hashes.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

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

#endif
