/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recovery_heap.h
 * \brief Has a new recorder read the heap snapshots that a process which has ended left in its area.
 */
#ifndef RECORDER_RECOVERY_HEAP_H
#define RECORDER_RECOVERY_HEAP_H

#include "recorder/drain_state.h"
#include "recorder/salvage.h"

/**
 * The part of recovery_fill() for heap snapshots. The chunks are read where they are. What is damaged is left out, and
 * its snapshot is incomplete. Returns 0 if there is no memory.
 */
int recovery_fill_heap(recorder_drain *drain, salvage_area *area, const salvage_progress *progress);

#endif
