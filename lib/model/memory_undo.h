/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_undo.h
 * \brief Processes actions provisionally: notes what they change, so that it can be restored.
 *
 * Statistics of a growing log are requested while older actions of other threads may still follow. The actions held
 * back are then processed, and that is undone before anything is added.
 */
#ifndef MODEL_MEMORY_UNDO_H
#define MODEL_MEMORY_UNDO_H

#include "model/memory_state.h"

typedef struct noted_site {
	uint32_t number;
	memory_site before;
} noted_site;

typedef struct noted_thread {
	uint32_t number;
	memory_thread before;
} noted_thread;

/** A block that was added or removed. */
typedef struct noted_block {
	memory_block block;
	int was_added;
} noted_block;

/** An action that was processed before its turn. */
typedef struct noted_action {
	size_t index;
	uint32_t kind;
} noted_action;

typedef struct memory_undo {
	mprof_allocator allocator;
	int is_active; /**< Changes are noted. */
	uint64_t pass; /**< Number of the latest provisional pass, from 1. */
	memory_sums sums;
	size_t site_count;
	noted_site *sites;
	size_t noted_sites;
	size_t sites_capacity;
	noted_thread *threads;
	size_t noted_threads;
	size_t threads_capacity;
	noted_block *blocks;
	size_t noted_blocks;
	size_t blocks_capacity;
	noted_action *actions;
	size_t noted_actions;
	size_t actions_capacity;
} memory_undo;

void memory_undo_init(memory_undo *undo, const mprof_allocator *allocator);
void memory_undo_destroy(memory_undo *undo);

/** Starts noting changes. */
void memory_undo_begin(memory_undo *undo, const memory_state *state);

/** Reserves memory for noting all changes of one action. Returns 0 if there is no memory. */
int memory_undo_reserve(memory_undo *undo);

/** Makes all changes since memory_undo_begin() final. */
void memory_undo_commit(memory_undo *undo);

/** Reverts all changes since memory_undo_begin(), each of which must have been noted. */
void memory_undo_revert(memory_undo *undo, memory_state *state);

/**
 * Note a change, in memory that memory_undo_reserve() has reserved. Sites, threads and actions are noted before they
 * change; a block is noted as added or removed.
 */
void memory_undo_note_site(memory_undo *undo, memory_state *state, uint32_t number);
void memory_undo_note_thread(memory_undo *undo, memory_state *state, uint32_t number);
void memory_undo_note_block(memory_undo *undo, const memory_block *block, int is_added);
void memory_undo_note_action(memory_undo *undo, const memory_state *state, size_t index);

#endif
