/* SPDX-License-Identifier: MIT */
/**
 * \file diff/table_text.h
 * \brief The tables of the difference of two profiles as text.
 */
#ifndef DIFF_TABLE_TEXT_H
#define DIFF_TABLE_TEXT_H

#include "diff/diff.h"

/** Prints each table that has rows. */
void table_text_print(const log_diff *diff);

#endif
