/* SPDX-License-Identifier: MIT */
/**
 * \file shared/resolution.h
 * \brief Parses the value of --resolution.
 */
#ifndef SHARED_RESOLUTION_H
#define SHARED_RESOLUTION_H

#include <stdint.h>

/** The values that resolution_parse() accepts, for messages. */
#define RESOLUTION_VALUES "full or a time up to 10us, such as 100ns or 1us"

/**
 * Parses "full", or a time with its unit: ns or us. \p nanoseconds receives the time, 0 for full. Returns 0 if the
 * text is neither, or the time is above 10 microseconds.
 */
int resolution_parse(const char *text, uint32_t *nanoseconds);

#endif
