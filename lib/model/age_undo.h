/* SPDX-License-Identifier: MIT */
/**
 * \file model/age_undo.h
 * \brief Processes events of the managed heap provisionally: notes what they change, so that it can be restored.
 */
#ifndef MODEL_AGE_UNDO_H
#define MODEL_AGE_UNDO_H

#include "model/age_state.h"

/** An object that was added to the table or removed. */
typedef struct noted_object {
	live_object object;
	int was_added;
} noted_object;

typedef struct age_undo {
	mprof_allocator allocator;
	int is_active; /**< Changes are noted. */
	age_sums sums;
	age_site *sites;
	age_estimates *estimates;
	size_t site_count;
	size_t estimate_count;
	live_object *moving; /**< The open set of moves. */
	size_t moving_count;
	noted_object *objects;
	size_t object_count;
	size_t object_capacity;
} age_undo;

void age_undo_init(age_undo *undo, const mprof_allocator *allocator);
void age_undo_destroy(age_undo *undo);

/** Saves the statistics and starts noting changes of the table. Returns 0, changing nothing, if there is no memory. */
int age_undo_begin(age_undo *undo, const age_state *state);

/** Reserves memory for noting the changes of one event. Returns 0 if there is no memory. */
int age_undo_reserve(age_undo *undo, const age_state *state);

/** Notes that an object was added to the table or removed, in memory that age_undo_reserve() has reserved. */
void age_undo_note(age_undo *undo, const live_object *object, int was_added);

/** Makes all changes since age_undo_begin() final. */
void age_undo_commit(age_undo *undo);

/** Reverts all changes since age_undo_begin(). */
void age_undo_revert(age_undo *undo, age_state *state);

#endif
