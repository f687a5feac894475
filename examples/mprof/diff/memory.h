/* SPDX-License-Identifier: MIT */
/**
 * \file diff/memory.h
 * \brief The native memory of both logs: its totals, which call paths (diff/paths.h) show in detail.
 */
#ifndef DIFF_MEMORY_H
#define DIFF_MEMORY_H

#include "common/json.h"
#include "diff/diff.h"

/** Whether the log of a side has native memory. */
int diff_memory_recorded(const log_diff *diff, int side);

/** Whether both logs have it. */
int diff_memory_comparable(const log_diff *diff);

/** Whether native memory is all that can be compared: both logs have it, and nothing else that differences show. */
int diff_memory_is_all(const log_diff *diff);

/** The sum of the values of a tree of frames of native memory, by \p source (#mprof_frame_source), of both sides. */
void diff_memory_sums(const log_diff *diff, uint32_t source, uint64_t sums[DIFF_SIDES]);

void diff_memory_print_text(const log_diff *diff);
void diff_memory_print_json(const log_diff *diff, json_writer *json);

#endif
