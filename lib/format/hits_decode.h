/* SPDX-License-Identifier: MIT */
/**
 * \file format/hits_decode.h
 * \brief The statistical hits of drop, mono and unity: a list of tokens, which tells modules and functions besides.
 *
 * A token is a varint whose low bits say what it is, and whose other bits are its argument. The writers changed twice
 * what the bits mean, and unity where the frames of a chain stand; nothing but the tokens themselves tells which.
 */
#ifndef FORMAT_HITS_DECODE_H
#define FORMAT_HITS_DECODE_H

#include <mprof/format.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/hits_tokens.h"

/** The highest IDs that were defined so far, by which a form can be doubted that leads to higher ones. */
typedef struct known_ids {
	uint32_t class_id;
	uint32_t method_id;
	uint32_t function_id;
	uint32_t module_id; /**< Of STATISTICAL, as functions. */
} known_ids;

static inline void known_id_add(uint32_t *highest, uint32_t id)
{
	if (id > *highest)
		*highest = id;
}

/** How the tokens of a block read. */
typedef struct hits_reading {
	hits_form form;
	int is_chain_first; /**< A chain's length precedes its innermost frame instead of following it: unity. */
	int is_sure;     /**< No other form reads the block. 0 also where a known form does: no other one is tried. */
	int is_likely;   /**< The other one that does leads to IDs that are not known. */
	known_ids known; /**< With those that it defines. */
	size_t list_end; /**< In the content: behind the tokens; of a cut block, behind the last hit that is whole. */
} hits_reading;

/** Something that tokens say: a frame of a hit, or the definition of a module or a function. */
typedef struct hit_item {
	int is_record;
	mprof_event event; /**< #MPROF_EVENT_SAMPLE, as mprof_parser_next_events() tells it, without its counter. */
	uint64_t samples;  /**< For how many it stands; 0 if that is not told. */
	mprof_record record;
} hit_item;

/** Goes over the tokens of a block. */
typedef struct hit_cursor {
	content_cursor content; /**< Behind the end of the tokens when at_end is set. */
	hits_form form;
	const hit_token_form *tokens; /**< Of the form. */
	int is_chain_first;
	int is_cut;      /**< More tokens stood behind the content. */
	int in_removed;  /**< Inside the list of modules that are no more. */
	int in_modules;  /**< Inside the list of modules. */
	int has_pending; /**< A function was defined; its hit follows. */
	uint32_t pending_function;
	uint64_t pending_samples;
	int has_leaf; /**< A chain may follow, or callers. */
	uint64_t callers_left;
	int at_end;
} hit_cursor;

/** Begins at the first token, where the content stands. */
void hit_cursor_init(hit_cursor *cursor, const content_cursor *content, const hits_reading *reading);

/** Takes the next item and returns 1, or returns 0 at the end of the tokens or on a fault. */
int hit_cursor_next(hit_cursor *cursor, hit_item *item);

/**
 * Finds out how the tokens at the cursor read, behind which there must be nothing but a CLOCK, and takes both; if the
 * content is cut, as far as it goes. A form that was sure for an earlier block of the log is preferred, if it reads
 * this one. Leaves the fault of the most likely form if there is none.
 */
void hits_take(content_cursor *cursor, const dialect_rules *rules, hits_form known_form, const known_ids *known,
	       int is_cut, hits_reading *reading, mprof_clock *end);

#endif
