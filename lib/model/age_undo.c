/* SPDX-License-Identifier: MIT */
/* Notes changes of the state of the managed heap, and reverts them. */
#include "model/age_undo.h"

#include "base/array.h"

#include <string.h>

void age_undo_init(age_undo *undo, const mprof_allocator *allocator)
{
	memset(undo, 0, sizeof(*undo));
	undo->allocator = *allocator;
}

/* Ends the provisional processing; the memory for objects is kept. */
static void forget_copies(age_undo *undo)
{
	allocator_release(&undo->allocator, undo->sites, undo->site_count * sizeof(*undo->sites));
	allocator_release(&undo->allocator, undo->estimates, undo->estimate_count * sizeof(*undo->estimates));
	allocator_release(&undo->allocator, undo->moving, undo->moving_count * sizeof(*undo->moving));
	undo->sites = NULL;
	undo->estimates = NULL;
	undo->moving = NULL;
	undo->site_count = 0;
	undo->estimate_count = 0;
	undo->moving_count = 0;
	undo->object_count = 0;
	undo->is_active = 0;
}

void age_undo_destroy(age_undo *undo)
{
	forget_copies(undo);
	allocator_release(&undo->allocator, undo->objects, undo->object_capacity * sizeof(*undo->objects));
	age_undo_init(undo, &undo->allocator);
}

/* Copies an array, which may be empty. Returns 0 if there is no memory. */
static int copy_array(const mprof_allocator *allocator, void **copy, const void *elements, size_t count, size_t size)
{
	size_t bytes;

	*copy = NULL;
	if (count == 0)
		return 1;
	if (!checked_multiply(count, size, &bytes))
		return 0;
	*copy = allocator_allocate(allocator, bytes);
	if (*copy == NULL)
		return 0;
	memcpy(*copy, elements, bytes);
	return 1;
}

int age_undo_begin(age_undo *undo, const age_state *state)
{
	const mprof_allocator *allocator = &undo->allocator;
	const move_set *moving = &state->moving;
	size_t estimate_count = state->estimate_capacity > 0 ? state->site_count : 0;
	void *sites;
	void *estimates;
	void *objects;
	int has_room = copy_array(allocator, &sites, state->sites, state->site_count, sizeof(*state->sites));

	has_room &= copy_array(allocator, &estimates, state->estimates, estimate_count, sizeof(*state->estimates));
	has_room &= copy_array(allocator, &objects, moving->objects, moving->count, sizeof(*moving->objects));
	undo->sites = sites;
	undo->estimates = estimates;
	undo->moving = objects;
	undo->site_count = sites != NULL ? state->site_count : 0;
	undo->estimate_count = estimates != NULL ? estimate_count : 0;
	undo->moving_count = objects != NULL ? moving->count : 0;
	if (!has_room) {
		forget_copies(undo);
		return 0;
	}
	undo->sums = state->sums;
	undo->object_count = 0;
	undo->is_active = 1;
	return 1;
}

int age_undo_reserve(age_undo *undo, const age_state *state)
{
	void *objects = undo->objects;
	/* An event adds at most one object and ends an open set of moves; each may replace another object. */
	size_t needed = undo->object_count + 2 * (state->moving.count + 1);
	int has_room =
		array_reserve(&undo->allocator, &objects, &undo->object_capacity, needed, sizeof(*undo->objects));

	undo->objects = objects;
	return has_room;
}

void age_undo_note(age_undo *undo, const live_object *object, int was_added)
{
	undo->objects[undo->object_count].object = *object;
	undo->objects[undo->object_count++].was_added = was_added;
}

void age_undo_commit(age_undo *undo)
{
	forget_copies(undo);
}

void age_undo_revert(age_undo *undo, age_state *state)
{
	while (undo->object_count > 0) {
		const noted_object *noted = &undo->objects[--undo->object_count];

		if (noted->was_added)
			live_objects_remove(&state->objects, live_objects_find(&state->objects, noted->object.address));
		else
			/* The table does not shrink, so there is room for what it contained before. */
			live_objects_add(&state->objects, &noted->object);
	}
	if (undo->site_count > 0)
		memcpy(state->sites, undo->sites, undo->site_count * sizeof(*undo->sites));
	if (undo->estimate_count > 0)
		memcpy(state->estimates, undo->estimates, undo->estimate_count * sizeof(*undo->estimates));
	state->sums = undo->sums;
	move_set_restore(&state->moving, undo->moving, undo->moving_count);
	if (state->sums.last_collection.kind != 0)
		state->history[state->sums.last_collection_index] = state->sums.last_collection;
	forget_copies(undo);
}
