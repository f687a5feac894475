/* SPDX-License-Identifier: MIT */
/* Heap snapshots, and the summaries of their classes. */
#include "model/records/heap_snapshots.h"

#include "base/allocator.h"
#include "base/sort.h"

#include <string.h>

#define NONE SIZE_MAX

void heap_snapshots_init(heap_snapshot_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	hash_map_init(&all->numbers, allocator);
	hash_map_init(&all->flagged, allocator);
	all->flagged_for = NONE;
	record_table_init(&all->gathered, allocator, sizeof(heap_class_record));
	all->gathered_for = NONE;
	all->current = NONE;
}

void heap_snapshots_destroy(heap_snapshot_list *all)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;

	for (size_t i = 0; i < all->count; i++)
		allocator_release(allocator, all->records[i].classes,
				  all->records[i].class_count * sizeof(*all->records[i].classes));
	allocator_release(allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
	record_table_destroy(&all->gathered);
	hash_map_destroy(&all->numbers);
	hash_map_destroy(&all->flagged);
}

static int compare_classes(const void *left, const void *right)
{
	uint32_t a = ((const heap_class_record *)left)->class_id;
	uint32_t b = ((const heap_class_record *)right)->class_id;

	return (a > b) - (a < b);
}

/* The number of classes in the union of two sorted lists. */
static size_t count_together(const heap_class_record *left, size_t left_count, const heap_class_record *right,
			     size_t right_count)
{
	size_t together = left_count + right_count;

	for (size_t i = 0, j = 0; i < left_count && j < right_count;) {
		int order = compare_classes(&left[i], &right[j]);

		together -= order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	return together;
}

static void merge_classes(heap_class_record *merged, const heap_class_record *left, size_t left_count,
			  const heap_class_record *right, size_t right_count)
{
	for (size_t i = 0, j = 0; i < left_count || j < right_count; merged++) {
		int order = i == left_count ? 1 : j == right_count ? -1 : compare_classes(&left[i], &right[j]);

		*merged = order <= 0 ? left[i] : right[j];
		if (order == 0) {
			merged->objects += right[j].objects;
			merged->bytes += right[j].bytes;
		}
		i += order <= 0;
		j += order >= 0;
	}
}

int heap_snapshots_merge_gathered(heap_snapshot_list *all)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;
	heap_class_record *gathered = all->gathered.records;
	heap_class_record *merged;
	heap_snapshot_record *shot;
	size_t count;

	if (all->gathered_for == NONE || all->gathered.count == 0)
		return 1;
	shot = &all->records[all->gathered_for];
	sort_in_place(gathered, all->gathered.count, sizeof(*gathered), compare_classes);
	count = count_together(shot->classes, shot->class_count, gathered, all->gathered.count);
	merged = allocator_allocate(allocator, count * sizeof(*merged));
	if (merged == NULL) {
		/* The table finds records by their index, which sorting has changed. */
		record_table_clear(&all->gathered);
		return 0;
	}
	merge_classes(merged, shot->classes, shot->class_count, gathered, all->gathered.count);
	allocator_release(allocator, shot->classes, shot->class_count * sizeof(*shot->classes));
	shot->classes = merged;
	shot->class_count = count;
	record_table_clear(&all->gathered);
	return 1;
}

static int append_snapshot(heap_snapshot_list *all, const mprof_block *block)
{
	void *records = all->records;
	heap_snapshot_record *shot;

	if (!array_reserve(&all->numbers.index.allocator, &records, &all->capacity, all->count + 1,
			   sizeof(*all->records)))
		return 0;
	all->records = records;
	if (!hash_map_put(&all->numbers, block->as.heap_data.number, all->count))
		return 0;
	shot = &all->records[all->count++];
	memset(shot, 0, sizeof(*shot));
	shot->process = block->as.heap_data.process;
	shot->number = block->as.heap_data.number != 0 ? block->as.heap_data.number : (uint32_t)all->count;
	shot->counter =
		block->as.heap_data.has_clocks ? block->as.heap_data.start.counter : block->as.heap_data.counter;
	shot->is_incomplete = !(block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST);
	shot->moved = all->moved_before_next;
	all->moved_before_next = 0;
	return 1;
}

/*
 * Whether a block belongs to a snapshot. In the dialects of Mono a block is a whole snapshot, even if it has no number;
 * but a block that contains only dead objects, or nothing at all, has no flags and does not count. In mprof2 a block
 * that belongs to no snapshot has no number.
 */
static int is_of_shot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks ? block->as.heap_data.flags != 0 : block->as.heap_data.number != 0;
}

int heap_snapshots_begin_block(heap_snapshot_list *all, const mprof_block *block)
{
	const uint64_t *number = hash_map_get(&all->numbers, block->as.heap_data.number);
	size_t index = number != NULL ? (size_t)*number : NONE;

	all->current = NONE;
	if (!is_of_shot(block))
		return 1;
	/* If a number is used again after its snapshot has ended, another snapshot begins. */
	if (index == NONE || (all->records[index].is_ended && (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST))) {
		if (!append_snapshot(all, block))
			return 0;
		index = all->count - 1;
	}
	if (all->gathered_for != index && !heap_snapshots_merge_gathered(all))
		return 0;
	all->gathered_for = index;
	all->current = index;
	return 1;
}

static int count_object(heap_snapshot_list *all, heap_snapshot_record *shot, const mprof_event *event)
{
	heap_class_record *class_record = record_table_get(&all->gathered, event->id);

	if (class_record == NULL)
		return 0;
	class_record->objects++;
	class_record->bytes += event->value;
	shot->objects++;
	shot->bytes += event->value;
	return 1;
}

static void count_references(heap_snapshot_record *shot, const mprof_event *event)
{
	if (event->more.detail != NULL)
		shot->references += event->more.detail->reference_count;
}

static int add_to_shot(heap_snapshot_list *all, heap_snapshot_record *shot, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
		count_references(shot, event);
		return count_object(all, shot, event);
	case MPROF_EVENT_HEAP_REFERENCES:
		count_references(shot, event);
		return 1;
	case MPROF_EVENT_HEAP_ROOT:
		shot->roots[event->value <= MPROF_ROOT_RUNTIME ? event->value : MPROF_ROOT_OTHER]++;
		return 1;
	case MPROF_EVENT_HEAP_FREE:
		shot->freed++;
		shot->freed_bytes += event->value;
		return 1;
	case MPROF_EVENT_HEAP_MOVE:
		shot->moved++;
		return 1;
	default:
		return 1;
	}
}

int heap_snapshots_add(heap_snapshot_list *all, const mprof_event *event)
{
	if (event->kind == MPROF_EVENT_HEAP_FREE) {
		all->freed++;
		all->freed_bytes += event->value;
	} else if (event->kind == MPROF_EVENT_HEAP_MOVE) {
		all->moved++;
		all->moved_before_next += all->current == NONE;
	}
	return all->current == NONE || add_to_shot(all, &all->records[all->current], event);
}

int heap_snapshots_add_notes(heap_snapshot_list *all, const mprof_block *block, const mprof_record *records,
			     size_t count)
{
	const uint64_t *number = hash_map_get(&all->numbers, block->as.heap_notes.number);
	const size_t index = number != NULL ? (size_t)*number : NONE;

	if (index == NONE)
		return 1;
	if (all->flagged_for != index) {
		const mprof_allocator allocator = all->flagged.index.allocator;

		hash_map_destroy(&all->flagged);
		hash_map_init(&all->flagged, &allocator);
		all->flagged_for = index;
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t object = records[i].as.object_flags.object;

		if (records[i].kind != MPROF_RECORD_OBJECT_FLAGS ||
		    (records[i].id & MPROF_OBJECT_FLAG_SYNTHETIC) == 0 || hash_map_get(&all->flagged, object) != NULL)
			continue;
		if (!hash_map_put(&all->flagged, object, 1))
			return 0;
		all->records[index].synthetic++;
	}
	return 1;
}

int heap_snapshots_end_block(heap_snapshot_list *all, const mprof_block *block, int is_whole)
{
	heap_snapshot_record *shot = all->current != NONE ? &all->records[all->current] : NULL;

	all->current = NONE;
	if (shot == NULL)
		return 1;
	shot->is_incomplete |= !is_whole || (block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0;
	if (!(block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST))
		return 1;
	shot->is_ended = 1;
	return heap_snapshots_merge_gathered(all);
}

void heap_summaries_init(heap_summary_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
}

void heap_summaries_destroy(heap_summary_list *all)
{
	allocator_release(&all->allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
}

int heap_summaries_add(heap_summary_list *all, const mprof_block *block, const mprof_record *records, size_t count)
{
	void *grown = all->records;

	if (!array_reserve(&all->allocator, &grown, &all->capacity, all->count + count, sizeof(*all->records)))
		return 0;
	all->records = grown;
	for (size_t i = 0; i < count; i++) {
		heap_summary_record *added = &all->records[all->count++];

		added->collection = block->as.heap_summary.collection;
		added->class_id = records[i].id;
		added->counter = block->start.counter;
		added->sums = records[i].as.summary;
	}
	return 1;
}
