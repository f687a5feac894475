/* SPDX-License-Identifier: MIT */
/* Collects the contents of a heap snapshot that is written as one block. */
#include "writer/heap_shot.h"

#include "format/event_detail.h"
#include "format/heap_items_encode.h"
#include "format/losses.h"

#include <string.h>

void heap_shot_init(heap_shot *shot, const mprof_allocator *allocator, mprof_writer_stats *stats, int lossy)
{
	memset(shot, 0, sizeof(*shot));
	encode_buffer_init(&shot->items, allocator, SIZE_MAX);
	encode_buffer_init(&shot->references, allocator, SIZE_MAX);
	shot->stats = stats;
	shot->lossy = lossy;
}

void heap_shot_destroy(heap_shot *shot)
{
	encode_buffer_destroy(&shot->items);
	encode_buffer_destroy(&shot->references);
}

void heap_shot_clear(heap_shot *shot)
{
	encode_buffer_clear(&shot->items);
	encode_buffer_clear(&shot->references);
	shot->object.is_there = 0;
	shot->is_open = 0;
}

void heap_shot_finish(heap_shot *shot)
{
	const heap_shot_object *object = &shot->object;

	if (!object->is_there)
		return;
	heap_item_encode_object(&shot->items, object->address, object->class_id, object->size, object->reference_count);
	encode_bytes(&shot->items, shot->references.bytes, shot->references.length);
	encode_buffer_clear(&shot->references);
	shot->object.is_there = 0;
}

static void shorten(heap_shot *shot, const mprof_event *event)
{
	if (shot->lossy)
		losses_shorten_event(shot->stats, event->kind);
}

static uint32_t size_of(heap_shot *shot, const mprof_event *event)
{
	if (event->value <= UINT32_MAX)
		return (uint32_t)event->value;
	shorten(shot, event);
	return UINT32_MAX;
}

static void add_references(heap_shot *shot, const mprof_event_detail *detail)
{
	heap_item_encode_references(&shot->references, detail->references, detail->reference_count);
	shot->object.reference_count += detail->reference_count;
}

static void add_object(heap_shot *shot, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail = event_detail_read(event->more.detail, &own);

	heap_shot_finish(shot);
	if (!heap_item_address_fits(detail->object))
		shorten(shot, event);
	shot->object.address = detail->object;
	shot->object.class_id = event->id;
	shot->object.size = size_of(shot, event);
	shot->object.reference_count = 0;
	shot->object.is_there = 1;
	shot->count++;
	add_references(shot, detail);
}

static void add_free(heap_shot *shot, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail = event_detail_read(event->more.detail, &own);

	heap_shot_finish(shot);
	if (detail != NULL && detail->object != 0)
		shorten(shot, event);
	shot->count++;
	heap_item_encode_dead(&shot->items, event->id, size_of(shot, event));
}

static size_t references_of(const mprof_event *event)
{
	mprof_event_detail own;
	int has_references = event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_REFERENCES;

	return has_references ? event_detail_read(event->more.detail, &own)->reference_count : 0;
}

int heap_shot_reserve(heap_shot *shot, const mprof_event *events, size_t count)
{
	size_t references = 0;

	for (size_t i = 0; i < count; i++)
		references += references_of(&events[i]);
	references *= MPROF_VARINT_MAX_LENGTH;
	if (encode_buffer_reserve(&shot->references, references) &&
	    encode_buffer_reserve(&shot->items, shot->references.length + references + (count + 1) * HEAP_ITEM_ROOM))
		return 1;
	shot->references.status = MPROF_OK;
	shot->items.status = MPROF_OK;
	return 0;
}

void heap_shot_add(heap_shot *shot, const mprof_event *event)
{
	mprof_event_detail own;

	if (event->kind == MPROF_EVENT_HEAP_OBJECT)
		add_object(shot, event);
	else if (event->kind == MPROF_EVENT_HEAP_FREE)
		add_free(shot, event);
	else if (event->kind == MPROF_EVENT_HEAP_REFERENCES && shot->object.is_there)
		add_references(shot, event_detail_read(event->more.detail, &own));
	else if (shot->lossy)
		losses_leave_out_event(shot->stats, event->kind);
}
