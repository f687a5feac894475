/* SPDX-License-Identifier: MIT */
/* Determines what each log recorded. */
#include "diff/recorded.h"

static int has_flag(const diff_side *log, uint32_t flag)
{
	return (log->summary.session.flags & flag) != 0;
}

int recorded_has(const log_diff *diff, int side, uint32_t table)
{
	const diff_side *log = &diff->sides[side];
	mprof_diff_row sum = {.struct_size = sizeof(sum)};

	switch (table) {
	case MPROF_DIFF_METHODS:
		return log->totals.calls > 0;
	case MPROF_DIFF_ALLOCATIONS:
		return log->totals.allocations > 0;
	case MPROF_DIFF_SAMPLES:
		return log->totals.samples > 0 || has_flag(log, MPROF_INTRO_FLAG_STATISTICAL);
	case MPROF_DIFF_MONITORS:
		return log->totals.contentions > 0 || has_flag(log, MPROF_INTRO_FLAG_MONITOR);
	default:
		mprof_profile_diff_get_sum(diff->profiles, table, &sum);
		return (sum.match & (side == DIFF_BEFORE ? MPROF_DIFF_BEFORE : MPROF_DIFF_AFTER)) != 0;
	}
}
