/* SPDX-License-Identifier: MIT */
/* Encodes and decodes the entries of INDEX blocks, and finds what they state at the start of a block. */
#include "format/blocks/index_items.h"

#include <mprof/format.h>

#include "format/blocks/records.h"
#include "format/values/varint.h"

#include <string.h>

/* Where the counters of a kind are. */
typedef enum counter_place {
	COUNTERS_NOWHERE,
	COUNTERS_IN_CLOCKS, /* A CLOCK at the start, and one at the end. */
	COUNTERS_IN_CLOCK,  /* A CLOCK at the start. */
	COUNTERS_IN_LIST,   /* CLOCK, thread and base counter at the start, CLOCK at the end. */
	COUNTERS_IN_INTRO,
	COUNTERS_IN_END,
	COUNTERS_IN_ELEMENT,     /* A BYTE, and both counters. */
	COUNTERS_IN_STATISTICAL, /* A counter at the start, and one at the end. */
	COUNTERS_IN_MARK,        /* A counter, and the thread. */
	COUNTERS_IN_WATERMARK    /* A counter. */
} counter_place;

static counter_place place_of(uint32_t kind)
{
	switch (kind) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		return COUNTERS_IN_LIST;
	case MPROF_BLOCK_INTRO:
		return COUNTERS_IN_INTRO;
	case MPROF_BLOCK_END:
		return COUNTERS_IN_END;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		return COUNTERS_IN_ELEMENT;
	case MPROF_BLOCK_STATISTICAL:
		return COUNTERS_IN_STATISTICAL;
	case MPROF_BLOCK_MARK:
		return COUNTERS_IN_MARK;
	case MPROF_BLOCK_WATERMARK:
		return COUNTERS_IN_WATERMARK;
	case MPROF_BLOCK_SESSION:
	case MPROF_BLOCK_THREAD:
		return COUNTERS_IN_CLOCK;
	case MPROF_BLOCK_MAPPING:
	case MPROF_BLOCK_HEAP_DATA:
	case MPROF_BLOCK_DIRECTIVES:
	case MPROF_BLOCK_LOST:
	case MPROF_BLOCK_APPLICATION:
		return COUNTERS_IN_CLOCKS;
	default:
		return block_has_records(kind) ? COUNTERS_IN_CLOCKS : COUNTERS_NOWHERE;
	}
}

int block_kind_has_thread(uint32_t kind)
{
	return kind == MPROF_BLOCK_EVENTS || kind == MPROF_BLOCK_SAMPLES || kind == MPROF_BLOCK_TYPED ||
	       kind == MPROF_BLOCK_MARK;
}

/* Whether blocks of a kind contain counters that block_peek() finds. */
static int block_kind_has_counters(uint32_t kind)
{
	return place_of(kind) != COUNTERS_NOWHERE;
}

static int has_clock_first(counter_place slot)
{
	return slot == COUNTERS_IN_CLOCKS || slot == COUNTERS_IN_CLOCK || slot == COUNTERS_IN_LIST ||
	       slot == COUNTERS_IN_INTRO || slot == COUNTERS_IN_END;
}

int block_kind_ends_with_clock(uint32_t kind)
{
	return place_of(kind) == COUNTERS_IN_CLOCKS || place_of(kind) == COUNTERS_IN_LIST;
}

/* The counter at the end of STATISTICAL follows an INT, whose last byte marks where the counter starts. */
static void peek_last_counter(content_cursor *cursor)
{
	size_t start = cursor->length > 0 ? cursor->length - 1 : 0;

	while (start > cursor->position && (cursor->bytes[start - 1] & VARINT_LAST_BIT) == 0)
		start--;
	cursor->position = start;
}

int block_peek(uint32_t kind, const uint8_t *content, size_t length, block_summary *summary)
{
	const counter_place slot = place_of(kind);
	content_cursor cursor;
	mprof_clock clock = {0};

	memset(summary, 0, sizeof(*summary));
	content_cursor_init(&cursor, content, length, UINT64_MAX);
	if (slot == COUNTERS_IN_ELEMENT)
		content_cursor_byte(&cursor);
	if (slot == COUNTERS_IN_INTRO || slot == COUNTERS_IN_END)
		content_cursor_varint(&cursor);
	if (slot == COUNTERS_IN_INTRO) {
		content_cursor_string(&cursor, NULL);
		content_cursor_varint(&cursor);
	}
	if (slot == COUNTERS_NOWHERE)
		return 0;
	if (has_clock_first(slot))
		content_cursor_clock(&cursor, &clock);
	else
		clock.counter = content_cursor_varint(&cursor);
	if (block_kind_has_thread(kind))
		summary->thread = content_cursor_varint(&cursor);
	summary->start_counter = slot == COUNTERS_IN_LIST ? content_cursor_varint(&cursor) : clock.counter;
	summary->end_counter = clock.counter;
	if (slot == COUNTERS_IN_STATISTICAL)
		peek_last_counter(&cursor);
	if (slot == COUNTERS_IN_STATISTICAL || slot == COUNTERS_IN_ELEMENT)
		summary->end_counter = content_cursor_varint(&cursor);
	if (cursor.status == MPROF_OK)
		return 1;
	memset(summary, 0, sizeof(*summary));
	return 0;
}

/* What follows the length in an entry: the low two bits of its first number. Readers need not know the code. */
typedef enum item_shape { SHAPE_PLAIN, SHAPE_COUNTERS, SHAPE_THREAD, SHAPE_STACK } item_shape;

#define SHAPE_BITS 2
#define SHAPE_MASK 3

static item_shape shape_of(uint32_t kind)
{
	if (kind == MPROF_BLOCK_EVENTS)
		return SHAPE_STACK;
	if (block_kind_has_thread(kind))
		return SHAPE_THREAD;
	return block_kind_has_counters(kind) ? SHAPE_COUNTERS : SHAPE_PLAIN;
}

void index_item_encode(encode_buffer *buffer, index_base *base, const index_item *item)
{
	const item_shape shape = shape_of(item->kind);

	encode_varint(buffer, (uint64_t)item->code << SHAPE_BITS | shape);
	encode_varint(buffer, item->length);
	if (shape == SHAPE_PLAIN)
		return;
	encode_varint(buffer, zigzag_fold(item->start_counter - base->counter));
	encode_varint(buffer, zigzag_fold(item->end_counter - item->start_counter));
	base->counter = item->start_counter;
	if (shape == SHAPE_COUNTERS)
		return;
	encode_varint(buffer, zigzag_fold(item->thread - base->thread));
	base->thread = item->thread;
	if (shape == SHAPE_THREAD)
		return;
	encode_varint(buffer, item->has_stack ? (uint64_t)item->depth + 1 : 0);
	if (item->has_stack) {
		encode_varint(buffer, item->shared);
		encode_bytes(buffer, item->methods, item->methods_length);
	}
}

void index_cursor_init(index_cursor *cursor, const dialect_rules *rules, const uint8_t *content, size_t length)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->rules = rules;
	content_cursor_init(&cursor->content, content, length, UINT64_MAX);
	cursor->previous = content_cursor_varint(&cursor->content);
	cursor->count = content_cursor_varint(&cursor->content);
}

static void decode_stack(content_cursor *content, index_item *item)
{
	const size_t start = content->position;
	const uint64_t depth = content_cursor_varint(content);

	if (depth == 0 || content->status != MPROF_OK)
		return;
	item->has_stack = 1;
	if (depth - 1 > INDEX_MAX_FRAMES) {
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED, "a call stack in an INDEX block is too deep");
		return;
	}
	item->depth = (uint32_t)(depth - 1);
	item->shared = content_cursor_id(content);
	if (item->shared > item->depth) {
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED,
				    "a call stack in an INDEX block shares more frames than it has");
		return;
	}
	item->methods = content->bytes + content->position;
	for (uint32_t i = item->shared; i < item->depth && content->status == MPROF_OK; i++)
		content_cursor_id(content);
	item->methods_length = (size_t)(content->bytes + content->position - item->methods);
}

static void decode_fields(index_cursor *cursor, item_shape shape, index_item *item)
{
	content_cursor *content = &cursor->content;

	if (shape == SHAPE_PLAIN)
		return;
	item->start_counter = cursor->base.counter + zigzag_unfold(content_cursor_varint(content));
	item->end_counter = item->start_counter + zigzag_unfold(content_cursor_varint(content));
	cursor->base.counter = item->start_counter;
	if (shape == SHAPE_COUNTERS)
		return;
	item->thread = cursor->base.thread + zigzag_unfold(content_cursor_varint(content));
	cursor->base.thread = item->thread;
	if (shape == SHAPE_STACK)
		decode_stack(content, item);
}

int index_cursor_next(index_cursor *cursor, index_item *item)
{
	content_cursor *content = &cursor->content;
	const size_t start = content->position;
	uint32_t first;

	memset(item, 0, sizeof(*item));
	if (cursor->count == 0 || content->status != MPROF_OK)
		return 0;
	cursor->count--;
	first = content_cursor_id(content);
	item->code = first >> SHAPE_BITS;
	item->kind = dialect_block_kind(cursor->rules, item->code);
	item->length = content_cursor_id(content);
	if (content->status == MPROF_OK &&
	    (item->code == 0 || item->code > UINT8_MAX || item->length < cursor->rules->checksum_length))
		content_cursor_fail(content, start, MPROF_ERR_MALFORMED,
				    "an entry of an INDEX block does not describe a block");
	decode_fields(cursor, (item_shape)(first & SHAPE_MASK), item);
	return content->status == MPROF_OK;
}
