/* SPDX-License-Identifier: MIT */
/**
 * \file io/clock.h
 * \brief The default clock of writers.
 */
#ifndef IO_CLOCK_H
#define IO_CLOCK_H

#include <mprof/writer.h>

/**
 * An #mprof_clock_function: the counter is the monotonic clock in nanoseconds, the time is the wall clock in
 * microseconds. \p user is not used.
 */
void clock_read_system(void *user, mprof_clock *clock);

#endif
