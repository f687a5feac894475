/* SPDX-License-Identifier: MIT */
/**
 * \file parser/parser.h
 * \brief Functions of a parser for the reader, in addition to the public ones. The struct is private to lib/parser.
 */
#ifndef PARSER_PARSER_H
#define PARSER_PARSER_H

#include <mprof/parser.h>

#include "format/blocks/records.h"
#include "format/events/event_decode_table.h"
#include "format/values/content_cursor.h"
#include "parser/prepared.h"

/** Returns the last error; its status is #MPROF_OK if none occurred. Borrowed; later errors overwrite it. */
const mprof_error *parser_last_error(const mprof_parser *parser);

/** Whether an error of severity #MPROF_SEVERITY_FATAL ended the parsing. */
int parser_has_failed(const mprof_parser *parser);

/** Whether INTRO was read or found to be unreadable. */
int parser_is_past_intro(const mprof_parser *parser);

/** Returns the version of the format; 0 before INTRO was read. */
uint32_t parser_version(const mprof_parser *parser);

/**
 * Returns the last block whose header was read. Only the fields known so far are set. Borrowed; the next header
 * overwrites it.
 */
const mprof_block *parser_block(const mprof_parser *parser);

/** Whether the block of parser_block() is loaded, at least in part. */
int parser_has_content(const mprof_parser *parser);

/**
 * Returns the bytes of the block of parser_block(), including its header and checksum; \p length receives their number.
 * The block must be loaded. Valid until bytes are fed or another header is read.
 */
const uint8_t *parser_block_bytes(const mprof_parser *parser, size_t *length);

/**
 * Begins a further iteration over the properties of the loaded block, for block_property_decode(). Returns 0 if no
 * SESSION block is loaded. Valid as long as parser_block_bytes().
 */
int parser_get_properties(mprof_parser *parser, content_cursor *cursor);

/** Returns to the first item of the loaded block, if there is one. */
void parser_rewind(mprof_parser *parser);

/** What stores the definitions of blocks while the parser loads them. The functions are called on its thread. */
typedef struct parser_definitions {
	/** Whether the block was loaded before, and all its definitions stored, so that it can be skipped. */
	int (*has)(void *user, const mprof_block *block);
	/**
	 * Called before the content of a block is decoded that may have definitions. Returns whether to pass them to
	 * the sink.
	 */
	int (*begin)(void *user, const mprof_block *block);
	/** Called after that. If the block is not valid, everything that the sink received since is to be removed. */
	void (*end)(void *user, int is_valid);
	definition_sink sink; /**< definition_sink::user is passed to all functions. */
} parser_definitions;

/** Sets what stores definitions. Copied; set before the first block is loaded or between blocks. */
void parser_set_definitions(mprof_parser *parser, const parser_definitions *definitions);

/** Sets where the parser gets prepared blocks from. Copied; set before the first block is loaded or between blocks. */
void parser_set_prepared_source(mprof_parser *parser, const prepared_source *source);

/** See parser_events_context() and parser_events_context_is_current(). */
int parser_prepared_context(const mprof_parser *parser, prepared_context *context);
int parser_prepared_context_is_current(const mprof_parser *parser, const prepared_context *context);

/**
 * As mprof_parser_next_events(), but \p borrowed receives the events: \p events, or an array of the parser, which is
 * valid until the block is left, and which the caller may change.
 */
mprof_status parser_lend_events(mprof_parser *parser, mprof_event *events, size_t capacity, mprof_event **borrowed,
				size_t *count);

/**
 * Returns the state of the visitor that another thread has passed the events of the loaded block to, and whether it has
 * all of them. NULL if there was none. Valid until the block is left, or its events are fetched.
 */
void *parser_visit(const mprof_parser *parser, int *is_whole);

/** Skips the events of the loaded block: the visitor has processed all of them. */
void parser_pass_visited(mprof_parser *parser);

/** Returns the sizes of all objects of a class, in bytes, by class ID, as far as they were read. */
const id_map *parser_object_sizes(const mprof_parser *parser);

/** Returns the directives in force, as #MPROF_DIRECTIVE_BIT. */
uint64_t parser_directives_declared(const mprof_parser *parser);

/** The details of a batch of events, and which of them belong to stack sections. */
typedef struct parser_event_details {
	const mprof_event_detail *details; /**< In the order of the events. */
	size_t count;
	const event_section *sections; /**< In order. */
	size_t section_count;
} parser_event_details;

/**
 * Returns the details of the last batch of events that was fetched from an EVENTS block. Valid until the next fetch.
 */
parser_event_details parser_last_details(const mprof_parser *parser);

/** Sets the call stack of the details from index \p first to before \p end of the events that were fetched last. */
void parser_details_set_stack(mprof_parser *parser, size_t first, size_t end, uint32_t stack_id);

/** Sets the call stack of one of the events that were fetched last. It must have a detail. */
void parser_event_set_stack(mprof_parser *parser, const mprof_event *event, uint32_t stack_id);

/**
 * As mprof_parser_feed(), before mprof_parser_finish(), without copying the bytes: they must remain valid and unchanged
 * until the parser is restarted or destroyed. Pieces that follow one another in memory are not copied either.
 */
mprof_status parser_feed_borrowed(mprof_parser *parser, const uint8_t *bytes, size_t length);

/** Returns the offset in the log of the first byte that the parser has not consumed. */
uint64_t parser_offset(const mprof_parser *parser);

/** Returns the offset in the log after the last byte that was fed or skipped. */
uint64_t parser_fed_end(const mprof_parser *parser);

/**
 * Returns the offset of the block after the last one, or that of the last block itself if parsing failed there or
 * searches from there for a valid block.
 */
uint64_t parser_next_offset(const mprof_parser *parser);

/** Whether the last block is an END block and nothing after it was fed. */
int parser_is_at_log_end(const mprof_parser *parser);

/** Undoes the last mprof_parser_skip(): the bytes will be fed after all. Nothing may have been fed since. */
void parser_unskip(mprof_parser *parser, uint64_t length);

/**
 * As mprof_parser_restart(), for an offset that is still in the buffer; the bytes from there on are kept. Returns 0 and
 * changes nothing if the buffer does not contain the offset.
 */
int parser_restart_inside(mprof_parser *parser, uint64_t offset);

#endif
