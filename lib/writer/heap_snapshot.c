/* SPDX-License-Identifier: MIT */
/* Collects the contents of a heap snapshot that is written as one block. */
#include "writer/heap_snapshot.h"

#include "format/blocks/heap_encode.h"
#include "format/events/event_detail.h"
#include "format/values/losses.h"

#include <string.h>

void heap_snapshot_init(heap_snapshot *snapshot, const mprof_allocator *allocator, mprof_writer_stats *stats, int lossy)
{
	memset(snapshot, 0, sizeof(*snapshot));
	encode_buffer_init(&snapshot->items, allocator, SIZE_MAX);
	encode_buffer_init(&snapshot->references, allocator, SIZE_MAX);
	snapshot->stats = stats;
	snapshot->lossy = lossy;
}

void heap_snapshot_destroy(heap_snapshot *snapshot)
{
	encode_buffer_destroy(&snapshot->items);
	encode_buffer_destroy(&snapshot->references);
}

void heap_snapshot_clear(heap_snapshot *snapshot)
{
	encode_buffer_clear(&snapshot->items);
	encode_buffer_clear(&snapshot->references);
	snapshot->object.is_there = 0;
	snapshot->is_open = 0;
}

void heap_snapshot_finish(heap_snapshot *snapshot)
{
	const heap_snapshot_object *object = &snapshot->object;

	if (!object->is_there)
		return;
	heap_item_encode_object(&snapshot->items, object->address, object->class_id, object->size,
				object->reference_count);
	encode_bytes(&snapshot->items, snapshot->references.bytes, snapshot->references.length);
	encode_buffer_clear(&snapshot->references);
	snapshot->object.is_there = 0;
}

static void count_as_shortened(heap_snapshot *snapshot, const mprof_event *event)
{
	if (snapshot->lossy)
		losses_shorten_event(snapshot->stats, event->kind);
}

static uint32_t size_of(heap_snapshot *snapshot, const mprof_event *event)
{
	if (event->value <= UINT32_MAX)
		return (uint32_t)event->value;
	count_as_shortened(snapshot, event);
	return UINT32_MAX;
}

static void add_references(heap_snapshot *snapshot, const mprof_event_detail *detail)
{
	heap_item_encode_references(&snapshot->references, detail->references, detail->reference_count);
	snapshot->object.reference_count += detail->reference_count;
}

static void add_object(heap_snapshot *snapshot, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail = event_detail_read(event->more.detail, &own);

	heap_snapshot_finish(snapshot);
	if (!heap_item_address_fits(detail->object))
		count_as_shortened(snapshot, event);
	snapshot->object.address = detail->object;
	snapshot->object.class_id = event->id;
	snapshot->object.size = size_of(snapshot, event);
	snapshot->object.reference_count = 0;
	snapshot->object.is_there = 1;
	snapshot->count++;
	add_references(snapshot, detail);
}

static void add_free(heap_snapshot *snapshot, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail = event_detail_read(event->more.detail, &own);

	heap_snapshot_finish(snapshot);
	if (detail != NULL && detail->object != 0)
		count_as_shortened(snapshot, event);
	snapshot->count++;
	heap_item_encode_dead(&snapshot->items, event->id, size_of(snapshot, event));
}

static size_t references_of(const mprof_event *event)
{
	mprof_event_detail own;
	int has_references = event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_REFERENCES;

	return has_references ? event_detail_read(event->more.detail, &own)->reference_count : 0;
}

int heap_snapshot_reserve(heap_snapshot *snapshot, const mprof_event *events, size_t count)
{
	size_t references = 0;

	for (size_t i = 0; i < count; i++)
		references += references_of(&events[i]);
	references *= MPROF_VARINT_MAX_LENGTH;
	if (encode_buffer_reserve(&snapshot->references, references) &&
	    encode_buffer_reserve(&snapshot->items,
				  snapshot->references.length + references + (count + 1) * HEAP_ITEM_ROOM))
		return 1;
	snapshot->references.status = MPROF_OK;
	snapshot->items.status = MPROF_OK;
	return 0;
}

void heap_snapshot_add(heap_snapshot *snapshot, const mprof_event *event)
{
	mprof_event_detail own;

	if (event->kind == MPROF_EVENT_HEAP_OBJECT)
		add_object(snapshot, event);
	else if (event->kind == MPROF_EVENT_HEAP_FREE)
		add_free(snapshot, event);
	else if (event->kind == MPROF_EVENT_HEAP_REFERENCES && snapshot->object.is_there)
		add_references(snapshot, event_detail_read(event->more.detail, &own));
	else if (snapshot->lossy)
		losses_leave_out_event(snapshot->stats, event->kind);
}
