/* SPDX-License-Identifier: MIT */
/**
 * \file format/directive_table.h
 * \brief What each directive changes: the blocks, and the optional fields or kinds of events that it lets them have.
 */
#ifndef FORMAT_DIRECTIVE_TABLE_H
#define FORMAT_DIRECTIVE_TABLE_H

#include <mprof/format.h>

/** One directive. */
typedef struct directive_row {
	uint8_t directive;   /**< An #mprof_directive. */
	uint64_t blocks;     /**< The kinds of blocks whose content it changes, as #MPROF_BLOCK_BIT. */
	const char *missing; /**< The message if the dialect does not have the directive. */
} directive_row;

/** Returns the row of a directive, or NULL for a number that is not one. */
const directive_row *directive_find(uint32_t directive);

#endif
