/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/session.h
 * \brief Writes what the recorder itself states in SESSION blocks.
 */
#ifndef RECORDER_DRAIN_SESSION_H
#define RECORDER_DRAIN_SESSION_H

#include "recorder/drain/drain_state.h"

/** Writes when the log began by each clock of the system, and the unit of the counter as far as it is known. */
mprof_status session_begin(recorder_drain *drain, const mprof_recorder_options *options);

/** States the frequency of the counter again if it was measured over a longer time since. */
void session_state_rate(recorder_drain *drain, int is_last);

#endif
