/* SPDX-License-Identifier: MIT */
/**
 * \file shared/random.h
 * \brief A generator of random numbers with a state of 64 bits.
 */
#ifndef SHARED_RANDOM_H
#define SHARED_RANDOM_H

#include "shared/hash.h"

#include <stdint.h>

/** Returns the next number of the generator SplitMix64. Each bit of the first one depends on all bits of the seed. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t mixed = *state += HASH_FACTOR;

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

#endif
