/* SPDX-License-Identifier: MIT */
/* Finds, adds and removes the objects of the managed heap that are alive. */
#include "model/live_objects.h"

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
