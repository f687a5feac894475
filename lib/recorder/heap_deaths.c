/* SPDX-License-Identifier: MIT */
/* Finds the objects that died, and adds them to the blocks and sums of heap snapshots. */
#include "recorder/heap_deaths.h"

#include <string.h>

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
	heap_timeline_init(&deaths->timeline, allocator);
	object_tracker_init(&deaths->tracker, allocator);
	deaths->tracker.died = note_death;
	deaths->tracker.user = deaths;
}

void heap_deaths_destroy(heap_deaths *deaths)
{
	heap_timeline_destroy(&deaths->timeline);
	object_tracker_destroy(&deaths->tracker);
}

void heap_deaths_stop(heap_deaths *deaths)
{
	deaths->is_tracking = 0;
	object_tracker_forget(&deaths->tracker);
	heap_timeline_destroy(&deaths->timeline);
}

void heap_deaths_give_up(heap_deaths *deaths)
{
	output_count_lost(deaths->blocks->output, MPROF_LOSS_NO_MEMORY, 1 + object_tracker_forget(&deaths->tracker));
	heap_timeline_destroy(&deaths->timeline);
	deaths->is_tracking = 0;
}

static void add_entry(heap_deaths *deaths, const timeline_entry *entry)
{
	if (!heap_timeline_add(&deaths->timeline, entry))
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
	heap_timeline_sort(&deaths->timeline);
}

void heap_deaths_pass_time(heap_deaths *deaths, uint64_t counter)
{
	const timeline_entry *entry;

	while ((entry = heap_timeline_take(&deaths->timeline, counter)) != NULL) {
		const timeline_entry *later = heap_timeline_ahead(&deaths->timeline, FETCH_AHEAD);
		int done;

		/* The object may have been moved since it was allocated. */
		if (deaths->has_lost_moves)
			continue;
		if (later != NULL)
			object_tracker_prefetch(&deaths->tracker, later->object.address);
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
