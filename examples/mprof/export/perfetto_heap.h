/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_heap.h
 * \brief Writes heap snapshots as HeapGraph packets of Perfetto: objects, references with the names of their fields,
 * roots and classes.
 */
#ifndef EXPORT_PERFETTO_HEAP_H
#define EXPORT_PERFETTO_HEAP_H

#include "export/perfetto_packets.h"
#include "export/targets.h"

/** Where the snapshots belong to. */
typedef struct perfetto_heap_position {
	uint64_t start_ns; /**< Snapshots before this time from the start of the log are left out. */
	uint64_t end_ns;   /**< The time after the last one. */
	/** Finds the number and the track of the process of a snapshot, counted from 1, of \p count in the log. */
	void (*find_process)(void *user, uint32_t snapshot, size_t count, uint64_t *pid, uint64_t *track);
	void *user;
} perfetto_heap_position;

/**
 * Writes the snapshot of a job, or all of the log; of many, the last ones, and states that. Returns an exit status;
 * with #STATUS_NOTHING, a message was printed.
 */
int perfetto_heap_write(perfetto_writer *writer, const export_job *job, const perfetto_heap_position *position);

#endif
