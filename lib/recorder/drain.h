/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain.h
 * \brief Rounds of draining. Writer thread.
 */
#ifndef RECORDER_DRAIN_H
#define RECORDER_DRAIN_H

#include "recorder/drain_state.h"

/**
 * Writes all that is to be written: full buffers, samples, heap snapshots, and with \p partial buffers that are not
 * full too: then all that was published before the call is in the log. \p is_last: nothing follows but the end.
 */
void drain_round(recorder_drain *drain, int partial, int is_last);

/** Whether all threads should be drained for a watermark: so that readers never hold back many events. */
int drain_needs_watermark(const recorder_drain *drain);

#endif
