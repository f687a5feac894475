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

/**
 * All that differs between dialects: one row of the table in dialect.c. Code outside of lib/format asks for a capability,
 * never for a dialect by name, so that a new dialect is a new row. Columns of type uint8_t are 0 or 1.
 */
typedef struct dialect_rules {
	mprof_dialect dialect;
	uint32_t version;          /**< In INTRO and END. */
	uint32_t header_length;    /**< Of a block; from 10 on it holds counters, see mprof_block::counter_delta. */
	uint32_t checksum_length;  /**< At the end of a block, inside its length; 0 if there is none. */
	uint64_t directives;       /**< Known, as #MPROF_DIRECTIVE_BIT. */
	const dialect_code *codes; /**< Of blocks. */
	size_t code_count;
	uint32_t intro_flags;          /**< Bits of #mprof_intro_flag that readers of the dialect accept. */
	uint32_t constant_intro_flags; /**< Those that its own writer always set; its readers print nothing without. */
	const char *default_runtime;   /**< INTRO names a runtime: this one if the caller names none. */
	uint32_t max_sample_frames;    /**< Of a call stack in STATISTICAL: original readers overflow beyond. */

	uint8_t can_write;      /**< Writers accept the dialect. */
	uint8_t has_fixed_ints; /**< Integers have 4 or 8 bytes, as their field prescribes. */

	/* Blocks. */
	uint8_t has_mail_variants; /**< Writers followed the mail's text or its program, which contradict each other. */
	uint8_t directives_name_blocks; /**< DIRECTIVES: the code of an affected block follows each directive. */
	uint8_t names_unknown_assembly; /**< LOADED: an assembly without a name is "UNKNOWN", not "". */
	uint8_t has_heap_records;       /**< HEAP_DATA holds records; a shot may take several blocks. Else it is one. */
	uint8_t has_early_heap_forms;   /**< HEAP_DATA without a collection's number, in one of four forms. */
	uint8_t has_guessed_forms;      /**< How STATISTICAL and HEAP_DATA read is guessed from IDs defined before. */

	/* Samples in STATISTICAL blocks. */
	uint8_t has_sample_tokens; /**< A list of tagged tokens; else two lists of IDs. */
	uint8_t has_sample_counts; /**< A native function's token may stand for many samples. */
	uint8_t is_chain_first;    /**< A call stack's length precedes its innermost frame. */

	/* Events. */
	uint8_t reserves_event_codes; /**< Unassigned event bytes are skipped, not refused: later versions use them. */
	uint8_t counts_collections;   /**< Collections, heap shots and summaries are numbered, without a directive. */
	uint8_t has_stack_sections;   /**< Call stacks of events are sections that continue from block to block. */
	uint8_t repeats_base_counter; /**< The base counter of a thread's block before means: go on from its last event. */
	uint8_t has_details;          /**< Events, samples and objects have details without a directive. */
	uint8_t has_bad_monitor_times; /**< The times of monitor events may be garbage. */

	/* What recorders and writers have to respect. */
	uint8_t has_inline_definitions; /**< Call stacks and native code are defined where they are used first. */
	uint8_t methods_need_class;     /**< The original reader crashes on a method without a class. */
	uint8_t numbers_shots_like_collections; /**< A heap shot has the number of its collection, not one of its own. */
} dialect_rules;

/** The rules of a dialect; #MPROF_DIALECT_DEFAULT means mprof2. NULL for a value that is none. */
const dialect_rules *dialect_get(mprof_dialect dialect);

/** The kind of a block code; #MPROF_BLOCK_UNKNOWN if the dialect has none. */
mprof_block_kind dialect_block_kind(const dialect_rules *rules, uint32_t code);

/** The code of a block kind; 0 if the dialect has none. */
uint32_t dialect_block_code(const dialect_rules *rules, mprof_block_kind kind);

/** Whether the dialect has a block. */
static inline int dialect_has_block(const dialect_rules *rules, mprof_block_kind kind)
{
	return dialect_block_code(rules, kind) != 0;
}

/** Whether a log of the dialect may declare a directive. */
static inline int dialect_has_directive(const dialect_rules *rules, mprof_directive directive)
{
	return (rules->directives & MPROF_DIRECTIVE_BIT(directive)) != 0;
}

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
