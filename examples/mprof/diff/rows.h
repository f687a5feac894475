/* SPDX-License-Identifier: MIT */
/**
 * \file diff/rows.h
 * \brief Rows of a difference: which are wanted, their order, and how two figures are printed.
 */
#ifndef DIFF_ROWS_H
#define DIFF_ROWS_H

#include "diff/diff.h"
#include "shared/text.h"

/** "before" or "after". */
const char *diff_side_name(int side);

/** Whether a class passes the filter. */
int diff_wants_class(const log_diff *diff, const char *name);

/** Comparison for sorting figures before and after: the larger growth first, the largest decrease last. */
int diff_compare_growth(const uint64_t left[DIFF_SIDES], const uint64_t right[DIFF_SIDES]);

/** Ends a title, with a note if not all rows are shown. */
void diff_print_shown(size_t shown, size_t all);

/** Formats the growth with its sign: "+1,234", "-5", "0". Returns \p text. */
char *diff_text_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES]);

/** As diff_text_growth(), for nanoseconds. */
char *diff_text_time_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES]);

/** Formats the growth in percent: "+12.3 %"; "" for what was not there before. Returns \p text. */
char *diff_text_percent(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES]);

/** Prints the figure before, the one after, the growth, and the growth in percent. */
void diff_print_counts(const uint64_t values[DIFF_SIDES]);

/** As diff_print_counts(), for nanoseconds. */
void diff_print_times(const uint64_t values[DIFF_SIDES]);

/** The part of a whole, 0 to 1; 0 if the whole is 0. */
double diff_share(uint64_t part, uint64_t whole);

/** As diff_print_counts(), for shares: the growth is in percentage points. */
void diff_print_shares(const uint64_t values[DIFF_SIDES], const uint64_t sums[DIFF_SIDES]);

/** Ends a row, with a note if it is new or gone. \p match: bits of #mprof_diff_match. */
void diff_print_match(uint32_t match);

/** Ends a row, with a note if it is new or gone. \p values: a figure that is 0 if it was not there. */
void diff_print_presence(const uint64_t values[DIFF_SIDES]);

#endif
