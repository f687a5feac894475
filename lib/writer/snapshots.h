/* SPDX-License-Identifier: MIT */
/**
 * \file writer/snapshots.h
 * \brief Heap snapshots of dialects in which each is one block.
 */
#ifndef WRITER_SNAPSHOTS_H
#define WRITER_SNAPSHOTS_H

#include <mprof/writer.h>

/** The number of the collection of a snapshot or a summary; \p given is what the caller passed. */
uint32_t writer_collection_number(const mprof_writer *writer, uint32_t given);

/** As mprof_writer_write_heap(), for events that were checked. The caller has written the pending definitions. */
mprof_status writer_add_to_snapshot(mprof_writer *writer, uint32_t number, uint32_t flags, uint64_t counter,
				    const mprof_event *events, size_t count);

#endif
