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
 * Gives the recorder everything that is not in the log yet, and the state that the writer thread had after what is. The
 * recorder continues that log, has no writer thread, and has written nothing yet. The area must stay mapped until the
 * recorder is freed. What is damaged is left out, and noted in \p damage. Returns 0 if there is no memory.
 */
int recovery_fill(recorder_drain *drain, salvage_area *area, const salvage_header *header, journal_damage *damage);

/**
 * Adds the committed blocks of a ring, in their order, without copying them: the area must stay mapped until the ring
 * is freed. Each block is verified; damage is noted in \p damage. Returns 0 if there is no memory.
 */
int recovery_fill_ring(block_ring *ring, const salvage_area *area, const salvage_header *header,
		       journal_damage *damage);

#endif
