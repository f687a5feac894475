/* SPDX-License-Identifier: MIT */
/**
 * \file format/content_cursor.h
 * \brief Takes the primitives of the format (doc/format.md, section 2) one after the other from a block's content.
 *
 * The first fault sticks: later calls give 0 or "" and move no more, so that a grammar is written down without asking
 * after each step.
 */
#ifndef FORMAT_CONTENT_CURSOR_H
#define FORMAT_CONTENT_CURSOR_H

#include <mprof/format.h>

typedef struct content_cursor {
	const uint8_t *bytes;
	size_t length;
	size_t position;     /**< Bytes taken; where the fault is, after one. */
	size_t name_limit;   /**< Longest string. */
	int has_fixed_ints;  /**< Integers of 4 or 8 bytes, the lowest first, stand in place of varints. */
	mprof_status status; /**< #MPROF_OK or the first fault. */
	int ran_out;         /**< The fault is that the content ended. */
	const char *what;    /**< Of the fault. */
} content_cursor;

/** Begins at the first byte, with varints of the usual kind. */
void content_cursor_init(content_cursor *cursor, const uint8_t *bytes, size_t length, uint64_t name_limit);

/** Notes a fault at a position, unless there was one before. Returns content_cursor::status. */
mprof_status content_cursor_fail(content_cursor *cursor, size_t position, mprof_status status, const char *what);

uint8_t content_cursor_byte(content_cursor *cursor);

/** A varint of any size; 8 bytes where it is fixed. */
uint64_t content_cursor_varint(content_cursor *cursor);

/** A varint that must fit 32 bits; 4 bytes where it is fixed. */
uint32_t content_cursor_id(content_cursor *cursor);

/** A varint of any size that has 4 bytes where it is fixed. */
uint64_t content_cursor_amount(content_cursor *cursor);

/** A string; \p length may be NULL. The result is inside the content. */
const char *content_cursor_string(content_cursor *cursor, size_t *length);

void content_cursor_clock(content_cursor *cursor, mprof_clock *clock);

/** Notes a fault unless all is taken. Returns content_cursor::status. */
mprof_status content_cursor_finish(content_cursor *cursor);

#endif
