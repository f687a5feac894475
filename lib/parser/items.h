/* SPDX-License-Identifier: MIT */
/**
 * \file parser/items.h
 * \brief Delivers the items of a block: events in columns, objects, records, samples.
 */
#ifndef PARSER_ITEMS_H
#define PARSER_ITEMS_H

#include <mprof/parser.h>
#include <mprof/reader.h>

#include "format/events/event_columns_decode.h"
#include "parser/prepared.h"

/** Determines the counter that the first delta of the block is added to. Returns 0 if out of memory. */
int parser_events_start(mprof_parser *parser);

/**
 * Describes what the decoding of EVENTS blocks depends on at present. Returns 0 if it depends on other blocks, too, so
 * that none can be prepared.
 */
int parser_events_context(const mprof_parser *parser, prepared_context *context);

/** Whether the context still describes what decoding depends on. */
int parser_events_context_is_current(const mprof_parser *parser, const prepared_context *context);

/**
 * Returns prepared events of the loaded block, at most \p capacity, or NULL if there are none. Borrowed until the block
 * is left; the caller may change them, since no later call delivers them again.
 */
mprof_event *parser_events_lend(mprof_parser *parser, size_t capacity, size_t *count);

/** Goes to the end of the loaded block, all events of which were visited. */
void parser_events_pass(mprof_parser *parser);

/** The counter of the last event fetched, or the counter before the first event. */
uint64_t parser_events_counter(mprof_parser *parser);

/**
 * Finishes the block before the next header is read. The block may be loaded or not, and any number of its events may
 * have been fetched. Returns #MPROF_OK or #MPROF_ERR_MEMORY.
 */
mprof_status parser_events_finish(mprof_parser *parser);

typedef struct block_content {
	/** Allocates the memory that loading and fetching need. Returns 0 if out of memory. */
	int (*reserve)(mprof_parser *parser);
	/** Prepares for fetching a list of \p length bytes whose items are checked only when they are fetched. */
	void (*begin_list)(mprof_parser *parser, size_t length);
	/** Returns to the first item. */
	void (*rewind)(mprof_parser *parser);
	/** As mprof_parser_next_events(). The caller has set \p count to 0. */
	mprof_status (*next_events)(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);
	/** Fetches one record. Returns 0 if there are no more. */
	int (*next_record)(mprof_parser *parser, mprof_record *record);
} block_content;

/** The functions for a kind of block. */
const block_content *block_content_get(uint32_t kind);

/** Returns to the first item of the loaded block, if there is one. */
void block_content_rewind(mprof_parser *parser);

/** Checks the arguments of mprof_parser_next_columns(). Returns #MPROF_OK or #MPROF_ERR_ARGUMENT. */
mprof_status parser_columns_check(mprof_parser *parser, uint32_t wanted, const mprof_columns *columns);

/** Allocates the memory of batches, which the parser keeps. Returns NULL if out of memory; the error is recorded. */
event_arrays *parser_columns_reserve(mprof_parser *parser);

#endif
