/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_columns.h
 * \brief The columns that the events of a block are stored in (doc/format.md, 3.22).
 */
#ifndef FORMAT_EVENTS_EVENT_COLUMNS_H
#define FORMAT_EVENTS_EVENT_COLUMNS_H

#include <mprof/format.h>

#include <stdint.h>

/** The columns, in the order of a block. */
typedef enum event_column {
	EVENT_COLUMN_SYMBOLS, /**< An #event_symbol for each event, two in a byte, the first in the low half. */
	EVENT_COLUMN_METHODS,
	EVENT_COLUMN_CLASSES,
	EVENT_COLUMN_TIMES, /**< Differences from the previous event with a time, whichever column has it. */
	EVENT_COLUMN_SIZES,
	EVENT_COLUMN_CALLERS,
	EVENT_COLUMN_STACKS,
	EVENT_COLUMN_OBJECTS, /**< Differences from the previous object's address, see event_column_fold_address(). */
	EVENT_COLUMN_ROWS,    /**< Events of all other kinds, as in an EVENTS block. */
	EVENT_COLUMN_GROUPS,  /**< The group of each event of a type; this one and the next with directive 34 only. */
	EVENT_COLUMN_SHAPES,  /**< The types of the groups, and how their arguments are stored. */
	EVENT_COLUMNS
} event_column;

/** The kind of an event, which determines the columns that have its values. */
typedef enum event_symbol {
	EVENT_SYMBOL_ENTER,            /**< A method and a time. */
	EVENT_SYMBOL_LEAVE_IMPLICIT,   /**< A time. */
	EVENT_SYMBOL_LEAVE,            /**< A method and a time. */
	EVENT_SYMBOL_ALLOCATION,       /**< A class, a size and the fields that the directives declare. */
	EVENT_SYMBOL_ALLOCATION_FIXED, /**< A class and the fields; the size is that of the class. */
	EVENT_SYMBOL_ROW,              /**< The next event of the rows. */
	EVENT_SYMBOL_TYPED,            /**< An event of a type: a group, a time and the arguments of the group. */
	EVENT_SYMBOLS
} event_symbol;

/** Number of bits of a symbol in its column. */
#define EVENT_SYMBOL_BITS 4
#define EVENT_SYMBOL_MASK 15

/** The most events of a block: a reader needs memory for that many. */
#define EVENT_COLUMNS_MAX_EVENTS 65536

/** The columns of a block whose directives do not permit events of types in columns. */
#define EVENT_COLUMNS_UNTYPED (EVENT_COLUMN_ROWS + 1)

/** The most columns of a block, with those of arguments. */
#define EVENT_COLUMNS_MAX 4096

/** The most groups of events of types. */
#define TYPED_COLUMNS_MAX_GROUPS 4096

/** The most entries of all dictionaries of a block. */
#define TYPED_COLUMNS_MAX_ENTRIES 65536

/** The most bytes of all arguments that are in columns. */
#define TYPED_COLUMNS_MAX_BYTES ((size_t)16 << 20)

/** How the arguments of a group are stored: as an #mprof_argument_encoding, or with a dictionary. */
#define TYPED_COLUMNS_DICTIONARY 4

/** Directives that a block has events of types in columns with. */
#define TYPED_COLUMNS_DIRECTIVES                                                                                       \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_COLUMNS))

/** A writer ends a block when its rows have this length, in bytes: the arguments of events may be long. */
#define EVENT_COLUMNS_MAX_ROW_BYTES ((size_t)8 << 20)

/**
 * Maps the signed difference of two addresses, in two's complement, to a number that is small if the difference is a
 * small multiple of 8: an eighth of it, rounded down and zigzag-encoded, with the remainder in the highest bits.
 */
static inline uint64_t event_column_fold_address(uint64_t difference)
{
	uint64_t eighth = difference >> 3 | (0 - (difference >> 63)) << 61;

	return ((eighth << 1 ^ (0 - (difference >> 63))) & (UINT64_MAX >> 3)) | difference << 61;
}

/** The reverse of event_column_fold_address(). */
static inline uint64_t event_column_unfold_address(uint64_t folded)
{
	uint64_t zigzag = folded & (UINT64_MAX >> 3);

	return (zigzag >> 1 ^ (0 - (zigzag & 1))) << 3 | folded >> 61;
}

#endif
