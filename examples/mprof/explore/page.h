/* SPDX-License-Identifier: MIT */
/**
 * \file explore/page.h
 * \brief The page that opens logs: finds it, and writes it with a log inside.
 */
#ifndef EXPLORE_PAGE_H
#define EXPLORE_PAGE_H

#include <stddef.h>
#include <stdio.h>

/** The page: HTML, with a place for the log. */
typedef struct explore_page {
	char *text;
	size_t length;
	size_t log_offset; /**< Where the log is inserted. */
} explore_page;

/** Reads the page. Returns 0 after a message that states what is missing. */
int explore_page_read(explore_page *page);

void explore_page_release(explore_page *page);

/**
 * Writes the page, with the log at \p path inside unless \p path is NULL. \p name is what the page shows as the name of
 * the log. Returns NULL, or a message; errors of \p output are not reported.
 */
const char *explore_page_write(const explore_page *page, const char *path, const char *name, FILE *output);

#endif
