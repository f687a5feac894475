/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/block_decode.h
 * \brief Decodes the content of blocks (doc/format.md, section 3) to mprof_block, and iterates over their lists.
 *
 * Names in the results point into the content and are valid as long as it is.
 */
#ifndef FORMAT_BLOCKS_BLOCK_DECODE_H
#define FORMAT_BLOCKS_BLOCK_DECODE_H

#include <mprof/parser.h>

#include "format/blocks/heap_records.h"
#include "format/blocks/records.h"
#include "format/blocks/statistical.h"
#include "format/events/event_columns_decode.h"
#include "format/events/event_kinds.h"
#include "format/values/content_cursor.h"
#include "format/values/dialect.h"

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

/** Decodes the next definition. Returns 1, or 0 at the end of both lists or on a fault. */
int mapping_cursor_next(mapping_cursor *cursor, mprof_mapping *mapping);

/** The fields of a block header that all dialects have. */
typedef struct block_header {
	uint32_t code;
	uint32_t length; /**< Length of the content and the checksum, in bytes. */
} block_header;

/** Decodes a header of dialect_rules::header_length bytes. */
void block_header_decode(const uint8_t *bytes, block_header *header);

/** Returns the counter delta of a header, see mprof_block::counter_delta; 0 in dialects without one. */
uint32_t block_header_counter_delta(const dialect_rules *rules, const uint8_t *bytes);

/**
 * The block kinds whose grammar the directives of Mono change. An unknown directive of Mono is assumed to change all of
 * them.
 */
#define BLOCK_KINDS_OF_DIRECTIVES                                                                                      \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_UNLOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING))

/** The state that the decoding of a block depends on. */
typedef struct block_decoding {
	const dialect_rules *rules;
	uint64_t directives;            /**< Directives in force, as #MPROF_DIRECTIVE_BIT. */
	uint64_t max_name_length;       /**< In bytes. */
	known_ids known;                /**< IDs that the blocks read so far define. */
	statistical_layout statistical; /**< The layout of earlier STATISTICAL blocks, if it was determined. */
	heap_layout heap;               /**< The layout of earlier HEAP_DATA blocks, if it was determined. */
	const definition_sink *sink;    /**< Receives definitions and records, if it is not NULL. Borrowed. */
} block_decoding;

/** Results of decoding in addition to the fields of mprof_block. Positions are offsets into the content, in bytes. */
typedef struct block_body {
	size_t list_start; /**< Start of the list of the block. */
	size_t list_end;   /**< EVENTS, SAMPLES, TYPED, HEAP_DATA: position of the 0 that ends the list. Truncated
	                                STATISTICAL: end of the last complete entry. */
	int has_columns;   /**< EVENTS: the events are in columns. */
	event_columns_state columns; /**< Valid if has_columns is set: before the first event. */
	uint32_t shift;              /**< HEAP_DATA: number of low bits that are 0 in all addresses and not stored. */
	heap_items_result heap;      /**< HEAP_DATA of drop, mono, unity. For mprof2 the layout is HEAP_LAYOUT_NONE. */
	mapping_lists mapping;       /**< MAPPING. */
	statistical_result
		statistical; /**< STATISTICAL of drop, mono, unity. For mail the layout is STATISTICAL_LAYOUT_NONE. */
	mprof_assembly_name assembly;      /**< LOADED: mprof_element::assembly points here. */
	uint64_t losses[LOSS_CAUSE_COUNT]; /**< LOST: the counts of the block point here. */
	uint64_t unreadable_kinds; /**< DIRECTIVES: kinds affected by unknown directives, as #MPROF_BLOCK_BIT. */
} block_body;

/** The error message for a block whose list has no end. Static text. */
extern const char block_without_list_end[];

/** Whether the list of a truncated block of this kind can be decoded up to the point where the bytes end. */
static inline int block_list_may_be_truncated(uint32_t kind)
{
	return kind == MPROF_BLOCK_EVENTS || kind == MPROF_BLOCK_SAMPLES || kind == MPROF_BLOCK_TYPED ||
	       kind == MPROF_BLOCK_HEAP_DATA || kind == MPROF_BLOCK_STATISTICAL;
}

/**
 * Decodes the content of a block and checks all of it but the lists of EVENTS, SAMPLES, TYPED and HEAP_DATA. On entry
 * the kind of \p block is set, and its other fields that depend on the content are 0. \p content does not include the
 * checksum. Returns #MPROF_OK or the error; \p cursor then holds the message and the position.
 */
mprof_status block_decode(const block_decoding *decoding, const uint8_t *content, size_t length, mprof_block *block,
			  block_body *body, content_cursor *cursor);

/**
 * Decodes the fields before the list of a truncated block, see block_list_may_be_truncated(). Parameters and result are
 * those of block_decode().
 */
mprof_status block_decode_list_start(const block_decoding *decoding, const uint8_t *content, size_t length,
				     mprof_block *block, block_body *body, content_cursor *cursor);

/** Starts the iteration over the lists of a MAPPING block that block_decode() accepted. */
void block_mappings_begin(mapping_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			  const block_body *body);

/** Iterates over the two lists of a STATISTICAL block of mail: methods, then native functions. */
typedef struct sample_cursor {
	content_cursor content;
	uint8_t in_functions; /**< The next ID is that of a native function. */
	uint8_t at_end;
} sample_cursor;

/** Starts the iteration over a block that block_decode() accepted. \p content must outlive the cursor. */
void sample_cursor_init(sample_cursor *cursor, const uint8_t *content, size_t length, const block_body *body);

/**
 * Decodes the next sample and returns 1, or returns 0 at the end or on an error. The ID is that of a native function if
 * sample_cursor::in_functions is set, otherwise that of a method.
 */
int sample_cursor_next(sample_cursor *cursor, uint32_t *id);

/** Starts the iteration over the tokens of a STATISTICAL block of drop, mono or unity, after block_decode(). */
void block_statistical_begin(statistical_cursor *cursor, const block_decoding *decoding, const uint8_t *content,
			     size_t length, const block_body *body);

/** Starts the iteration over the records of a block that block_decode() accepted. */
void block_records_begin(record_cursor *cursor, const block_decoding *decoding, const uint8_t *content, size_t length,
			 uint32_t block_kind, const block_body *body);

/**
 * Decodes the next key and value of a SESSION block and returns 1, or returns 0 at the end of the list or on an error.
 * The strings point into the content.
 */
int block_property_decode(content_cursor *cursor, const char **key, const char **value);

/** The base counter of an EVENTS, SAMPLES or TYPED block. \p bytes start with the block header. */
uint64_t block_base_counter(const dialect_rules *rules, const uint8_t *bytes, size_t length);

/** Whether an APPLICATION block is a definition. \p bytes start with the block header. */
int block_is_definition_of_application(const dialect_rules *rules, const uint8_t *bytes, size_t length);

/** Whether the list of definitions of a METRICS block is empty. \p bytes start with the block header. */
int block_defines_no_metric(const dialect_rules *rules, const uint8_t *bytes, size_t length);

/** The fields before the head have at most this length, in bytes. */
#define COMPRESSED_FIELDS_LENGTH ((size_t)5 * MPROF_VARINT_MAX_LENGTH)

/** The content of a COMPRESSED block. The pointers are into the content. */
typedef struct compressed_block {
	uint32_t code;            /**< Code of the block that is stored. */
	uint64_t codec;           /**< An #mprof_codec_number, or a number that a later version defines. */
	uint32_t unpacked_length; /**< Length of the content of the stored block, without checksum, in bytes. */
	uint32_t head_length;     /**< As in the block; less may be available if it is truncated. */
	uint32_t tail_length;
	const uint8_t *head;
	size_t head_available;
	const uint8_t *packed;
	size_t packed_available;
	const uint8_t *tail; /**< NULL if the block is truncated before its end. */
} compressed_block;

/** Whether the code of a block in a log of these rules is that of COMPRESSED blocks. */
static inline int block_is_compressed(const dialect_rules *rules, uint32_t code)
{
	return rules->compressed_code != 0 && code == rules->compressed_code;
}

/** Whether a block may be stored in a COMPRESSED block. */
int compressed_block_may_store(const dialect_rules *rules, uint32_t code);

/**
 * Decodes the content of a COMPRESSED block, which has \p stored_length bytes without checksum. The cursor may end
 * earlier if the block is truncated. Returns #MPROF_OK or the error of the cursor. If the cursor ends before the head,
 * content_cursor::ran_out is set.
 */
mprof_status compressed_block_decode(const dialect_rules *rules, content_cursor *cursor, size_t stored_length,
				     compressed_block *block);

/**
 * Returns how many bytes at the start of the content of a block writers leave uncompressed, so that a reader finds the
 * thread and the time of a block without decompressing it.
 */
size_t compressed_block_head_length(const dialect_rules *rules, uint32_t code, const uint8_t *content, size_t length);

#endif
