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

#include "format/kind_counts.h"
#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/heap_items.h"
#include "format/hits_decode.h"
#include "format/mapping_decode.h"
#include "format/record_lists.h"
#include "format/records_decode.h"

/** What a header says. */
typedef struct block_header {
	uint32_t code;
	uint32_t length; /**< Of what follows the header. */
} block_header;

/** Reads a header from dialect_rules::header_length bytes. */
void block_header_decode(const uint8_t *bytes, block_header *header);

/** What a header says of counters: mprof_block::counter_delta; 0 where the dialect has it not. */
uint32_t block_header_counter_delta(const dialect_rules *rules, const uint8_t *bytes);

/** The kinds that directives of Mono change, and that those may change of which nothing is known. */
#define BLOCK_KINDS_OF_DIRECTIVES                                                                                      \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_UNLOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING))

/** What the reading of a block depends on. */
typedef struct block_decoding {
	const dialect_rules *rules;
	uint64_t directives;      /**< In force, as #MPROF_DIRECTIVE_BIT. */
	uint64_t max_name_length; /**< In bytes. */
	known_ids known;          /**< Of the blocks that were read so far. */
	hits_form hits;           /**< That of blocks of hits so far, as far as it is known. */
	heap_form heap;           /**< The same of heap shots. */
} block_decoding;

/** What is found besides the fields of mprof_block. Positions are in the content. */
typedef struct block_body {
	size_t list_start;     /**< Of what the block lists. */
	size_t list_end;       /**< EVENTS, SAMPLES, HEAP_DATA: where the 0 is that ends the list. STATISTICAL that is
	                                cut: where what is whole ends. */
	uint32_t shift;        /**< HEAP_DATA: bits that are 0 in all addresses. */
	heap_reading heap;     /**< HEAP_DATA of drop, mono, unity; of mprof2 its form is none. */
	mapping_lists mapping; /**< MAPPING. */
	hits_reading hits;     /**< STATISTICAL of drop, mono, unity; of mail its form is none. */
	mprof_assembly_name assembly;      /**< LOADED: what the block points to. */
	uint64_t losses[LOSS_CAUSE_COUNT]; /**< LOST: what the block points to. */
	uint64_t unreadable_kinds; /**< DIRECTIVES: those that unknown directives concern, as #MPROF_BLOCK_BIT. */
} block_body;

/** What is wrong with a block that has a list at its end, but no end of that. */
extern const char block_without_list_end[];

/** Whether what a block lists can be fetched as far as it is there, so that a block that is cut can be read as well. */
static inline int block_list_may_be_cut(uint32_t kind)
{
	return kind == MPROF_BLOCK_EVENTS || kind == MPROF_BLOCK_SAMPLES || kind == MPROF_BLOCK_HEAP_DATA ||
	       kind == MPROF_BLOCK_STATISTICAL;
}

/**
 * Reads the content of a block, whose kind is set and whose other fields of content are 0, and checks all of it but the
 * list of EVENTS, SAMPLES and HEAP_DATA. The checksum is no part of the content. Returns #MPROF_OK or the fault;
 * \p cursor then says what and where.
 */
mprof_status block_decode(const block_decoding *decoding, const uint8_t *content, size_t length, mprof_block *block,
			  block_body *body, content_cursor *cursor);

/** Reads what stands in front of a list that may be cut, in a block that is. As block_decode(). */
mprof_status block_decode_list_start(const block_decoding *decoding, const uint8_t *content, size_t length,
				     mprof_block *block, block_body *body, content_cursor *cursor);

/** Begins to go over the lists of a MAPPING block. */
void block_mappings_begin(mapping_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			  const block_body *body);

/** Goes over the lists of a STATISTICAL block of mail. */
typedef struct sample_cursor {
	content_cursor content;
	uint8_t in_functions;
	uint8_t at_end;
} sample_cursor;

void sample_cursor_init(sample_cursor *cursor, const uint8_t *content, size_t length, const block_body *body);

/** Takes the next hit, a function's if in_functions is set, and returns 1; or returns 0 at the end or on a fault. */
int sample_cursor_next(sample_cursor *cursor, uint32_t *id);

/** Begins to go over the tokens of a STATISTICAL block of drop, mono or unity. */
void block_hits_begin(hit_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
		      const block_body *body);

/** Begins to go over the lists of a block of records. */
void block_records_begin(record_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			 uint32_t block_kind, const block_body *body);

/** Takes the next fact of a SESSION block and returns 1, or returns 0 at the end of the list or on a fault. */
int property_take(content_cursor *cursor, const char **key, const char **value);

/** Whether a METRICS block, with its header, has values alone: its list of definitions is empty. */
int block_defines_no_metric(const dialect_rules *rules, const uint8_t *bytes, size_t length);

#endif
