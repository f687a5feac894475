/* SPDX-License-Identifier: MIT */
/**
 * \file format/zigzag.h
 * \brief Signed numbers as numbers that are small if they are near 0: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4.
 */
#ifndef FORMAT_ZIGZAG_H
#define FORMAT_ZIGZAG_H

#include <stdint.h>

/** \p number is a signed one in two's complement. */
static inline uint64_t zigzag_fold(uint64_t number)
{
	return number << 1 ^ (0 - (number >> 63));
}

static inline uint64_t zigzag_unfold(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

#endif
