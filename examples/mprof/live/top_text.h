/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_text.h
 * \brief A live view as plain text, and the lines that the screen has in common with it.
 */
#ifndef TOP_TEXT_H
#define TOP_TEXT_H

#include "live/top_rows.h"

/** Size of a line of the header, in bytes. */
#define TOP_LINE_SIZE 512

/** The number of lines of the header. */
#define TOP_HEADER_LINES 5

/** Formats the header: state, window, lag and losses, rates, collections, the hottest methods. */
void top_text_header(const live_profile *live, char lines[TOP_HEADER_LINES][TOP_LINE_SIZE]);

/** Formats a row of a table without its name, and the titles of its columns. They have the same width. */
void top_text_row(const live_profile *live, uint32_t table, const top_row *row, char line[TOP_LINE_SIZE]);
const char *top_text_titles(uint32_t table);

/** Prints everything. \p count: the number of rows of each table. */
void top_text_print(const live_profile *live, top_sort sort, size_t count);

#endif
