/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_clocks.h
 * \brief Values of the clocks of a log, such as that of a device, as clock snapshots of Perfetto, by which its reader
 * relates the traces of other programs that have times of these clocks.
 */
#ifndef EXPORT_PERFETTO_CLOCKS_H
#define EXPORT_PERFETTO_CLOCKS_H

#include "export/perfetto_packets.h"
#include "export/walk_state.h"

/** Initialized with 0. */
typedef struct perfetto_clocks {
	struct clock_value *values;
	size_t count;
	size_t capacity;
	uint64_t left_out; /**< Values from before the start of the log, or that exceed 64 bits. */
} perfetto_clocks;

/** Keeps the value of a clock. */
void perfetto_clocks_add(perfetto_clocks *clocks, perfetto_writer *writer, const event_walk *walk,
			 const mprof_record *pair);

/** Writes all values, in the order of their times, after all sequences have begun. */
void perfetto_clocks_write(perfetto_clocks *clocks, perfetto_writer *writer);
void perfetto_clocks_release(perfetto_clocks *clocks);

#endif
