/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile_columns.h
 * \brief Adds the events of blocks in columns to a profile, without making structs of most of them.
 */
#ifndef MODEL_PROFILE_COLUMNS_H
#define MODEL_PROFILE_COLUMNS_H

#include "model/thread_table.h"

#include <mprof/columns.h>
#include <mprof/profile.h>

/** The columns that profile_columns_add() reads. */
#define PROFILE_COLUMNS                                                                                                \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS)

/** As profile_events_begin(). Does nothing without events. */
void profile_columns_begin(thread_record *thread, const mprof_columns *columns);

/** As profile_events_add(), for a profile without a timeline. The first \p passed events were added before. */
int profile_columns_add(mprof_profile *profile, thread_record *thread, const mprof_columns *columns, size_t passed);

#endif
