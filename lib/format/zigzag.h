/* SPDX-License-Identifier: MIT */
/**
 * \file format/zigzag.h
 * \brief Maps signed numbers near 0 to small unsigned ones: 0, -1, 1, -2, 2 to 0, 1, 2, 3, 4.
 */
#ifndef FORMAT_ZIGZAG_H
#define FORMAT_ZIGZAG_H

#include <stdint.h>

/** Maps a signed number, passed in two's complement. */
static inline uint64_t zigzag_fold(uint64_t number)
{
	return number << 1 ^ (0 - (number >> 63));
}

/** The reverse of zigzag_fold(). */
static inline uint64_t zigzag_unfold(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

#endif
