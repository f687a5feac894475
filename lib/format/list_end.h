/* SPDX-License-Identifier: MIT */
/**
 * \file format/list_end.h
 * \brief Finds where a list ends by searching backwards from the end of the block, so that the list need not be
 * decoded before it is fetched.
 */
#ifndef FORMAT_LIST_END_H
#define FORMAT_LIST_END_H

#include "format/content_cursor.h"

/**
 * Finds the end of the list that starts at the cursor and is followed only by a CLOCK: a byte 0 if \p is_byte is set,
 * otherwise a varint 0. \p list_end receives its offset in the content. Returns its length in bytes, or 0 if there is
 * no such end. Not for integers of a fixed size.
 */
size_t list_end_find(const content_cursor *cursor, int is_byte, size_t *list_end);

#endif
