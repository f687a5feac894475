/* SPDX-License-Identifier: MIT */
#include "format/heap_decode.h"

#include "format/heap_place.h"
#include "format/heap_records.h"
#include "format/zigzag.h"

#include <string.h>

heap_decode_result heap_number_fault(const heap_place *place)
{
	uint64_t value;

	if (place->items != NULL && place->items->has_fixed_ints)
		return HEAP_DECODE_CUT;
	return mprof_varint_decode(place->cursor, (size_t)(place->limit - place->cursor), &value) == 0
		       ? HEAP_DECODE_CUT
		       : HEAP_DECODE_BAD_VARINT;
}

static inline int address_take(heap_place *place, uint64_t *address)
{
	uint64_t folded;

	if (place->items != NULL)
		return heap_item_number_take(place, address);
	if (!heap_number_take(place, &folded))
		return 0;
	place->previous_address += zigzag_unfold(folded) << place->shift;
	*address = place->previous_address;
	return 1;
}

/* Decodes up to \p count references, as many as fit in the batch, which must have room for at least one. */
static heap_decode_result references_take(heap_place *place, uint64_t count, heap_decode_batch *batch,
					  mprof_event_detail *detail)
{
	size_t room = batch->reference_capacity - batch->reference_count;
	uint64_t *references = batch->references + batch->reference_count;
	size_t taken = count < room ? (size_t)count : room;

	for (size_t i = 0; i < taken; i++) {
		if (!address_take(place, &references[i]))
			return heap_number_fault(place);
	}
	detail->references = references;
	detail->reference_count = (uint32_t)taken;
	place->references_left = count - taken;
	return HEAP_DECODE_DONE;
}

heap_decode_result heap_references_take(heap_place *place, uint64_t count, heap_decode_batch *batch,
					mprof_event_detail *detail)
{
	size_t room = batch->reference_capacity - batch->reference_count;

	if (count > (uint64_t)(place->limit - place->cursor))
		return HEAP_DECODE_BAD_COUNT;
	/* Only an object that does not fit in an empty batch is returned in pieces. */
	if (count > room && batch->reference_count > 0)
		return HEAP_DECODE_FULL;
	return references_take(place, count, batch, detail);
}

static heap_decode_result object_take(heap_place *place, uint64_t fixed_size, heap_decode_batch *batch,
				      mprof_event *event, mprof_event_detail *detail)
{
	const uint8_t *count_start;
	heap_decode_result result;
	uint64_t count;

	event->kind = MPROF_EVENT_HEAP_OBJECT;
	event->value = fixed_size;
	if (!address_take(place, &detail->object) || (fixed_size == 0 && !heap_number_take(place, &event->value)))
		return heap_number_fault(place);
	count_start = place->cursor;
	if (!heap_number_take(place, &count))
		return heap_number_fault(place);
	result = heap_references_take(place, count, batch, detail);
	if (result == HEAP_DECODE_BAD_COUNT)
		place->cursor = count_start;
	return result;
}

static heap_decode_result free_take(heap_place *place, uint64_t fixed_size, mprof_event *event,
				    mprof_event_detail *detail)
{
	event->kind = MPROF_EVENT_HEAP_FREE;
	event->value = fixed_size;
	if (!address_take(place, &detail->object) || (fixed_size == 0 && !heap_number_take(place, &event->value)))
		return heap_number_fault(place);
	return HEAP_DECODE_DONE;
}

/* Decodes the rest of a record of a live or dead object. \p head is its first varint. */
static heap_decode_result instance_take(heap_place *place, uint64_t head, const id_map *sizes, heap_decode_batch *batch,
					mprof_event *event, mprof_event_detail *detail)
{
	heap_record type = (heap_record)(head & HEAP_RECORD_MASK);
	uint64_t class_id = head >> HEAP_RECORD_BITS;
	uint64_t size = 0;

	if (class_id == 0 || class_id > UINT32_MAX)
		return HEAP_DECODE_BAD_ID;
	event->id = (uint32_t)class_id;
	if (type == HEAP_RECORD_OBJECT_FIXED || type == HEAP_RECORD_FREE_FIXED) {
		size = id_map_get(sizes, event->id);
		if (size == 0)
			return HEAP_DECODE_NO_SIZE;
	}
	if (type <= HEAP_RECORD_OBJECT_FIXED)
		return object_take(place, size, batch, event, detail);
	return free_take(place, size, event, detail);
}

static heap_decode_result root_take(heap_place *place, uint64_t root_id, mprof_event *event, mprof_event_detail *detail)
{
	if (root_id > UINT32_MAX)
		return HEAP_DECODE_BAD_ID;
	event->kind = MPROF_EVENT_HEAP_ROOT;
	event->id = (uint32_t)root_id;
	if (!heap_number_take(place, &event->value) || !address_take(place, &detail->object))
		return heap_number_fault(place);
	return HEAP_DECODE_DONE;
}

static heap_decode_result move_take(heap_place *place, mprof_event *event, mprof_event_detail *detail)
{
	event->kind = MPROF_EVENT_HEAP_MOVE;
	if (!address_take(place, &detail->object) || !address_take(place, &event->value))
		return heap_number_fault(place);
	return HEAP_DECODE_DONE;
}

/* Decodes a record. A fault in the value of its first varint is reported at the start of the record. */
static heap_decode_result record_take(heap_place *place, const id_map *sizes, heap_decode_batch *batch,
				      mprof_event *event, mprof_event_detail *detail)
{
	const uint8_t *start = place->cursor;
	heap_decode_result result = HEAP_DECODE_BAD_TYPE;
	uint64_t head;

	if (!heap_number_take(place, &head))
		return heap_number_fault(place);
	if (head == 0) {
		result = HEAP_DECODE_LIST_END;
	} else if ((head & HEAP_RECORD_MASK) <= HEAP_RECORD_FREE_FIXED) {
		result = instance_take(place, head, sizes, batch, event, detail);
	} else if ((head & HEAP_RECORD_MASK) == HEAP_RECORD_REFERENCES) {
		event->kind = MPROF_EVENT_HEAP_REFERENCES;
		result = heap_references_take(place, head >> HEAP_RECORD_BITS, batch, detail);
	} else if ((head & HEAP_RECORD_MASK) == HEAP_RECORD_ROOT) {
		result = root_take(place, head >> HEAP_RECORD_BITS, event, detail);
	} else if (head == HEAP_RECORD_MOVE) {
		result = move_take(place, event, detail);
	}
	if (result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_TYPE || result == HEAP_DECODE_BAD_ID ||
	    result == HEAP_DECODE_NO_SIZE ||
	    (result == HEAP_DECODE_BAD_COUNT && (head & HEAP_RECORD_MASK) == HEAP_RECORD_REFERENCES))
		place->cursor = start;
	return result;
}

/* Decodes a record, or the next piece of an object with many references, and stores its event. */
static heap_decode_result event_take(heap_place *place, const id_map *sizes, uint64_t counter, heap_decode_batch *batch)
{
	mprof_event *event = &batch->events[batch->count];
	mprof_event_detail *detail = &batch->details[batch->count];
	heap_decode_result result;

	if (place->references_left > 0 && batch->reference_count == batch->reference_capacity)
		return HEAP_DECODE_FULL;
	memset(event, 0, sizeof(*event));
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	event->counter = counter;
	event->more.detail = detail;
	if (place->references_left > 0) {
		event->kind = MPROF_EVENT_HEAP_REFERENCES;
		result = references_take(place, place->references_left, batch, detail);
	} else if (place->items != NULL) {
		result = heap_item_take(place, batch, event, detail);
	} else {
		result = record_take(place, sizes, batch, event, detail);
	}
	if (result == HEAP_DECODE_DONE) {
		batch->count++;
		batch->reference_count += detail->reference_count;
	}
	return result;
}

const char *heap_decode_fault(heap_decode_result result)
{
	switch (result) {
	case HEAP_DECODE_CUT:
		return "the last record extends past the end of the list";
	case HEAP_DECODE_LIST_END:
		return "the list of records ends before the CLOCK at the end of the block";
	case HEAP_DECODE_BAD_TYPE:
		return "unknown record type";
	case HEAP_DECODE_BAD_VARINT:
		return "a varint of the record exceeds 64 bits";
	case HEAP_DECODE_NO_SIZE:
		return "the record omits the size, but its class has no fixed size";
	case HEAP_DECODE_BAD_SIZE:
		return "a size exceeds 32 bits";
	case HEAP_DECODE_BAD_COUNT:
		return "the number of references exceeds the length of the block";
	default:
		return "the ID of the record is 0 or exceeds 32 bits";
	}
}

heap_decode_result heap_decode(heap_decode_state *state, const id_map *sizes, heap_decode_batch *batch)
{
	heap_place place = {.cursor = state->bytes + state->position,
			    .limit = state->bytes + state->length,
			    .items = state->items,
			    .previous_address = state->previous_address,
			    .references_left = state->references_left,
			    .shift = state->shift};
	heap_decode_result result = HEAP_DECODE_DONE;

	while (place.cursor < place.limit && batch->count < batch->capacity) {
		heap_place next = place;

		result = event_take(&next, sizes, state->counter, batch);
		if (result != HEAP_DECODE_DONE) {
			state->fault = (size_t)(next.cursor - state->bytes);
			break;
		}
		place = next;
	}
	if (result == HEAP_DECODE_DONE && place.cursor < place.limit)
		result = HEAP_DECODE_FULL;
	state->position = (size_t)(place.cursor - state->bytes);
	state->previous_address = place.previous_address;
	state->references_left = place.references_left;
	return result;
}
