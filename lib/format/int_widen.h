/* SPDX-License-Identifier: MIT */
/**
 * \file format/int_widen.h
 * \brief Widens the values of columns (doc/format.md, 2.7) to arrays of numbers.
 */
#ifndef FORMAT_INT_WIDEN_H
#define FORMAT_INT_WIDEN_H

#include <stddef.h>
#include <stdint.h>

/** Stores \p count values of \p width bytes each: 0, 1, 2 or 4. */
void int_widen_32(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count);

/** Stores \p count values of \p width bytes each: 0, 1, 2, 4 or 8. */
void int_widen_64(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count);

/** As the functions above, without instructions of a particular processor. */
void int_widen_32_portable(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count);
void int_widen_64_portable(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count);

#endif
