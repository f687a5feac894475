/* SPDX-License-Identifier: MIT */
/**
 * \file format/varint.h
 * \brief The varint of the format (doc/format.md, 2.1) and cursors over a block's content.
 */
#ifndef FORMAT_VARINT_H
#define FORMAT_VARINT_H

#include <mprof/format.h>

#include "base/bytes.h"

/** Every byte of the run but the last has this bit clear. */
#define VARINT_LAST_BIT 0x80

/** Writes \p value at \p out, which has room for #MPROF_VARINT_MAX_LENGTH bytes. Returns the position after it. */
static inline uint8_t *varint_put(uint8_t *out, uint64_t value)
{
	while (value > 127) {
		*out++ = (uint8_t)(value & 127);
		value >>= 7;
	}
	*out++ = (uint8_t)(value | VARINT_LAST_BIT);
	return out;
}

/** Bytes that varint_put() takes for \p value. */
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
 * Takes a varint at \p cursor, which is moved past it. Returns 1; 0 if it is cut by \p limit; -1 if it has over 64
 * bits.
 */
static inline int varint_read(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	int length = mprof_varint_decode(*cursor, (size_t)(limit - *cursor), value);

	if (length <= 0)
		return length;
	*cursor += length;
	return 1;
}

/**
 * Decodes the varint at \p cursor. Returns the position after it; NULL if \p limit cuts it or it exceeds 64 bits.
 */
const uint8_t *varint_get_long(const uint8_t *cursor, const uint8_t *limit, uint64_t *value);

static inline const uint8_t *varint_get(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	if (cursor < limit && (*cursor & VARINT_LAST_BIT) != 0) {
		*value = *cursor & 127;
		return cursor + 1;
	}
	return varint_get_long(cursor, limit, value);
}

#endif
