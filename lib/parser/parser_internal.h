/* SPDX-License-Identifier: MIT */
/**
 * \file parser/parser_internal.h
 * \brief The struct of the parser, for the files of lib/parser only.
 *
 * parser.c creates it, and holds what it is fed. load.c finds the next block, also after damage, and loads its content.
 * log_state.c detects the dialect, and keeps what blocks specify for later ones, and the last counter of each thread.
 * items.c delivers the items of the block. prepared.c decompresses and decodes blocks ahead. errors.c reports damage.
 */
#ifndef PARSER_PARSER_INTERNAL_H
#define PARSER_PARSER_INTERNAL_H

#include <mprof/parser.h>

#include "base/allocator.h"
#include "base/id_map.h"
#include "base/thread_map.h"
#include "format/blocks/block_decode.h"
#include "format/blocks/heap_records.h"
#include "format/blocks/statistical.h"
#include "format/events/event_columns_decode.h"
#include "format/events/events_decode.h"
#include "parser/parser.h"
#include "parser/prepared.h"

/** The last counter of a thread. */
typedef struct thread_counter {
	uint64_t base;    /**< Base counter of its last block. */
	uint64_t reached; /**< Counter of the last event with that base. */
} thread_counter;

/** A block whose events do not start from its base counter. */
typedef struct block_start {
	uint64_t offset;
	uint64_t counter; /**< Counter that the first delta is added to. */
} block_start;

/** Finds the counter that the first delta of an EVENTS block is added to: see log_state.h. */
typedef struct thread_counters {
	mprof_allocator allocator;
	thread_map positions; /**< Maps thread IDs to indices in threads. */
	thread_counter *threads;
	size_t thread_count;
	size_t thread_capacity;
	size_t current;  /**< Index of the thread of the block that was begun last. */
	int is_complete; /**< All EVENTS blocks from the start of the log up to here were begun, so the counters of the
	                      threads are right. */
	int has_first;   /**< The first EVENTS block was found while is_complete was set. */
	uint64_t first_offset; /**< Offset of the first EVENTS block, or an offset not after it. */
	block_start *starts;   /**< Sorted by offset. Only starts that were found while is_complete was set. */
	size_t start_count;
	size_t start_capacity;
} thread_counters;

/** The contiguous bytes that a parser was fed and has not consumed yet. */
typedef struct parser_buffer {
	mprof_allocator allocator;
	uint8_t *memory; /**< The buffer's own memory. */
	size_t capacity;
	const uint8_t *bytes; /**< What begin and end are indices of: memory, or memory of the caller. */
	size_t begin;         /**< Index of the first byte kept. */
	size_t end;           /**< Index after the last byte kept. */
	size_t reserved;      /**< Bytes after the end that the caller may fill until it commits them. */
	uint64_t offset;      /**< Offset in the log of the first byte kept. */
} parser_buffer;

/** Returns the bytes kept. Never NULL, even before anything was fed. Valid until the buffer changes. */
static inline const uint8_t *parser_buffer_bytes(const parser_buffer *buffer)
{
	static const uint8_t none[1];

	return buffer->bytes != NULL ? buffer->bytes + buffer->begin : none;
}

static inline size_t parser_buffer_length(const parser_buffer *buffer)
{
	return buffer->end - buffer->begin;
}

/** Returns the offset in the log of the next byte to be fed. */
static inline uint64_t parser_buffer_end(const parser_buffer *buffer)
{
	return buffer->offset + parser_buffer_length(buffer);
}

/** Discards the first \p length bytes. */
static inline void parser_buffer_drop(parser_buffer *buffer, size_t length)
{
	buffer->begin += length;
	buffer->offset += length;
}

/**
 * What was found out about the log as a whole. The phase only advances: mprof_parser_restart() does not set it back,
 * because it applies to all offsets of the log.
 */
typedef enum parser_log_phase {
	PARSER_LOG_UNKNOWN,      /**< The first bytes were not examined; block_decoding::rules is NULL. */
	PARSER_LOG_AT_INTRO,     /**< The first bytes determined the dialect; mail may still turn out to be drop. */
	PARSER_LOG_MAIL_OR_DROP, /**< INTRO was read, or cannot be. It is the same in both; mail is assumed. */
	PARSER_LOG_IDENTIFIED    /**< INTRO was read, or cannot be. The dialect is certain. */
} parser_log_phase;

/**
 * What is at the start of the buffer, or will be once it is fed. Each block goes through these states;
 * mprof_parser_restart() returns to #PARSER_AT_HEADER.
 */
typedef enum parser_state {
	PARSER_AT_HEADER,  /**< A header, or the end of the log. */
	PARSER_HAS_HEADER, /**< A block whose header was returned by mprof_parser_next_header(). */
	PARSER_OPENED,     /**< A block whose header was read by mprof_parser_next_block(), which goes on to load it. */
	PARSER_REFUSED,    /**< A block that was not loaded for a reason that the caller may remove, such as a limit. */
	PARSER_LOADED,     /**< A block that is loaded. */
	PARSER_TRUNCATED,  /**< A block loaded up to the end of a truncated log; its kind is one of
	                        block_list_may_be_truncated(). */
	PARSER_BROKEN,     /**< A loaded EVENTS block whose list has no end; the end of the block is known. */
	PARSER_FAILED,     /**< A block that cannot be read; its end is known. */
	PARSER_DAMAGED,    /**< A block with a wrong checksum; the bytes after it decide whether its end is known. */
	PARSER_SKIPPING,   /**< The rest of a block that is skipped: mprof_parser::skip_left bytes. */
	PARSER_SEARCHING   /**< Damage that is searched for the next valid block. */
} parser_state;

/** The directives of one DIRECTIVES block, or of all blocks up to it. */
typedef struct directive_change {
	uint64_t offset;           /**< Offset of the DIRECTIVES block. */
	uint64_t declared;         /**< As #MPROF_DIRECTIVE_BIT. */
	uint64_t unreadable_kinds; /**< Kinds that unknown directives concern, as #MPROF_BLOCK_BIT. */
	int is_lost;               /**< The block, or one before it, could not be read. */
} directive_change;

/** The directives of the log as far as it was read. */
typedef struct parser_directives {
	directive_change in_force; /**< The directives that apply at the start of the buffer. */
	directive_change *changes; /**< One for each DIRECTIVES block that added directives, in the order of reading. */
	size_t count;
	size_t capacity;
} parser_directives;

/** State of the decoder of EVENTS blocks. */
typedef struct parser_events {
	event_decode_table table;
	const dialect_rules *table_rules; /**< The dialect that the table was built for; NULL before it is built. */
	uint64_t table_directives;
	events_decode_state state;
	event_columns_state columns; /**< Of a block of columns. */
	uint64_t start_counter;      /**< The counter that the first delta of the block is added to. */
	uint8_t numbers;             /**< A #collection_numbers, kept from block to block. */
} parser_events;

/** The memory that the events of the last batch point to. Reused for the next batch. */
typedef struct parser_batch {
	mprof_event_detail *details;
	size_t detail_count;     /**< Number of details of the last batch from an EVENTS block. */
	event_section *sections; /**< Which of the details belong to stack sections; NULL if no dialect has any. */
	size_t section_count;
	uint64_t *references; /**< References of objects. */
	uint64_t *offsets;    /**< Their offsets; NULL until the log has a block with offsets. */
	uint64_t *frames;     /**< Frames of stack sections. */
	size_t frame_capacity;
} parser_batch;

/** A search for the next valid block. */
typedef struct parser_search {
	uint64_t start;       /**< Offset in the log where the damage starts. */
	uint64_t checked;     /**< Bytes checksummed since the search started. */
	uint64_t claimed_end; /**< End of a block too long to load, according to its length; 0 for other searches. */
} parser_search;

/** Events with details that one batch can hold. A batch that reaches this number ends early. */
#define PARSER_DETAIL_CAPACITY 512

/** References of objects that one batch can hold. */
#define PARSER_REFERENCE_CAPACITY 8192

struct mprof_parser {
	/**
	 * The first member, so that its table is aligned like the allocation and no entry of 16 bytes crosses a cache
	 * line.
	 */
	parser_events events;

	mprof_allocator allocator;
	uint64_t max_block_length;
	int ignore_checksums;

	parser_buffer buffer;
	/**
	 * mprof_parser_finish() was called. This is not a #parser_state: the caller may call it at any time, and it
	 * changes only what happens when the buffer has no more bytes.
	 */
	int is_finished;
	uint64_t wait_until; /**< Offset in the log up to which bytes are needed; 0 if none are. */

	parser_log_phase log_phase;
	block_decoding decoding;
	parser_directives directives;

	parser_state state;
	uint64_t skip_left; /**< #PARSER_SKIPPING: bytes of the block that were not fed yet. */
	uint64_t span;      /**< Bytes from the block's header to the next one. */
	mprof_block block;  /**< The block at the start of the buffer. */
	block_body body;
	int is_packed;             /**< The block is a COMPRESSED block; block describes the stored one. */
	unpacked_content unpacked; /**< Its content, in the memory of the unpacker. */
	block_unpacker unpacker;
	void *expanded; /**< Memory for the arguments of events of types in columns; NULL before the first ones. */
	size_t expanded_capacity;

	id_map object_sizes;      /**< Object sizes by class, from all MAPPING blocks that were read. */
	thread_counters counters; /**< The last counter of each thread. */
	parser_batch batch;
	parser_definitions definitions;  /**< Its functions are NULL if definitions are not stored. */
	prepared_source prepared_source; /**< Its functions are NULL if no blocks are prepared. */
	prepared_block *prepared;        /**< The loaded block, if it was prepared and not all its events are taken. */
	event_arrays *arrays;            /**< Of mprof_parser_next_columns(); NULL before the first call. */
	samples_decode_state stack_samples; /**< SAMPLES. */
	typed_decode_state typed;           /**< TYPED. */
	heap_decode_state heap;
	mapping_cursor mappings;
	sample_cursor samples;                  /**< STATISTICAL blocks of mail and mprof2. */
	statistical_cursor statistical;         /**< STATISTICAL blocks of drop, mono and unity: frames. */
	statistical_cursor statistical_records; /**< STATISTICAL blocks of drop, mono and unity: definitions. */
	record_cursor records;
	content_cursor properties;

	parser_search search;

	uint64_t log_end; /**< Offset of the first byte after the END block; 0 until that block is read. */
	/**
	 * 1 after any error except exceeded limits and refused memory. This is not a #parser_state: parsing continues
	 * after most errors.
	 */
	int is_damaged;
	uint64_t valid_bytes; /**< Offset up to which all blocks from the start of the log on are valid. */

	mprof_error error;
	mprof_error fatal_error; /**< Status #MPROF_OK if none occurred. An out-of-memory error is never cleared. */
};

/** The content of the block, without its checksum. Valid until the buffer changes or another header is read. */
static inline const uint8_t *parser_content(const mprof_parser *parser)
{
	if (parser->unpacked.bytes != NULL)
		return parser->unpacked.bytes;
	return parser_buffer_bytes(&parser->buffer) + parser->decoding.rules->header_length;
}

/** Length of the content of a block that is complete, in bytes. */
static inline size_t parser_content_length(const mprof_parser *parser)
{
	if (parser->unpacked.bytes != NULL)
		return parser->unpacked.length;
	return (size_t)parser->block.length - parser->decoding.rules->checksum_length;
}

/** Bytes from the start of the content that may be read. Those after the content are of no meaning. */
static inline size_t parser_content_readable(const mprof_parser *parser)
{
	if (parser->unpacked.bytes != NULL)
		return parser->unpacked.readable;
	return parser_buffer_length(&parser->buffer) - parser->decoding.rules->header_length;
}

/** Whether a block is loaded, at least in part. */
static inline int parser_is_loaded(const mprof_parser *parser)
{
	return parser->state == PARSER_LOADED || parser->state == PARSER_TRUNCATED || parser->state == PARSER_BROKEN;
}

#endif
