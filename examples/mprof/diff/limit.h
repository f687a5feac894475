/* SPDX-License-Identifier: MIT */
/**
 * \file diff/limit.h
 * \brief Growth that exceeds a limit, for tests that fail if a program grew.
 */
#ifndef DIFF_LIMIT_H
#define DIFF_LIMIT_H

#include "common/json.h"
#include "diff/diff.h"

/** Parses "5%", "1m" or "20ms" into the limit. Returns 0 after a message if it is invalid. */
int diff_limit_parse(diff_options *options, const char *value);

/** Sets the limited figure by its name. Returns 0 after a message if there is no such figure. */
int diff_limit_choose(diff_options *options, const char *name);

/**
 * Finds what exceeds the limit, and prints a message for each. Returns #STATUS_OK; #STATUS_DAMAGED if the limit is
 * exceeded or cannot be checked.
 */
int diff_limit_check(log_diff *diff);
void diff_limit_release(log_diff *diff);

/** Prints the array "exceeded". */
void diff_limit_print_json(const log_diff *diff, json_writer *json);

#endif
