/* SPDX-License-Identifier: MIT */
/**
 * \file diff/paths.h
 * \brief The call paths of both logs in one tree: what grew on which path.
 */
#ifndef DIFF_PATHS_H
#define DIFF_PATHS_H

#include "common/json.h"
#include "diff/diff.h"

/** What the trees can be made from, for the help of the command. */
#define DIFF_PATHS_SOURCES "calls, samples, allocations, memory, memory-live, memory-peak or memory-temporary"

/**
 * Sets the source of the trees by its name; NULL chooses it later. Returns 0 after a message, which names the option,
 * if it is invalid.
 */
int diff_paths_choose(diff_options *options, const char *option, const char *name);

/** Whether a log has what the trees are to be made from, if that was chosen. Prints a message if not. */
int diff_paths_have_source(const log_diff *diff);

/** Parses the least change of a path. Returns 0 after a message if it is invalid. */
int diff_paths_parse_percent(diff_options *options, const char *value);

/**
 * Makes the trees of both logs, from the chosen source or the first that both have; stores it in log_diff::tree_source.
 * The caller frees the trees, also after an error.
 */
mprof_status diff_paths_make_trees(log_diff *diff, mprof_frame_tree *trees[DIFF_SIDES]);

void diff_paths_print_text(const log_diff *diff);

/** Prints the keys "call_paths_of" and "call_paths". */
void diff_paths_print_json(const log_diff *diff, json_writer *json);

#endif
