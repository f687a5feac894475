/* SPDX-License-Identifier: MIT */
/**
 * \file shared/perf_map.h
 * \brief Reads the map of compiled code that a runtime writes for perf: /tmp/perf-PID.map, a line for each function.
 */
#ifndef SHARED_PERF_MAP_H
#define SHARED_PERF_MAP_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/** A function of the map. */
typedef struct perf_map_entry {
	uint64_t start;   /**< Address of its first byte. */
	uint64_t size;    /**< In bytes, not 0. */
	const char *name; /**< NUL-terminated. Valid during the call only. */
} perf_map_entry;

typedef void (*perf_map_add)(void *user, const perf_map_entry *entry);

/** A map and how far it was read. */
typedef struct perf_map {
	const char *path; /**< Borrowed. */
	uid_t owner;      /**< All users can write to the directory: a file of others, except root, is not read. */
	time_t since; /**< A file that was last changed before this time is that of an earlier process; 0: read any. */
	off_t position; /**< Where the next line begins; 0 at first. */
} perf_map;

/**
 * Reads the lines that are complete and were not read before. A file that is shorter than before is read from its
 * start. Allocates no memory.
 * \return How many functions there were.
 */
size_t perf_map_read(perf_map *map, perf_map_add add, void *user);

#endif
