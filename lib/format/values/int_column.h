/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/int_column.h
 * \brief Columns of integers (doc/format.md, 2.7): values of a fixed width, and exceptions that need more.
 *
 * A column decodes at the speed of memory, since its values are at known positions and the exceptions are few. A
 * general compressor finds repetitions in it as well as in varints, and better than in packed bits.
 */
#ifndef FORMAT_VALUES_INT_COLUMN_H
#define FORMAT_VALUES_INT_COLUMN_H

#include "format/values/encode_buffer.h"

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

/** Stores \p count values of \p width bytes each: 0, 1, 2 or 4. */
void int_widen_32(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count);

/** Stores \p count values of \p width bytes each: 0, 1, 2, 4 or 8. */
void int_widen_64(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count);

/** As the functions above, without instructions of a particular processor. */
void int_widen_32_portable(const uint8_t *bytes, uint32_t width, uint32_t *values, size_t count);
void int_widen_64_portable(const uint8_t *bytes, uint32_t width, uint64_t *values, size_t count);

/** Appends a column. \p count may be 0: a column without values takes no bytes. */
void int_column_encode(encode_buffer *buffer, const uint64_t *values, size_t count);

/**
 * A column that is decoded from its first value to its last one. Positions are in bytes from its start, which may move
 * between calls.
 */
typedef struct int_column {
	size_t values;          /**< Position of the next value. */
	size_t remaining;       /**< Values that are left, int_column::width bytes each. */
	size_t exceptions;      /**< Position of the exception after the next one. */
	size_t exception_end;   /**< Position of the end of the exceptions. */
	size_t until_exception; /**< Values before the next exception; SIZE_MAX if there is none. */
	uint64_t exception;     /**< The high part of its value, shifted to its place. */
	uint32_t width;         /**< 0, 1, 2, 4 or 8. */
} int_column;

/** Why a column is refused. */
typedef enum int_column_fault {
	INT_COLUMN_VALID,
	INT_COLUMN_TRUNCATED, /**< The bytes end before the values. */
	INT_COLUMN_BAD_WIDTH,
	INT_COLUMN_BAD_EXCEPTION, /**< An exception is malformed, or outside of the column. */
	INT_COLUMN_TOO_LONG,      /**< Bytes follow the values. */
	INT_COLUMN_TOO_LARGE      /**< A value exceeds the limit. */
} int_column_fault;

/**
 * Starts the decoding of a column of \p count values, none of which may exceed \p limit. All of it is checked here, so
 * that decoding the values cannot fail. If the bytes end among the values, the column contains those before.
 */
int_column_fault int_column_init(int_column *column, const uint8_t *bytes, size_t length, size_t count, uint64_t limit);

/** Decodes the next \p count values, which must be left. \p bytes is the start of the column. */
void int_column_read_32(int_column *column, const uint8_t *bytes, uint32_t *values, size_t count);
void int_column_read_64(int_column *column, const uint8_t *bytes, uint64_t *values, size_t count);

#endif
