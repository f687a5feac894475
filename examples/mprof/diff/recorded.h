/* SPDX-License-Identifier: MIT */
/**
 * \file diff/recorded.h
 * \brief What each log recorded, so that data that is missing is not taken for zero.
 */
#ifndef DIFF_RECORDED_H
#define DIFF_RECORDED_H

#include "diff/diff.h"

/**
 * Whether a log has the data of a table, an #mprof_profile_table. A log whose recording included samples or waits for
 * monitors has these even if there were none. Calls and allocations count only if there are some: every program has
 * them, and the original profiler sets their flags without recording them.
 */
int recorded_has(const log_diff *diff, int side, uint32_t table);

/** Whether there is anything that both logs recorded and that can be compared. */
int recorded_is_comparable(const log_diff *diff);

#endif
