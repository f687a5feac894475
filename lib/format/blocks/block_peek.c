/* SPDX-License-Identifier: MIT */
/* Finds the thread and the counters at the start of a block. */
#include "format/blocks/block_peek.h"

#include "format/values/content_cursor.h"
#include "format/values/varint.h"

#include <mprof/format.h>

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
	case MPROF_BLOCK_HEAP_SUMMARY:
	case MPROF_BLOCK_DIRECTIVES:
	case MPROF_BLOCK_LOST:
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_FIELDS:
		return COUNTERS_IN_CLOCKS;
	default:
		return COUNTERS_NOWHERE;
	}
}

int block_kind_has_thread(uint32_t kind)
{
	return kind == MPROF_BLOCK_EVENTS || kind == MPROF_BLOCK_SAMPLES || kind == MPROF_BLOCK_MARK;
}

int block_kind_has_counters(uint32_t kind)
{
	return place_of(kind) != COUNTERS_NOWHERE;
}

static int has_clock_first(counter_place place)
{
	return place == COUNTERS_IN_CLOCKS || place == COUNTERS_IN_CLOCK || place == COUNTERS_IN_LIST ||
	       place == COUNTERS_IN_INTRO || place == COUNTERS_IN_END;
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
	const counter_place place = place_of(kind);
	content_cursor cursor;
	mprof_clock clock = {0};

	memset(summary, 0, sizeof(*summary));
	content_cursor_init(&cursor, content, length, UINT64_MAX);
	if (place == COUNTERS_IN_ELEMENT)
		content_cursor_byte(&cursor);
	if (place == COUNTERS_IN_INTRO || place == COUNTERS_IN_END)
		content_cursor_varint(&cursor);
	if (place == COUNTERS_IN_INTRO) {
		content_cursor_string(&cursor, NULL);
		content_cursor_varint(&cursor);
	}
	if (place == COUNTERS_NOWHERE)
		return 0;
	if (has_clock_first(place))
		content_cursor_clock(&cursor, &clock);
	else
		clock.counter = content_cursor_varint(&cursor);
	if (block_kind_has_thread(kind))
		summary->thread = content_cursor_varint(&cursor);
	summary->start_counter = place == COUNTERS_IN_LIST ? content_cursor_varint(&cursor) : clock.counter;
	summary->end_counter = clock.counter;
	if (place == COUNTERS_IN_STATISTICAL)
		peek_last_counter(&cursor);
	if (place == COUNTERS_IN_STATISTICAL || place == COUNTERS_IN_ELEMENT)
		summary->end_counter = content_cursor_varint(&cursor);
	if (cursor.status == MPROF_OK)
		return 1;
	memset(summary, 0, sizeof(*summary));
	return 0;
}
