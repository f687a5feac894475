/* SPDX-License-Identifier: MIT */
/**
 * \file format/mapping_decode.h
 * \brief The two lists of a MAPPING block (doc/format.md, 3.4).
 */
#ifndef FORMAT_MAPPING_DECODE_H
#define FORMAT_MAPPING_DECODE_H

#include <mprof/parser.h>

#include "format/content_cursor.h"
#include "format/records.h"

/** Where the lists are in the content, and a summary of their entries, so that callers need not decode them again. */
typedef struct mapping_lists {
	size_t start;
	uint32_t highest_class;  /**< The highest ID of a class; 0 if there is no class. */
	uint32_t highest_method; /**< The highest ID of a method; 0 if there is no method. */
	int has_object_sizes;    /**< At least one class has a fixed object size. */
	/**
	 * In a log that follows the text of the 2007 mail, the lists end with a byte 0 at these offsets. An ID that is
	 * a multiple of 128 starts with that byte too. If class_end is 0, both lists end with a varint 0.
	 */
	size_t class_end;
	size_t method_end;
} mapping_lists;

/** The optional fields of the entries. */
typedef struct mapping_fields {
	int has_assembly_ids; /**< Directive 5. */
	int has_flags;        /**< Directive 6. */
	int has_sizes;        /**< Directive 18. */
	int has_sources;      /**< Directive 22. */
} mapping_fields;

/** Iterates over both lists. */
typedef struct mapping_cursor {
	content_cursor content; /**< After both lists when at_end is set. */
	mapping_lists lists;
	mapping_fields fields;
	int in_methods;
	int at_end;
} mapping_cursor;

/** Starts at the first entry. */
void mapping_cursor_init(mapping_cursor *cursor, const content_cursor *content, const mapping_lists *lists,
			 const mapping_fields *fields);

/** Decodes the next definition. Returns 1, or 0 at the end of both lists or on a fault. */
int mapping_cursor_next(mapping_cursor *cursor, mprof_mapping *mapping);

/**
 * Determines how the lists at the cursor end, and decodes them and the CLOCK after them, which must end the content. If
 * \p allow_byte_ends is set, lists that end with a byte 0 are tried as well. \p sink receives the entries, if it is
 * not NULL.
 */
void mapping_lists_decode(content_cursor *cursor, const mapping_fields *fields, int allow_byte_ends,
			  const definition_sink *sink, mapping_lists *lists, mprof_clock *end);

#endif
