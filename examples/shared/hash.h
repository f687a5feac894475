/* SPDX-License-Identifier: MIT */
/**
 * \file shared/hash.h
 * \brief The hash functions for addresses and IDs, and for several of them.
 */
#ifndef SHARED_HASH_H
#define SHARED_HASH_H

#include <stdint.h>

/** The odd number closest to 2^64 divided by the golden ratio. */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/** Returns a hash of a key with 32 bits. Each of them depends on all lower bits of the key. */
static inline uint32_t hash_key(uint64_t key)
{
	return (uint32_t)(key * HASH_FACTOR >> 32);
}

/** Adds a value to a hash of several. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 33;
}

#endif
