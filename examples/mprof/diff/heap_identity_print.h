/* SPDX-License-Identifier: MIT */
/**
 * \file diff/heap_identity_print.h
 * \brief Prints which objects of two heap snapshots are new, gone or in both, by class and by allocation site.
 */
#ifndef DIFF_HEAP_IDENTITY_PRINT_H
#define DIFF_HEAP_IDENTITY_PRINT_H

#include "common/json.h"
#include "diff/diff.h"

/** Prints the tables by class and by allocation site, or why they are not known. */
void heap_identity_print_text(const log_diff *diff);

/** Prints the keys "heap_identity", "heap_identity_classes" and "heap_growth_sites". */
void heap_identity_print_json(const log_diff *diff, json_writer *json);

#endif
