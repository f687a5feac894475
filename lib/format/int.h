/* SPDX-License-Identifier: MIT */
/**
 * \file format/int.h
 * \brief The INT of the format (doc/format.md, 2.1) and cursors over a block's content.
 */
#ifndef FORMAT_INT_H
#define FORMAT_INT_H

#include <mprof/format.h>

#include "base/bytes.h"

/** Every byte of the run but the last has this bit clear. */
#define INT_LAST_BIT 0x80

/** Writes \p value at \p out, which has room for #MPROF_INT_MAX_LENGTH bytes. Returns the place behind it. */
static inline uint8_t *int_put(uint8_t *out, uint64_t value)
{
	while (value > 127) {
		*out++ = (uint8_t)(value & 127);
		value >>= 7;
	}
	*out++ = (uint8_t)(value | INT_LAST_BIT);
	return out;
}

/** Bytes that int_put() takes for \p value. */
static inline size_t int_length(uint64_t value)
{
	size_t length = 1;

	while (value > 127) {
		value >>= 7;
		length++;
	}
	return length;
}

/** The place behind an INT at \p cursor, with its value in \p value; NULL if it is cut by \p limit or over 64 bits. */
const uint8_t *int_get_long(const uint8_t *cursor, const uint8_t *limit, uint64_t *value);

static inline const uint8_t *int_get(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	if (cursor < limit && (*cursor & INT_LAST_BIT) != 0) {
		*value = *cursor & 127;
		return cursor + 1;
	}
	return int_get_long(cursor, limit, value);
}

#endif
