/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_lanes.h
 * \brief Tracks of slices of one kind that do not overlap, in a trace of Perfetto.
 *
 * Collections of several generations and waits of several threads have different kinds; slices of the same kind that
 * overlap, as damage can make them, get one more track.
 */
#ifndef PERFETTO_LANES_H
#define PERFETTO_LANES_H

#include "export/perfetto_packets.h"
#include "shared/key_map.h"

/** Initialized with 0. */
typedef struct perfetto_lanes {
	key_map kinds;
	uint64_t count;
} perfetto_lanes;

/**
 * The track of a slice, described if it is new. Returns 0 if out of memory; perfetto_writer::has_failed is then set.
 * \p parent, \p name: of a new track.
 */
uint64_t perfetto_lanes_track(perfetto_lanes *lanes, perfetto_writer *writer, uint64_t kind, uint64_t parent,
			      const char *name, uint64_t start, uint64_t end);

void perfetto_lanes_release(perfetto_lanes *lanes);

#endif
