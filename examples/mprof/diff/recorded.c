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
	case MPROF_TABLE_METHODS:
		return log->totals.calls > 0 || log->totals.method_ns > 0;
	case MPROF_TABLE_CLASSES:
		return log->totals.allocations > 0;
	case MPROF_TABLE_SAMPLES:
		return log->totals.samples > 0 || has_flag(log, MPROF_INTRO_FLAG_STATISTICAL);
	case MPROF_TABLE_MONITORS:
		return log->totals.contentions > 0 || has_flag(log, MPROF_INTRO_FLAG_MONITOR);
	default:
		mprof_profile_diff_get_sum(diff->profiles, table, &sum);
		return (sum.match & (side == DIFF_BEFORE ? MPROF_DIFF_BEFORE : MPROF_DIFF_AFTER)) != 0;
	}
}

/* Whether a log recorded events of this kind, even if there were none. */
static int was_asked_for(const diff_side *log, uint32_t table)
{
	switch (table) {
	case MPROF_TABLE_METHODS:
		return has_flag(log, MPROF_INTRO_FLAG_ENTER_LEAVE);
	case MPROF_TABLE_CLASSES:
		return has_flag(log, MPROF_INTRO_FLAG_ALLOCATION);
	default:
		return 0;
	}
}

int recorded_is_comparable(const log_diff *diff)
{
	static const uint32_t tables[] = {MPROF_TABLE_METHODS, MPROF_TABLE_CLASSES, MPROF_TABLE_SAMPLES,
					  MPROF_TABLE_MONITORS};

	if (diff->profiles == NULL || (diff->heap[DIFF_BEFORE].shot > 0 && diff->heap[DIFF_AFTER].shot > 0))
		return 1;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		int sides = 0;

		for (int side = 0; side < DIFF_SIDES; side++)
			sides += recorded_has(diff, side, tables[i]) || was_asked_for(&diff->sides[side], tables[i]);
		if (sides == DIFF_SIDES)
			return 1;
	}
	return 0;
}
