/* SPDX-License-Identifier: MIT */
/* Finds when objects died and moved. */
#include "recorder/tables/heap_deaths.h"

#include "base/checked.h"

#include <string.h>

/* The following functions return 0 if there is no memory. After that the tracker must not be used any more. */

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

/* Prefetches the slot of an address in the table. */
static void object_tracker_prefetch(const object_tracker *tracker, uint64_t address)
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

/* Prefetch distance for the table slots of allocations. */
#define FETCH_AHEAD 8

static void note_death(void *user, const tracked_object *object)
{
	heap_deaths *deaths = user;

	heap_sums_add(&deaths->blocks->sums, HEAP_SUM_DEAD, object->class_id, object->size);
	if (deaths->writes_each)
		heap_blocks_add(deaths->blocks, MPROF_EVENT_HEAP_FREE, object->class_id, object->size, object->address,
				0, deaths->counter);
}

void heap_deaths_init(heap_deaths *deaths, const mprof_allocator *allocator, heap_blocks *blocks, int is_tracking)
{
	memset(deaths, 0, sizeof(*deaths));
	deaths->blocks = blocks;
	deaths->is_tracking = is_tracking;
	deaths->writes_each = 1;
	action_queue_init(&deaths->timeline, allocator, sizeof(timeline_entry));
	object_tracker_init(&deaths->tracker, allocator);
	deaths->tracker.died = note_death;
	deaths->tracker.user = deaths;
}

void heap_deaths_destroy(heap_deaths *deaths)
{
	action_queue_destroy(&deaths->timeline);
	object_tracker_destroy(&deaths->tracker);
}

void heap_deaths_stop(heap_deaths *deaths)
{
	deaths->is_tracking = 0;
	object_tracker_forget(&deaths->tracker);
	action_queue_destroy(&deaths->timeline);
}

void heap_deaths_give_up(heap_deaths *deaths)
{
	output_count_lost(deaths->blocks->output, MPROF_LOSS_NO_MEMORY, 1 + object_tracker_forget(&deaths->tracker));
	action_queue_destroy(&deaths->timeline);
	deaths->is_tracking = 0;
}

static void add_entry(heap_deaths *deaths, const timeline_entry *entry)
{
	action_queue *timeline = &deaths->timeline;

	if ((timeline->count == HEAP_TIMELINE_MAX && timeline->first <= HEAP_TIMELINE_MAX / 2) ||
	    !action_queue_add(timeline, entry, 1))
		heap_deaths_give_up(deaths);
}

void heap_deaths_note_allocation(heap_deaths *deaths, uint64_t object, uint32_t class_id, uint64_t size,
				 uint64_t counter)
{
	if (deaths->is_tracking && object != 0 && class_id != 0)
		add_entry(deaths, &(timeline_entry){counter, {object, size, class_id}});
}

void heap_deaths_note_collection(heap_deaths *deaths, uint64_t counter)
{
	if (deaths->is_tracking)
		add_entry(deaths, &(timeline_entry){counter, {0, 0, 0}});
}

void heap_deaths_sort(heap_deaths *deaths)
{
	action_queue_sort(&deaths->timeline, NULL);
}

void heap_deaths_pass_time(heap_deaths *deaths, uint64_t counter)
{
	action_queue *timeline = &deaths->timeline;
	const timeline_entry *entry;

	while ((entry = action_queue_take(timeline, counter)) != NULL) {
		int done;

		/* The object may have been moved since it was allocated. */
		if (deaths->has_lost_moves)
			continue;
		if (FETCH_AHEAD < timeline->count - timeline->first)
			object_tracker_prefetch(&deaths->tracker, entry[1 + FETCH_AHEAD].object.address);
		deaths->counter = entry->counter;
		done = entry->object.address != 0 ? object_tracker_allocated(&deaths->tracker, &entry->object)
						  : object_tracker_end_moves(&deaths->tracker);
		if (!done)
			heap_deaths_give_up(deaths);
	}
}

void heap_deaths_begin_snapshot(heap_deaths *deaths, uint32_t use, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	if (heap_deaths_is_sure(deaths) && !object_tracker_end_moves(&deaths->tracker))
		heap_deaths_give_up(deaths);
	if (use != 0)
		deaths->writes_each = (use & MPROF_HEAP_USE_FREED) != 0;
}

void heap_deaths_end_snapshot(heap_deaths *deaths, int is_complete, uint64_t counter)
{
	deaths->counter = counter;
	if (heap_deaths_is_sure(deaths) && !object_tracker_end_shot(&deaths->tracker, is_complete))
		heap_deaths_give_up(deaths);
}

void heap_deaths_note_freed(heap_deaths *deaths, uint64_t address, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	if (heap_deaths_is_sure(deaths) && !object_tracker_freed(&deaths->tracker, address))
		heap_deaths_give_up(deaths);
}

void heap_deaths_note_moved(heap_deaths *deaths, uint64_t from, uint64_t to, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	if (!heap_deaths_is_sure(deaths))
		return;
	deaths->counter = counter;
	if (!object_tracker_moved(&deaths->tracker, from, to))
		heap_deaths_give_up(deaths);
}

void heap_deaths_lose_moves(heap_deaths *deaths)
{
	deaths->has_lost_moves = 1;
	object_tracker_forget(&deaths->tracker);
}

void heap_deaths_find_moves(heap_deaths *deaths, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	deaths->has_lost_moves = 0;
}
