/* SPDX-License-Identifier: MIT */
#include "recorder/object_tracker.h"

#include "base/array.h"

#include <string.h>

#define FIRST_CAPACITY 1024U

/* Size codes. */
#define CODE_ALIVE (1U << 31)       /* The heap snapshot gave it. */
#define CODE_UNANNOUNCED (1U << 30) /* Known from one heap snapshot only: its allocation may still be to come. */
#define CODE_LARGE (1U << 29)       /* The rest is a place in large_sizes. */
#define CODE_SIZE (CODE_LARGE - 1)

void object_tracker_init(object_tracker *tracker, const mprof_allocator *allocator)
{
	memset(tracker, 0, sizeof(*tracker));
	tracker->allocator = *allocator;
}

static void release_memory(object_tracker *tracker)
{
	allocator_release(&tracker->allocator, tracker->entries, tracker->capacity * sizeof(*tracker->entries));
	allocator_release(&tracker->allocator, tracker->moving, tracker->moving_capacity * sizeof(*tracker->moving));
	allocator_release(&tracker->allocator, tracker->large_sizes,
			  tracker->large_capacity * sizeof(*tracker->large_sizes));
}

void object_tracker_destroy(object_tracker *tracker)
{
	release_memory(tracker);
	memset(tracker, 0, sizeof(*tracker));
}

uint64_t object_tracker_count(const object_tracker *tracker)
{
	return tracker->count + tracker->moving_count + tracker->waiting_count;
}

uint64_t object_tracker_forget(object_tracker *tracker)
{
	object_tracker forgotten = *tracker;

	release_memory(tracker);
	object_tracker_init(tracker, &forgotten.allocator);
	tracker->died = forgotten.died;
	tracker->user = forgotten.user;
	return object_tracker_count(&forgotten);
}

/*
 * Where an address belongs: the high half of a product, spread over the capacity, which need not be a power of two. So
 * the table grows by half, and few places are empty.
 */
static inline uint32_t home_of(uint64_t address, uint32_t capacity)
{
	uint32_t hash = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	return (uint32_t)((uint64_t)hash * capacity >> 32);
}

static inline uint32_t place_behind(uint32_t place, uint32_t capacity)
{
	return place + 1 == capacity ? 0 : place + 1;
}

void object_tracker_prefetch(const object_tracker *tracker, uint64_t address)
{
	if (tracker->capacity > 0)
		__builtin_prefetch(&tracker->entries[home_of(address, tracker->capacity)], 1);
}

/* The place of an address, or the empty one where it would go. There is an empty one. */
static inline object_entry *probe(object_entry *entries, uint32_t capacity, uint64_t address)
{
	uint32_t place = home_of(address, capacity);

	while (entries[place].address != address && entries[place].address != 0)
		place = place_behind(place, capacity);
	return &entries[place];
}

static int resize(object_tracker *tracker, uint32_t capacity)
{
	object_entry *entries;
	size_t size;

	if (!checked_multiply(capacity, sizeof(*entries), &size))
		return 0;
	entries = allocator_allocate_zeroed(&tracker->allocator, size);
	if (entries == NULL)
		return 0;
	for (uint32_t i = 0; i < tracker->capacity; i++) {
		if (tracker->entries[i].address != 0)
			*probe(entries, capacity, tracker->entries[i].address) = tracker->entries[i];
	}
	allocator_release(&tracker->allocator, tracker->entries, tracker->capacity * sizeof(*tracker->entries));
	tracker->entries = entries;
	tracker->capacity = capacity;
	return 1;
}

/* Makes room for one more, so that at most three places of four are taken. */
static inline int reserve(object_tracker *tracker)
{
	uint32_t capacity = tracker->capacity;

	if (__builtin_expect(tracker->count < capacity - capacity / 4, 1))
		return 1;
	if (capacity > UINT32_MAX / 3 * 2)
		return 0;
	return resize(tracker, capacity == 0 ? FIRST_CAPACITY : capacity + capacity / 2);
}

/* Empties an entry; what stands after it moves up, so that no search ends too early. */
static void empty_place(object_tracker *tracker, object_entry *entry)
{
	uint32_t hole = (uint32_t)(entry - tracker->entries);
	uint32_t place = hole;

	for (;;) {
		uint32_t home;

		place = place_behind(place, tracker->capacity);
		if (tracker->entries[place].address == 0)
			break;
		home = home_of(tracker->entries[place].address, tracker->capacity);
		/* It may stand in the hole unless its home lies after the hole, up to where it stands. */
		if (hole <= place ? hole < home && home <= place : hole < home || home <= place)
			continue;
		tracker->entries[hole] = tracker->entries[place];
		hole = place;
	}
	memset(&tracker->entries[hole], 0, sizeof(*tracker->entries));
	tracker->count--;
}

static uint64_t size_of(const object_tracker *tracker, const object_entry *entry)
{
	uint32_t code = entry->size_code & CODE_SIZE;

	return (entry->size_code & CODE_LARGE) != 0 ? tracker->large_sizes[code] : code;
}

static int code_large_size(object_tracker *tracker, uint64_t size, uint32_t *code)
{
	void *sizes = tracker->large_sizes;
	size_t place = tracker->large_free;

	if (place != 0) {
		tracker->large_free = (size_t)tracker->large_sizes[place - 1];
		tracker->large_sizes[place - 1] = size;
		*code = CODE_LARGE | (uint32_t)(place - 1);
		return 1;
	}
	if (tracker->large_count > CODE_SIZE || !array_reserve(&tracker->allocator, &sizes, &tracker->large_capacity,
							       tracker->large_count + 1, sizeof(*tracker->large_sizes)))
		return 0;
	tracker->large_sizes = sizes;
	tracker->large_sizes[tracker->large_count] = size;
	*code = CODE_LARGE | (uint32_t)tracker->large_count++;
	return 1;
}

static inline int code_size(object_tracker *tracker, uint64_t size, uint32_t *code)
{
	*code = (uint32_t)size;
	return size <= CODE_SIZE || code_large_size(tracker, size, code);
}

static void release_size(object_tracker *tracker, uint32_t size_code)
{
	uint32_t place = size_code & CODE_SIZE;

	if ((size_code & CODE_LARGE) == 0)
		return;
	tracker->large_sizes[place] = tracker->large_free;
	tracker->large_free = (size_t)place + 1;
}

/* Reports an entry's object as dead. The entry is then to be overwritten or emptied. */
static void tell_death(object_tracker *tracker, const object_entry *entry)
{
	tracked_object object = {entry->address, size_of(tracker, entry), entry->class_id};

	tracker->died(tracker->user, &object);
	release_size(tracker, entry->size_code);
}

/* Puts an entry into the table, in place of an object that is dead by that. */
static int put_entry(object_tracker *tracker, const object_entry *entry)
{
	object_entry *place;

	if (!reserve(tracker))
		return 0;
	place = probe(tracker->entries, tracker->capacity, entry->address);
	if (place->address != 0)
		tell_death(tracker, place);
	else
		tracker->count++;
	*place = *entry;
	return 1;
}

int object_tracker_end_moves(object_tracker *tracker)
{
	for (size_t i = 0; i < tracker->moving_count; i++) {
		object_tracker_prefetch(tracker, tracker->moving[i + 8 < tracker->moving_count ? i + 8 : i].address);
		if (!put_entry(tracker, &tracker->moving[i]))
			return 0;
	}
	tracker->moving_count = 0;
	return 1;
}

static int note_alive(object_tracker *tracker, const tracked_object *object)
{
	object_entry entry = {object->address, object->class_id, 0};
	object_entry *place;

	if (!reserve(tracker))
		return 0;
	place = probe(tracker->entries, tracker->capacity, object->address);
	/*
	 * It dies with the size that it was allocated with, or the sums of deaths would exceed those of allocations:
	 * collectors may report the size of the place where the object is.
	 */
	if (place->address != 0 && place->class_id == object->class_id) {
		place->size_code = (place->size_code | CODE_ALIVE) & ~CODE_UNANNOUNCED;
		return 1;
	}
	if (!code_size(tracker, object->size, &entry.size_code))
		return 0;
	entry.size_code |= CODE_ALIVE | CODE_UNANNOUNCED;
	if (place->address == 0)
		tracker->count++;
	else
		tell_death(tracker, place);
	*place = entry;
	return 1;
}

static int end_waiting(object_tracker *tracker)
{
	uint32_t count = tracker->waiting_count;

	tracker->waiting_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!note_alive(tracker, &tracker->waiting[i]))
			return 0;
	}
	return 1;
}

/* What came before must be in the table before anything else is done. */
static inline int settle(object_tracker *tracker)
{
	return (tracker->waiting_count == 0 || end_waiting(tracker)) &&
	       (tracker->moving_count == 0 || object_tracker_end_moves(tracker));
}

int object_tracker_allocated(object_tracker *tracker, const tracked_object *object)
{
	object_entry entry = {object->address, object->class_id, 0};
	object_entry *place;

	if (object->address == 0)
		return 1;
	if (!settle(tracker) || !reserve(tracker))
		return 0;
	place = probe(tracker->entries, tracker->capacity, object->address);
	if (place->address != 0) {
		/* The thread that allocated it was stopped before it could say so: the shot knew it first. */
		if ((place->size_code & CODE_UNANNOUNCED) != 0 && place->class_id == object->class_id &&
		    size_of(tracker, place) == object->size) {
			place->size_code &= ~CODE_UNANNOUNCED;
			return 1;
		}
		tell_death(tracker, place);
	} else {
		tracker->count++;
	}
	/* Without room for a large size the entry is left as it is, and the tracker not used any more. */
	*place = entry;
	return code_size(tracker, object->size, &place->size_code);
}

int object_tracker_moved(object_tracker *tracker, uint64_t from, uint64_t to)
{
	void *moving = tracker->moving;
	object_entry *place;

	if (tracker->waiting_count > 0 && !end_waiting(tracker))
		return 0;
	if (tracker->capacity == 0 || from == 0 || to == 0)
		return 1;
	place = probe(tracker->entries, tracker->capacity, from);
	if (place->address == 0)
		return 1;
	if (!array_reserve(&tracker->allocator, &moving, &tracker->moving_capacity, tracker->moving_count + 1,
			   sizeof(*tracker->moving)))
		return 0;
	tracker->moving = moving;
	tracker->moving[tracker->moving_count] = *place;
	tracker->moving[tracker->moving_count++].address = to;
	empty_place(tracker, place);
	return 1;
}

int object_tracker_alive(object_tracker *tracker, const tracked_object *object)
{
	if (object->address == 0)
		return 1;
	if (tracker->moving_count > 0 && !object_tracker_end_moves(tracker))
		return 0;
	if (tracker->waiting_count == OBJECT_TRACKER_WAITING && !end_waiting(tracker))
		return 0;
	object_tracker_prefetch(tracker, object->address);
	tracker->waiting[tracker->waiting_count++] = *object;
	return 1;
}

int object_tracker_freed(object_tracker *tracker, uint64_t address)
{
	object_entry *place;

	if (!settle(tracker))
		return 0;
	if (tracker->capacity == 0 || address == 0)
		return 1;
	place = probe(tracker->entries, tracker->capacity, address);
	if (place->address == 0)
		return 1;
	release_size(tracker, place->size_code);
	empty_place(tracker, place);
	return 1;
}

/* Reports an entry that the snapshot did not give as dead, and empties it. Returns 0 for one that lives. */
static inline int end_entry(object_tracker *tracker, object_entry *entry, int is_complete)
{
	if (entry->address == 0 || !is_complete || (entry->size_code & CODE_ALIVE) != 0) {
		entry->size_code &= ~CODE_ALIVE;
		return 0;
	}
	tell_death(tracker, entry);
	empty_place(tracker, entry);
	return 1;
}

int object_tracker_end_shot(object_tracker *tracker, int is_complete)
{
	uint32_t place = 0;

	if (!settle(tracker))
		return 0;
	if (tracker->capacity == 0)
		return 1;
	/* From one empty place around to it: what moves up into a place was never looked at before. */
	while (tracker->entries[place].address != 0)
		place++;
	for (uint32_t left = tracker->capacity; left > 0; left--) {
		while (end_entry(tracker, &tracker->entries[place], is_complete))
			continue;
		place = place_behind(place, tracker->capacity);
	}
	/* The table follows what lives. It may stay as it is if there is no memory for a smaller one. */
	if (tracker->capacity > FIRST_CAPACITY && tracker->count < tracker->capacity / 4)
		(void)resize(tracker, tracker->count * 2 < FIRST_CAPACITY ? FIRST_CAPACITY : tracker->count * 2);
	return 1;
}
