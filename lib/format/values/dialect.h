/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/dialect.h
 * \brief The differences between dialects as a table (doc/format.md, sections 1 and 3).
 */
#ifndef FORMAT_VALUES_DIALECT_H
#define FORMAT_VALUES_DIALECT_H

#include <mprof/format.h>

/** The code in a block header and the kind of block that it stands for. */
typedef struct dialect_code {
	uint8_t code;
	uint8_t kind; /**< An #mprof_block_kind. */
} dialect_code;

/**
 * The properties of a dialect: one row of the table in dialect.c. Code outside of lib/format tests a property, never
 * the name of a dialect, so that a new dialect is a new row. Columns of type uint8_t are 0 or 1.
 */
typedef struct dialect_rules {
	mprof_dialect dialect;
	uint32_t version;          /**< The version number in INTRO and END. */
	uint32_t header_length;    /**< In bytes. A header of 10 bytes contains mprof_block::counter_delta. */
	uint32_t checksum_length;  /**< Bytes at the end of a block, included in its length; 0 without a checksum. */
	uint64_t directives;       /**< Directives that the dialect defines, as #MPROF_DIRECTIVE_BIT. */
	const dialect_code *codes; /**< The codes of block kinds. */
	size_t code_count;
	uint32_t column_code;     /**< The code of EVENTS blocks whose events are in columns; 0 if there are none. */
	uint32_t compressed_code; /**< The code of COMPRESSED blocks; 0 if there are none. */
	uint64_t intro_flags;     /**< Bits of #mprof_intro_flag that readers of the dialect accept. */
	uint64_t constant_intro_flags; /**< Flags the original writer always sets, and the original reader needs. */
	const char *default_runtime;   /**< The runtime in INTRO if the caller specifies none. */
	uint32_t max_sample_frames;    /**< Frames of a call stack in STATISTICAL: more overflow original readers. */

	uint8_t can_write;      /**< Writers accept the dialect. */
	uint8_t has_fixed_ints; /**< Integers are 4 or 8 bytes long, depending on the field, instead of varints. */

	/* Blocks. */
	uint8_t has_mail_variants;      /**< Writers follow either the text or the program of the mail, which differ. */
	uint8_t directives_name_blocks; /**< DIRECTIVES: the code of an affected block follows each directive. */
	uint8_t names_unknown_assembly; /**< LOADED: an assembly without a name is "UNKNOWN", not "". */
	uint8_t has_heap_records; /**< HEAP_DATA holds records; a snapshot may span blocks. Else it is one block. */
	uint8_t has_early_heap_layouts; /**< HEAP_DATA has no collection number and one of four layouts. */
	uint8_t has_guessed_layouts;    /**< The layout of STATISTICAL and HEAP_DATA is inferred from known IDs. */

	/* Samples in STATISTICAL blocks. */
	uint8_t has_sample_tokens;     /**< STATISTICAL is a list of tagged tokens; else two lists of IDs. */
	uint8_t has_sample_counts;     /**< A native function's token may stand for many samples. */
	uint8_t is_caller_count_first; /**< The length of a call stack precedes its innermost frame. */

	/* Events. */
	uint8_t reserves_event_codes; /**< Unassigned event codes are skipped, not refused: later versions use them. */
	uint8_t counts_collections; /**< Collections, heap snapshots and summaries have numbers without a directive. */
	uint8_t has_stack_sections; /**< Call stacks of events are sections that continue from block to block. */
	/** A block that repeats the base counter of its thread's previous block continues from its last event. */
	uint8_t repeats_base_counter;
	uint8_t has_bad_monitor_times;           /**< The times of monitor events may be garbage. */
	uint8_t has_failed_loads_as_allocations; /**< The end of a failed class load is written as an allocation. */

	/* Constraints on recorders and writers. */
	uint8_t has_inline_definitions;             /**< Call stacks and native code are defined at their first use. */
	uint8_t methods_need_class;                 /**< The original reader crashes on a method without a class. */
	uint8_t numbers_snapshots_like_collections; /**< A heap snapshot has the number of its collection. */
} dialect_rules;

/** All flags that INTRO may have: those of #mprof_intro_flag, and the ones of Mono that have no name there. */
#define DIALECT_INTRO_FLAGS (2 * (uint64_t)MPROF_INTRO_FLAG_MEMORY - 1)

/** The rules of a dialect; #MPROF_DIALECT_DEFAULT means mprof2. NULL for an invalid value. */
const dialect_rules *dialect_get(mprof_dialect dialect);

/** The block kind of a code; #MPROF_BLOCK_UNKNOWN if the dialect does not define the code. */
mprof_block_kind dialect_block_kind(const dialect_rules *rules, uint32_t code);

/** The code of a block kind, of EVENTS that of rows; 0 if the dialect does not have the kind. */
uint32_t dialect_block_code(const dialect_rules *rules, mprof_block_kind kind);

/** Whether the dialect has a block kind. */
static inline int dialect_has_block(const dialect_rules *rules, mprof_block_kind kind)
{
	return dialect_block_code(rules, kind) != 0;
}

/** Whether a log of the dialect may declare a directive. */
static inline int dialect_has_directive(const dialect_rules *rules, uint64_t directive)
{
	return directive < 64 && (rules->directives & MPROF_DIRECTIVE_BIT(directive)) != 0;
}

/** What the first bytes of a file were recognized as (doc/format.md, 1.1). */
typedef enum dialect_guess {
	DIALECT_GUESS_MORE_BYTES, /**< Too few bytes to decide. */
	DIALECT_GUESS_NONE,       /**< Not a log. */
	DIALECT_GUESS_MPROF2,
	DIALECT_GUESS_SHORT_HEADER, /**< mail or drop: the blocks after INTRO decide. */
	DIALECT_GUESS_LONG_HEADER,  /**< mono or unity. */
	DIALECT_GUESS_FIXED_INTS,   /**< The fork with fixed-size integers. */
	DIALECT_GUESS_NEWER         /**< A version that this library does not support. */
} dialect_guess;

/** The number of bytes with which dialect_guess_from() always reaches a decision. */
#define DIALECT_GUESS_LENGTH 14

/** Recognizes a dialect by the first \p length bytes of a file. */
dialect_guess dialect_guess_from(const uint8_t *bytes, size_t length);

/** The number of bytes that dialect_guess_is_long() reads. */
#define DIALECT_GUESS_LONG_LENGTH 11

/**
 * Whether #DIALECT_GUESS_LONG_LENGTH bytes could be the start of a log of mono or unity. The length and the counter
 * delta in the header are ignored.
 */
int dialect_guess_is_long(const uint8_t *bytes);

/** Returns an error message that names a foreign format by its first bytes, or a general message. Static text. */
const char *dialect_foreign_name(const uint8_t *bytes, size_t length);

/** One directive. */
typedef struct directive_row {
	uint8_t directive;   /**< An #mprof_directive. */
	uint64_t blocks;     /**< The kinds of blocks whose content it changes, as #MPROF_BLOCK_BIT. */
	const char *missing; /**< The message if the dialect does not have the directive. */
} directive_row;

/** Returns the row of a directive, or NULL for a number that is not one. */
const directive_row *directive_find(uint32_t directive);

#endif
