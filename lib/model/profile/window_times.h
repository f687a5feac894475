/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/window_times.h
 * \brief Converts the times of a window to counters, as soon as the clock of the log is known.
 */
#ifndef MODEL_PROFILE_WINDOW_TIMES_H
#define MODEL_PROFILE_WINDOW_TIMES_H

#include "model/profile/profile_internal.h"

/** Takes the times of the options. */
void window_times_init(mprof_profile *profile, const mprof_profile_options *options);

/**
 * Before a block is added: finds the clock of the whole log, if that is possible. Returns #MPROF_OK;
 * #MPROF_ERR_INTERRUPTED; #MPROF_ERR_MEMORY.
 */
mprof_status window_times_prepare(mprof_profile *profile, mprof_reader *reader);

/**
 * Converts the times with what is known of the clock. While that may change, so may a bound, but not after an event
 * that it may have divided: durations are differences of counters inside the window.
 */
void window_times_update(mprof_profile *profile, const mprof_reader *reader);

#endif
