/* SPDX-License-Identifier: MIT */
/**
 * \file format/mapping_decode.h
 * \brief The two lists of a MAPPING block (doc/format.md, 3.4).
 */
#ifndef FORMAT_MAPPING_DECODE_H
#define FORMAT_MAPPING_DECODE_H

#include <mprof/parser.h>

#include "format/content_cursor.h"

/** Where the lists are in the content. */
typedef struct mapping_lists {
	size_t start;
	/**
	 * A mail log that was written by the letter of the mail: the lists end with a byte 0, at these places, where
	 * an ID that is a multiple of 128 could begin as well. Otherwise, and if class_end is 0, they end with a varint
	 * 0.
	 */
	size_t class_end;
	size_t method_end;
} mapping_lists;

/** What the entries of the lists hold. */
typedef struct mapping_form {
	int has_assembly_ids; /**< Directive 5. */
	int has_flags;        /**< Directive 6. */
	int has_sizes;        /**< Directive 18. */
	int has_sources;      /**< Directive 22. */
} mapping_form;

/** Goes over the lists. */
typedef struct mapping_cursor {
	content_cursor content; /**< Behind both lists when they are at their end. */
	mapping_lists lists;
	mapping_form form;
	int in_methods;
	int at_end;
} mapping_cursor;

/** Begins at the start of the lists in the cursor's content. */
void mapping_cursor_init(mapping_cursor *cursor, const content_cursor *content, const mapping_lists *lists,
			 const mapping_form *form);

/** Takes the next definition and returns 1, or returns 0 at the end of both lists or on a fault. */
int mapping_cursor_next(mapping_cursor *cursor, mprof_mapping *mapping);

/**
 * Finds out how the lists that start at the cursor end, and reads them and the CLOCK behind them, which must end with
 * the content. With \p by_mail also the letter of the mail is tried.
 */
void mapping_lists_decode(content_cursor *cursor, const mapping_form *form, int by_mail, mapping_lists *lists,
			  mprof_clock *end);

#endif
