/* SPDX-License-Identifier: MIT */
/**
 * \file io/clock.h
 * \brief The default clock of writers.
 */
#ifndef IO_CLOCK_H
#define IO_CLOCK_H

#include <mprof/writer.h>

/** An #mprof_clock_function: nanoseconds of the monotonic clock and the wall clock. \p user is not used. */
void clock_read_system(void *user, mprof_clock *clock);

#endif
