/* SPDX-License-Identifier: MIT */
#include "format/heap_items.h"

#include "format/heap_place.h"
#include "format/list_end.h"

#include <string.h>

/* The codes that items begin with where integers have a fixed size. */
#define FIXED_CODE_OBJECT 1
#define FIXED_CODE_DEAD 2

static const heap_item_form item_forms[] = {
	[HEAP_FORM_BARE] = {.object_tag = HEAP_ITEM_TAG_OBJECT},
	[HEAP_FORM_CLASSES] = {.has_classes = 1, .object_tag = HEAP_ITEM_TAG_OBJECT},
	[HEAP_FORM_UNTAGGED] = {.has_start_clock = 1, .has_classes = 1, .object_tag = 0},
	[HEAP_FORM_TAGGED] = {.has_start_clock = 1, .has_classes = 1, .object_tag = HEAP_ITEM_TAG_OBJECT},
	[HEAP_FORM_NUMBERED] = {.has_number = 1,
				.has_start_clock = 1,
				.has_classes = 1,
				.object_tag = HEAP_ITEM_TAG_OBJECT},
	[HEAP_FORM_FIXED] = {.has_number = 1, .has_start_clock = 1, .has_classes = 1, .has_fixed_ints = 1},
};

const heap_item_form *heap_item_form_get(heap_form form)
{
	return form == HEAP_FORM_NONE ? NULL : &item_forms[form];
}

/* Decodes an integer of at most 32 bits. A greater one is not consumed: the fault is at its start. */
static heap_decode_result small_number_take(heap_place *place, heap_decode_result fault, uint64_t *value)
{
	const uint8_t *start = place->cursor;

	if (!heap_item_number_take(place, value))
		return heap_number_fault(place);
	if (*value <= UINT32_MAX)
		return HEAP_DECODE_DONE;
	place->cursor = start;
	return fault;
}

static heap_decode_result class_take(heap_place *place, mprof_event *event)
{
	uint64_t class_id = 0;
	heap_decode_result result = small_number_take(place, HEAP_DECODE_BAD_ID, &class_id);

	event->id = (uint32_t)class_id;
	return result;
}

static heap_decode_result size_take(heap_place *place, mprof_event *event)
{
	return small_number_take(place, HEAP_DECODE_BAD_SIZE, &event->value);
}

/* Decodes the rest of a live object, after its address. */
static heap_decode_result object_take(heap_place *place, uint64_t address, heap_decode_batch *batch, mprof_event *event,
				      mprof_event_detail *detail)
{
	heap_decode_result result = HEAP_DECODE_DONE;
	const uint8_t *count_start;
	uint64_t count;

	event->kind = MPROF_EVENT_HEAP_OBJECT;
	detail->object = address;
	if (place->items->has_classes)
		result = class_take(place, event);
	if (result == HEAP_DECODE_DONE && place->items->has_classes)
		result = size_take(place, event);
	if (result != HEAP_DECODE_DONE)
		return result;
	count_start = place->cursor;
	if (!heap_item_number_take(place, &count))
		return heap_number_fault(place);
	result = heap_references_take(place, count, batch, detail);
	if (result == HEAP_DECODE_BAD_COUNT)
		place->cursor = count_start;
	return result;
}

static heap_decode_result fixed_item_take(heap_place *place, uint64_t code, heap_decode_batch *batch,
					  mprof_event *event, mprof_event_detail *detail)
{
	heap_decode_result result;
	uint64_t address;

	if (code == FIXED_CODE_OBJECT)
		return heap_item_number_take(place, &address) ? object_take(place, address, batch, event, detail)
							      : heap_number_fault(place);
	if (code != FIXED_CODE_DEAD)
		return HEAP_DECODE_BAD_TYPE;
	event->kind = MPROF_EVENT_HEAP_FREE;
	result = class_take(place, event);
	return result == HEAP_DECODE_DONE ? size_take(place, event) : result;
}

static heap_decode_result tagged_item_take(heap_place *place, uint64_t head, heap_decode_batch *batch,
					   mprof_event *event, mprof_event_detail *detail)
{
	if ((head & HEAP_ITEM_TAG_MASK) == place->items->object_tag)
		return object_take(place, head & ~HEAP_ITEM_TAG_MASK, batch, event, detail);
	if ((head & HEAP_ITEM_TAG_MASK) != HEAP_ITEM_TAG_DEAD)
		return HEAP_DECODE_BAD_TYPE;
	if (head >> HEAP_ITEM_TAG_BITS > UINT32_MAX)
		return HEAP_DECODE_BAD_TYPE;
	event->kind = MPROF_EVENT_HEAP_FREE;
	event->id = (uint32_t)(head >> HEAP_ITEM_TAG_BITS);
	return size_take(place, event);
}

heap_decode_result heap_item_take(heap_place *place, heap_decode_batch *batch, mprof_event *event,
				  mprof_event_detail *detail)
{
	const uint8_t *start = place->cursor;
	heap_decode_result result = HEAP_DECODE_LIST_END;
	uint64_t head;

	if (!heap_item_number_take(place, &head))
		return heap_number_fault(place);
	if (head != 0 && place->items->has_fixed_ints)
		result = fixed_item_take(place, head, batch, event, detail);
	else if (head != 0)
		result = tagged_item_take(place, head, batch, event, detail);
	if (result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_TYPE)
		place->cursor = start;
	return result;
}

/* The result of decoding the block in one of the forms. */
typedef struct candidate {
	content_cursor cursor; /* After the decoded content, or at the fault. */
	mprof_block block;
	heap_reading reading;
	int fits;
	int has_objects;
	uint32_t highest_class; /* The highest class ID in the items. */
	size_t whole_end;       /* After the last complete item. */
} candidate;

static void candidate_decode_head(candidate *candidate)
{
	const heap_item_form *form = &item_forms[candidate->reading.form];
	content_cursor *cursor = &candidate->cursor;
	mprof_block *block = &candidate->block;

	content_cursor_clock(cursor, &block->as.heap_data.start);
	content_cursor_clock(cursor, &block->as.heap_data.end);
	if (form->has_number)
		block->as.heap_data.number = content_cursor_id(cursor);
	if (form->has_start_clock)
		content_cursor_clock(cursor, &block->start);
	else
		block->start = block->as.heap_data.end;
	block->end = block->start;
	block->as.heap_data.counter = block->as.heap_data.start.counter;
	block->as.heap_data.has_clocks = 1;
	candidate->reading.list_start = cursor->position;
}

static void candidate_begin(candidate *candidate, const content_cursor *cursor, const mprof_block *block,
			    heap_form form)
{
	memset(candidate, 0, sizeof(*candidate));
	candidate->cursor = *cursor;
	candidate->block = *block;
	candidate->reading.form = form;
	candidate_decode_head(candidate);
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

/* Decodes all items, or those up to the first object. Returns why it stopped; \p fault is an offset in the content. */
static heap_decode_result candidate_decode_items(candidate *candidate, size_t end, int until_object, size_t *fault)
{
	mprof_event events[CANDIDATE_EVENTS];
	mprof_event_detail details[CANDIDATE_EVENTS];
	uint64_t references[CANDIDATE_REFERENCES];
	size_t start = candidate->reading.list_start;
	heap_decode_state state = {.bytes = candidate->cursor.bytes + start,
				   .length = end - start,
				   .items = &item_forms[candidate->reading.form]};
	heap_decode_result result;

	do {
		heap_decode_batch batch = {events, details, CANDIDATE_EVENTS, 0, references, CANDIDATE_REFERENCES, 0};

		result = heap_decode(&state, NULL, &batch);
		candidate_add_batch(candidate, &batch);
	} while (result == HEAP_DECODE_FULL && !(until_object && candidate->has_objects));
	candidate->whole_end = start + state.position;
	*fault = result == HEAP_DECODE_DONE ? candidate->whole_end : start + state.fault;
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

/* The complete items of a truncated block can be read if nothing but the truncation stopped decoding. */
static void candidate_end_truncated(candidate *candidate, heap_decode_result result)
{
	candidate->reading.list_end = candidate->cursor.length;
	candidate->block.as.heap_data.flags = candidate->has_objects ? MPROF_HEAP_FLAG_FIRST : 0;
	candidate->fits = result == HEAP_DECODE_DONE || result == HEAP_DECODE_CUT || result == HEAP_DECODE_LIST_END ||
			  result == HEAP_DECODE_BAD_COUNT;
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

static void candidate_decode(candidate *candidate, const content_cursor *cursor, const mprof_block *block,
			     heap_form form, int is_cut)
{
	heap_decode_result result;

	candidate_begin(candidate, cursor, block, form);
	if (candidate->cursor.status != MPROF_OK)
		return;
	result = candidate_decode_items(candidate, cursor->length, 0, &candidate->reading.list_end);
	candidate->cursor.position = candidate->reading.list_end;
	if (is_cut)
		candidate_end_truncated(candidate, result);
	else if (result == HEAP_DECODE_LIST_END)
		candidate_decode_end(candidate);
	if (!candidate->fits)
		content_cursor_fail(&candidate->cursor, candidate->cursor.position, MPROF_ERR_MALFORMED,
				    heap_decode_fault(result));
}

/*
 * The score of a form; the highest wins. Clocks can be out of order in the right form, since the counters of two
 * processors differ and the wall clock can be set, and classes can be defined after their use: these decide only
 * between several forms that fit. A truncated block fits most forms: among those, and if no form fits, the form wins
 * that decodes the most bytes.
 */
static size_t candidate_score(candidate *candidate, heap_form known_form, const known_ids *known, int is_cut)
{
	const mprof_block *block = &candidate->block;
	size_t score;

	candidate->reading.is_sure = candidate->fits && has_clocks_in_order(block);
	score = (size_t)(candidate->fits * 4 + candidate->reading.is_sure * 2 +
			 (candidate->reading.form == known_form));
	return score * (candidate->cursor.length + 2) + (candidate->fits && !is_cut
								 ? (size_t)(candidate->highest_class <= known->class_id)
								 : candidate->whole_end);
}

/* The forms that blocks of a dialect can have, the likeliest first, terminated by #HEAP_FORM_NONE. */
static const uint8_t *dialect_forms(const dialect_rules *rules)
{
	static const uint8_t fixed[] = {HEAP_FORM_FIXED, HEAP_FORM_NONE};
	static const uint8_t drop[] = {HEAP_FORM_TAGGED, HEAP_FORM_UNTAGGED, HEAP_FORM_CLASSES, HEAP_FORM_BARE,
				       HEAP_FORM_NONE};
	static const uint8_t mono[] = {HEAP_FORM_NUMBERED, HEAP_FORM_TAGGED, HEAP_FORM_NONE};

	if (rules->has_fixed_ints)
		return fixed;
	return rules->has_early_heap_forms ? drop : mono;
}

/*
 * Decodes a block in the form of earlier blocks, but its items only up to the first object: the others are checked when
 * they are fetched. If anything decoded contradicts the form, returns 0 and changes nothing.
 */
static int decode_known_form(content_cursor *cursor, heap_form form, mprof_block *block, heap_reading *reading)
{
	heap_decode_result result;
	size_t end_length;
	candidate candidate;
	size_t fault;

	candidate_begin(&candidate, cursor, block, form);
	if (candidate.cursor.status != MPROF_OK)
		return 0;
	end_length = list_end_find(&candidate.cursor, 0, &candidate.reading.list_end);
	if (end_length == 0)
		return 0;
	result = candidate_decode_items(&candidate, candidate.reading.list_end, 1, &fault);
	if (!candidate.has_objects && result != HEAP_DECODE_DONE)
		return 0;
	candidate.cursor.position = candidate.reading.list_end;
	candidate_decode_end(&candidate);
	if (!candidate.fits || !has_clocks_in_order(&candidate.block))
		return 0;
	*cursor = candidate.cursor;
	*block = candidate.block;
	*reading = candidate.reading;
	return 1;
}

void heap_items_take(content_cursor *cursor, const dialect_rules *rules, heap_form known_form, const known_ids *known,
		     int is_cut, mprof_block *block, heap_reading *reading)
{
	const content_cursor start = *cursor;
	const mprof_block empty = *block;
	size_t best = 0;

	if (!is_cut && known_form != HEAP_FORM_NONE && known_form != HEAP_FORM_FIXED &&
	    decode_known_form(cursor, known_form, block, reading))
		return;
	for (const uint8_t *form = dialect_forms(rules); *form != HEAP_FORM_NONE; form++) {
		candidate candidate;
		size_t score;

		candidate_decode(&candidate, &start, &empty, (heap_form)*form, is_cut);
		score = candidate_score(&candidate, known_form, known, is_cut) + 1;
		if (score <= best)
			continue;
		best = score;
		*cursor = candidate.cursor;
		*block = candidate.block;
		*reading = candidate.reading;
	}
}
