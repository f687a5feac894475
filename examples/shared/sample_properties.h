/* SPDX-License-Identifier: MIT */
/**
 * \file shared/sample_properties.h
 * \brief The properties of the session that describe samples. Logs of older formats have none: there the writer would
 * count each as left out.
 */
#ifndef SHARED_SAMPLE_PROPERTIES_H
#define SHARED_SAMPLE_PROPERTIES_H

#include "shared/sample_source.h"

#include <mprof/recorder.h>

#include <stdint.h>

/** Sets a property to a number. */
void sample_properties_set_number(mprof_recorder *recorder, const char *key, uint64_t number);

/** States the requested rate. \p tick_hz is the frequency of the system's tick, 0 if unknown. */
void sample_properties_set_request(mprof_recorder *recorder, uint64_t hz, int is_real_time, uint32_t tick_hz);

/**
 * States the time that each following sample stands for, and what the source leaves out. Call it after all samples of
 * another period were drained, and before there are new ones: readers apply it from there on.
 */
void sample_properties_set_period(mprof_recorder *recorder, int is_real_time);

/** States what interrupts the threads, and the totals so far. */
void sample_properties_set_totals(mprof_recorder *recorder);

#endif
