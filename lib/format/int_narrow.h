/* SPDX-License-Identifier: MIT */
/**
 * \file format/int_narrow.h
 * \brief Narrows numbers to the values of columns (doc/format.md, 2.7).
 */
#ifndef FORMAT_INT_NARROW_H
#define FORMAT_INT_NARROW_H

#include <stddef.h>
#include <stdint.h>

/** The widths below 8 bytes: 0, 1, 2 and 4. */
#define INT_NARROW_WIDTHS 4

/** Counts the numbers that do not fit each of the widths. */
void int_narrow_count(const uint64_t *numbers, size_t count, size_t longer[INT_NARROW_WIDTHS]);

/** Stores the lowest \p width bytes of each number: 0, 1, 2, 4 or 8. */
void int_narrow_store(uint8_t *bytes, uint32_t width, const uint64_t *numbers, size_t count);

/** As the functions above, without instructions of a particular processor. */
void int_narrow_count_portable(const uint64_t *numbers, size_t count, size_t longer[INT_NARROW_WIDTHS]);
void int_narrow_store_portable(uint8_t *bytes, uint32_t width, const uint64_t *numbers, size_t count);

#endif
