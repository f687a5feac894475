/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/samples.h
 * \brief Samples from the signal handler to the log.
 */
#ifndef RECORDER_SAMPLES_H
#define RECORDER_SAMPLES_H

#include <mprof/recorder.h>

#include "recorder/sample_store.h"

/** Writes the samples that were recorded so far. Writer thread, between blocks. */
void samples_drain(mprof_recorder *recorder);

#endif
