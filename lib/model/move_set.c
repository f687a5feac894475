/* SPDX-License-Identifier: MIT */
/* Collects the objects that a collection moves. */
#include "model/move_set.h"

#include "base/array.h"

#include <string.h>

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

void move_set_restore(move_set *set, const live_object *objects, size_t count)
{
	forget_targets(set);
	set->count = count;
	if (count > 0)
		memcpy(set->objects, objects, count * sizeof(*objects));
}
