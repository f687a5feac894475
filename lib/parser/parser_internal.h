/* SPDX-License-Identifier: MIT */
/**
 * \file parser/parser_internal.h
 * \brief The parser's insides, shared by the files that make it up and by the reader.
 *
 * parser.c feeds it, parser_detect.c tells its dialect, parser_header.c goes from block to block, parser_load.c takes a
 * block's content, parser_lists.c fetches what it lists, parser_events.c and parser_hits.c if that is events or hits,
 * parser_search.c finds a way on behind damage, parser_directives.c knows what holds where, parser_sizes.c how large
 * objects are, parser_known.c what older logs leave to be guessed.
 */
#ifndef STREAM_PARSER_INTERNAL_H
#define STREAM_PARSER_INTERNAL_H

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

/**
 * Notes an error at a place of the block at the begin of the buffer, and returns its status. One of severity
 * #MPROF_SEVERITY_FATAL sticks.
 */
mprof_status parser_fail(mprof_parser *parser, mprof_status status, mprof_severity severity, uint64_t offset_in_block,
			 const char *what);

/**
 * Notes that memory was refused. That is final: what was learnt from the log so far may lack something, so that nothing
 * more is read. Returns #MPROF_ERR_MEMORY.
 */
mprof_status parser_fail_memory(mprof_parser *parser, const char *what);

/** Whether memory was refused before. If so, parser::error says so again. */
int parser_is_out_of_memory(mprof_parser *parser);

/** Notes an error that has no place in the log, which leaves all as it was. Returns its status. */
mprof_status parser_refuse(mprof_parser *parser, mprof_status status, const char *what);

/** Refuses a call without the parser, or without a pointer that it needs. Returns #MPROF_OK if both are there. */
mprof_status parser_check(mprof_parser *parser, const void *needed);

/** Notes that so many bytes from the begin of the buffer are needed. Returns #MPROF_AGAIN. */
mprof_status parser_wait(mprof_parser *parser, uint64_t length);

/** Counts the block at the begin of the buffer as valid. */
void parser_block_is_valid(mprof_parser *parser);

/** Makes those directives hold that do at a place of the log, as far as it was read. */
void parser_directives_restore(mprof_parser *parser, uint64_t offset);

/** Makes room for one more change, if the block is one of DIRECTIVES. Returns 0 if there is no memory. */
int parser_directives_reserve(mprof_parser *parser);

/** Adds what the DIRECTIVES block at the begin of the buffer says; room was made. */
void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost);

/**
 * Learns the sizes of objects from the MAPPING block at the begin of the buffer, which was decoded. Returns 0 if there
 * is no memory.
 */
int parser_sizes_learn(mprof_parser *parser);

/** Learns from the block at the begin of the buffer, which was decoded, how to read others that do not tell it. */
void parser_known_learn(mprof_parser *parser);

/** Makes room for details. Returns 0 if there is no memory. */
int parser_details_reserve(mprof_parser *parser);

/** What stops a list that is checked when it is fetched. */
typedef enum list_stop {
	LIST_STOP_END, /**< It was read as far as it goes. */
	LIST_STOP_CUT, /**< Where it goes on was cut, if the block was. */
	LIST_STOP_MALFORMED
} list_stop;

/** Answers for a list of which nothing more can be fetched. The place is one of the list. */
mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what);

/** Takes the dialect from the first bytes of the log, as far as they tell it. */
mprof_status parser_detect(mprof_parser *parser);

/**
 * Tells mail from drop, whose INTROs are the same, by the block whose header is at the begin of the buffer: what has a
 * code in both has another one. A block that does not tell leaves it to the next one; mail is what is assumed so far.
 */
mprof_status parser_decide(mprof_parser *parser, const block_header *header);

/** Notes that call stacks of samples begin with their length, which makes a log that began like mono one of unity. */
void parser_detect_chain_first(mprof_parser *parser);

/** Loads the block whose header was given out. As mprof_parser_load(), with parser::block for the result. */
mprof_status parser_load(mprof_parser *parser);

/** Goes back to the first record of the loaded block, if there is one. */
void parser_rewind(mprof_parser *parser);

/** The content of the block, which is in the buffer. */
static inline const uint8_t *parser_content(const mprof_parser *parser)
{
	return parser_buffer_bytes(&parser->buffer) + parser->decoding.rules->header_length;
}

/** Whether a block is loaded, if only in part. */
static inline int parser_has_content(const mprof_parser *parser)
{
	return parser->state == PARSER_LOADED || parser->state == PARSER_CUT || parser->state == PARSER_BROKEN;
}

/** Whether an END block was read and is the last that was. */
static inline int parser_is_at_log_end(const mprof_parser *parser)
{
	return parser->state == PARSER_AT_HEADER && parser->log_end != 0 && parser->log_end == parser->buffer.offset &&
	       parser_buffer_length(&parser->buffer) == 0;
}

/** Whether bytes can be a header behind the first block's. */
int parser_header_is_plausible(const mprof_parser *parser, const block_header *header);

/** Whether a block, header and all, matches its checksum. */
int parser_checksum_is_right(const mprof_parser *parser, const uint8_t *block, uint64_t span);

/** What a search for a valid block gives. */
typedef enum parser_search_result {
	PARSER_SEARCH_FOUND,
	PARSER_SEARCH_NONE,
	PARSER_SEARCH_MORE /**< More bytes are needed to tell. */
} parser_search_result;

/**
 * Searches the buffer from \p position on for a header of a known block with a right checksum. On
 * PARSER_SEARCH_MORE \p position is where to go on and \p needed how many bytes of the buffer are needed.
 */
parser_search_result parser_search_buffer(mprof_parser *parser, size_t *position, uint64_t *needed);

/** Where in the buffer, behind its begin, a valid block starts; 0 if there is none. */
size_t parser_search_inside(mprof_parser *parser);

/**
 * Begins to search behind damage at a place of the buffer, the damage itself being at its begin. \p claimed_end is
 * where a block that is perhaps only too long says that it ends, or 0.
 */
void parser_search_begin(mprof_parser *parser, size_t position, uint64_t claimed_end);

/** Goes on searching. Returns #MPROF_AGAIN, the error that tells what became of it, or #MPROF_OK if all was well. */
mprof_status parser_search_go_on(mprof_parser *parser);

/** Takes back what mprof_parser_skip() was told last: the bytes are fed after all. None were since. */
void parser_unskip(mprof_parser *parser, uint64_t length);

/**
 * mprof_parser_restart() at a place that was fed already and not left behind yet: what was fed stays. Returns 0,
 * changing nothing, if it is somewhere else.
 */
int parser_restart_inside(mprof_parser *parser, uint64_t offset);

/** Goes on skipping bytes up to the end of the block. */
mprof_status parser_leave_skipping(mprof_parser *parser);

#endif
