/* SPDX-License-Identifier: MIT */
/**
 * \file reader/open_switches.h
 * \brief Threads that switch between call stacks: on which stack a block starts, and how it changes the other stacks.
 */
#ifndef READER_OPEN_SWITCHES_H
#define READER_OPEN_SWITCHES_H

#include "reader/open_frames.h"

/**
 * Begins a block of a thread. The previous block can no longer be rolled back. Returns #MPROF_OK; #MPROF_ERR_MEMORY or
 * #MPROF_ERR_LIMIT, and the stack is then unknown.
 */
mprof_status open_frames_begin(open_frames *frames, size_t thread, const open_origin *origin);

/**
 * Restores all stacks to their state at the start of the block. Returns 0 if that is not possible; the state of all
 * stacks is then invalidated.
 */
int open_frames_roll_back(open_frames *frames);

/**
 * The block's thread switches to a stack, or a stack ends. Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT,
 * and the stack that the thread is on is then unknown.
 */
mprof_status open_frames_switch(open_frames *frames, uint64_t number, uint64_t counter);
mprof_status open_frames_end(open_frames *frames, uint64_t number, uint64_t counter);

/** The block's thread starts: it is on its own stack, which is empty. Returns as open_frames_switch(). */
mprof_status open_frames_start_thread(open_frames *frames, uint64_t counter);

/** Recording was paused at the counter \p stopped and has resumed. */
void open_frames_resume(open_frames *frames, uint64_t stopped);

/**
 * Finds a stack that is not a thread's own; adds it if missing. \p other receives its index in slots, plus 1.
 * Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT.
 */
mprof_status open_frames_find_slot(open_frames *frames, uint64_t number, size_t *other);

/**
 * Stores, for the index, the state in which the followed block found and left each stack that it touched. \p is_whole:
 * all its events were followed. \p gaps: as in open_origin. Returns #MPROF_OK; #MPROF_ERR_MEMORY.
 */
mprof_status open_frames_index_block(open_frames *frames, int is_whole, uint32_t gaps);

/** The node of a stack at the end of the index; #CALL_BASE_UNKNOWN if unreadable blocks may have changed it. */
uint32_t open_frames_end_node(const open_frames *frames, const open_slot *slot);

#endif
