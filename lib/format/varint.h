/* SPDX-License-Identifier: MIT */
/**
 * \file format/varint.h
 * \brief Varints (doc/format.md, 2.1), encoded and decoded byte by byte.
 */
#ifndef FORMAT_VARINT_H
#define FORMAT_VARINT_H

#include <mprof/format.h>

#include "base/bytes.h"

#include <stdint.h>

/** The bit that is set in the last byte of a varint and clear in the others. */
#define VARINT_LAST_BIT 0x80

/** Encodes \p value at \p out, which has room for #MPROF_VARINT_MAX_LENGTH bytes. Returns the position after it. */
static inline uint8_t *varint_put(uint8_t *out, uint64_t value)
{
	while (value > 127) {
		*out++ = (uint8_t)(value & 127);
		value >>= 7;
	}
	*out++ = (uint8_t)(value | VARINT_LAST_BIT);
	return out;
}

/** The length of the varint of \p value, in bytes. */
static inline size_t varint_length(uint64_t value)
{
	size_t length = 1;

	while (value > 127) {
		value >>= 7;
		length++;
	}
	return length;
}

/**
 * Decodes the varint at \p cursor and advances \p cursor past it. Returns 1; 0 if \p limit truncates the varint; -1 if
 * it exceeds 64 bits. Unless it returns 1, nothing changes.
 */
static inline int varint_read(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	int length = mprof_varint_decode(*cursor, (size_t)(limit - *cursor), value);

	if (length <= 0)
		return length;
	*cursor += length;
	return 1;
}

/** The slow path of varint_get(). */
const uint8_t *varint_get_long(const uint8_t *cursor, const uint8_t *limit, uint64_t *value);

/**
 * Decodes the varint at \p cursor. Returns the position after it, NULL if \p limit truncates it or it exceeds 64 bits.
 */
static inline const uint8_t *varint_get(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	if (cursor < limit && (*cursor & VARINT_LAST_BIT) != 0) {
		*value = *cursor & 127;
		return cursor + 1;
	}
	return varint_get_long(cursor, limit, value);
}

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
