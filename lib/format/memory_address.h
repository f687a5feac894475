/* SPDX-License-Identifier: MIT */
/**
 * \file format/memory_address.h
 * \brief Addresses of native memory as distances from the address before (PLACE in doc/format.md, section 4.7).
 *
 * Allocators align what they give out to 16 bytes, so the distance in units of 16 is what is written; a distance that
 * is not a multiple of 16 is marked and followed by the rest.
 */
#ifndef FORMAT_MEMORY_ADDRESS_H
#define FORMAT_MEMORY_ADDRESS_H

#include "format/zigzag.h"

#define MEMORY_ADDRESS_BITS 4
#define MEMORY_ADDRESS_MASK 15

/** The first of an address. \p rest receives the varint that follows, 0 if none does. */
static inline uint64_t memory_address_encode(uint64_t address, uint64_t previous, uint32_t *rest)
{
	uint64_t distance = address - previous;
	/* Shifts in copies of the sign. */
	uint64_t units = distance >> MEMORY_ADDRESS_BITS ^ (0 - (distance >> 63)) << (64 - MEMORY_ADDRESS_BITS);

	*rest = (uint32_t)distance & MEMORY_ADDRESS_MASK;
	return zigzag_fold(units) << 1 | (*rest != 0);
}

static inline int memory_address_has_rest(uint64_t first)
{
	return (int)(first & 1);
}

/** Whether a writer can have written these two; \p rest is 0 if none followed. */
static inline int memory_address_is_valid(uint64_t first, uint64_t rest)
{
	return first >> (64 - MEMORY_ADDRESS_BITS + 1) == 0 && rest <= MEMORY_ADDRESS_MASK &&
	       memory_address_has_rest(first) == (rest != 0);
}

static inline uint64_t memory_address_decode(uint64_t first, uint64_t rest, uint64_t previous)
{
	return previous + (zigzag_unfold(first >> 1) << MEMORY_ADDRESS_BITS) + rest;
}

#endif
