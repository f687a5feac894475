/* SPDX-License-Identifier: MIT */
/* Keeps the live objects by address, and finds those that a heap snapshot does not contain. */
#include "recorder/object_tracker.h"

#include "base/array.h"

#include <string.h>

/* Size codes. */
#define CODE_ALIVE (1U << 31)       /* The heap snapshot contains it. */
#define CODE_UNANNOUNCED (1U << 30) /* Known from one heap snapshot only: its allocation may not be drained yet. */
#define CODE_LARGE (1U << 29)       /* The rest is an index into large_sizes. */
#define CODE_SIZE (CODE_LARGE - 1)

static inline int entry_is_used(const void *slot)
{
	return ((const object_entry *)slot)->address != 0;
}

static inline uint64_t entry_hash(const void *owner, const void *slot)
{
	(void)owner;
	return hash_address(((const object_entry *)slot)->address);
}

static inline int entry_matches(const void *owner, const void *slot, const void *address)
{
	(void)owner;
	return ((const object_entry *)slot)->address == *(const uint64_t *)address;
}

/*
 * The table grows by half, and up to three quarters of it are used: memory per object matters more than the time of a
 * lookup.
 */
static const hash_index_type object_entries = {
	.size = sizeof(object_entry),
	.first_capacity = 1024,
	.used_eighths = 6,
	.grows_by_half = 1,
	.is_used = entry_is_used,
	.hash = entry_hash,
};

void object_tracker_init(object_tracker *tracker, const mprof_allocator *allocator)
{
	memset(tracker, 0, sizeof(*tracker));
	tracker->allocator = *allocator;
	hash_index_init(&tracker->entries, allocator);
}

static void release_tables(object_tracker *tracker)
{
	hash_index_destroy(&tracker->entries, &object_entries);
	allocator_release(&tracker->allocator, tracker->moving, tracker->moving_capacity * sizeof(*tracker->moving));
	allocator_release(&tracker->allocator, tracker->large_sizes,
			  tracker->large_capacity * sizeof(*tracker->large_sizes));
}

void object_tracker_destroy(object_tracker *tracker)
{
	release_tables(tracker);
	memset(tracker, 0, sizeof(*tracker));
}

uint64_t object_tracker_count(const object_tracker *tracker)
{
	return tracker->entries.count + tracker->moving_count + tracker->waiting_count;
}

uint64_t object_tracker_forget(object_tracker *tracker)
{
	object_tracker forgotten = *tracker;

	release_tables(tracker);
	object_tracker_init(tracker, &forgotten.allocator);
	tracker->died = forgotten.died;
	tracker->user = forgotten.user;
	return object_tracker_count(&forgotten);
}

void object_tracker_prefetch(const object_tracker *tracker, uint64_t address)
{
	const hash_index *entries = &tracker->entries;

	if (entries->capacity > 0)
		__builtin_prefetch(hash_index_slot(entries, &object_entries,
						   hash_index_home(entries, &object_entries, hash_address(address))),
				   1);
}

/* The entry of an address, or NULL. */
static inline object_entry *find_entry(const object_tracker *tracker, uint64_t address)
{
	return hash_index_find(&tracker->entries, &object_entries, hash_address(address), entry_matches, tracker,
			       &address);
}

static inline int reserve_entry(object_tracker *tracker)
{
	return hash_index_reserve(&tracker->entries, &object_entries, tracker);
}

/* Adds an entry for an address that has none, after reserve_entry(). */
static inline object_entry *add_object_entry(object_tracker *tracker, uint64_t address)
{
	return hash_index_take_slot(&tracker->entries, &object_entries, hash_address(address));
}

static void remove_entry(object_tracker *tracker, object_entry *entry)
{
	hash_index_remove(&tracker->entries, &object_entries, tracker, entry);
}

static uint64_t entry_object_size(const object_tracker *tracker, const object_entry *entry)
{
	uint32_t code = entry->size_code & CODE_SIZE;

	return (entry->size_code & CODE_LARGE) != 0 ? tracker->large_sizes[code] : code;
}

static int code_large_size(object_tracker *tracker, uint64_t size, uint32_t *code)
{
	void *sizes = tracker->large_sizes;
	size_t index = tracker->large_free;

	if (index != 0) {
		tracker->large_free = (size_t)tracker->large_sizes[index - 1];
		tracker->large_sizes[index - 1] = size;
		*code = CODE_LARGE | (uint32_t)(index - 1);
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
	uint32_t index = size_code & CODE_SIZE;

	if ((size_code & CODE_LARGE) == 0)
		return;
	tracker->large_sizes[index] = tracker->large_free;
	tracker->large_free = (size_t)index + 1;
}

/* Reports an entry's object as dead. The caller then overwrites or empties the entry. */
static void report_death(object_tracker *tracker, const object_entry *entry)
{
	tracked_object object = {entry->address, entry_object_size(tracker, entry), entry->class_id};

	tracker->died(tracker->user, &object);
	release_size(tracker, entry->size_code);
}

/* Stores an entry in the table. An object that had the address is dead. */
static int put_entry(object_tracker *tracker, const object_entry *entry)
{
	object_entry *slot;

	if (!reserve_entry(tracker))
		return 0;
	slot = find_entry(tracker, entry->address);
	if (slot != NULL)
		report_death(tracker, slot);
	else
		slot = add_object_entry(tracker, entry->address);
	*slot = *entry;
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
	object_entry *slot;

	if (!reserve_entry(tracker))
		return 0;
	slot = find_entry(tracker, object->address);
	/*
	 * An object keeps the size that it was allocated with, or the sums of deaths would exceed those of allocations:
	 * collectors may report the size of the slot that contains the object.
	 */
	if (slot != NULL && slot->class_id == object->class_id) {
		slot->size_code = (slot->size_code | CODE_ALIVE) & ~CODE_UNANNOUNCED;
		return 1;
	}
	if (!code_size(tracker, object->size, &entry.size_code))
		return 0;
	entry.size_code |= CODE_ALIVE | CODE_UNANNOUNCED;
	if (slot == NULL)
		slot = add_object_entry(tracker, object->address);
	else
		report_death(tracker, slot);
	*slot = entry;
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

/* Stores pending moves and snapshot objects in the table, which must precede any other change. */
static inline int end_pending(object_tracker *tracker)
{
	return (tracker->waiting_count == 0 || end_waiting(tracker)) &&
	       (tracker->moving_count == 0 || object_tracker_end_moves(tracker));
}

int object_tracker_allocated(object_tracker *tracker, const tracked_object *object)
{
	object_entry entry = {object->address, object->class_id, 0};
	object_entry *slot;

	if (object->address == 0)
		return 1;
	if (!end_pending(tracker) || !reserve_entry(tracker))
		return 0;
	slot = find_entry(tracker, object->address);
	if (slot != NULL) {
		/*
		 * The snapshot reported the object first: the thread that allocated it was stopped before it could
		 * publish the allocation.
		 */
		if ((slot->size_code & CODE_UNANNOUNCED) != 0 && slot->class_id == object->class_id &&
		    entry_object_size(tracker, slot) == object->size) {
			slot->size_code &= ~CODE_UNANNOUNCED;
			return 1;
		}
		report_death(tracker, slot);
	} else {
		slot = add_object_entry(tracker, object->address);
	}
	/* If there is no room for a large size, the entry stays as it is, and the tracker is not used any more. */
	*slot = entry;
	return code_size(tracker, object->size, &slot->size_code);
}

int object_tracker_moved(object_tracker *tracker, uint64_t from, uint64_t to)
{
	void *moving = tracker->moving;
	object_entry *slot;

	if (tracker->waiting_count > 0 && !end_waiting(tracker))
		return 0;
	if (from == 0 || to == 0)
		return 1;
	slot = find_entry(tracker, from);
	if (slot == NULL)
		return 1;
	if (!array_reserve(&tracker->allocator, &moving, &tracker->moving_capacity, tracker->moving_count + 1,
			   sizeof(*tracker->moving)))
		return 0;
	tracker->moving = moving;
	tracker->moving[tracker->moving_count] = *slot;
	tracker->moving[tracker->moving_count++].address = to;
	remove_entry(tracker, slot);
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
	object_entry *slot;

	if (!end_pending(tracker))
		return 0;
	if (address == 0)
		return 1;
	slot = find_entry(tracker, address);
	if (slot == NULL)
		return 1;
	release_size(tracker, slot->size_code);
	remove_entry(tracker, slot);
	return 1;
}

/*
 * If the snapshot does not contain the object of an entry, reports it as dead and empties the entry. Returns 0 for a
 * live object.
 */
static inline int end_snapshot_entry(object_tracker *tracker, object_entry *entry, int is_complete)
{
	if (entry->address == 0 || !is_complete || (entry->size_code & CODE_ALIVE) != 0) {
		entry->size_code &= ~CODE_ALIVE;
		return 0;
	}
	report_death(tracker, entry);
	remove_entry(tracker, entry);
	return 1;
}

int object_tracker_end_shot(object_tracker *tracker, int is_complete)
{
	hash_index *entries = &tracker->entries;
	const size_t smallest = object_entries.first_capacity;
	size_t i = 0;

	if (!end_pending(tracker))
		return 0;
	if (entries->capacity == 0)
		return 1;
	/*
	 * Starts at an empty slot and visits each one after it. Emptying a slot moves later entries up, and these were
	 * not visited before.
	 */
	while (entry_is_used(hash_index_slot(entries, &object_entries, i)))
		i++;
	for (size_t left = entries->capacity; left > 0; left--) {
		while (end_snapshot_entry(tracker, hash_index_slot(entries, &object_entries, i), is_complete))
			continue;
		i = hash_index_next(entries, &object_entries, i);
	}
	/* Shrinks the table to the live objects. It stays as it is if there is no memory for a smaller one. */
	if (entries->capacity > smallest && entries->count < entries->capacity / 4)
		(void)hash_index_resize(entries, &object_entries, tracker,
					entries->count * 2 < smallest ? smallest : entries->count * 2);
	return 1;
}
