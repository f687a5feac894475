/* SPDX-License-Identifier: MIT */
/**
 * \file format/list_end.h
 * \brief Finds where a list ends from behind, so that it need not be read before it is fetched.
 */
#ifndef FORMAT_LIST_END_H
#define FORMAT_LIST_END_H

#include "format/content_cursor.h"

/**
 * Finds the end of the list that begins at the cursor, with nothing but a CLOCK behind it: a varint 0, or a byte 0.
 * Returns how long the end is, or 0 if there is none. Not for integers of a fixed size.
 */
size_t list_end_find(const content_cursor *cursor, int is_byte, size_t *list_end);

#endif
