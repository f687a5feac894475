/* SPDX-License-Identifier: MIT */
/* Writes heap snapshots, deaths and summaries of objects to the log, from the chunks that the collector filled. */
#include "recorder/tables/heap_drain.h"

#include "base/allocator.h"

#include <string.h>

/*
 * Objects come from allocations and heap snapshots. Moves of one collection are applied as a set, since one object may
 * leave an address and another may take it. If an address is reused, or a complete snapshot does not contain an object,
 * the object is dead, and the caller's function is called.
 *
 * An object costs 21 to 32 bytes of memory, and 21 more while the table grows.
 */

/*
 * Allocations of one thread are drained in order, but the threads are drained one after the other, and all of them
 * before the moves and snapshots that happened in between. An address means one object before a collection and another
 * one after it, so allocations are sorted first.
 */

/* An allocation; or the start of a collection, whose object's address is 0. */
typedef struct timeline_entry {
	uint64_t counter;
	tracked_object object;
} timeline_entry;

/* Maximum number of waiting entries, of 64 bytes each. Only during a snapshot can there be that many. */
#define MAX_TIMELINE ((size_t)1 << 22)

/* Whether deaths can be found: objects are tracked, and their addresses are known. */
static inline int heap_deaths_is_sure(const heap_deaths *deaths)
{
	return deaths->is_tracking && !deaths->has_lost_moves;
}

/* Ends the tracking because memory ran out. The deaths of the tracked objects are counted as lost. */
static void heap_deaths_give_up(heap_deaths *deaths)
{
	output_count_lost(deaths->blocks->output, MPROF_LOSS_NO_MEMORY, 1 + object_tracker_forget(&deaths->tracker));
	action_queue_destroy(&deaths->timeline);
	deaths->is_tracking = 0;
}

/* Notes that a snapshot contains an object. */
static inline void heap_deaths_note_alive(heap_deaths *deaths, const tracked_object *object)
{
	if (heap_deaths_is_sure(deaths) && !object_tracker_alive(&deaths->tracker, object))
		heap_deaths_give_up(deaths);
}

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
	for (size_t remaining = entries->capacity; remaining > 0; remaining--) {
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

/* Allocates no memory yet. deaths must not move from now on. */
static void heap_deaths_init(heap_deaths *deaths, const mprof_allocator *allocator, heap_blocks *blocks,
			     int is_tracking)
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

static void heap_deaths_destroy(heap_deaths *deaths)
{
	action_queue_destroy(&deaths->timeline);
	object_tracker_destroy(&deaths->tracker);
}

/* Stops looking for deaths and removes all objects. */
static void heap_deaths_stop(heap_deaths *deaths)
{
	deaths->is_tracking = 0;
	object_tracker_forget(&deaths->tracker);
	action_queue_destroy(&deaths->timeline);
}

static void add_entry(heap_deaths *deaths, const timeline_entry *entry)
{
	action_queue *timeline = &deaths->timeline;

	if ((timeline->count == MAX_TIMELINE && timeline->first <= MAX_TIMELINE / 2) ||
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

/* Sorts the noted entries. Call it between noting and heap_deaths_pass_time(). */
static void heap_deaths_sort(heap_deaths *deaths)
{
	action_queue_sort(&deaths->timeline, NULL);
}

/* Applies the noted allocations and collections before a counter, in order. */
static void heap_deaths_pass_time(heap_deaths *deaths, uint64_t counter)
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

/* Notes that a snapshot begins. */
static void heap_deaths_begin_snapshot(heap_deaths *deaths, uint32_t use, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	if (heap_deaths_is_sure(deaths) && !object_tracker_end_moves(&deaths->tracker))
		heap_deaths_give_up(deaths);
	if (use != 0)
		deaths->writes_each = (use & MPROF_HEAP_USE_FREED) != 0;
}

/* Notes that a snapshot ends. If it is complete, all objects that it does not contain are dead. */
static void heap_deaths_end_snapshot(heap_deaths *deaths, int is_complete, uint64_t counter)
{
	deaths->counter = counter;
	if (heap_deaths_is_sure(deaths) && !object_tracker_end_shot(&deaths->tracker, is_complete))
		heap_deaths_give_up(deaths);
}

/* Notes that the client has reported an object as dead. */
static void heap_deaths_note_freed(heap_deaths *deaths, uint64_t address, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	if (heap_deaths_is_sure(deaths) && !object_tracker_freed(&deaths->tracker, address))
		heap_deaths_give_up(deaths);
}

/* Notes that an object was moved. */
static void heap_deaths_note_moved(heap_deaths *deaths, uint64_t from, uint64_t to, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	if (!heap_deaths_is_sure(deaths))
		return;
	deaths->counter = counter;
	if (!object_tracker_moved(&deaths->tracker, from, to))
		heap_deaths_give_up(deaths);
}

/* Notes that a move was not recorded: any address may be wrong from here on, so all objects are removed. */
static void heap_deaths_lose_moves(heap_deaths *deaths)
{
	deaths->has_lost_moves = 1;
	object_tracker_forget(&deaths->tracker);
}

/* Moves are recorded again from a counter on. Objects allocated before it may have been moved and are not tracked. */
static void heap_deaths_find_moves(heap_deaths *deaths, uint64_t counter)
{
	heap_deaths_pass_time(deaths, counter);
	deaths->has_lost_moves = 0;
}

/*
 * Maximum number of chunks read in a round, unless all must be: a few milliseconds of work, or tens of milliseconds
 * with compression.
 */
#define ROUND_CHUNKS 8

void heap_drain_init(heap_drain *heap, recorder_shared *shared, recorder_keys *keys, root_table *roots,
		     int track_objects)
{
	memset(heap, 0, sizeof(*heap));
	heap->shared = shared;
	heap->output = keys->output;
	heap->keys = keys;
	heap->roots = roots;
	heap->chunk = shared->heap.current;
	heap->kept = heap->chunk;
	heap->until_chunk = heap->chunk;
	heap_blocks_init(&heap->blocks, &shared->allocator, keys->output, &keys->fields);
	heap_deaths_init(&heap->deaths, &shared->allocator, &heap->blocks, track_objects);
}

void heap_drain_destroy(heap_drain *heap)
{
	/* NULL: heap_drain_init() was not called. */
	if (heap->shared == NULL)
		return;
	heap_recording_destroy(&heap->shared->heap, heap->kept);
	heap->chunk = NULL;
	heap_blocks_destroy(&heap->blocks);
	heap_deaths_destroy(&heap->deaths);
}

static void begin_snapshot(heap_drain *heap, uint32_t use, uint32_t collection, uint64_t counter)
{
	open_snapshot snapshot = {.is_open = 1, .use = use, .collection = collection, .counter = counter};

	heap_deaths_begin_snapshot(&heap->deaths, use, counter);
	/* Deaths without a snapshot have the number of their collection, too. */
	if (heap->output->numbers_snapshots_like_collections && collection != 0)
		snapshot.number = (use & (MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED)) != 0 ? collection : 0;
	else if ((use & MPROF_HEAP_USE_SHOT) != 0)
		snapshot.number = ++heap->next_number;
	heap_blocks_begin_snapshot(&heap->blocks, &snapshot);
	heap->class_stamp++;
}

static void end_snapshot(heap_drain *heap, int is_incomplete)
{
	open_snapshot *snapshot = &heap->blocks.snapshot;

	snapshot->is_incomplete |= is_incomplete;
	/*
	 * If objects are missing or none were requested, an object that the snapshot does not contain is not
	 * necessarily dead.
	 */
	heap_deaths_end_snapshot(&heap->deaths, snapshot->use != 0 && !snapshot->is_incomplete, snapshot->counter);
	heap_blocks_end_snapshot(&heap->blocks);
}

/* Adds an object to the snapshot. Returns where to store its references; NULL if they are not needed. */
static inline uint64_t *give_object(heap_drain *heap, uint64_t address, uint32_t class_id, uint64_t size,
				    uint32_t references)
{
	open_snapshot *snapshot = &heap->blocks.snapshot;
	tracked_object object = {address, size, class_id};
	uint64_t *room = NULL;

	if (!snapshot->is_open)
		return NULL;
	if (class_id == 0) {
		heap_blocks_note_lost(&heap->blocks, MPROF_LOSS_NO_MEMORY, 1);
	} else {
		if ((snapshot->use & MPROF_HEAP_USE_SUMMARY) != 0)
			heap_sums_add(&heap->blocks.sums, HEAP_SUM_ALIVE, class_id, size);
		heap_deaths_note_alive(&heap->deaths, &object);
		if (heap_blocks_has_snapshot(&heap->blocks))
			room = heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_OBJECT, class_id, size, address,
					       references, snapshot->counter);
	}
	snapshot->has_object = room != NULL;
	return room;
}

static inline uint32_t class_id_at(heap_drain *heap, uint32_t slot)
{
	heap_class *known = &heap->classes[slot];

	if (__builtin_expect(known->stamp != heap->class_stamp, 0)) {
		known->id = keys_class_id(heap->keys, known->key, heap->blocks.snapshot.counter);
		if (heap_blocks_has_snapshot(&heap->blocks))
			key_fields_use(heap->keys, known->key, heap->blocks.snapshot.counter);
		known->stamp = heap->class_stamp;
	}
	return known->id;
}

static inline uint32_t read_object(heap_drain *heap, const uint32_t *words)
{
	uint32_t slot = words[0] >> HEAP_CLASS_SHIFT & (HEAP_CLASSES - 1);
	uint32_t count = words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES;
	uint64_t address = heap->read_object + heap_word_widen(words[1]);
	uint64_t *room = give_object(heap, address, class_id_at(heap, slot), words[0] >> HEAP_SIZE_SHIFT, count);

	heap->read_object = address;
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = address + heap_word_widen(words[HEAP_OBJECT_WORDS + i]);
	return HEAP_OBJECT_WORDS + count;
}

/* Stores the offsets of references at \p room, which are the slots of a bit map from an offset on. */
static inline void give_slots(heap_drain *heap, const uint64_t *room, uint64_t first, uint32_t slots)
{
	uint64_t *offsets = heap_batch_offsets(&heap->blocks.batch, room);

	while (slots != 0)
		*offsets++ = first + heap_word_take_slot(&slots);
}

static inline uint32_t read_object_at(heap_drain *heap, const uint32_t *words)
{
	uint32_t slot = words[0] >> HEAP_CLASS_SHIFT & (HEAP_CLASSES - 1);
	uint32_t count = words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES;
	uint64_t address = heap->read_object + heap_word_widen(words[1]);
	uint64_t *room = give_object(heap, address, class_id_at(heap, slot), words[0] >> HEAP_SIZE_SHIFT, count);

	heap->read_object = address;
	if (room != NULL)
		give_slots(heap, room, 0, words[2]);
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = address + heap_word_widen(words[HEAP_OBJECT_AT_WORDS + i]);
	return HEAP_OBJECT_AT_WORDS + count;
}

static uint32_t read_wide_object(heap_drain *heap, const uint32_t *words)
{
	uint32_t class_id = class_id_at(heap, words[0] >> HEAP_WORD_KIND_BITS);

	heap->read_object = heap_word_get_64(words + 1);
	give_object(heap, heap->read_object, class_id, heap_word_get_64(words + 3), 0);
	return HEAP_OBJECT_WIDE_WORDS;
}

/* Adds references to the last object. Returns where to store them; NULL if they are not needed. */
static uint64_t *give_references(heap_drain *heap, uint32_t count, int has_offsets)
{
	uint64_t *room;

	if (!heap_blocks_has_snapshot(&heap->blocks) || !heap->blocks.snapshot.has_object)
		return NULL;
	room = heap_batch_extend(&heap->blocks.batch, count, has_offsets);
	if (room == NULL)
		room = heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0, count,
				       heap->blocks.snapshot.counter);
	return room;
}

static uint32_t read_references_at(heap_drain *heap, const uint32_t *words)
{
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	uint64_t *room = give_references(heap, count, 1);

	if (room != NULL)
		give_slots(heap, room, (uint64_t)words[1] * 8, words[2]);
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = heap->read_object + heap_word_widen(words[HEAP_REFERENCES_AT_WORDS + i]);
	return HEAP_REFERENCES_AT_WORDS + count;
}

static uint32_t read_references_far(heap_drain *heap, const uint32_t *words)
{
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	uint64_t *room = give_references(heap, count, 1);
	uint64_t *offsets = room != NULL ? heap_batch_offsets(&heap->blocks.batch, room) : NULL;

	words += HEAP_REFERENCES_FAR_WORDS;
	for (uint32_t i = 0; room != NULL && i < count; i++) {
		offsets[i] = heap_word_get_64(words + (size_t)HEAP_PAIR_WORDS * i);
		room[i] = heap_word_get_64(words + (size_t)HEAP_PAIR_WORDS * i + 2);
	}
	return HEAP_REFERENCES_FAR_WORDS + HEAP_PAIR_WORDS * count;
}

static uint32_t read_references(heap_drain *heap, const uint32_t *words)
{
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	int is_wide = (words[0] & HEAP_WORD_KIND_MASK) == HEAP_WORD_REFERENCES_WIDE;
	uint64_t *room = give_references(heap, count, 0);

	words += HEAP_REFERENCES_WORDS;
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = is_wide ? heap_word_get_64(words + (size_t)2 * i)
				  : heap->read_object + heap_word_widen(words[i]);
	return HEAP_REFERENCES_WORDS + (is_wide ? 2 * count : count);
}

static uint32_t read_class(heap_drain *heap, const uint32_t *words)
{
	heap_class *known = &heap->classes[words[0] >> HEAP_WORD_KIND_BITS];

	known->key = heap_word_get_64(words + 1);
	known->stamp = heap->class_stamp - 1;
	return HEAP_CLASS_WORDS;
}

static uint32_t read_root(heap_drain *heap, const uint32_t *words)
{
	mprof_root_kind kind = (mprof_root_kind)(words[0] >> HEAP_WORD_KIND_BITS);
	uint64_t slot = heap_word_get_64(words + 1);
	uint32_t root = 0;

	if (!heap_blocks_has_snapshot(&heap->blocks))
		return HEAP_ROOT_WORDS;
	if (slot != 0)
		root = root_table_find_id(heap->roots, slot, heap->blocks.snapshot.counter, &kind);
	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_ROOT, root, kind, heap_word_get_64(words + 3), 0,
			heap->blocks.snapshot.counter);
	return HEAP_ROOT_WORDS;
}

/* The ID of a text that is in the log, else 0. */
static uint32_t written_text(const heap_drain *heap, uint32_t id)
{
	return id <= heap->types->texts ? id : 0;
}

static void read_label(heap_drain *heap, const uint32_t *words)
{
	const char *text = (const char *)(words + HEAP_LABEL_WORDS);
	const uint32_t known = known_types_find_text(&heap->shared->types, text, words[1]);
	const mprof_record record = {
		.kind = MPROF_RECORD_LABEL, .id = written_text(heap, known), .as.label.object = heap->read_object};

	heap_blocks_add_note(&heap->blocks, &record, record.id != 0 ? NULL : text, record.id != 0 ? 0 : words[1]);
}

static void read_names(heap_drain *heap, const uint32_t *words)
{
	const uint32_t count = heap_word_length(words) - HEAP_NAMES_WORDS;

	for (uint32_t i = 0; i < count; i++) {
		const mprof_record record = {.kind = MPROF_RECORD_REFERENCE_NAME,
					     .id = written_text(heap, words[HEAP_NAMES_WORDS + i]),
					     .as.reference_name = {heap->read_object, words[1] + i, 0}};

		if (record.id != 0 && record.as.reference_name.index >= i &&
		    record.as.reference_name.index < UINT32_MAX)
			heap_blocks_add_note(&heap->blocks, &record, NULL, 0);
	}
}

static void read_named_root(heap_drain *heap, const uint32_t *words)
{
	const uint32_t root =
		root_table_name_id(heap->roots, words[3], (const char *)(words + HEAP_NAMED_ROOT_WORDS), words[4]);

	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_ROOT, root, words[3], heap_word_get_64(words + 1), 0,
			heap->blocks.snapshot.counter);
}

/* Reads a record about the last object, or a root with a name. */
static uint32_t read_note(heap_drain *heap, const uint32_t *words)
{
	const heap_note_kind kind = (heap_note_kind)(words[0] >> HEAP_NOTE_KIND_SHIFT & HEAP_NOTE_KIND_MASK);
	mprof_record record = {.kind = MPROF_RECORD_OBJECT_FLAGS};

	if (!heap_blocks_has_snapshot(&heap->blocks) || (kind != HEAP_NOTE_ROOT && !heap->blocks.snapshot.has_object))
		return heap_word_length(words);
	switch (kind) {
	case HEAP_NOTE_LABEL:
		read_label(heap, words);
		break;
	case HEAP_NOTE_NAMES:
		read_names(heap, words);
		break;
	case HEAP_NOTE_WEAK:
		record.kind = MPROF_RECORD_WEAK_REFERENCE;
		record.id = written_text(heap, words[3]);
		record.as.weak_reference.object = heap->read_object;
		record.as.weak_reference.target = heap_word_get_64(words + 1);
		heap_blocks_add_note(&heap->blocks, &record, NULL, 0);
		break;
	case HEAP_NOTE_FLAGS:
		record.id = words[1];
		record.as.object_flags.object = heap->read_object;
		heap_blocks_add_note(&heap->blocks, &record, NULL, 0);
		break;
	case HEAP_NOTE_ROOT:
		read_named_root(heap, words);
		break;
	}
	return heap_word_length(words);
}

static uint32_t read_freed(heap_drain *heap, const uint32_t *words)
{
	uint64_t address = heap_word_get_64(words + 1);
	uint64_t size = heap_word_get_64(words + 5);
	uint64_t counter = heap_word_get_64(words + 7);
	uint32_t class_id = keys_class_id(heap->keys, heap_word_get_64(words + 3), counter);

	heap_deaths_note_freed(&heap->deaths, address, counter);
	if (class_id == 0) {
		heap_blocks_note_lost(&heap->blocks, MPROF_LOSS_NO_MEMORY, 1);
		return HEAP_FREED_WORDS;
	}
	heap_sums_add(&heap->blocks.sums, HEAP_SUM_DEAD, class_id, size);
	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_FREE, class_id, size, address, 0, counter);
	return HEAP_FREED_WORDS;
}

static uint32_t read_moved(heap_drain *heap, const uint32_t *words)
{
	uint64_t from = heap_word_get_64(words + 1);
	uint64_t to = heap_word_get_64(words + 3);
	uint64_t counter = heap_word_get_64(words + 5);

	heap_deaths_note_moved(&heap->deaths, from, to, counter);
	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_MOVE, 0, to, from, 0, counter);
	return HEAP_MOVED_WORDS;
}

static uint32_t read_resumed(heap_drain *heap, const uint32_t *words)
{
	heap_deaths_find_moves(&heap->deaths, heap_word_get_64(words + 1));
	return HEAP_RESUMED_WORDS;
}

/* Reads a record. Returns its length in words. */
static inline uint32_t read_record(heap_drain *heap, const uint32_t *words)
{
	switch ((heap_word_kind)(words[0] & HEAP_WORD_KIND_MASK)) {
	case HEAP_WORD_OBJECT:
		return read_object(heap, words);
	case HEAP_WORD_OBJECT_AT:
		return read_object_at(heap, words);
	case HEAP_WORD_REFERENCES_AT:
		return read_references_at(heap, words);
	case HEAP_WORD_REFERENCES_FAR:
		return read_references_far(heap, words);
	case HEAP_WORD_OBJECT_WIDE:
		return read_wide_object(heap, words);
	case HEAP_WORD_REFERENCES:
	case HEAP_WORD_REFERENCES_WIDE:
		return read_references(heap, words);
	case HEAP_WORD_CLASS:
		return read_class(heap, words);
	case HEAP_WORD_ROOT:
		return read_root(heap, words);
	case HEAP_WORD_NOTE:
		return read_note(heap, words);
	case HEAP_WORD_FREED:
		return read_freed(heap, words);
	case HEAP_WORD_MOVED:
		return read_moved(heap, words);
	case HEAP_WORD_BEGIN:
		begin_snapshot(heap, words[0] >> HEAP_WORD_KIND_BITS, words[1], heap_word_get_64(words + 2));
		return HEAP_BEGIN_WORDS;
	case HEAP_WORD_END:
		if (heap->blocks.snapshot.is_open)
			end_snapshot(heap, words[0] >> HEAP_WORD_KIND_BITS != 0);
		return HEAP_END_WORDS;
	case HEAP_WORD_LOSS:
		heap_deaths_lose_moves(&heap->deaths);
		return HEAP_LOSS_WORDS;
	case HEAP_WORD_RESUMED:
		return read_resumed(heap, words);
	}
	return 1;
}

/* Applies a record to the state that the next records need, without writing it. Returns its length in words. */
static uint32_t skip_record(heap_drain *heap, const uint32_t *words)
{
	uint32_t kind = words[0] & HEAP_WORD_KIND_MASK;

	if (kind == HEAP_WORD_CLASS)
		return read_class(heap, words);
	if (kind == HEAP_WORD_OBJECT || kind == HEAP_WORD_OBJECT_AT)
		heap->read_object += heap_word_widen(words[1]);
	if (kind == HEAP_WORD_OBJECT_WIDE)
		heap->read_object = heap_word_get_64(words + 1);
	return heap_word_length(words);
}

void heap_drain_resume(heap_drain *heap, heap_chunk *first, uint32_t word, heap_chunk *last)
{
	heap_chunks_give(&heap->shared->heap.chunks, heap->chunk);
	heap->shared->heap.current = last;
	heap->kept = first;
	heap->chunk = first;
	heap->until_chunk = first;
	heap->read_object = first->first_object;
	for (heap->word_index = 0; heap->word_index < word;)
		heap->word_index += skip_record(heap, first->words + heap->word_index);
}

void heap_drain_begin(heap_drain *heap)
{
	const heap_chunk *chunk = heap->chunk;
	const heap_chunk *next;

	while ((next = atomic_load_explicit(&chunk->next, memory_order_acquire)) != NULL)
		chunk = next;
	heap->until_chunk = chunk;
	heap->until_word = atomic_load_explicit(&chunk->published, memory_order_acquire);
	/* Read last: all records up to until_word happened before this counter. */
	heap->until_counter = counter_read(&heap->shared->counter);
}

/* Reads the records that existed at heap_drain_begin(), but at most \p most chunks. Returns 0 if some are left. */
static int read_chunks(heap_drain *heap, size_t most)
{
	for (size_t i = 0; i < most; i++) {
		heap_chunk *chunk = heap->chunk;
		uint32_t limit = heap->until_word;

		/* The next chunk was appended already, so this one does not change any more. */
		if (chunk != heap->until_chunk)
			limit = atomic_load_explicit(&chunk->published, memory_order_acquire);
		while (heap->word_index < limit)
			heap->word_index += read_record(heap, chunk->words + heap->word_index);
		if (chunk == heap->until_chunk)
			return 1;
		heap->chunk = atomic_load_explicit(&chunk->next, memory_order_acquire);
		heap->word_index = 0;
		if (heap->shared->heap.chunks.area == NULL)
			heap_drain_give_back(heap);
	}
	return 0;
}

void heap_drain_give_back(heap_drain *heap)
{
	while (heap->kept != heap->chunk) {
		heap_chunk *read = heap->kept;

		heap->kept = atomic_load_explicit(&read->next, memory_order_acquire);
		heap_chunks_give(&heap->shared->heap.chunks, read);
	}
}

/* Counts what the recording side had no room for. */
static void note_losses(heap_drain *heap)
{
	uint64_t lost = atomic_load_explicit(&heap->shared->heap.lost, memory_order_relaxed);

	if (lost != heap->lost_seen)
		output_count_lost(heap->output, MPROF_LOSS_NO_BUFFER, lost - heap->lost_seen);
	heap->lost_seen = lost;
}

static void prepare_to_read(heap_drain *heap)
{
	heap_deaths *deaths = &heap->deaths;

	note_losses(heap);
	/* Nothing more is written, so deaths need not be found. */
	if (deaths->is_tracking && !output_is_writing(heap->output))
		heap_deaths_stop(deaths);
	heap->class_stamp++;
	heap_deaths_sort(deaths);
}

int heap_drain_advance(heap_drain *heap)
{
	int is_done;

	prepare_to_read(heap);
	is_done = read_chunks(heap, ROUND_CHUNKS);
	heap_blocks_flush(&heap->blocks);
	return is_done;
}

int heap_drain_run(heap_drain *heap, int all, int is_last)
{
	heap_deaths *deaths = &heap->deaths;
	const open_snapshot *snapshot = &heap->blocks.snapshot;
	int is_done;

	prepare_to_read(heap);
	/* If many allocations wait in the timeline, the whole snapshot is read, so that they can be applied. */
	all |= deaths->timeline.count > MAX_TIMELINE / 4;
	is_done = read_chunks(heap, all ? SIZE_MAX : ROUND_CHUNKS);
	if (is_last && snapshot->is_open)
		end_snapshot(heap, 1);
	/* Objects that are allocated during a snapshot are not part of it, so they wait for its end. */
	if (is_done && !snapshot->is_open)
		heap_deaths_pass_time(deaths, heap->until_counter);
	heap_blocks_flush(&heap->blocks);
	if (!is_done)
		sem_post(&heap->shared->work);
	return is_done && !snapshot->is_open;
}
