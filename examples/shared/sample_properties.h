/* SPDX-License-Identifier: MIT */
/**
 * \file shared/sample_properties.h
 * \brief The properties of the session that describe samples. Logs of older formats have none: there the writer would
 * count each as left out.
 */
#ifndef SHARED_SAMPLE_PROPERTIES_H
#define SHARED_SAMPLE_PROPERTIES_H

#include "shared/sample_timer.h"

#include <mprof/recorder.h>

#include <stdint.h>

/** Sets a property to a number. */
void sample_properties_set_number(mprof_recorder *recorder, const char *key, uint64_t number);

/** States the requested rate. \p tick_hz is the frequency of the system's tick, 0 if unknown. */
void sample_properties_set_request(mprof_recorder *recorder, uint64_t hz, int is_real_time, uint32_t tick_hz);

/** States what interrupts the threads, and the totals so far. */
void sample_properties_set_totals(mprof_recorder *recorder, sample_source source);

#endif
