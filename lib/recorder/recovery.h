/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recovery.h
 * \brief Fills a new recorder with what a process that has ended left in its area.
 */
#ifndef RECORDER_RECOVERY_H
#define RECORDER_RECOVERY_H

#include "recorder/drain_state.h"
#include "recorder/salvage.h"

/**
 * Puts all that is not in the log into the recorder, which continues that log and has no writer thread; and what the
 * writer thread has to know of what is. Returns 0 if there is no memory.
 */
int recovery_fill(recorder_drain *drain, const salvage_area *area, const salvage_header *header);

/** Adds the blocks of a ring that count, in their order. Returns 0 if there is no memory. */
int recovery_fill_ring(block_ring *ring, const salvage_area *area, const salvage_header *header);

#endif
