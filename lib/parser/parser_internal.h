/* SPDX-License-Identifier: MIT */
/**
 * \file parser/parser_internal.h
 * rief The struct of the parser, for the files of lib/parser alone.
 *
 * parser.c creates and feeds it; detect.c finds the dialect; header.c goes from block to block; load.c takes a block's
 * content, and log_state.c what that means for later blocks; fetch.c delivers what the block lists, through the
 * functions of content.c; search.c finds the next valid block after damage.
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

/** What stands at the begin of the buffer, or will when it is fed. */
typedef enum parser_state {
	PARSER_AT_HEADER,  /**< A header, or the end of the log. */
	PARSER_HAS_HEADER, /**< A block whose header was given out. */
	PARSER_LOADED,     /**< A block that is loaded. */
	PARSER_CUT,        /**< A block that is loaded as far as the log goes: block_list_may_be_cut(). */
	PARSER_BROKEN,     /**< An EVENTS block that is loaded though its list has no end; the block's end is known. */
	PARSER_FAILED,     /**< A block that cannot be read; its end is known. */
	PARSER_DAMAGED,    /**< A block with a wrong checksum; whether its end is known is told by what follows. */
	PARSER_SKIPPING,   /**< The rest of a block that is passed by, parser::skip_left bytes. */
	PARSER_SEARCHING   /**< Damage, in which the next valid block is searched. */
} parser_state;

/** What DIRECTIVES blocks say, as it holds from a place of the log on. */
typedef struct parser_directives {
	uint64_t offset;           /**< Of the block. */
	uint64_t declared;         /**< As #MPROF_DIRECTIVE_BIT. */
	uint64_t unreadable_kinds; /**< Kinds that unknown directives concern, as #MPROF_BLOCK_BIT. */
	int is_lost;               /**< The block, or one before it, could not be read. */
} parser_directives;

/** Events with extras that one batch can hold; a batch ends early when it has so many. */
#define PARSER_DETAIL_CAPACITY 512

/** References of objects that one batch can hold. */
#define PARSER_REFERENCE_CAPACITY 8192

struct mprof_parser {
	mprof_allocator allocator;
	uint64_t max_block_length;
	int ignore_checksums;

	parser_buffer buffer;
	int is_finished;     /**< Nothing will be fed any more. */
	uint64_t wait_until; /**< Place in the log up to which bytes are waited for; 0 if none are. */

	block_decoding decoding;
	int has_dialect;              /**< The first bytes were seen. decoding.rules is set. */
	int is_decided;               /**< It is known whether a log that begins like mail is one, or drop. */
	int is_past_intro;            /**< INTRO was read, or cannot be. */
	parser_directives directives; /**< In force at the begin of the buffer. */
	parser_directives *directive_changes;
	size_t directive_change_count;
	size_t directive_change_capacity;

	parser_state state;
	int is_opened;   /**< mprof_parser_next_block() found the header and has the loading still to do. */
	int was_refused; /**< Loading failed for a reason that the caller may remove. */
	uint64_t skip_left;
	uint64_t span;     /**< From the block's header to the next one. */
	mprof_block block; /**< The block at the begin of the buffer. */
	block_body body;

	id_map object_sizes; /**< By class, of all MAPPING blocks that were read. */
	events_decode_table events_table;
	int has_events_table;
	const dialect_rules *events_table_rules;
	uint64_t events_table_directives;
	mprof_event_detail *details;
	size_t detail_count;  /**< Of the events that were fetched last, of an EVENTS block. */
	uint64_t *references; /**< Those that details point to. */
	uint64_t *frames;     /**< Those of stack sections that details point to. */
	size_t frame_capacity;
	events_decode_state events;
	uint64_t events_start;              /**< The counter from which the first event of the block starts. */
	thread_counters counters;           /**< How far the threads have come. */
	uint8_t numbers;                    /**< A #collection_numbers. */
	samples_decode_state stack_samples; /**< SAMPLES. */
	heap_decode_state heap;
	mapping_cursor mappings;
	sample_cursor samples;  /**< STATISTICAL of mail. */
	hit_cursor hits;        /**< STATISTICAL of the others: its frames, */
	hit_cursor hit_records; /**< and what it defines. */
	record_cursor records;
	content_cursor properties;

	uint64_t search_start;   /**< Where the damage began. */
	uint64_t search_checked; /**< Bytes whose checksum was computed since. */
	uint64_t search_claimed; /**< Where a block too long to be loaded says that it ends; 0 for other searches. */

	uint64_t log_end; /**< Behind the END block; 0 while none was read. */
	int is_damaged;
	uint64_t valid_bytes;

	mprof_error error;
	mprof_error fatal_error; /**< Its status is #MPROF_OK while there was none; for want of memory it stays. */
};

/** The content of the block, which is in the buffer. */
static inline const uint8_t *parser_content(const mprof_parser *parser)
{
	return parser_buffer_bytes(&parser->buffer) + parser->decoding.rules->header_length;
}

/** Whether a block is loaded, if only in part. */
static inline int parser_is_loaded(const mprof_parser *parser)
{
	return parser->state == PARSER_LOADED || parser->state == PARSER_CUT || parser->state == PARSER_BROKEN;
}

#endif
