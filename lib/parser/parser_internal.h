/* SPDX-License-Identifier: MIT */
/**
 * \file parser/parser_internal.h
 * \brief The struct of the parser, for the files of lib/parser only.
 *
 * parser.c creates and feeds it. detect.c detects the dialect. header.c moves from block to block. load.c loads the
 * content of a block, and log_state.c keeps what it specifies for later blocks. fetch.c delivers the items of the block
 * through the functions of content.c. search.c finds the next valid block after damage.
 */
#ifndef PARSER_PARSER_INTERNAL_H
#define PARSER_PARSER_INTERNAL_H

#include <mprof/parser.h>

#include "base/id_map.h"
#include "format/block_decode.h"
#include "format/events_decode.h"
#include "format/heap_decode.h"
#include "format/samples_decode.h"
#include "parser/buffer.h"
#include "parser/thread_counters.h"

/** What is at the start of the buffer, or will be once it is fed. */
typedef enum parser_state {
	PARSER_AT_HEADER,  /**< A header, or the end of the log. */
	PARSER_HAS_HEADER, /**< A block whose header was returned. */
	PARSER_LOADED,     /**< A block that is loaded. */
	PARSER_TRUNCATED, /**< A block that is loaded up to the end of a truncated log: block_list_may_be_truncated(). */
	PARSER_BROKEN,    /**< A loaded EVENTS block whose list has no end; the end of the block is known. */
	PARSER_FAILED,    /**< A block that cannot be read; its end is known. */
	PARSER_DAMAGED,   /**< A block with a wrong checksum; the bytes after it decide whether its end is known. */
	PARSER_SKIPPING,  /**< The rest of a block that is skipped, parser::skip_left bytes. */
	PARSER_SEARCHING  /**< Damage that is searched for the next valid block. */
} parser_state;

/** Directives in force from an offset of the log on. */
typedef struct parser_directives {
	uint64_t offset;           /**< Offset of the DIRECTIVES block. */
	uint64_t declared;         /**< As #MPROF_DIRECTIVE_BIT. */
	uint64_t unreadable_kinds; /**< Kinds that unknown directives concern, as #MPROF_BLOCK_BIT. */
	int is_lost;               /**< The block, or one before it, could not be read. */
} parser_directives;

/** Events with details that one batch can hold. A batch that reaches this number ends early. */
#define PARSER_DETAIL_CAPACITY 512

/** References of objects that one batch can hold. */
#define PARSER_REFERENCE_CAPACITY 8192

struct mprof_parser {
	mprof_allocator allocator;
	uint64_t max_block_length;
	int ignore_checksums;

	parser_buffer buffer;
	int is_finished;     /**< mprof_parser_finish() was called. */
	uint64_t wait_until; /**< Offset in the log up to which bytes are needed; 0 if none are. */

	block_decoding decoding;
	int has_dialect;              /**< The first bytes were examined, and decoding.rules is set. */
	int is_decided;               /**< The dialect is certain: a log that begins like mail may also be drop. */
	int is_past_intro;            /**< INTRO was read or found to be unreadable. */
	parser_directives directives; /**< In force at the start of the buffer. */
	parser_directives *directive_changes;
	size_t directive_change_count;
	size_t directive_change_capacity;

	parser_state state;
	int is_opened;   /**< mprof_parser_next_block() has read the header but not loaded the block yet. */
	int was_refused; /**< Loading failed for a reason that the caller may remove. */
	uint64_t skip_left;
	uint64_t span;     /**< Bytes from the block's header to the next one. */
	mprof_block block; /**< The block at the start of the buffer. */
	block_body body;

	id_map object_sizes; /**< Object sizes by class, from all MAPPING blocks that were read. */
	event_decode_table events_table;
	int has_events_table;
	const dialect_rules *events_table_rules;
	uint64_t events_table_directives;
	mprof_event_detail *details;
	size_t detail_count;  /**< Number of details of the events fetched last from an EVENTS block. */
	uint64_t *references; /**< The references that details point to. */
	uint64_t *frames;     /**< The frames of stack sections that details point to. */
	size_t frame_capacity;
	events_decode_state events;
	uint64_t events_start;              /**< The counter that the first delta of the block is added to. */
	thread_counters counters;           /**< The last counter of each thread. */
	uint8_t numbers;                    /**< A #collection_numbers. */
	samples_decode_state stack_samples; /**< SAMPLES. */
	heap_decode_state heap;
	mapping_cursor mappings;
	sample_cursor samples;                  /**< STATISTICAL blocks of mail. */
	statistical_cursor statistical;         /**< STATISTICAL blocks of other dialects: frames. */
	statistical_cursor statistical_records; /**< STATISTICAL blocks of other dialects: definitions. */
	record_cursor records;
	content_cursor properties;

	uint64_t search_start;   /**< Offset in the log where the damage starts. */
	uint64_t search_checked; /**< Bytes checksummed since the search started. */
	uint64_t search_claimed; /**< End of a block too long to load, according to its length; 0 for other searches. */

	uint64_t log_end; /**< Offset after the END block; 0 until it is read. */
	int is_damaged;
	uint64_t valid_bytes;

	mprof_error error;
	mprof_error fatal_error; /**< Status #MPROF_OK if there was none. An out-of-memory error is never cleared. */
};

/** The content of the block, which is in the buffer. */
static inline const uint8_t *parser_content(const mprof_parser *parser)
{
	return parser_buffer_bytes(&parser->buffer) + parser->decoding.rules->header_length;
}

/** Whether a block is loaded, at least in part. */
static inline int parser_is_loaded(const mprof_parser *parser)
{
	return parser->state == PARSER_LOADED || parser->state == PARSER_TRUNCATED || parser->state == PARSER_BROKEN;
}

#endif
