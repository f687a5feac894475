/* SPDX-License-Identifier: MIT */
/* The table of the objects that are alive, and the set of those that the collector is moving. */
#include "model/records/live_objects.h"

#include "base/allocator.h"

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

void move_set_restore(move_set *set, const live_object *objects, size_t count)
{
	forget_targets(set);
	set->count = count;
	if (count > 0)
		memcpy(set->objects, objects, count * sizeof(*objects));
}
