/* SPDX-License-Identifier: MIT */
/**
 * \file heap/leaks.h
 * \brief What grew over all heap snapshots of a log, and what holds it.
 */
#ifndef HEAP_LEAKS_H
#define HEAP_LEAKS_H

#include "common/json.h"
#include "heap/view.h"

#include <mprof/heap.h>

/** How many of the snapshots that are left out are named. */
#define HEAP_LEAKS_NAMED 10

typedef struct heap_leaks {
	heap_options options;
	log_input input;
	mprof_heap_diff *diff;
	uint64_t snapshot_count; /**< In the log; the comparison has the complete ones with roots. */
	uint64_t incomplete_count;
	uint64_t incomplete[HEAP_LEAKS_NAMED]; /**< The first of them, as numbers from 1. */
	uint64_t rootless_count;
	uint64_t final_count; /**< Taken when the runtime shut down: nothing grows any more. */
	uint64_t usual_count; /**< Snapshots before these; UINT64_MAX if the log does not state it. */
	uint64_t compared_count;
	int is_last_at_exit;      /**< The last one may have been taken while the program ended. */
	uint64_t inexact_objects; /**< Most in a snapshot. */
	mprof_heap_growth *rows;  /**< Those that hold the most additional memory first. */
	size_t count;
	int status; /**< The exit status so far, apart from that of the input. */
} heap_leaks;

/**
 * Compares the snapshots of a log, which is read several times, so it must be a file. Returns an exit status; with
 * #STATUS_NOTHING, a message was printed and there is no data. Call heap_leaks_release() in any case.
 */
int heap_leaks_read(heap_leaks *leaks, const char *path, const heap_options *options);
void heap_leaks_release(heap_leaks *leaks);

void heap_leaks_text(const heap_leaks *leaks);

/** Prints the keys "leak_shots" and "leaks". */
void heap_leaks_json(const heap_leaks *leaks, json_writer *json);

#endif
