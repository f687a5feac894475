/* SPDX-License-Identifier: MIT */
/* Lists the heap snapshots of a log. */
#include "heap/snapshot_list.h"

#include <string.h>

void snapshot_list_init(snapshot_list *list, memory_budget *budget)
{
	memset(list, 0, sizeof(*list));
	list->budget = budget;
	hash_map_init(&list->indices, &budget->allocator);
}

void snapshot_list_destroy(snapshot_list *list)
{
	allocator_release(&list->budget->allocator, list->records, list->capacity * sizeof(*list->records));
	list->records = NULL;
	list->count = 0;
	list->capacity = 0;
	hash_map_destroy(&list->indices);
}

/*
 * Whether a block belongs to a snapshot. In dialects before mprof2 a block is a whole snapshot, even if it has no
 * number; but one that contains only dead objects has no flags. In mprof2 a block of no snapshot has no number.
 */
static int is_of_snapshot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks ? block->as.heap_data.flags != 0 : block->as.heap_data.number != 0;
}

static mprof_status append_record(snapshot_list *list, const mprof_block *block)
{
	const mprof_heap_data_block *heap = &block->as.heap_data;
	void *records = list->records;
	mprof_status status =
		memory_budget_reserve(list->budget, &records, &list->capacity, list->count + 1, sizeof(*list->records));
	snapshot_record *record;

	list->records = records;
	if (status == MPROF_OK)
		status = memory_budget_map_put(list->budget, &list->indices, heap->number, list->count);
	if (status != MPROF_OK)
		return status;
	record = &list->records[list->count++];
	memset(record, 0, sizeof(*record));
	record->number = heap->number;
	record->counter = heap->has_clocks ? heap->start.counter : heap->counter;
	record->is_incomplete = !(heap->flags & MPROF_HEAP_FLAG_FIRST);
	return MPROF_OK;
}

mprof_status snapshot_list_find(snapshot_list *list, const mprof_block *block, size_t *index)
{
	const uint64_t *known = hash_map_get(&list->indices, block->as.heap_data.number);
	mprof_status status;

	*index = SNAPSHOT_NONE;
	if (!is_of_snapshot(block))
		return MPROF_OK;
	/* A number that is used again after its snapshot has ended belongs to another snapshot. */
	if (known != NULL &&
	    !(list->records[*known].is_ended && (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) != 0)) {
		*index = (size_t)*known;
		return MPROF_OK;
	}
	status = append_record(list, block);
	if (status == MPROF_OK)
		*index = list->count - 1;
	return status;
}

void snapshot_record_count(snapshot_record *record, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
		record->objects++;
		record->bytes += event->value;
		if (event->more.detail != NULL)
			record->references += event->more.detail->reference_count;
		break;
	case MPROF_EVENT_HEAP_REFERENCES:
		if (event->more.detail != NULL)
			record->references += event->more.detail->reference_count;
		break;
	case MPROF_EVENT_HEAP_ROOT:
		record->roots++;
		break;
	default:
		break;
	}
}

void snapshot_record_end_block(snapshot_record *record, const mprof_block *block, int is_whole)
{
	record->is_incomplete |= !is_whole || (block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0;
	record->is_ended |= (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST) != 0;
}

void snapshot_list_note_damage(snapshot_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->records[i].is_incomplete |= !list->records[i].is_ended;
}
