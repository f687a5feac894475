/* SPDX-License-Identifier: MIT */
/**
 * \file perf_map.h
 * \brief Writes the names of compiled code into the file where perf looks for them: /tmp/perf-PID.map.
 *
 * One file for the process; its callers see to it that one thread at a time is here.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include <stddef.h>

/** Creates the file. Returns 1; 0 after a message. */
int perf_map_open(void);

/** Code is ready to be run. After an error, which is said once, this does nothing. */
void perf_map_code(const void *start, size_t size, const char *name);

void perf_map_close(void);

#endif
