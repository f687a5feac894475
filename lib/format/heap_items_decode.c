/* SPDX-License-Identifier: MIT */
/* Determines the layout of a HEAP_DATA block of drop, mono or unity by decoding it in each candidate. */
#include "format/heap_items_decode.h"

#include "format/heap_decode.h"
#include "format/list_end.h"

#include <string.h>

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
