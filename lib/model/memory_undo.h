/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_undo.h
 * \brief Handles actions for the time being: notes what they change, so that it can be put back.
 *
 * A log that grows is asked for figures while older actions of other threads may still follow. What is held back is
 * handled then, and that is undone before anything is added.
 */
#ifndef MODEL_MEMORY_UNDO_H
#define MODEL_MEMORY_UNDO_H

#include "model/memory_figures.h"

struct memory_model;

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

/** An action that was handled before its turn. */
typedef struct noted_action {
	size_t place;
	uint32_t kind;
} noted_action;

typedef struct memory_undo {
	mprof_allocator allocator;
	int is_active; /**< Changes are noted. */
	uint64_t pass; /**< Number of the latest pass, from 1 on. */
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

/** From here on changes are noted. */
void memory_undo_begin(struct memory_model *model);

/** Makes room to note all that one action changes. Returns 0 if there is no memory. */
int memory_undo_reserve(memory_undo *undo);

/** What was changed stays so. */
void memory_undo_forget(memory_undo *undo);

/** Puts everything back. Changes were noted. */
void memory_undo_all(struct memory_model *model);

/** Notes a change, before it is made. There is room: memory_undo_reserve(). */
void memory_undo_note_site(struct memory_model *model, uint32_t number);
void memory_undo_note_thread(struct memory_model *model, uint32_t number);
void memory_undo_note_block(struct memory_model *model, const memory_block *block, int is_added);
void memory_undo_note_action(struct memory_model *model, size_t place);

#endif
