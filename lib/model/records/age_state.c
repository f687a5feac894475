/* SPDX-License-Identifier: MIT */
/* Live objects, and what undoes a provisional computation of their ages. */
#include "model/records/age_state.h"

#include "base/checked.h"

#include <string.h>

static inline int is_object(const void *slot)
{
	return ((const live_object *)slot)->address != 0;
}

static uint64_t hash_of_object(const void *owner, const void *slot)
{
	return hash_key(((const live_objects *)owner)->index.seed, ((const live_object *)slot)->address);
}

static inline int is_object_at(const void *owner, const void *slot, const void *address)
{
	(void)owner;
	return ((const live_object *)slot)->address == *(const uint64_t *)address;
}

static const hash_index_type object_slots = {
	.size = sizeof(live_object),
	.first_capacity = 64,
	.used_eighths = 6,
	.grows_by_half = 1,
	.is_used = is_object,
	.hash = hash_of_object,
};

void live_objects_init(live_objects *objects, const mprof_allocator *allocator)
{
	hash_index_init(&objects->index, allocator);
}

void live_objects_destroy(live_objects *objects)
{
	hash_index_destroy(&objects->index, &object_slots);
}

live_object *live_objects_find(const live_objects *objects, uint64_t address)
{
	/* An empty slot would match the address 0. */
	if (address == 0)
		return NULL;
	return hash_index_find(&objects->index, &object_slots, hash_key(objects->index.seed, address), is_object_at,
			       objects, &address);
}

int live_objects_reserve(live_objects *objects)
{
	return hash_index_reserve(&objects->index, &object_slots, objects);
}

void live_objects_add(live_objects *objects, const live_object *object)
{
	live_object *slot =
		hash_index_take_slot(&objects->index, &object_slots, hash_key(objects->index.seed, object->address));

	*slot = *object;
}

void live_objects_remove(live_objects *objects, live_object *object)
{
	hash_index_remove(&objects->index, &object_slots, objects, object);
}

void move_set_init(move_set *set, const mprof_allocator *allocator)
{
	memset(set, 0, sizeof(*set));
	set->allocator = *allocator;
	hash_map_init(&set->targets, allocator);
}

void move_set_destroy(move_set *set)
{
	allocator_release(&set->allocator, set->objects, set->capacity * sizeof(*set->objects));
	hash_map_destroy(&set->targets);
}

int move_set_add(move_set *set, const live_object *object)
{
	void *objects = set->objects;
	int has_room = array_reserve(&set->allocator, &objects, &set->capacity, set->count + 1, sizeof(*set->objects));

	set->objects = objects;
	if (has_room)
		set->objects[set->count++] = *object;
	return has_room;
}

int move_set_find(move_set *set, uint64_t address, live_object **found)
{
	const uint64_t *index;

	*found = NULL;
	for (; set->indexed < set->count; set->indexed++) {
		if (!hash_map_put(&set->targets, set->objects[set->indexed].address, set->indexed))
			return 0;
	}
	index = hash_map_get(&set->targets, address);
	if (index != NULL)
		*found = &set->objects[*index];
	return 1;
}

/* The next lookup indexes all objects again. */
static void forget_targets(move_set *set)
{
	if (set->indexed > 0)
		hash_map_destroy(&set->targets);
	set->indexed = 0;
}

void move_set_move_again(move_set *set, live_object *object, uint64_t to)
{
	size_t index = (size_t)(object - set->objects);

	hash_map_remove(&set->targets, object->address);
	object->address = to;
	/* Without memory, all objects are indexed again. */
	if (!hash_map_put(&set->targets, to, index))
		forget_targets(set);
}

void move_set_drop(move_set *set, size_t count)
{
	forget_targets(set);
	set->count -= count;
	/* If there are no objects, there may be no array either. */
	if (set->count > 0)
		memmove(set->objects, set->objects + count, set->count * sizeof(*set->objects));
}

/* Replaces the objects by count others, at most as many as the set ever had. */
static void move_set_restore(move_set *set, const live_object *objects, size_t count)
{
	forget_targets(set);
	set->count = count;
	if (count > 0)
		memcpy(set->objects, objects, count * sizeof(*objects));
}

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
