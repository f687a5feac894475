/* SPDX-License-Identifier: MIT */
/**
 * \file explore/readable_names.h
 * \brief The names that native functions of a log have in their sources, for the page: it contains no demangler.
 */
#ifndef EXPLORE_READABLE_NAMES_H
#define EXPLORE_READABLE_NAMES_H

#include "common/input.h"

#include <stdio.h>

/** Lines with a symbol, a tab and its name in the source, and those of readable_names_add_lines(). */
typedef struct readable_names {
	FILE *stream; /**< NULL if out of memory. */
	char *text;
	size_t length;
	definition_progress progress;
} readable_names;

void readable_names_begin(readable_names *names);

/** Adds the functions and methods that the block at which the input is defines. */
void readable_names_add(readable_names *names, const log_input *input, const mprof_block *block);

/**
 * Adds the lines and inlined functions of the native code of the whole log, as far as there is debug information. A
 * line has "@", the location, and for each function there, the innermost first, after tabs: its name, its line, the
 * file and 1 if it is inlined. Where innermost frames of call stacks differ from frames that call others, theirs
 * begins with "=".
 */
void readable_names_add_lines(readable_names *names, const mprof_reader *reader);

/** A copy of the text as it is now, which the caller frees; NULL if out of memory. \p length may not be NULL. */
char *readable_names_copy(readable_names *names, size_t *length);

/** Completes readable_names::text, which is NULL if there are no names. Returns 0 if out of memory. */
int readable_names_end(readable_names *names);

void readable_names_release(readable_names *names);

#endif
