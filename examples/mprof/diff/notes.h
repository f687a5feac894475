/* SPDX-License-Identifier: MIT */
/**
 * \file diff/notes.h
 * \brief What makes figures of two logs hard to compare: data that one of them lacks, losses, other recording options.
 */
#ifndef DIFF_NOTES_H
#define DIFF_NOTES_H

#include "common/json.h"
#include "diff/diff.h"

/** Prints a line for each. */
void diff_notes_print_text(const log_diff *diff);

/** Prints the array "notes". */
void diff_notes_print_json(const log_diff *diff, json_writer *json);

#endif
