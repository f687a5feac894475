/* SPDX-License-Identifier: MIT */
/**
 * \file format/block_decode.h
 * \brief The content of blocks (doc/format.md, section 3) from memory to mprof_block, and cursors over their lists.
 *
 * Names in the results are inside the content.
 */
#ifndef FORMAT_BLOCK_DECODE_H
#define FORMAT_BLOCK_DECODE_H

#include <mprof/parser.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/mapping_decode.h"

/** What a header says. */
typedef struct block_header {
	uint32_t code;
	uint32_t length; /**< Of what follows the header. */
} block_header;

/** Reads a header from dialect_rules::header_length bytes. */
void block_header_decode(const uint8_t *bytes, block_header *header);

/** What the reading of a block depends on. */
typedef struct block_decoding {
	const dialect_rules *rules;
	uint64_t directives;      /**< In force, as #MPROF_DIRECTIVE_BIT. */
	uint64_t max_name_length; /**< In bytes. */
} block_decoding;

/** What is found besides the fields of mprof_block. Positions are in the content. */
typedef struct block_body {
	size_t list_start;         /**< Of what EVENTS, STATISTICAL and SESSION list. */
	size_t list_end;           /**< EVENTS: where the byte 0 is that ends the list. */
	mapping_lists mapping;     /**< MAPPING. */
	uint64_t unreadable_kinds; /**< DIRECTIVES: those that unknown directives concern, as #MPROF_BLOCK_BIT. */
} block_body;

/**
 * Reads the content of a block, whose kind is set and whose other fields of content are 0, and checks all of it but the
 * events. The checksum is no part of the content. Returns #MPROF_OK or the fault; \p cursor then says what and where.
 */
mprof_status block_decode(const block_decoding *decoding, const uint8_t *content, size_t length, mprof_block *block,
			  block_body *body, content_cursor *cursor);

/** Reads what comes before the events of an EVENTS block that is cut. As block_decode(). */
mprof_status block_decode_events_start(const block_decoding *decoding, const uint8_t *content, size_t length,
				       mprof_block *block, block_body *body, content_cursor *cursor);

/** Begins to go over the lists of a MAPPING block. */
void block_mappings_begin(mapping_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			  const block_body *body);

/** Goes over the lists of a STATISTICAL block. */
typedef struct sample_cursor {
	content_cursor content;
	uint8_t in_functions;
	uint8_t at_end;
} sample_cursor;

void sample_cursor_init(sample_cursor *cursor, const uint8_t *content, size_t length, const block_body *body);

/** Takes the next hit, a function's if in_functions is set, and returns 1; or returns 0 at the end or on a fault. */
int sample_cursor_next(sample_cursor *cursor, uint32_t *id);

/** Takes the next fact of a SESSION block and returns 1, or returns 0 at the end of the list or on a fault. */
int property_take(content_cursor *cursor, const char **key, const char **value);

#endif
