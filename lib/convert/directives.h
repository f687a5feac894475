/* SPDX-License-Identifier: MIT */
/**
 * \file convert/directives.h
 * \brief What the copy declares, by what the log has and what the dialect of the copy knows.
 */
#ifndef CONVERT_DIRECTIVES_H
#define CONVERT_DIRECTIVES_H

#include <mprof/format.h>

#include "format/dialect.h"

/** What is said of the log as a whole. */
typedef struct log_declarations {
	const dialect_rules *rules;
	uint64_t directives; /**< As #MPROF_DIRECTIVE_BIT. */
	uint32_t flags;      /**< Of INTRO. */
} log_declarations;

/** What the copy of a log declares in a dialect. */
log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target);

#endif
