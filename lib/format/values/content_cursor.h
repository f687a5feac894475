/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/content_cursor.h
 * \brief Decodes the primitives of the format (doc/format.md, section 2) from the content of a block, one by one.
 *
 * The first error is sticky: later calls return 0 or "" and do not advance. A caller can therefore decode a sequence of
 * fields and check the status once.
 */
#ifndef FORMAT_VALUES_CONTENT_CURSOR_H
#define FORMAT_VALUES_CONTENT_CURSOR_H

#include <mprof/format.h>

#include "format/values/varint.h"

typedef struct content_cursor {
	const uint8_t *bytes;
	size_t length;
	size_t position;     /**< Offset of the next byte; after an error, the offset of the error. */
	size_t name_limit;   /**< Maximum length of a string, in bytes. */
	int has_fixed_ints;  /**< Little-endian integers of 4 or 8 bytes are stored in place of varints. */
	mprof_status status; /**< #MPROF_OK or the first error. */
	int ran_out;         /**< The error is that the content ended inside a field. */
	const char *what;    /**< The message of the error. Static text. */
} content_cursor;

/** Starts at the first byte, with content_cursor::has_fixed_ints 0. */
void content_cursor_init(content_cursor *cursor, const uint8_t *bytes, size_t length, uint64_t name_limit);

/** Records an error at a position, unless there is one already. Returns content_cursor::status. */
mprof_status content_cursor_fail(content_cursor *cursor, size_t position, mprof_status status, const char *what);

/** Decodes one byte. */
uint8_t content_cursor_byte(content_cursor *cursor);

/** The slow paths of content_cursor_varint() and content_cursor_id(). */
uint64_t content_cursor_varint_long(content_cursor *cursor);
uint32_t content_cursor_id_long(content_cursor *cursor);

/** Whether the next value is a varint of one byte. */
static inline int content_cursor_is_short(const content_cursor *cursor)
{
	return cursor->status == MPROF_OK && !cursor->has_fixed_ints && cursor->position < cursor->length &&
	       (cursor->bytes[cursor->position] & VARINT_LAST_BIT) != 0;
}

/** Decodes a varint, or 8 bytes if integers are fixed. */
static inline uint64_t content_cursor_varint(content_cursor *cursor)
{
	if (content_cursor_is_short(cursor))
		return cursor->bytes[cursor->position++] & 127;
	return content_cursor_varint_long(cursor);
}

/** Decodes a varint of at most 32 bits, or 4 bytes if integers are fixed. */
static inline uint32_t content_cursor_id(content_cursor *cursor)
{
	if (content_cursor_is_short(cursor))
		return cursor->bytes[cursor->position++] & 127;
	return content_cursor_id_long(cursor);
}

/** Decodes a varint of up to 64 bits, or 4 bytes if integers are fixed. */
uint64_t content_cursor_amount(content_cursor *cursor);

/** Decodes a string. \p length receives its length in bytes and may be NULL. The result points into the content. */
const char *content_cursor_string(content_cursor *cursor, size_t *length);

/** Decodes a varint, the length, and as many bytes. The result points into the content. */
const uint8_t *content_cursor_bytes(content_cursor *cursor, size_t *length);

/** Decodes a CLOCK: a counter and a time. */
void content_cursor_clock(content_cursor *cursor, mprof_clock *clock);

/** Records an error if bytes are left. Returns content_cursor::status. */
mprof_status content_cursor_finish(content_cursor *cursor);

/**
 * Finds the end of the list that starts at the cursor and is followed only by a CLOCK: a byte 0 if \p is_byte is set,
 * otherwise a varint 0. \p list_end receives its offset in the content. Returns its length in bytes, or 0 if there is
 * no such end. Not for integers of a fixed size.
 */
size_t list_end_find(const content_cursor *cursor, int is_byte, size_t *list_end);

#endif
