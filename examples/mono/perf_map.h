/* SPDX-License-Identifier: MIT */
/**
 * \file perf_map.h
 * \brief Writes the names of compiled code to the file that perf reads: /tmp/perf-PID.map.
 *
 * There is one file for the process. Not thread-safe: callers serialize their calls.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include <stddef.h>

/** Creates the file. Returns 1; 0 after a message. */
int perf_map_open(void);

/** Reports code that is ready to run. Does nothing after an error, which is printed once. */
void perf_map_code(const void *start, size_t size, const char *name);

void perf_map_close(void);

#endif
