/* SPDX-License-Identifier: MIT */
/* Collects where ranges of generated code were. */
#include "model/records/code_places.h"

#include "base/checked.h"
#include "model/records/lists.h"

#include <string.h>

void code_places_init(code_place_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	hash_map_init(&all->latest, allocator);
}

void code_places_destroy(code_place_list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (!all->places[i].is_moved)
			text_release(&all->allocator, all->places[i].name);
	}
	allocator_release(&all->allocator, all->places, all->capacity * sizeof(*all->places));
	hash_map_destroy(&all->latest);
}

/* Adds a place, which becomes the latest one of its range. Returns 0 if there is no memory. */
static int add_place(code_place_list *all, const code_place *place)
{
	void *places = all->places;
	int is_reserved = array_reserve(&all->allocator, &places, &all->capacity, all->count + 1, sizeof(*all->places));

	all->places = places;
	if (!is_reserved || !hash_map_put(&all->latest, place->range, all->count))
		return 0;
	all->places[all->count++] = *place;
	return 1;
}

static int define_place(code_place_list *all, uint32_t id, const mprof_code_range_record *range)
{
	const code_place place = {.range = id,
				  .kind = range->kind,
				  .method = range->method,
				  .address = range->address,
				  .size = range->size,
				  .start = range->start,
				  .name = text_copy(&all->allocator, range->name)};

	if (place.name != NULL && add_place(all, &place))
		return 1;
	text_release(&all->allocator, place.name);
	return 0;
}

static int end_place(code_place_list *all, uint32_t id, const mprof_code_end_record *end)
{
	const uint64_t *latest = hash_map_get(&all->latest, id);
	size_t index;

	if (latest == NULL)
		return 1;
	index = (size_t)*latest;
	if (end->address != 0) {
		code_place moved = all->places[index];

		moved.address = end->address;
		moved.start = end->counter;
		moved.is_moved = 1;
		if (!add_place(all, &moved))
			return 0;
	} else {
		hash_map_remove(&all->latest, id);
	}
	all->places[index].has_end = 1;
	all->places[index].end = end->counter;
	return 1;
}

int code_places_add(code_place_list *all, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_CODE_RANGE:
		return define_place(all, record->id, &record->as.code_range);
	case MPROF_RECORD_CODE_END:
		return end_place(all, record->id, &record->as.code_end);
	default:
		return 1;
	}
}
