/* SPDX-License-Identifier: MIT */
/**
 * \file shared/sample_rate.h
 * \brief The rate of samples as a value of the command "sample" of mprof control.
 */
#ifndef SHARED_SAMPLE_RATE_H
#define SHARED_SAMPLE_RATE_H

#include <stdint.h>

/** The largest rate that may be requested, per second. */
#define MAX_SAMPLE_HZ 10000

/**
 * Reads "on", "off" or a number of samples per second.
 * \param value The text.
 * \param start_hz The rate that "on" means.
 * \param hz Set to the rate; 0 for "off".
 * \return NULL, or why the value is invalid. Static.
 */
const char *sample_rate_parse(const char *value, uint32_t start_hz, uint32_t *hz);

#endif
