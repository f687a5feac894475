/* SPDX-License-Identifier: MIT */
/* Decodes and encodes the objects and references of heap blocks. */
#include "format/blocks/heap_records.h"

#include "format/events/event_check.h"

#include <stddef.h>
#include <string.h>

/* The type of a record, in the low bits of its first varint. The comments state what the other bits contain. */
typedef enum heap_record {
	HEAP_RECORD_OBJECT = 0,       /* A live object: its class. */
	HEAP_RECORD_OBJECT_FIXED = 1, /* A live object of its class's fixed size (directive 18): the class. */
	HEAP_RECORD_FREE = 2,         /* A dead object: its class. */
	HEAP_RECORD_FREE_FIXED = 3,   /* A dead object of its class's fixed size (directive 18): the class. */
	HEAP_RECORD_REFERENCES = 4,   /* Further references of an object: their number. */
	HEAP_RECORD_ROOT = 5,         /* A reference from a root: the ID of the root, or 0. */
	HEAP_RECORD_MOVE = 6,         /* A moved object: 0. */
	HEAP_RECORD_MASK = 7
} heap_record;

#define HEAP_RECORD_BITS 3

/*
 * The start of a run of references with consecutive offsets (directive 26). The low bits of its first varint are the
 * number of references minus 1, and the other bits the distance from the previous run; or the low bits are
 * #HEAP_RUN_LONG and the other bits the number of references, and a signed distance follows.
 */
#define HEAP_RUN_BITS 2
#define HEAP_RUN_MASK 3
#define HEAP_RUN_LONG 3

/* The tag in the low bits of an item's first varint. They are free because object addresses are multiples of 4. */
#define HEAP_ITEM_TAG_BITS 2
#define HEAP_ITEM_TAG_MASK UINT64_C(3)
#define HEAP_ITEM_TAG_OBJECT 1
#define HEAP_ITEM_TAG_DEAD 2

const heap_item_layout *heap_item_layout_get(heap_layout layout)
{
	static const heap_item_layout layouts[] = {
		[HEAP_LAYOUT_BARE] = {.object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_CLASSES] = {.has_classes = 1, .object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_UNTAGGED] = {.has_start_clock = 1, .has_classes = 1, .object_tag = 0},
		[HEAP_LAYOUT_TAGGED] = {.has_start_clock = 1, .has_classes = 1, .object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_NUMBERED] = {.has_number = 1,
					  .has_start_clock = 1,
					  .has_classes = 1,
					  .object_tag = HEAP_ITEM_TAG_OBJECT},
		[HEAP_LAYOUT_FIXED] = {.has_number = 1, .has_start_clock = 1, .has_classes = 1, .has_fixed_ints = 1},
	};

	return layout == HEAP_LAYOUT_NONE ? NULL : &layouts[layout];
}

/* The position of the decoder. A record is decoded with a copy, which replaces the original only on success. */
typedef struct heap_cursor {
	const uint8_t *next; /* The next byte; after a fault, the position of the fault. */
	const uint8_t *limit;
	const heap_item_layout *layout; /* The layout of items; NULL for records. */
	uint64_t previous_address;      /* Addresses in records are relative to it. */
	uint64_t references_left;       /* References of the last object that are still to be decoded. */
	uint64_t run_left;              /* References left of the current run. */
	uint64_t next_offset;           /* Offset of the next reference of the run in its object. */
	uint32_t shift;                 /* Low bits of addresses that records do not store. */
	uint8_t has_offsets;            /* The block may contain offsets (directive 26). */
	uint8_t has_runs;               /* The references of the current record are in runs with offsets. */
} heap_cursor;

/* The length of an integer in unity-fixed, in bytes. */
#define HEAP_FIXED_LENGTH 4

/* Decodes a varint. Returns 0 on a fault, which heap_cursor_fault() identifies. */
static inline int heap_cursor_varint(heap_cursor *cursor, uint64_t *value)
{
	const uint8_t *next = varint_word_get(cursor->next, cursor->limit, value);

	if (__builtin_expect(next == NULL, 0))
		return 0;
	cursor->next = next;
	return 1;
}

/*
 * Decodes an integer of an item: a varint, or 4 bytes in unity-fixed. Returns 0 on a fault, as heap_cursor_varint().
 */
static inline int heap_cursor_item_int(heap_cursor *cursor, uint64_t *value)
{
	if (__builtin_expect(!cursor->layout->has_fixed_ints, 1))
		return heap_cursor_varint(cursor, value);
	if (cursor->limit - cursor->next < HEAP_FIXED_LENGTH)
		return 0;
	*value = bytes_load_32(cursor->next);
	cursor->next += HEAP_FIXED_LENGTH;
	return 1;
}

/* Decodes an address of a record or an item. Returns 0 on a fault, as heap_cursor_varint(). */
static inline int heap_cursor_address(heap_cursor *cursor, uint64_t *address)
{
	uint64_t folded;

	if (cursor->layout != NULL)
		return heap_cursor_item_int(cursor, address);
	if (!heap_cursor_varint(cursor, &folded))
		return 0;
	cursor->previous_address += zigzag_unfold(folded) << cursor->shift;
	*address = cursor->previous_address;
	return 1;
}

/* Returns why no integer can be decoded at the cursor: HEAP_DECODE_TRUNCATED or HEAP_DECODE_BAD_VARINT. */
static heap_decode_result heap_cursor_fault(const heap_cursor *cursor)
{
	uint64_t value;

	if (cursor->layout != NULL && cursor->layout->has_fixed_ints)
		return HEAP_DECODE_TRUNCATED;
	return varint_decode(cursor->next, (size_t)(cursor->limit - cursor->next), &value) == 0
		       ? HEAP_DECODE_TRUNCATED
		       : HEAP_DECODE_BAD_VARINT;
}

/* Decodes the start of a run. \p most is the number of references up to the end of the record. */
static heap_decode_result begin_run(heap_cursor *cursor, uint64_t most)
{
	const uint8_t *start = cursor->next;
	uint64_t folded;
	uint64_t first;
	uint64_t gap;

	if (!heap_cursor_varint(cursor, &first))
		return heap_cursor_fault(cursor);
	gap = first >> HEAP_RUN_BITS;
	cursor->run_left = (first & HEAP_RUN_MASK) + 1;
	if ((first & HEAP_RUN_MASK) == HEAP_RUN_LONG) {
		cursor->run_left = first >> HEAP_RUN_BITS;
		if (!heap_cursor_varint(cursor, &folded))
			return heap_cursor_fault(cursor);
		gap = zigzag_unfold(folded);
	}
	if (cursor->run_left == 0 || cursor->run_left > most) {
		cursor->next = start;
		return HEAP_DECODE_BAD_RUN;
	}
	cursor->next_offset += gap << cursor->shift;
	return HEAP_DECODE_DONE;
}

/*
 * Decodes fits references in runs to the end of the arrays of the batch. count is the number of references up to
 * the end of the record, which limits the length of a run.
 */
static heap_decode_result heap_cursor_runs(heap_cursor *cursor, uint64_t count, heap_decode_batch *batch, size_t fits)
{
	uint64_t *references = batch->references + batch->reference_count;
	uint64_t *offsets = batch->offsets + batch->reference_count;

	for (size_t i = 0; i < fits; i++) {
		if (cursor->run_left == 0) {
			heap_decode_result result = begin_run(cursor, count - i);

			if (result != HEAP_DECODE_DONE)
				return result;
		}
		if (!heap_cursor_address(cursor, &references[i]))
			return heap_cursor_fault(cursor);
		offsets[i] = cursor->next_offset;
		cursor->next_offset += UINT64_C(1) << cursor->shift;
		cursor->run_left--;
	}
	return HEAP_DECODE_DONE;
}

/*
 * Decodes as many of count references as fit in the batch, which must have room for at least one.
 * heap_cursor::references_left receives the number of the others.
 */
static inline heap_decode_result heap_cursor_first_references(heap_cursor *cursor, uint64_t count,
							      heap_decode_batch *batch, mprof_event_detail *detail)
{
	size_t room = batch->reference_capacity - batch->reference_count;
	uint64_t *references = batch->references + batch->reference_count;
	size_t fits = count < room ? (size_t)count : room;

	if (cursor->has_runs) {
		heap_decode_result result = heap_cursor_runs(cursor, count, batch, fits);

		if (result != HEAP_DECODE_DONE)
			return result;
		detail->offsets = batch->offsets + batch->reference_count;
	} else {
		for (size_t i = 0; i < fits; i++) {
			if (!heap_cursor_address(cursor, &references[i]))
				return heap_cursor_fault(cursor);
		}
	}
	detail->references = references;
	detail->reference_count = (uint32_t)fits;
	cursor->references_left = count - fits;
	return HEAP_DECODE_DONE;
}

/*
 * Decodes count references. Returns HEAP_DECODE_BAD_COUNT if count exceeds the bytes that are left, and
 * HEAP_DECODE_FULL if the batch is not empty and has too little room. With an empty batch that is too small, the first
 * references are decoded as by heap_cursor_first_references().
 */
static inline heap_decode_result heap_cursor_references(heap_cursor *cursor, uint64_t count, heap_decode_batch *batch,
							mprof_event_detail *detail)
{
	size_t room = batch->reference_capacity - batch->reference_count;

	cursor->run_left = 0;
	cursor->next_offset = 0;
	if (count > (uint64_t)(cursor->limit - cursor->next))
		return HEAP_DECODE_BAD_COUNT;
	/* Only an object that does not fit in an empty batch is returned in pieces. */
	if (count > room && batch->reference_count > 0)
		return HEAP_DECODE_FULL;
	return heap_cursor_first_references(cursor, count, batch, detail);
}

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

/*
 * Decodes an item into an event and its detail, which are zeroed. HEAP_DECODE_LIST_END and faults of the first integer
 * leave cursor at the start of the item.
 */
static heap_decode_result heap_item_decode(heap_cursor *cursor, heap_decode_batch *batch, mprof_event *event,
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

/* The result of decoding the block in one of the layouts. */
typedef struct candidate {
	content_cursor cursor; /* After the decoded content, or at the fault. */
	mprof_block block;
	heap_items_result result;
	int fits;
	int has_objects;
	uint32_t highest_class; /* The highest class ID in the items. */
	size_t items_end;       /* After the last complete item. */
} candidate;

static void candidate_decode_header(candidate *candidate)
{
	const heap_item_layout *layout = heap_item_layout_get(candidate->result.layout);
	content_cursor *cursor = &candidate->cursor;
	mprof_block *block = &candidate->block;

	content_cursor_clock(cursor, &block->as.heap_data.start);
	content_cursor_clock(cursor, &block->as.heap_data.end);
	if (layout->has_number)
		block->as.heap_data.number = content_cursor_id(cursor);
	if (layout->has_start_clock)
		content_cursor_clock(cursor, &block->start);
	else
		block->start = block->as.heap_data.end;
	block->end = block->start;
	block->as.heap_data.counter = block->as.heap_data.start.counter;
	block->as.heap_data.has_clocks = 1;
	candidate->result.list_start = cursor->position;
}

static void candidate_begin(candidate *candidate, const content_cursor *cursor, const mprof_block *block,
			    heap_layout layout)
{
	memset(candidate, 0, sizeof(*candidate));
	candidate->cursor = *cursor;
	candidate->block = *block;
	candidate->result.layout = layout;
	candidate_decode_header(candidate);
}

static void candidate_add_batch(candidate *candidate, const heap_decode_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const mprof_event *event = &batch->events[i];

		candidate->has_objects |= event->kind == MPROF_EVENT_HEAP_OBJECT;
		if (event->id > candidate->highest_class)
			candidate->highest_class = event->id;
	}
}

#define CANDIDATE_EVENTS 16
#define CANDIDATE_REFERENCES 64

/*
 * Decodes all items, or the batches up to the first one with an object. Returns why decoding stopped. \p fault receives
 * the offset of the fault in the content, or of the end of the items.
 */
static heap_decode_result decode_candidate_objects(candidate *candidate, size_t end, int until_object, size_t *fault)
{
	mprof_event events[CANDIDATE_EVENTS];
	mprof_event_detail details[CANDIDATE_EVENTS];
	uint64_t references[CANDIDATE_REFERENCES];
	size_t start = candidate->result.list_start;
	heap_decode_state state = {.bytes = candidate->cursor.bytes + start,
				   .length = end - start,
				   .layout = heap_item_layout_get(candidate->result.layout)};
	heap_decode_result result;

	do {
		heap_decode_batch batch = {.events = events,
					   .details = details,
					   .capacity = CANDIDATE_EVENTS,
					   .references = references,
					   .reference_capacity = CANDIDATE_REFERENCES};

		result = heap_decode(&state, NULL, &batch);
		candidate_add_batch(candidate, &batch);
	} while (result == HEAP_DECODE_FULL && !(until_object && candidate->has_objects));
	candidate->items_end = start + state.position;
	*fault = result == HEAP_DECODE_DONE ? candidate->items_end : start + state.fault;
	return result;
}

static void candidate_decode_end(candidate *candidate)
{
	content_cursor_amount(&candidate->cursor);
	content_cursor_clock(&candidate->cursor, &candidate->block.end);
	candidate->block.has_clocks = 1;
	candidate->block.as.heap_data.flags = candidate->has_objects ? MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST : 0;
	candidate->fits = content_cursor_finish(&candidate->cursor) == MPROF_OK;
}

/*
 * The complete items of a truncated block can be read if nothing but the truncation stopped decoding. A list end or a
 * reference count that is too large is also a possible effect of truncation.
 */
static void candidate_end_truncated(candidate *candidate, heap_decode_result result)
{
	candidate->result.list_end = candidate->cursor.length;
	candidate->block.as.heap_data.flags = candidate->has_objects ? MPROF_HEAP_FLAG_FIRST : 0;
	candidate->fits = result == HEAP_DECODE_DONE || result == HEAP_DECODE_TRUNCATED ||
			  result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_COUNT;
}

static int is_in_order(const mprof_clock *first, const mprof_clock *second)
{
	return (int64_t)(second->counter - first->counter) >= 0 && (int64_t)(second->time - first->time) >= 0;
}

static int has_clocks_in_order(const mprof_block *block)
{
	return is_in_order(&block->as.heap_data.start, &block->as.heap_data.end) &&
	       is_in_order(&block->as.heap_data.end, &block->start) && is_in_order(&block->start, &block->end);
}

static void decode_heap_candidate(candidate *candidate, const content_cursor *cursor, const mprof_block *block,
				  heap_layout layout, int is_truncated)
{
	heap_decode_result result;

	candidate_begin(candidate, cursor, block, layout);
	if (candidate->cursor.status != MPROF_OK)
		return;
	result = decode_candidate_objects(candidate, cursor->length, 0, &candidate->result.list_end);
	candidate->cursor.position = candidate->result.list_end;
	if (is_truncated)
		candidate_end_truncated(candidate, result);
	else if (result == HEAP_DECODE_LIST_END)
		candidate_decode_end(candidate);
	if (!candidate->fits)
		content_cursor_fail(&candidate->cursor, candidate->cursor.position, MPROF_ERR_MALFORMED,
				    heap_decode_fault(result));
}

/*
 * The score of a layout; the highest wins. A layout that fits always wins over one that does not. Even in the right
 * layout clocks can be out of order, since the counters of two processors differ and the wall clock can be set, and
 * classes can be defined after their use; therefore these criteria decide only between layouts that fit. A truncated
 * block fits most layouts: among those, and if no layout fits, the layout that decodes the most bytes wins.
 */
static size_t candidate_score(candidate *candidate, heap_layout known_layout, const known_ids *known, int is_truncated)
{
	const mprof_block *block = &candidate->block;
	size_t score;

	candidate->result.is_sure = candidate->fits && has_clocks_in_order(block);
	score = (size_t)candidate->fits * 4 + (size_t)candidate->result.is_sure * 2 +
		(candidate->result.layout == known_layout);
	return score * (candidate->cursor.length + 2) + (candidate->fits && !is_truncated
								 ? (size_t)(candidate->highest_class <= known->class_id)
								 : candidate->items_end);
}

/* The layouts that blocks of a dialect can have, the likeliest first, terminated by #HEAP_LAYOUT_NONE. */
static const uint8_t *dialect_layouts(const dialect_rules *rules)
{
	static const uint8_t fixed[] = {HEAP_LAYOUT_FIXED, HEAP_LAYOUT_NONE};
	static const uint8_t drop[] = {HEAP_LAYOUT_TAGGED, HEAP_LAYOUT_UNTAGGED, HEAP_LAYOUT_CLASSES, HEAP_LAYOUT_BARE,
				       HEAP_LAYOUT_NONE};
	static const uint8_t mono[] = {HEAP_LAYOUT_NUMBERED, HEAP_LAYOUT_TAGGED, HEAP_LAYOUT_NONE};

	if (rules->has_fixed_ints)
		return fixed;
	return rules->has_early_heap_layouts ? drop : mono;
}

/*
 * Decodes a block in the layout of earlier blocks, but its items only up to the first object: the remaining items are
 * checked when they are fetched. If anything decoded contradicts the layout, returns 0 and changes nothing.
 */
static int decode_known_layout(content_cursor *cursor, heap_layout layout, mprof_block *block,
			       heap_items_result *result)
{
	heap_decode_result items_result;
	size_t end_length;
	candidate candidate;
	size_t fault;

	candidate_begin(&candidate, cursor, block, layout);
	if (candidate.cursor.status != MPROF_OK)
		return 0;
	end_length = list_end_find(&candidate.cursor, 0, &candidate.result.list_end);
	if (end_length == 0)
		return 0;
	items_result = decode_candidate_objects(&candidate, candidate.result.list_end, 1, &fault);
	if (!candidate.has_objects && items_result != HEAP_DECODE_DONE)
		return 0;
	candidate.cursor.position = candidate.result.list_end;
	candidate_decode_end(&candidate);
	if (!candidate.fits || !has_clocks_in_order(&candidate.block))
		return 0;
	*cursor = candidate.cursor;
	*block = candidate.block;
	*result = candidate.result;
	return 1;
}

void heap_items_decode(content_cursor *cursor, const dialect_rules *rules, heap_layout known_layout,
		       const known_ids *known, int is_truncated, mprof_block *block, heap_items_result *result)
{
	const content_cursor start = *cursor;
	const mprof_block empty = *block;
	size_t best = 0;

	if (!is_truncated && known_layout != HEAP_LAYOUT_NONE && known_layout != HEAP_LAYOUT_FIXED &&
	    decode_known_layout(cursor, known_layout, block, result))
		return;
	for (const uint8_t *layout = dialect_layouts(rules); *layout != HEAP_LAYOUT_NONE; layout++) {
		candidate candidate;
		size_t score;

		decode_heap_candidate(&candidate, &start, &empty, (heap_layout)*layout, is_truncated);
		score = candidate_score(&candidate, known_layout, known, is_truncated) + 1;
		if (score <= best)
			continue;
		best = score;
		*cursor = candidate.cursor;
		*block = candidate.block;
		*result = candidate.result;
	}
}

static int class_is_valid(const heap_encoding *encoding, uint32_t id)
{
	if (id == 0)
		return encoding->has_unknown_class;
	return encoding->any || id_set_has(encoding->class_ids, id);
}

/* Checks an event and ORs its addresses into \p addresses: a bit that is 0 there is 0 in every address. */
static mprof_status check_event(const heap_encoding *encoding, const mprof_event *event, uint64_t *addresses)
{
	mprof_event_detail copy;
	const mprof_event_detail *detail;

	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
	case MPROF_EVENT_HEAP_FREE:
		if (!class_is_valid(encoding, event->id))
			return MPROF_ERR_UNDEFINED_ID;
		break;
	case MPROF_EVENT_HEAP_ROOT:
		if (!encoding->any && event->id > encoding->root_count)
			return MPROF_ERR_UNDEFINED_ID;
		break;
	case MPROF_EVENT_HEAP_MOVE:
		*addresses |= event->value;
		break;
	case MPROF_EVENT_HEAP_REFERENCES:
		break;
	default:
		return MPROF_ERR_ARGUMENT;
	}
	detail = event_detail_complete(event, &copy);
	if (detail == NULL)
		return MPROF_ERR_ARGUMENT;
	if (event->more.detail == NULL)
		return event->kind == MPROF_EVENT_HEAP_FREE ? MPROF_OK : MPROF_ERR_ARGUMENT;
	if (event->kind != MPROF_EVENT_HEAP_REFERENCES)
		*addresses |= detail->object;
	if (event->kind != MPROF_EVENT_HEAP_OBJECT && event->kind != MPROF_EVENT_HEAP_REFERENCES)
		return MPROF_OK;
	if (detail->reference_count > 0 && detail->references == NULL)
		return MPROF_ERR_ARGUMENT;
	for (uint32_t i = 0; i < detail->reference_count; i++)
		*addresses |= detail->references[i];
	for (uint32_t i = 0; encoding->has_offsets && detail->offsets != NULL && i < detail->reference_count; i++)
		*addresses |= detail->offsets[i];
	return MPROF_OK;
}

mprof_status heap_check(const heap_encoding *encoding, const mprof_event *events, size_t count, uint32_t *shift)
{
	uint64_t addresses = 0;

	for (size_t i = 0; i < count; i++) {
		mprof_status status = check_event(encoding, &events[i], &addresses);

		if (status != MPROF_OK)
			return status;
	}
	*shift = (uint32_t)__builtin_ctzll(addresses | UINT64_C(1) << HEAP_MAX_SHIFT);
	return MPROF_OK;
}

/* Collects bytes for an encode buffer: reserving room in the buffer for each single varint would cost too much. */
typedef struct heap_output {
	encode_buffer *buffer;
	uint8_t *next;
	uint64_t previous_address;
	uint32_t shift;
	uint8_t bytes[4096];
} heap_output;

static inline void put_varint(heap_output *output, uint64_t number)
{
	output->next = varint_word_put(output->next, number);
}

static void output_flush(heap_output *output)
{
	encode_bytes(output->buffer, output->bytes, (size_t)(output->next - output->bytes));
	output->next = output->bytes;
}

/* Number of varints that can be written after a call of output_reserve(). */
#define RESERVED ((size_t)8)

static inline void output_reserve(heap_output *output)
{
	if (__builtin_expect(output->next > output->bytes + sizeof(output->bytes) - RESERVED * MPROF_VARINT_MAX_LENGTH,
			     0))
		output_flush(output);
}

/* A difference in units of 2^shift: an arithmetic shift to the right, whose vacated bits are copies of the sign. */
static inline uint64_t to_units(const heap_output *output, uint64_t difference)
{
	return (difference >> output->shift) | (~(UINT64_MAX >> output->shift) * (difference >> 63));
}

static inline void put_object_address(heap_output *output, uint64_t address)
{
	uint64_t units = to_units(output, address - output->previous_address);

	output->previous_address = address;
	put_varint(output, zigzag_fold(units));
}

/* Encodes the start of a run. \p distance is in bytes. */
static void put_run_start(heap_output *output, uint64_t distance, uint32_t length)
{
	uint64_t units = to_units(output, distance);

	output_reserve(output);
	if (length <= HEAP_RUN_LONG && units <= UINT64_MAX >> HEAP_RUN_BITS) {
		put_varint(output, units << HEAP_RUN_BITS | (length - 1));
	} else {
		put_varint(output, (uint64_t)length << HEAP_RUN_BITS | HEAP_RUN_LONG);
		put_varint(output, zigzag_fold(units));
	}
}

/* Encodes references with their offsets: a run ends where the next offset is not that of the next unit. */
static void put_reference_runs(heap_output *output, const mprof_event_detail *detail)
{
	const uint64_t unit = UINT64_C(1) << output->shift;
	const uint64_t *offsets = detail->offsets;
	uint64_t next = 0;
	uint32_t end = 0;

	for (uint32_t i = 0; i < detail->reference_count; i++) {
		if (i == end) {
			while (++end < detail->reference_count && offsets[end] == offsets[end - 1] + unit)
				continue;
			put_run_start(output, offsets[i] - next, end - i);
			next = offsets[end - 1] + unit;
		}
		output_reserve(output);
		put_object_address(output, detail->references[i]);
	}
}

/* Whether the references of an event are encoded with their offsets. */
static int has_runs(const heap_encoding *encoding, const mprof_event_detail *detail)
{
	return encoding->has_offsets && detail->offsets != NULL && detail->reference_count > 0;
}

/* The number of references of an event, with the flag that directive 26 adds to it. */
static uint64_t flagged_count(const heap_encoding *encoding, const mprof_event_detail *detail)
{
	if (!encoding->has_offsets)
		return detail->reference_count;
	return (uint64_t)detail->reference_count << 1 | (has_runs(encoding, detail) ? 1 : 0);
}

static void put_reference_addresses(heap_output *output, const heap_encoding *encoding,
				    const mprof_event_detail *detail)
{
	if (has_runs(encoding, detail)) {
		put_reference_runs(output, detail);
		return;
	}
	for (uint32_t i = 0; i < detail->reference_count; i++) {
		output_reserve(output);
		put_object_address(output, detail->references[i]);
	}
}

/* Encodes a live or dead object up to its references. */
static void put_instance(heap_output *output, const heap_encoding *encoding, const mprof_event *event, uint64_t address)
{
	uint32_t type = event->kind == MPROF_EVENT_HEAP_OBJECT ? HEAP_RECORD_OBJECT : HEAP_RECORD_FREE;
	int is_fixed =
		encoding->sizes != NULL && event->value != 0 && event->value == id_map_get(encoding->sizes, event->id);

	/* For live and dead objects, the type of the record without a size is one higher. */
	put_varint(output, (uint64_t)event->id << HEAP_RECORD_BITS | (type + (is_fixed ? 1 : 0)));
	put_object_address(output, address);
	if (!is_fixed)
		put_varint(output, event->value);
}

static void put_event(heap_output *output, const heap_encoding *encoding, const mprof_event *event)
{
	mprof_event_detail copy;
	const mprof_event_detail *detail = event_detail_complete(event, &copy);

	output_reserve(output);
	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
		put_instance(output, encoding, event, detail->object);
		put_varint(output, flagged_count(encoding, detail));
		put_reference_addresses(output, encoding, detail);
		break;
	case MPROF_EVENT_HEAP_FREE:
		put_instance(output, encoding, event, detail->object);
		break;
	case MPROF_EVENT_HEAP_REFERENCES:
		put_varint(output, flagged_count(encoding, detail) << HEAP_RECORD_BITS | HEAP_RECORD_REFERENCES);
		put_reference_addresses(output, encoding, detail);
		break;
	case MPROF_EVENT_HEAP_ROOT:
		put_varint(output, (uint64_t)event->id << HEAP_RECORD_BITS | HEAP_RECORD_ROOT);
		put_varint(output, event->value);
		put_object_address(output, detail->object);
		break;
	default:
		put_varint(output, HEAP_RECORD_MOVE);
		put_object_address(output, detail->object);
		put_object_address(output, event->value);
		break;
	}
}

void heap_encode(encode_buffer *buffer, const heap_encoding *encoding, const mprof_event *events, size_t count,
		 uint32_t shift)
{
	heap_output output;

	output.buffer = buffer;
	output.next = output.bytes;
	output.previous_address = 0;
	output.shift = shift;
	for (size_t i = 0; i < count && buffer->status == MPROF_OK; i++)
		put_event(&output, encoding, &events[i]);
	output_flush(&output);
}

void heap_encode_start(encode_buffer *buffer, const block_encoding *encoding, const heap_records_header *header)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_HEAP_DATA);
	encode_clock(buffer, &header->start);
	encode_varint(buffer, header->snapshot);
	encode_varint(buffer, header->flags);
	encode_varint(buffer, header->counter);
	encode_varint(buffer, header->shift);
	if ((encoding->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_PROCESSES)) != 0)
		encode_varint(buffer, header->process);
}

void heap_encode_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}

int heap_item_address_fits(uint64_t address)
{
	return (address & HEAP_ITEM_TAG_MASK) == 0;
}

void heap_item_encode_object(encode_buffer *buffer, uint64_t address, uint32_t class_id, uint32_t size,
			     uint32_t reference_count)
{
	encode_varint(buffer, (address & ~HEAP_ITEM_TAG_MASK) | HEAP_ITEM_TAG_OBJECT);
	encode_varint(buffer, class_id);
	encode_varint(buffer, size);
	encode_varint(buffer, reference_count);
}

void heap_item_encode_references(encode_buffer *buffer, const uint64_t *references, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		encode_varint(buffer, references[i]);
}

void heap_item_encode_dead(encode_buffer *buffer, uint32_t class_id, uint32_t size)
{
	encode_varint(buffer, (uint64_t)class_id << HEAP_ITEM_TAG_BITS | HEAP_ITEM_TAG_DEAD);
	encode_varint(buffer, size);
}

void heap_items_encode(encode_buffer *buffer, const block_encoding *encoding, const heap_items_header *header,
		       const encode_buffer *items)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_HEAP_DATA);
	encode_clock(buffer, &header->snapshot_start);
	encode_clock(buffer, &header->snapshot_end);
	if (encoding->rules->counts_collections)
		encode_varint(buffer, header->number);
	encode_clock(buffer, &header->start);
	encode_bytes(buffer, items->bytes, items->length);
}

void heap_items_encode_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}
