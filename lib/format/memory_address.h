/* SPDX-License-Identifier: MIT */
/**
 * \file format/memory_address.h
 * \brief Addresses of native memory as differences to the previous one (MEMORY_ADDRESS in doc/format.md, section 4.7).
 *
 * Allocators align memory to 16 bytes, so differences are stored in units of 16. The lowest bit of the first varint
 * marks a difference that is not a multiple of 16; its remainder follows.
 */
#ifndef FORMAT_MEMORY_ADDRESS_H
#define FORMAT_MEMORY_ADDRESS_H

#include "format/varint.h"

#define MEMORY_ADDRESS_BITS 4
#define MEMORY_ADDRESS_MASK 15

/** Returns the first varint of an address. \p rest receives the second one, 0 if none. */
static inline uint64_t memory_address_encode(uint64_t address, uint64_t previous, uint32_t *rest)
{
	uint64_t difference = address - previous;
	/* An arithmetic shift to the right: the vacated high bits are copies of the sign. */
	uint64_t units = difference >> MEMORY_ADDRESS_BITS ^ (0 - (difference >> 63)) << (64 - MEMORY_ADDRESS_BITS);

	*rest = (uint32_t)difference & MEMORY_ADDRESS_MASK;
	return zigzag_fold(units) << 1 | (*rest != 0);
}

/** Whether the varint of the remainder follows the first varint. */
static inline int memory_address_has_rest(uint64_t first)
{
	return (int)(first & 1);
}

/** Whether both varints are in the range that a writer produces. \p rest is 0 if there is no second varint. */
static inline int memory_address_is_valid(uint64_t first, uint64_t rest)
{
	return first >> (64 - MEMORY_ADDRESS_BITS + 1) == 0 && rest <= MEMORY_ADDRESS_MASK &&
	       memory_address_has_rest(first) == (rest != 0);
}

/** Returns the address. \p rest is 0 if there is no second varint. */
static inline uint64_t memory_address_decode(uint64_t first, uint64_t rest, uint64_t previous)
{
	return previous + (zigzag_unfold(first >> 1) << MEMORY_ADDRESS_BITS) + rest;
}

#endif
