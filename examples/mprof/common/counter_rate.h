/* SPDX-License-Identifier: MIT */
/**
 * \file common/counter_rate.h
 * \brief Measures the frequency of a log's counter before the log is read.
 */
#ifndef COUNTER_RATE_H
#define COUNTER_RATE_H

/**
 * Returns the counters per second of a log, by the clock pairs of its first second; 0 if there are too few of them.
 * Damage is skipped and not reported. \p path is not standard input: the log is read from its start.
 */
double counter_rate_measure(const char *path);

#endif
