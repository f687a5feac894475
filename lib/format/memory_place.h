/* SPDX-License-Identifier: MIT */
/**
 * \file format/memory_place.h
 * \brief Addresses of native memory as distances from the address before (PLACE in doc/format.md, section 4.7).
 *
 * Allocators align what they give out to 16 bytes, so the distance in units of 16 is what is written; a distance that
 * is not a multiple of 16 is marked and followed by the rest.
 */
#ifndef FORMAT_MEMORY_PLACE_H
#define FORMAT_MEMORY_PLACE_H

#include "format/zigzag.h"

#define MEMORY_PLACE_BITS 4
#define MEMORY_PLACE_MASK 15

/** The head of an address. \p rest receives the varint that follows, 0 if none does. */
static inline uint64_t memory_place_encode(uint64_t address, uint64_t previous, uint32_t *rest)
{
	uint64_t distance = address - previous;
	/* Shifts in copies of the sign. */
	uint64_t units = distance >> MEMORY_PLACE_BITS ^ (0 - (distance >> 63)) << (64 - MEMORY_PLACE_BITS);

	*rest = (uint32_t)distance & MEMORY_PLACE_MASK;
	return zigzag_fold(units) << 1 | (*rest != 0);
}

static inline int memory_place_has_rest(uint64_t head)
{
	return (int)(head & 1);
}

/** Whether a writer can have written these two; \p rest is 0 if none followed. */
static inline int memory_place_is_valid(uint64_t head, uint64_t rest)
{
	return head >> (64 - MEMORY_PLACE_BITS + 1) == 0 && rest <= MEMORY_PLACE_MASK &&
	       memory_place_has_rest(head) == (rest != 0);
}

static inline uint64_t memory_place_decode(uint64_t head, uint64_t rest, uint64_t previous)
{
	return previous + (zigzag_unfold(head >> 1) << MEMORY_PLACE_BITS) + rest;
}

#endif
