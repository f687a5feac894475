/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/index_items.h
 * \brief Encodes and decodes the entries of INDEX blocks (doc/format.md, section 3.24), and finds what they state at
 * the start of a block of mprof2, without decoding the rest: its thread and its counters.
 */
#ifndef FORMAT_BLOCKS_INDEX_ITEMS_H
#define FORMAT_BLOCKS_INDEX_ITEMS_H

#include "format/values/content_cursor.h"
#include "format/values/dialect.h"
#include "format/values/encode_buffer.h"

#include <stddef.h>
#include <stdint.h>

/** What an index contains about a block. */
typedef struct block_summary {
	uint64_t thread; /**< EVENTS, SAMPLES, TYPED, MARK; others: 0. */
	uint64_t
		start_counter; /**< EVENTS, SAMPLES, TYPED: the base counter. Others: the first counter of the block. */
	uint64_t end_counter;  /**< LOADED, UNLOADED, STATISTICAL: the second counter. Others: the counter of the first
	                             clock pair, or the start counter; where the last clock pair starts is unknown
	                             without decoding. */
} block_summary;

/** Whether blocks of a kind are those of one thread: EVENTS, SAMPLES, TYPED and MARK. */
int block_kind_has_thread(uint32_t kind);

/** Whether blocks of a kind end with a CLOCK. */
int block_kind_ends_with_clock(uint32_t kind);

/**
 * Summarizes a block of mprof2. \p content is what is between its header and its checksum. Returns 0 and a summary of
 * zeros if the content is shorter than the fields, or the kind has none. The content is not checked further.
 */
int block_peek(uint32_t kind, const uint8_t *content, size_t length, block_summary *summary);

/** Maximum number of frames in an entry. The call stack of a block that has more is unknown. */
#define INDEX_MAX_FRAMES 1024

/** An entry: one block. */
typedef struct index_item {
	uint32_t code;
	uint32_t kind;          /**< An #mprof_block_kind. */
	uint64_t length;        /**< In bytes, after the header. */
	uint64_t thread;        /**< EVENTS, SAMPLES, TYPED, MARK. */
	uint64_t start_counter; /**< See mprof_index_entry. */
	uint64_t end_counter;
	int has_stack;          /**< EVENTS: the call stack at the start of the block is known. */
	uint32_t depth;         /**< Number of its frames. */
	uint32_t shared;        /**< How many of them, from the outermost on, are those of the thread's last entry in
	                             this INDEX block that has a call stack. */
	const uint8_t *methods; /**< The IDs of the others, as varints, outermost first. Borrowed. */
	size_t methods_length;  /**< In bytes. */
} index_item;

/** What the next entry is encoded or decoded from: fields of the one before it. */
typedef struct index_base {
	uint64_t thread;
	uint64_t counter;
} index_base;

/** Appends an entry to the list. */
void index_item_encode(encode_buffer *buffer, index_base *base, const index_item *item);

/** Iterates over the entries of an INDEX block. */
typedef struct index_cursor {
	content_cursor content;
	const dialect_rules *rules;
	uint64_t previous; /**< Distance from this INDEX block back to the one before it, in bytes; 0: none. */
	uint64_t count;    /**< Number of entries that are left. */
	index_base base;
} index_cursor;

/** Starts at the fields before the list. Failures are in content_cursor::status. */
void index_cursor_init(index_cursor *cursor, const dialect_rules *rules, const uint8_t *content, size_t length);

/** Decodes the next entry. Returns 0 at the end of the list or after an error. */
int index_cursor_next(index_cursor *cursor, index_item *item);

#endif
