/* SPDX-License-Identifier: MIT */
/*
 * Hand-written heap snapshots of Mono's own writers: each layout, how layouts are distinguished, and which errors are
 * found where.
 */
#include "format/blocks/heap_records.h"

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Clock pairs of a snapshot, and of the start and end of its block; the wall-clock time equals the counter. */
#define SHOT "\x81\x81\x82\x82"
#define START "\x83\x83"
#define END "\x84\x84"

typedef struct decoding {
	content_cursor cursor;
	mprof_block block;
	heap_items_result decoded;
	char items[1024];
	heap_decode_result last;
} decoding;

/* The state of the decoder when a block is read. */
typedef struct setting {
	mprof_dialect dialect;
	heap_layout known_layout;
	known_ids known;
	int is_truncated;
} setting;

static const setting in_drop = {.dialect = MPROF_DIALECT_DROP};
static const setting in_mono = {.dialect = MPROF_DIALECT_MONO};
static const setting in_fixed = {.dialect = MPROF_DIALECT_UNITY_FIXED};

static void add(decoding *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(decoding *out, const char *format, ...)
{
	size_t length = strlen(out->items);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(out->items + length, sizeof(out->items) - length, format, arguments);
	va_end(arguments);
}

static void add_event(decoding *out, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	cr_assert_eq(event->counter, 77);
	if (event->kind == MPROF_EVENT_HEAP_OBJECT)
		add(out, " %llx:c%u,%llu", (unsigned long long)detail->object, event->id,
		    (unsigned long long)event->value);
	else if (event->kind == MPROF_EVENT_HEAP_FREE)
		add(out, " dead:c%u,%llu", event->id, (unsigned long long)event->value);
	else
		add(out, " more:");
	for (uint32_t i = 0; i < detail->reference_count; i++)
		add(out, ">%llx", (unsigned long long)detail->references[i]);
}

/* Decodes the items in batches of two events and three references. */
static void add_items(decoding *out, const uint8_t *bytes)
{
	heap_decode_state state = {.bytes = bytes + out->decoded.list_start,
				   .length = out->decoded.list_end - out->decoded.list_start,
				   .counter = 77,
				   .layout = heap_item_layout_get(out->decoded.layout)};

	do {
		mprof_event events[2];
		mprof_event_detail details[2];
		uint64_t references[3];
		heap_decode_batch batch = {events, details, 2, 0, references, 3, 0, NULL};

		out->last = heap_decode(&state, NULL, &batch);
		for (size_t i = 0; i < batch.count; i++)
			add_event(out, &events[i]);
	} while (out->last == HEAP_DECODE_FULL);
}

static decoding decode(const setting *with, const char *bytes, size_t length)
{
	const dialect_rules *rules = dialect_get(with->dialect);
	decoding result;

	memset(&result, 0, sizeof(result));
	content_cursor_init(&result.cursor, (const uint8_t *)bytes, length, 20);
	result.cursor.has_fixed_ints = (int)rules->has_fixed_ints;
	heap_items_decode(&result.cursor, rules, with->known_layout, &with->known, with->is_truncated, &result.block,
			  &result.decoded);
	if (result.cursor.status == MPROF_OK)
		add_items(&result, (const uint8_t *)bytes);
	return result;
}

static decoding expect_snapshot(const setting *with, heap_layout layout, const char *items, const char *bytes,
				size_t length)
{
	decoding result = decode(with, bytes, length);

	cr_assert_eq(result.cursor.status, MPROF_OK, "%zu: %s", result.cursor.position, result.cursor.what);
	cr_assert_eq(result.decoded.layout, layout, "layout %u", result.decoded.layout);
	cr_assert_str_eq(result.items, items);
	cr_assert_eq(result.block.as.heap_data.has_clocks, 1);
	return result;
}

#define EXPECT_SNAPSHOT(with, layout, items, bytes)                                                                    \
	expect_snapshot(with, HEAP_LAYOUT_##layout, items, bytes, sizeof(bytes) - 1)

static void expect_clock(const mprof_clock *clock, uint64_t counter)
{
	cr_assert_eq(clock->counter, counter);
	cr_assert_eq(clock->time, counter);
}

Test(heap_items_decode, numbered)
{
	decoding result = EXPECT_SNAPSHOT(&in_mono, NUMBERED, " 1000:c3,32>2000>3000 dead:c2,16 2000:c1,8",
					  SHOT "\x89" START "\x01\xa0\x83\xa0\x82\x00\xc0\x00\xe0"
					       "\x8a\x90\x01\xc0\x81\x88\x80\x80" END);

	expect_clock(&result.block.as.heap_data.start, 1);
	expect_clock(&result.block.as.heap_data.end, 2);
	expect_clock(&result.block.start, 3);
	expect_clock(&result.block.end, 4);
	cr_assert_eq(result.block.has_clocks, 1);
	cr_assert_eq(result.block.as.heap_data.counter, 1);
	cr_assert_eq(result.block.as.heap_data.number, 9);
	cr_assert_eq(result.block.as.heap_data.flags, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST);
	cr_assert_eq(result.decoded.is_sure, 1);
}

/* From April to May 2008, in logs of both lengths of headers. */
Test(heap_items_decode, tagged)
{
	decoding result = EXPECT_SNAPSHOT(&in_mono, TAGGED, " 1000:c3,32>2000",
					  SHOT START "\x01\xa0\x83\xa0\x81\x00\xc0\x80" END);

	cr_assert_eq(result.block.as.heap_data.number, 0);
	EXPECT_SNAPSHOT(&in_drop, TAGGED, " 1000:c3,32>2000", SHOT START "\x01\xa0\x83\xa0\x81\x00\xc0\x80" END);
}

/* For some weeks the bit that marks objects was not written. */
Test(heap_items_decode, untagged)
{
	decoding result = EXPECT_SNAPSHOT(&in_drop, UNTAGGED, " 1000:c3,32>2000 dead:c2,16",
					  SHOT START "\x00\xa0\x83\xa0\x81\x00\xc0\x8a\x90\x80" END);

	expect_clock(&result.block.start, 3);
}

Test(heap_items_decode, classes)
{
	decoding result = EXPECT_SNAPSHOT(&in_drop, CLASSES, " 1000:c3,32>2000 dead:c2,16",
					  SHOT "\x01\xa0\x83\xa0\x81\x00\xc0\x8a\x90\x80" END);

	expect_clock(&result.block.start, 2);
}

Test(heap_items_decode, bare)
{
	decoding result = EXPECT_SNAPSHOT(&in_drop, BARE, " 1000:c0,0>2000>3000 dead:c2,16",
					  SHOT "\x01\xa0\x82\x00\xc0\x00\xe0\x8a\x90\x80" END);

	expect_clock(&result.block.start, 2);
}

#define FIXED_CLOCK(n) n "\0\0\0\0\0\0\0" n "\0\0\0\0\0\0\0"
#define FIXED_SHOT FIXED_CLOCK("\x01") FIXED_CLOCK("\x02") "\x05\0\0\0" FIXED_CLOCK("\x03")

Test(heap_items_decode, fixed)
{
	decoding result = EXPECT_SNAPSHOT(&in_fixed, FIXED, " 1000:c3,32>2000 dead:c2,16",
					  FIXED_SHOT "\x01\0\0\0\x00\x10\0\0\x03\0\0\0\x20\0\0\0\x01\0\0\0\x00\x20\0\0"
						     "\x02\0\0\0\x02\0\0\0\x10\0\0\0\0\0\0\0" FIXED_CLOCK("\x04"));

	cr_assert_eq(result.block.as.heap_data.number, 5);
	expect_clock(&result.block.end, 4);
}

/* With the option "free" alone, the profiler wrote blocks without objects, which are no snapshots. */
Test(heap_items_decode, empty)
{
	decoding result = EXPECT_SNAPSHOT(&in_mono, NUMBERED, "", SHOT "\x89" START "\x80" END);

	cr_assert_eq(result.block.as.heap_data.flags, 0);
	result = EXPECT_SNAPSHOT(&in_mono, NUMBERED, " dead:c2,16", SHOT "\x89" START "\x8a\x90\x80" END);
	cr_assert_eq(result.block.as.heap_data.flags, 0);
}

/* More references than a batch holds are returned in pieces. */
Test(heap_items_decode, pieces)
{
	EXPECT_SNAPSHOT(&in_mono, NUMBERED, " 80:c1,8>1>2>3 more:>4>5>6 more:>7 100:c1,8>1>2",
			SHOT "\x89" START "\x01\x81\x81\x88\x87\x81\x82\x83\x84\x85\x86\x87\x01\x82\x81\x88\x82\x81\x82"
			     "\x80" END);
}

/* Addresses of 64 bits, and those of 32 bits, which early logs sign-extend. */
Test(heap_items_decode, large_addresses)
{
	EXPECT_SNAPSHOT(&in_mono, NUMBERED, " 7f0000002000:c1,8>ffffffff90001000",
			SHOT "\x89" START
			     "\x01\x40\x00\x00\x00\x60\x9f\x81\x88\x81\x00\x20\x00\x00\x79\x7f\x7f\x7f\x7f\x81"
			     "\x80" END);
}

/* A CLOCK at the start of a block can also be decoded as a dead object, and the reverse. */
Test(heap_items_decode, form_by_clocks)
{
	setting with = in_drop;

	EXPECT_SNAPSHOT(&with, CLASSES, " dead:c2,16", SHOT "\x8a\x90\x80" END);
	EXPECT_SNAPSHOT(&with, TAGGED, "", SHOT "\x8a\x90\x80\x8b\x91");
	/* If the clocks fit several layouts, the layout of earlier blocks is used. */
	with.known_layout = HEAP_LAYOUT_BARE;
	EXPECT_SNAPSHOT(&with, BARE, " dead:c2,16", SHOT "\x8a\x90\x80" END);
	EXPECT_SNAPSHOT(&with, BARE, " dead:c2,16", SHOT "\x8a\x90\x80\x8b\x91");
	/* Clocks take precedence over it. */
	with.known_layout = HEAP_LAYOUT_TAGGED;
	EXPECT_SNAPSHOT(&with, CLASSES, " dead:c2,16", SHOT "\x8a\x90\x80" END);
}

/* Clocks of another processor, or a wall clock that was set: a layout is used if it is the only one that fits. */
Test(heap_items_decode, clocks_go_back)
{
	decoding result = EXPECT_SNAPSHOT(&in_mono, NUMBERED, " 1000:c3,32>2000",
					  "\x84\x84\x82\x82\x89" START "\x01\xa0\x83\xa0\x81\x00\xc0\x80" END);

	cr_assert_eq(result.decoded.is_sure, 0);
}

/* A truncated block yields its complete items; whether more objects followed is not known. */
Test(heap_items_decode, truncated)
{
	static const char block[] = SHOT "\x89" START "\x01\xa0\x83\xa0\x82\x00\xc0\x00\xe0\x8a\x90\x80" END;
	const size_t frame = 7;
	const size_t object = frame + 9;
	setting with = in_mono;

	with.is_truncated = 1;
	with.known_layout = HEAP_LAYOUT_NUMBERED;
	for (size_t length = frame; length < sizeof(block) - 1; length++) {
		decoding result = decode(&with, block, length);

		cr_assert_eq(result.cursor.status, MPROF_OK, "%zu", length);
		cr_assert_eq(result.decoded.layout, HEAP_LAYOUT_NUMBERED, "%zu", length);
		cr_assert_eq(result.block.as.heap_data.flags, length < object ? 0 : MPROF_HEAP_FLAG_FIRST, "%zu",
			     length);
		if (length < object)
			cr_assert_str_eq(result.items, "");
		else if (length < object + 2)
			cr_assert_str_eq(result.items, " 1000:c3,32>2000>3000");
		else
			cr_assert_str_eq(result.items, " 1000:c3,32>2000>3000 dead:c2,16");
	}
	with.is_truncated = 0;
	for (size_t length = 0; length < sizeof(block) - 1; length++)
		cr_assert_eq(decode(&with, block, length).cursor.status, MPROF_ERR_MALFORMED, "%zu", length);
}

static void expect_fault(const setting *with, size_t position, const char *bytes, size_t length)
{
	decoding result = decode(with, bytes, length);

	cr_assert_eq(result.cursor.status, MPROF_ERR_MALFORMED);
	cr_assert_eq(result.cursor.position, position, "%zu: %s", result.cursor.position, result.cursor.what);
}

#define EXPECT_FAULT(with, position, bytes) expect_fault(with, position, bytes, sizeof(bytes) - 1)

#define NUMBERED SHOT "\x89" START

Test(heap_items_decode, faults)
{
	setting with = in_mono;

	with.known_layout = HEAP_LAYOUT_NUMBERED;
	/* No such item. */
	EXPECT_FAULT(&with, 7, NUMBERED "\x83\x80" END);
	EXPECT_FAULT(&with, 7, NUMBERED "\x84\x80" END);
	/* A class and sizes that do not fit 32 bits, a varint that exceeds 64 bits. */
	EXPECT_FAULT(&with, 9, NUMBERED "\x01\xa0\x00\x00\x00\x00\x90\x88\x80\x80" END);
	EXPECT_FAULT(&with, 10, NUMBERED "\x01\xa0\x83\x00\x00\x00\x00\x90\x80\x80" END);
	EXPECT_FAULT(&with, 8, NUMBERED "\x8a\x00\x00\x00\x00\x90\x80" END);
	EXPECT_FAULT(&with, 7, NUMBERED "\x02\x00\x00\x00\x40\x84\x90\x80" END);
	EXPECT_FAULT(&with, 7, NUMBERED "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82\x90\x80" END);
	/* More references than bytes: 2^63, and one too many. */
	EXPECT_FAULT(&with, 11, NUMBERED "\x01\xa0\x83\x88\x00\x00\x00\x00\x00\x00\x00\x00\x00\x81\x80" END);
	EXPECT_FAULT(&with, 11, NUMBERED "\x01\xa0\x83\x88\x84\x80" END);
	/* No end of the list, no CLOCK after it, or other bytes. */
	EXPECT_FAULT(&with, 9, NUMBERED "\x8a\x90");
	EXPECT_FAULT(&with, 9, NUMBERED "\x80\x84");
	EXPECT_FAULT(&with, 10, NUMBERED "\x80" END "\x85");
	/* The fields before the list are incomplete, or items of fixed size are invalid. */
	EXPECT_FAULT(&with, 2, "\x81\x81");
	EXPECT_FAULT(&in_fixed, 3, "\x81\x81\x80");
	EXPECT_FAULT(&in_fixed, 52, FIXED_SHOT "\x03\0\0\0\0\0\0\0" FIXED_CLOCK("\x04"));
	EXPECT_FAULT(&in_fixed, 68, FIXED_SHOT "\x01\0\0\0\x00\x10\0\0\x03\0\0\0\x20\0\0\0\xff\xff\xff\xff");
}
