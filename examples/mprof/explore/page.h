/* SPDX-License-Identifier: MIT */
/**
 * \file explore/page.h
 * \brief The page of mprof explore: one HTML file that shows a log in any browser; and, since it contains no demangler,
 * the names and lines that native code of the log has in its sources.
 */
#ifndef EXPLORE_PAGE_H
#define EXPLORE_PAGE_H

#include "common/input.h"

#include <stddef.h>
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

/** What to do if there is no page. */
#define EXPLORE_PAGE_ADVICE                                                                                            \
	"releases contain the page; in a checkout it is built if clang, lld, wasi-libc and libclang-rt-14-dev-wasm32 " \
	"are installed when the tool is configured, which ./bootstrap does"

/** The page: HTML, with a place for the log. */
typedef struct explore_page {
	char *text;
	size_t length;
	size_t log_offset; /**< Where the log is inserted. */
} explore_page;

/**
 * The path of the page: where it was built if this program runs there, or where it is installed. The caller frees it;
 * NULL if there is none, with errno set.
 */
char *explore_page_find(void);

/** Reads the page. Returns 0 after a message that states what is missing. Call explore_page_release() after success. */
int explore_page_read(explore_page *page);

void explore_page_release(explore_page *page);

/** A log that becomes part of the page. */
typedef struct explore_log {
	const char *path;
	const char *name;           /**< What the page shows as its name. */
	const char *readable_names; /**< See readable_names::text; NULL: none. */
} explore_log;

/**
 * Writes the page, with the log inside unless that is NULL. Returns NULL, or a message; errors of the output are not
 * reported.
 */
const char *explore_page_write(const explore_page *page, const explore_log *log, FILE *output);

/**
 * The page for a browser that gets the log from the same server: it fetches "log/OFFSET" until the log is complete. \p
 * name is that of the log; NULL: there is none, and the page opens a log that is dropped. The caller frees the text;
 * NULL if out of memory.
 */
char *explore_page_serve(const explore_page *page, const char *name, size_t *length);

#endif
