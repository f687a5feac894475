/* SPDX-License-Identifier: MIT */
/**
 * \file format/statistical_decode.h
 * \brief Decodes the samples in STATISTICAL blocks of drop, mono and unity: a list of tokens, some of which define
 * modules and functions.
 *
 * A token is a varint: a tag in the low bits and an argument in the others. The tags changed twice, and unity moved the
 * number of callers before the innermost frame. No log specifies its layout, so it is inferred from the tokens.
 */
#ifndef FORMAT_STATISTICAL_DECODE_H
#define FORMAT_STATISTICAL_DECODE_H

#include <mprof/format.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/known_ids.h"
#include "format/statistical_tokens.h"

/** The layout of a block. */
typedef struct statistical_result {
	statistical_layout layout;
	int is_caller_count_first; /**< The number of callers precedes the innermost frame, as in unity. */
	int is_sure;     /**< No other layout fits the block. Also 0 if a known layout fits, since no other is tried. */
	int is_likely;   /**< Another layout fits, but refers to IDs that are not defined. */
	known_ids known; /**< Including those that the block defines. */
	size_t list_end; /**< Offset of the end of the tokens; of truncated content, of its last complete sample. */
} statistical_result;

/** The meaning of one or more tokens: a frame of a sample, or the definition of a module or a function. */
typedef struct statistical_item {
	int is_record;
	mprof_event event; /**< #MPROF_EVENT_SAMPLE, as mprof_parser_next_events() returns it, without its counter. */
	uint64_t samples;  /**< Number of samples that a frame stands for; 0 if the log does not specify it. */
	mprof_record record;
} statistical_item;

/** Iterates over the tokens of a block. */
typedef struct statistical_cursor {
	content_cursor content; /**< After the end of the tokens when at_end is set. */
	statistical_layout layout;
	const statistical_tags *tags; /**< The tags of the layout. */
	int is_caller_count_first;
	int is_truncated; /**< The log contained more tokens than the content. */
	int in_removed;   /**< Inside a list of removed modules. */
	int in_modules;   /**< Inside a list of new modules. */
	int has_pending;  /**< The previous item was the definition of a function; its sample is next. */
	uint32_t pending_function;
	uint64_t pending_samples;
	int has_leaf; /**< The next frame can be a caller, or the next token a number of callers. */
	uint64_t callers_left;
	int at_end;
} statistical_cursor;

/** Starts at the position of the content, which is the first token. */
void statistical_cursor_init(statistical_cursor *cursor, const content_cursor *content,
			     const statistical_result *result);

/** Decodes the next item. Returns 1, or 0 at the end of the tokens or on a fault. */
int statistical_cursor_next(statistical_cursor *cursor, statistical_item *item);

/**
 * Determines the layout of the tokens at the cursor, and decodes them and the CLOCK that follows, which must end the
 * content; if the content is truncated, decodes up to the last complete sample. \p known_layout is that of an earlier
 * block of the log, or #STATISTICAL_LAYOUT_NONE; it is preferred. If no layout fits, the cursor keeps the fault of the
 * likeliest layout.
 */
void statistical_decode(content_cursor *cursor, const dialect_rules *rules, statistical_layout known_layout,
			const known_ids *known, int is_truncated, statistical_result *result, mprof_clock *end);

#endif
