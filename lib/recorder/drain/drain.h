/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/drain.h
 * \brief Rounds of draining, and what the recorder itself states in SESSION blocks. Writer thread.
 */
#ifndef RECORDER_DRAIN_DRAIN_H
#define RECORDER_DRAIN_DRAIN_H

#include "recorder/drain/drain_state.h"

/** Frees the memory that rounds have used. */
void stack_order_destroy(recorder_drain *drain);

/** Writes when the log began by each clock of the system, and the unit of the counter as far as it is known. */
mprof_status session_begin(recorder_drain *drain, const mprof_recorder_options *options);

/**
 * Writes full buffers, samples and heap snapshots. With \p partial it also writes buffers that are not full; then
 * everything published before the call is in the log. \p is_last: only the end of the log follows.
 */
void drain_round(recorder_drain *drain, int partial, int is_last);

/** Whether all threads should be drained for a watermark, so that readers never hold back many events. */
int drain_needs_watermark(const recorder_drain *drain);

#endif
