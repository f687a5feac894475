/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/ring_code.h
 * \brief Drops ranges of generated code from a ring that no event in it, and none that follows, can be in: a runtime
 * that compiles for ever would fill the memory with them.
 *
 * Ranges are dropped from the blocks that define them, with their lines and ends. The IDs of the others stay.
 */
#ifndef RECORDER_QUEUES_RING_CODE_H
#define RECORDER_QUEUES_RING_CODE_H

#include "recorder/queues/block_ring.h"

/** Whether the blocks are more than twice as long as after the last time, and longer than 64 KiB. */
int ring_code_is_due(const block_ring *ring);

/**
 * Drops what nobody can refer to, if no event from now on is earlier than \p counter. Without memory it drops less.
 * Writer thread only.
 */
void ring_code_drop(block_ring *ring, uint64_t counter);

#endif
