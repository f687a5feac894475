/* SPDX-License-Identifier: MIT */
/**
 * \file unwind_tables.h
 * \brief The unwinding information of functions: the tables that compilers write for exceptions (.eh_frame and its
 * index). Async-signal-safe.
 */
#ifndef SHARED_UNWIND_TABLES_H
#define SHARED_UNWIND_TABLES_H

#include <stdint.h>

/** Reads bytes up to an end. After a read past it, all reads return 0. */
typedef struct unwind_cursor {
	const uint8_t *at; /**< NULL after a read past the end. */
	const uint8_t *end;
} unwind_cursor;

uint8_t unwind_read_byte(unwind_cursor *cursor);

/** Reads a little-endian number of \p size bytes, at most 8. */
uint64_t unwind_read_number(unwind_cursor *cursor, unsigned size);
uint64_t unwind_read_uleb(unwind_cursor *cursor);
int64_t unwind_read_sleb(unwind_cursor *cursor);

/** The unwinding information of one function. The programs are read where they are mapped. */
typedef struct unwind_entry {
	uintptr_t start;       /**< The function's first address. */
	uint64_t code_unit;    /**< Factor of advances of the address. */
	int64_t data_unit;     /**< Factor of offsets on the stack. */
	unsigned return_rule;  /**< The register that stands for the return address. */
	int is_signal_frame;   /**< The caller was interrupted by a signal. */
	unwind_cursor initial; /**< Program that sets the rules at the start of the function. */
	unwind_cursor program; /**< Program that changes them. */
} unwind_entry;

/** Where the tables of a module are: a copy of the segment that contains them, or the segment itself. */
typedef struct unwind_segment {
	uintptr_t address;    /**< The address that is looked for, at its distance from the tables. */
	const uint8_t *index; /**< NULL: the module has no index. */
	const uint8_t *start;
	const uint8_t *end;
} unwind_segment;

/** Finds the entry of a function in the tables of its module. Returns 0 if it has none. */
int unwind_tables_find_in(const unwind_segment *segment, unwind_entry *entry);

#endif
