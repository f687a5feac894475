/* SPDX-License-Identifier: MIT */
/* Decodes one item of a HEAP_DATA block of drop, mono or unity. */
#include "format/heap_item_decode.h"

/* The codes that items begin with where integers have a fixed size. */
#define FIXED_CODE_OBJECT 1
#define FIXED_CODE_DEAD 2

/* Decodes an integer of at most 32 bits. A greater one is not consumed: the fault is at its start. */
static heap_decode_result decode_small_int(heap_cursor *cursor, heap_decode_result fault, uint64_t *value)
{
	const uint8_t *start = cursor->next;

	if (!heap_cursor_item_int(cursor, value))
		return heap_cursor_fault(cursor);
	if (*value <= UINT32_MAX)
		return HEAP_DECODE_DONE;
	cursor->next = start;
	return fault;
}

static heap_decode_result decode_class(heap_cursor *cursor, mprof_event *event)
{
	uint64_t class_id = 0;
	heap_decode_result result = decode_small_int(cursor, HEAP_DECODE_BAD_ID, &class_id);

	event->id = (uint32_t)class_id;
	return result;
}

static heap_decode_result decode_size(heap_cursor *cursor, mprof_event *event)
{
	return decode_small_int(cursor, HEAP_DECODE_BAD_SIZE, &event->value);
}

/* Decodes the rest of a live object, after its address. */
static heap_decode_result decode_item_object(heap_cursor *cursor, uint64_t address, heap_decode_batch *batch,
					     mprof_event *event, mprof_event_detail *detail)
{
	heap_decode_result result = HEAP_DECODE_DONE;
	const uint8_t *count_start;
	uint64_t count;

	event->kind = MPROF_EVENT_HEAP_OBJECT;
	detail->object = address;
	if (cursor->layout->has_classes)
		result = decode_class(cursor, event);
	if (result == HEAP_DECODE_DONE && cursor->layout->has_classes)
		result = decode_size(cursor, event);
	if (result != HEAP_DECODE_DONE)
		return result;
	count_start = cursor->next;
	if (!heap_cursor_item_int(cursor, &count))
		return heap_cursor_fault(cursor);
	result = heap_cursor_references(cursor, count, batch, detail);
	if (result == HEAP_DECODE_BAD_COUNT)
		cursor->next = count_start;
	return result;
}

static heap_decode_result decode_fixed_item(heap_cursor *cursor, uint64_t code, heap_decode_batch *batch,
					    mprof_event *event, mprof_event_detail *detail)
{
	heap_decode_result result;
	uint64_t address;

	if (code == FIXED_CODE_OBJECT)
		return heap_cursor_item_int(cursor, &address)
			       ? decode_item_object(cursor, address, batch, event, detail)
			       : heap_cursor_fault(cursor);
	if (code != FIXED_CODE_DEAD)
		return HEAP_DECODE_BAD_TYPE;
	event->kind = MPROF_EVENT_HEAP_FREE;
	result = decode_class(cursor, event);
	return result == HEAP_DECODE_DONE ? decode_size(cursor, event) : result;
}

static heap_decode_result decode_tagged_item(heap_cursor *cursor, uint64_t first, heap_decode_batch *batch,
					     mprof_event *event, mprof_event_detail *detail)
{
	if ((first & HEAP_ITEM_TAG_MASK) == cursor->layout->object_tag)
		return decode_item_object(cursor, first & ~HEAP_ITEM_TAG_MASK, batch, event, detail);
	if ((first & HEAP_ITEM_TAG_MASK) != HEAP_ITEM_TAG_DEAD)
		return HEAP_DECODE_BAD_TYPE;
	if (first >> HEAP_ITEM_TAG_BITS > UINT32_MAX)
		return HEAP_DECODE_BAD_TYPE;
	event->kind = MPROF_EVENT_HEAP_FREE;
	event->id = (uint32_t)(first >> HEAP_ITEM_TAG_BITS);
	return decode_size(cursor, event);
}

heap_decode_result heap_item_decode(heap_cursor *cursor, heap_decode_batch *batch, mprof_event *event,
				    mprof_event_detail *detail)
{
	const uint8_t *start = cursor->next;
	heap_decode_result result = HEAP_DECODE_LIST_END;
	uint64_t first;

	if (!heap_cursor_item_int(cursor, &first))
		return heap_cursor_fault(cursor);
	if (first != 0 && cursor->layout->has_fixed_ints)
		result = decode_fixed_item(cursor, first, batch, event, detail);
	else if (first != 0)
		result = decode_tagged_item(cursor, first, batch, event, detail);
	if (result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_TYPE)
		cursor->next = start;
	return result;
}
