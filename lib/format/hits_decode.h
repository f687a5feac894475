/* SPDX-License-Identifier: MIT */
/**
 * \file format/hits_decode.h
 * \brief The statistical samples ("hits") of drop, mono and unity: a list of tokens, some of which define modules and
 * functions.
 *
 * A token is a varint: its low bits are the type, the others the argument. The meaning of the low bits changed twice,
 * and unity changed where the frames of a call stack are. No log states its form, so it is derived from the tokens.
 */
#ifndef FORMAT_HITS_DECODE_H
#define FORMAT_HITS_DECODE_H

#include <mprof/format.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/hits_tokens.h"

/** The highest IDs that were defined so far. A form that leads to higher ones is less likely. */
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

/** The interpretation of the tokens of a block. */
typedef struct hits_reading {
	hits_form form;
	int is_chain_first; /**< The length of a call stack precedes its innermost frame instead of following it: unity. */
	int is_sure;     /**< No other form decodes the block. 0 also if a known form does: no other is tried then. */
	int is_likely;   /**< The other form that decodes the block leads to IDs that are not defined. */
	known_ids known; /**< Including those that the block defines. */
	size_t list_end; /**< In the content: after the tokens; in a cut block, after the last complete sample. */
} hits_reading;

/** The meaning of one or more tokens: a frame of a sample, or the definition of a module or a function. */
typedef struct hit_item {
	int is_record;
	mprof_event event; /**< #MPROF_EVENT_SAMPLE, as mprof_parser_next_events() delivers it, without its counter. */
	uint64_t samples;  /**< Number of samples that it stands for; 0 if not specified. */
	mprof_record record;
} hit_item;

/** Iterates over the tokens of a block. */
typedef struct hit_cursor {
	content_cursor content; /**< After the end of the tokens when at_end is set. */
	hits_form form;
	const hit_token_form *tokens; /**< Of the form. */
	int is_chain_first;
	int is_cut;      /**< The content is cut: the log had more tokens. */
	int in_removed;  /**< Inside the list of removed modules. */
	int in_modules;  /**< Inside the list of modules. */
	int has_pending; /**< A function was defined; its sample follows. */
	uint32_t pending_function;
	uint64_t pending_samples;
	int has_leaf; /**< A call stack may follow, or callers. */
	uint64_t callers_left;
	int at_end;
} hit_cursor;

/** Starts at the current position of the content, which is the first token. */
void hit_cursor_init(hit_cursor *cursor, const content_cursor *content, const hits_reading *reading);

/** Decodes the next item. Returns 1, or 0 at the end of the tokens or on a fault. */
int hit_cursor_next(hit_cursor *cursor, hit_item *item);

/**
 * Finds the form of the tokens at the cursor, and decodes them and the CLOCK that follows, which must end the content;
 * if the content is cut, as much of it as there is. A form that was sure for an earlier block of the log is preferred,
 * if it decodes this one. If no form does, the cursor has the fault of the most likely one.
 */
void hits_take(content_cursor *cursor, const dialect_rules *rules, hits_form known_form, const known_ids *known,
	       int is_cut, hits_reading *reading, mprof_clock *end);

#endif
