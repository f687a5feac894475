/* SPDX-License-Identifier: MIT */
/**
 * \file format/dialect.h
 * \brief What differs between dialects, as data (doc/format.md, sections 1 and 3).
 */
#ifndef FORMAT_DIALECT_H
#define FORMAT_DIALECT_H

#include <mprof/format.h>

/** A code of a block's header and the kind of block that it means. */
typedef struct dialect_code {
	uint8_t code;
	uint8_t kind; /**< An #mprof_block_kind. */
} dialect_code;

typedef struct dialect_rules {
	mprof_dialect dialect;
	uint32_t version;          /**< In INTRO and END. */
	uint32_t header_length;    /**< Of a block; from 10 on it holds counters, see mprof_block::counter_delta. */
	uint32_t checksum_length;  /**< At the end of a block, inside its length; 0 if there is none. */
	uint32_t is_mono;          /**< 1: blocks hold what Mono's own writers put there (doc/dialects.md). */
	uint32_t has_fixed_ints;   /**< 1: INTs have 4 or 8 bytes, as their field says. */
	uint64_t directives;       /**< Known, as #MPROF_DIRECTIVE_BIT. */
	const dialect_code *codes; /**< Of blocks. */
	size_t code_count;
	int writable;
} dialect_rules;

/** The rules of a dialect; #MPROF_DIALECT_DEFAULT means mprof2. NULL for a value that is none. */
const dialect_rules *dialect_get(mprof_dialect dialect);

/** The kind of a block code; #MPROF_BLOCK_UNKNOWN if the dialect has none. */
mprof_block_kind dialect_block_kind(const dialect_rules *rules, uint32_t code);

/** The code of a block kind; 0 if the dialect has none. */
uint32_t dialect_block_code(const dialect_rules *rules, mprof_block_kind kind);

/** The block kinds whose reading a directive changes, as #MPROF_BLOCK_BIT; 0 for one that changes none. */
uint64_t dialect_directive_blocks(mprof_directive directive);

/** How the first bytes of a file are taken (doc/format.md, 1.1). */
typedef enum dialect_guess {
	DIALECT_GUESS_MORE_BYTES, /**< Too few to tell. */
	DIALECT_GUESS_NONE,       /**< Not a log. */
	DIALECT_GUESS_MPROF2,
	DIALECT_GUESS_SHORT_HEADER, /**< mail or drop: the blocks after INTRO tell. */
	DIALECT_GUESS_LONG_HEADER,  /**< mono or unity. */
	DIALECT_GUESS_FIXED_INTS,   /**< The fork with fixed-size integers. */
	DIALECT_GUESS_NEWER         /**< A version that this library does not know. */
} dialect_guess;

/** The most bytes that dialect_guess_from() wants. */
#define DIALECT_GUESS_LENGTH 14

/** Takes a guess from the first bytes of a file, \p length of which there are. */
dialect_guess dialect_guess_from(const uint8_t *bytes, size_t length);

/** The bytes that dialect_guess_is_long() wants. */
#define DIALECT_GUESS_LONG_LENGTH 11

/**
 * Whether #DIALECT_GUESS_LONG_LENGTH bytes could be the begin of a log of mono or unity, if counters in the header are
 * passed by.
 */
int dialect_guess_is_long(const uint8_t *bytes);

/** Names a foreign format by its first bytes, as a whole message; a general one if it is not known. Static text. */
const char *dialect_foreign_name(const uint8_t *bytes, size_t length);

#endif
