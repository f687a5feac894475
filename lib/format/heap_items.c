/* SPDX-License-Identifier: MIT */
#include "format/heap_items.h"

#include "format/heap_place.h"
#include "format/list_end.h"

#include <string.h>

/* What begins an item where integers have a fixed size. */
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

/* Takes a varint that must fit 32 bits, or leaves the place in front of it. */
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

/* The rest of a live object, behind its address. */
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

/* What became of a form that was tried. */
typedef struct trial {
	content_cursor cursor; /* Behind what was taken, or at the fault. */
	mprof_block block;
	heap_reading reading;
	int fits;
	int has_objects;
	uint32_t highest_class;
	size_t whole_end; /* Behind the last whole item. */
} trial;

static void frame_take(trial *trial)
{
	const heap_item_form *form = &item_forms[trial->reading.form];
	content_cursor *cursor = &trial->cursor;
	mprof_block *block = &trial->block;

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
	trial->reading.list_start = cursor->position;
}

static void trial_begin(trial *trial, const content_cursor *cursor, const mprof_block *block, heap_form form)
{
	memset(trial, 0, sizeof(*trial));
	trial->cursor = *cursor;
	trial->block = *block;
	trial->reading.form = form;
	frame_take(trial);
}

static void batch_weigh(trial *trial, const heap_decode_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const mprof_event *event = &batch->events[i];

		trial->has_objects |= event->kind == MPROF_EVENT_HEAP_OBJECT;
		if (event->id > trial->highest_class)
			trial->highest_class = event->id;
	}
}

#define WEIGHED_EVENTS 16
#define WEIGHED_REFERENCES 64

/* Goes over all items, or until there is an object. Returns why that ended; the fault's place is in the content. */
static heap_decode_result items_weigh(trial *trial, size_t end, int until_object, size_t *fault)
{
	mprof_event events[WEIGHED_EVENTS];
	mprof_event_detail details[WEIGHED_EVENTS];
	uint64_t references[WEIGHED_REFERENCES];
	size_t start = trial->reading.list_start;
	heap_decode_state state = {
		.bytes = trial->cursor.bytes + start, .length = end - start, .items = &item_forms[trial->reading.form]};
	heap_decode_result result;

	do {
		heap_decode_batch batch = {events, details, WEIGHED_EVENTS, 0, references, WEIGHED_REFERENCES, 0};

		result = heap_decode(&state, NULL, &batch);
		batch_weigh(trial, &batch);
	} while (result == HEAP_DECODE_FULL && !(until_object && trial->has_objects));
	trial->whole_end = start + state.position;
	*fault = result == HEAP_DECODE_DONE ? trial->whole_end : start + state.fault;
	return result;
}

static void end_take(trial *trial)
{
	content_cursor_amount(&trial->cursor);
	content_cursor_clock(&trial->cursor, &trial->block.end);
	trial->block.has_clocks = 1;
	trial->block.as.heap_data.flags = trial->has_objects ? MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST : 0;
	trial->fits = content_cursor_finish(&trial->cursor) == MPROF_OK;
}

/* What is whole of a cut block can be read if the cut is what ends it. */
static void cut_take(trial *trial, heap_decode_result result)
{
	trial->reading.list_end = trial->cursor.length;
	trial->block.as.heap_data.flags = trial->has_objects ? MPROF_HEAP_FLAG_FIRST : 0;
	trial->fits = result == HEAP_DECODE_DONE || result == HEAP_DECODE_CUT || result == HEAP_DECODE_LIST_END ||
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

static void form_try(trial *trial, const content_cursor *cursor, const mprof_block *block, heap_form form, int is_cut)
{
	heap_decode_result result;

	trial_begin(trial, cursor, block, form);
	if (trial->cursor.status != MPROF_OK)
		return;
	result = items_weigh(trial, cursor->length, 0, &trial->reading.list_end);
	trial->cursor.position = trial->reading.list_end;
	if (is_cut)
		cut_take(trial, result);
	else if (result == HEAP_DECODE_LIST_END)
		end_take(trial);
	if (!trial->fits)
		content_cursor_fail(&trial->cursor, trial->cursor.position, MPROF_ERR_MALFORMED,
				    heap_decode_fault(result));
}

/*
 * How likely the form is. Clocks can be out of order though it is the right one, since those of two processors differ
 * and that of the wall can be set; and classes can be defined late: so these count only where several forms fit. A cut
 * block fits soon: there the form is the likelier one the further it reads, and so it is where none fits.
 */
static size_t likelihood(trial *trial, heap_form known_form, const known_ids *known, int is_cut)
{
	const mprof_block *block = &trial->block;
	size_t score;

	trial->reading.is_sure = trial->fits && has_clocks_in_order(block);
	score = (size_t)(trial->fits * 4 + trial->reading.is_sure * 2 + (trial->reading.form == known_form));
	return score * (trial->cursor.length + 2) +
	       (trial->fits && !is_cut ? (size_t)(trial->highest_class <= known->class_id) : trial->whole_end);
}

/* The forms of a dialect's blocks, the likeliest first, up to #HEAP_FORM_NONE. */
static const uint8_t *forms_of(const dialect_rules *rules)
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
 * Takes a block in the form of those before it, without going over more items than to the first object: they are
 * checked when they are fetched. Returns 0, having changed nothing, unless all that is looked at agrees with the form.
 */
static int known_form_take(content_cursor *cursor, heap_form form, mprof_block *block, heap_reading *reading)
{
	heap_decode_result result;
	size_t end_length;
	trial trial;
	size_t fault;

	trial_begin(&trial, cursor, block, form);
	if (trial.cursor.status != MPROF_OK)
		return 0;
	end_length = list_end_find(&trial.cursor, 0, &trial.reading.list_end);
	if (end_length == 0)
		return 0;
	result = items_weigh(&trial, trial.reading.list_end, 1, &fault);
	if (!trial.has_objects && result != HEAP_DECODE_DONE)
		return 0;
	trial.cursor.position = trial.reading.list_end;
	end_take(&trial);
	if (!trial.fits || !has_clocks_in_order(&trial.block))
		return 0;
	*cursor = trial.cursor;
	*block = trial.block;
	*reading = trial.reading;
	return 1;
}

void heap_items_take(content_cursor *cursor, const dialect_rules *rules, heap_form known_form, const known_ids *known,
		     int is_cut, mprof_block *block, heap_reading *reading)
{
	const content_cursor start = *cursor;
	const mprof_block empty = *block;
	size_t best = 0;

	if (!is_cut && known_form != HEAP_FORM_NONE && known_form != HEAP_FORM_FIXED &&
	    known_form_take(cursor, known_form, block, reading))
		return;
	for (const uint8_t *form = forms_of(rules); *form != HEAP_FORM_NONE; form++) {
		trial trial;
		size_t score;

		form_try(&trial, &start, &empty, (heap_form)*form, is_cut);
		score = likelihood(&trial, known_form, known, is_cut) + 1;
		if (score <= best)
			continue;
		best = score;
		*cursor = trial.cursor;
		*block = trial.block;
		*reading = trial.reading;
	}
}
