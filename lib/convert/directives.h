/* SPDX-License-Identifier: MIT */
/**
 * \file convert/directives.h
 * \brief Determines what the copy declares, by what the log contains and what the dialect of the copy supports.
 */
#ifndef CONVERT_DIRECTIVES_H
#define CONVERT_DIRECTIVES_H

#include <mprof/format.h>

#include "format/dialect.h"

/** Declarations for a log as a whole. */
typedef struct log_declarations {
	const dialect_rules *rules;
	uint64_t directives; /**< As #MPROF_DIRECTIVE_BIT. */
	uint32_t flags;      /**< Flags of INTRO. */
} log_declarations;

/** Returns the declarations for the copy of a log in a dialect. */
log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target);

#endif
