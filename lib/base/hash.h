/* SPDX-License-Identifier: MIT */
/**
 * \file base/hash.h
 * \brief Where the tables with open addressing look for a key.
 *
 * Keys are mixed with a random seed, so the author of a log cannot choose keys that collide, which would make
 * each look-up as long as the table. No result may depend on the seed, so tables are never walked in the order of their
 * places.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** A number that was drawn when the process first asked for it, never 0. Thread-safe. */
uint64_t hash_seed(void);

/** A hash with one more value in it; it begins as the seed. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/** The same with a text, which ends with NUL. */
static inline uint64_t hash_mix_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = hash_mix(hash, (unsigned char)*text);
	return hash;
}

/**
 * The first place of a key among 2^(64 - \p shift). \p seed may be a hash of the key's other parts. The second
 * multiplication is what makes the seed count: after one alone, small keys that fall together do so with most seeds.
 */
static inline size_t hash_place(uint64_t seed, uint64_t key, uint32_t shift)
{
	return (size_t)(hash_mix(seed, key) * UINT64_C(0x9e3779b97f4a7c15) >> shift);
}

#endif
