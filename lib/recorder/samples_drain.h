/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/samples_drain.h
 * \brief Writes samples from the sample store to the log. Writer thread.
 */
#ifndef RECORDER_SAMPLES_DRAIN_H
#define RECORDER_SAMPLES_DRAIN_H

#include "recorder/drain_state.h"

/** Writes the samples that were recorded so far. Do not call it inside a block. */
void samples_drain(recorder_drain *drain);

#endif
