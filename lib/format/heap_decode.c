/* SPDX-License-Identifier: MIT */
/* Decodes the records and items of HEAP_DATA blocks in batches. */
#include "format/heap_decode.h"

#include "format/heap_item_decode.h"
#include "format/heap_records.h"

#include <string.h>

/* Returns a number of references without the flag that directive 26 adds to it: whether they are in runs. */
static inline uint64_t take_run_flag(heap_cursor *cursor, uint64_t count)
{
	cursor->has_runs = cursor->has_offsets & (uint8_t)count;
	return count >> cursor->has_offsets;
}

static heap_decode_result decode_object_event(heap_cursor *cursor, uint64_t fixed_size, heap_decode_batch *batch,
					      mprof_event *event, mprof_event_detail *detail)
{
	const uint8_t *count_start;
	heap_decode_result result;
	uint64_t count;

	event->kind = MPROF_EVENT_HEAP_OBJECT;
	event->value = fixed_size;
	if (!heap_cursor_address(cursor, &detail->object) ||
	    (fixed_size == 0 && !heap_cursor_varint(cursor, &event->value)))
		return heap_cursor_fault(cursor);
	count_start = cursor->next;
	if (!heap_cursor_varint(cursor, &count))
		return heap_cursor_fault(cursor);
	count = take_run_flag(cursor, count);
	result = heap_cursor_references(cursor, count, batch, detail);
	if (result == HEAP_DECODE_BAD_COUNT)
		cursor->next = count_start;
	return result;
}

static heap_decode_result decode_free(heap_cursor *cursor, uint64_t fixed_size, mprof_event *event,
				      mprof_event_detail *detail)
{
	event->kind = MPROF_EVENT_HEAP_FREE;
	event->value = fixed_size;
	if (!heap_cursor_address(cursor, &detail->object) ||
	    (fixed_size == 0 && !heap_cursor_varint(cursor, &event->value)))
		return heap_cursor_fault(cursor);
	return HEAP_DECODE_DONE;
}

/* Decodes the rest of a record of a live or dead object. \p first is its first varint. */
static heap_decode_result decode_instance(heap_cursor *cursor, uint64_t first, const id_map *sizes,
					  heap_decode_batch *batch, mprof_event *event, mprof_event_detail *detail)
{
	heap_record type = (heap_record)(first & HEAP_RECORD_MASK);
	uint64_t class_id = first >> HEAP_RECORD_BITS;
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
		return decode_object_event(cursor, size, batch, event, detail);
	return decode_free(cursor, size, event, detail);
}

static heap_decode_result decode_root_event(heap_cursor *cursor, uint64_t root_id, mprof_event *event,
					    mprof_event_detail *detail)
{
	if (root_id > UINT32_MAX)
		return HEAP_DECODE_BAD_ID;
	event->kind = MPROF_EVENT_HEAP_ROOT;
	event->id = (uint32_t)root_id;
	if (!heap_cursor_varint(cursor, &event->value) || !heap_cursor_address(cursor, &detail->object))
		return heap_cursor_fault(cursor);
	return HEAP_DECODE_DONE;
}

static heap_decode_result decode_move(heap_cursor *cursor, mprof_event *event, mprof_event_detail *detail)
{
	event->kind = MPROF_EVENT_HEAP_MOVE;
	if (!heap_cursor_address(cursor, &detail->object) || !heap_cursor_address(cursor, &event->value))
		return heap_cursor_fault(cursor);
	return HEAP_DECODE_DONE;
}

/* Decodes a record. A fault in the value of its first varint is reported at the start of the record. */
static heap_decode_result decode_heap_event(heap_cursor *cursor, const id_map *sizes, heap_decode_batch *batch,
					    mprof_event *event, mprof_event_detail *detail)
{
	const uint8_t *start = cursor->next;
	heap_decode_result result = HEAP_DECODE_BAD_TYPE;
	uint64_t first;

	if (!heap_cursor_varint(cursor, &first))
		return heap_cursor_fault(cursor);
	if (first == 0) {
		result = HEAP_DECODE_LIST_END;
	} else if ((first & HEAP_RECORD_MASK) <= HEAP_RECORD_FREE_FIXED) {
		result = decode_instance(cursor, first, sizes, batch, event, detail);
	} else if ((first & HEAP_RECORD_MASK) == HEAP_RECORD_REFERENCES) {
		event->kind = MPROF_EVENT_HEAP_REFERENCES;
		result =
			heap_cursor_references(cursor, take_run_flag(cursor, first >> HEAP_RECORD_BITS), batch, detail);
	} else if ((first & HEAP_RECORD_MASK) == HEAP_RECORD_ROOT) {
		result = decode_root_event(cursor, first >> HEAP_RECORD_BITS, event, detail);
	} else if (first == HEAP_RECORD_MOVE) {
		result = decode_move(cursor, event, detail);
	}
	if (result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_TYPE || result == HEAP_DECODE_BAD_ID ||
	    result == HEAP_DECODE_NO_SIZE ||
	    (result == HEAP_DECODE_BAD_COUNT && (first & HEAP_RECORD_MASK) == HEAP_RECORD_REFERENCES))
		cursor->next = start;
	return result;
}

/* Decodes a record, or the next piece of an object with many references, and stores its event. */
static heap_decode_result decode_event(heap_cursor *cursor, const id_map *sizes, uint64_t counter,
				       heap_decode_batch *batch)
{
	mprof_event *event = &batch->events[batch->count];
	mprof_event_detail *detail = &batch->details[batch->count];
	heap_decode_result result;

	if (cursor->references_left > 0 && batch->reference_count == batch->reference_capacity)
		return HEAP_DECODE_FULL;
	memset(event, 0, sizeof(*event));
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	event->counter = counter;
	event->more.detail = detail;
	if (cursor->references_left > 0) {
		event->kind = MPROF_EVENT_HEAP_REFERENCES;
		result = heap_cursor_first_references(cursor, cursor->references_left, batch, detail);
	} else if (cursor->layout != NULL) {
		result = heap_item_decode(cursor, batch, event, detail);
	} else {
		result = decode_heap_event(cursor, sizes, batch, event, detail);
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
	case HEAP_DECODE_TRUNCATED:
		return "record extends past the end of the list";
	case HEAP_DECODE_LIST_END:
		return "list of records ends before the CLOCK at the end of the block";
	case HEAP_DECODE_BAD_TYPE:
		return "unknown record type";
	case HEAP_DECODE_BAD_VARINT:
		return "varint exceeds 64 bits";
	case HEAP_DECODE_NO_SIZE:
		return "record without a size, but its class has no fixed size";
	case HEAP_DECODE_BAD_SIZE:
		return "size exceeds 32 bits";
	case HEAP_DECODE_BAD_COUNT:
		return "number of references exceeds the length of the block";
	case HEAP_DECODE_BAD_RUN:
		return "run of references is empty or longer than the list of references";
	default:
		return "ID is 0 or exceeds 32 bits";
	}
}

heap_decode_result heap_decode(heap_decode_state *state, const id_map *sizes, heap_decode_batch *batch)
{
	heap_cursor cursor = {.next = state->bytes + state->position,
			      .limit = state->bytes + state->length,
			      .layout = state->layout,
			      .previous_address = state->previous_address,
			      .references_left = state->references_left,
			      .run_left = state->run_left,
			      .next_offset = state->next_offset,
			      .shift = state->shift,
			      .has_offsets = state->has_offsets,
			      .has_runs = state->has_runs};
	heap_decode_result result = HEAP_DECODE_DONE;

	while (cursor.next < cursor.limit && batch->count < batch->capacity) {
		heap_cursor next = cursor;

		result = decode_event(&next, sizes, state->counter, batch);
		if (result != HEAP_DECODE_DONE) {
			state->fault = (size_t)(next.next - state->bytes);
			break;
		}
		cursor = next;
	}
	if (result == HEAP_DECODE_DONE && cursor.next < cursor.limit)
		result = HEAP_DECODE_FULL;
	state->position = (size_t)(cursor.next - state->bytes);
	state->previous_address = cursor.previous_address;
	state->references_left = cursor.references_left;
	state->run_left = cursor.run_left;
	state->next_offset = cursor.next_offset;
	state->has_runs = cursor.has_runs;
	return result;
}
