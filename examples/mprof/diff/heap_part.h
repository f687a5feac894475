/* SPDX-License-Identifier: MIT */
/**
 * \file diff/heap_part.h
 * \brief The difference of two heap snapshots by class.
 */
#ifndef DIFF_HEAP_PART_H
#define DIFF_HEAP_PART_H

#include "common/json.h"
#include "diff/diff.h"

/**
 * Compares the snapshots that log_diff::options chooses, after the logs were read, and fills in log_diff::heap,
 * heap_rows and heap_row_count. Returns an exit status: #STATUS_NOTHING after a message if a chosen snapshot does not
 * exist or there is no memory.
 */
int heap_part_read(log_diff *diff);
void heap_part_release(log_diff *diff);

/** Prints the table of classes, and what is missing in the snapshots. */
void heap_part_print_text(const log_diff *diff);

/** Prints the keys "heap_shots", "classes", "heap_growth", and those of objects by identity. */
void heap_part_print_json(const log_diff *diff, json_writer *json);

#endif
