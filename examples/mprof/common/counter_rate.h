/* SPDX-License-Identifier: MIT */
/**
 * \file common/counter_rate.h
 * \brief Measures the frequency of a log's counter before the log is read.
 */
#ifndef COUNTER_RATE_H
#define COUNTER_RATE_H

/**
 * Measures the counters per second of a log, by the clock pairs of its first second; 0 if there are too few of them.
 * Damage is skipped and not reported. \p path is not standard input: the log is read from its start. Returns
 * #STATUS_OK, or #STATUS_NOTHING after a message if the log could be opened, but not be read.
 */
int counter_rate_measure(const char *path, double *counters_per_second);

#endif
