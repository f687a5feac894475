/* SPDX-License-Identifier: MIT */
/* The records of hand-written HEAP_DATA blocks. */
#include "base/caller_structs.h"
#include "format/blocks/heap_records.h"

#include <criterion/criterion.h>

#include <string.h>

#define MAX_EVENTS 8
#define MAX_REFERENCES 4

/* A varint of more than 64 bits. */
#define TOO_LARGE "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x82"

typedef struct decoding {
	heap_decode_state state;
	id_map sizes;
	heap_decode_batch batch;
	mprof_event events[MAX_EVENTS];
	mprof_event_detail details[MAX_EVENTS];
	uint64_t references[MAX_REFERENCES];
	uint64_t offsets[MAX_REFERENCES];
} decoding;

/* Class 2 has objects of 24 bytes. */
static void begin(decoding *work, const char *bytes, size_t length, uint32_t shift)
{
	mprof_allocator allocator;

	memset(work, 0x55, sizeof(*work));
	memset(&work->state, 0, sizeof(work->state));
	work->state.bytes = (const uint8_t *)bytes;
	work->state.length = length;
	work->state.shift = shift;
	work->state.counter = 77;
	cr_assert_eq(allocator_init(&allocator, NULL), 1);
	id_map_init(&work->sizes, &allocator);
	cr_assert_eq(id_map_put(&work->sizes, 2, 24), 1);
}

#define BEGIN(work, bytes, shift) begin(work, bytes, sizeof(bytes) - 1, shift)

static heap_decode_result go_on(decoding *work, size_t capacity)
{
	heap_decode_batch batch = {work->events,     work->details,  capacity, 0,
				   work->references, MAX_REFERENCES, 0,        work->offsets};
	heap_decode_result result;

	work->batch = batch;
	result = heap_decode(&work->state, &work->sizes, &work->batch);
	return result;
}

static void expect_event(const decoding *work, size_t number, uint32_t kind, uint32_t id, uint64_t value,
			 uint64_t object)
{
	const mprof_event *event = &work->events[number];

	cr_assert_lt(number, work->batch.count);
	cr_assert_eq(event->kind, kind, "event %zu: %u", number, event->kind);
	cr_assert_eq(event->id, id, "event %zu: %u", number, (unsigned)event->id);
	cr_assert_eq(event->value, value, "event %zu: %llx", number, (unsigned long long)event->value);
	cr_assert_eq(event->counter, 77);
	cr_assert_eq(event->flags, 0);
	cr_assert_eq(event->code, 0);
	cr_assert_eq(event->more.detail, &work->details[number]);
	cr_assert_eq(event->more.detail->object, object, "event %zu: %llx", number,
		     (unsigned long long)event->more.detail->object);
	cr_assert_eq(event->more.detail->caller, 0);
	cr_assert_eq(event->more.detail->stack, 0);
	cr_assert_eq(event->more.detail->handle_type, 0);
}

static void expect_references(const decoding *work, size_t number, const uint64_t *references, uint32_t count)
{
	const mprof_event_detail *detail = &work->details[number];

	cr_assert_eq(detail->reference_count, count, "event %zu: %u", number, (unsigned)detail->reference_count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(detail->references[i], references[i], "event %zu, reference %u: %llx", number, (unsigned)i,
			     (unsigned long long)detail->references[i]);
}

Test(heap_decode, objects)
{
	/* Class 1 at 1000 (hexadecimal), 300 bytes, to 1008 and 0ff8; class 2 at 1010, to itself; class 300, alone. */
	const uint64_t first[] = {0x1008, 0xff8};
	const uint64_t second[] = {0x1010};
	static decoding work;

	BEGIN(&work,
	      "\x88"
	      "\x00\x88"
	      "\x2c\x82"
	      "\x82"
	      "\x82\x83"
	      "\x91"
	      "\x86"
	      "\x81"
	      "\x80"
	      "\x60\x92"
	      "\x82"
	      "\x80"
	      "\x80",
	      3);
	cr_assert_eq(go_on(&work, MAX_EVENTS), HEAP_DECODE_DONE);
	cr_assert_eq(work.batch.count, 3);
	expect_event(&work, 0, MPROF_EVENT_HEAP_OBJECT, 1, 300, 0x1000);
	expect_references(&work, 0, first, 2);
	expect_event(&work, 1, MPROF_EVENT_HEAP_OBJECT, 2, 24, 0x1010);
	expect_references(&work, 1, second, 1);
	expect_event(&work, 2, MPROF_EVENT_HEAP_OBJECT, 300, 0, 0x1018);
	expect_references(&work, 2, NULL, 0);
	id_map_destroy(&work.sizes);
}

Test(heap_decode, other_records)
{
	const uint64_t more[] = {5, 1};
	static decoding work;

	BEGIN(&work,
	      "\x8a"
	      "\x8c"
	      "\x87" /* freed, class 1, at 6, 7 bytes */
	      "\x93"
	      "\x8b" /* freed, class 2, at 0 */
	      "\x94"
	      "\x8a\x87" /* two references */
	      "\x9d"
	      "\x83"
	      "\x84" /* root 3, of kind 3, to 3 */
	      "\x85"
	      "\x81"
	      "\x80" /* root 0, of kind 1, to 3 */
	      "\x86"
	      "\x83\x82", /* from 1 to 2 */
	      0);
	cr_assert_eq(go_on(&work, MAX_EVENTS), HEAP_DECODE_DONE);
	cr_assert_eq(work.batch.count, 6);
	expect_event(&work, 0, MPROF_EVENT_HEAP_FREE, 1, 7, 6);
	expect_event(&work, 1, MPROF_EVENT_HEAP_FREE, 2, 24, 0);
	expect_event(&work, 2, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0);
	expect_references(&work, 2, more, 2);
	expect_event(&work, 3, MPROF_EVENT_HEAP_ROOT, 3, MPROF_ROOT_STACK, 3);
	expect_event(&work, 4, MPROF_EVENT_HEAP_ROOT, 0, MPROF_ROOT_STATIC, 3);
	expect_event(&work, 5, MPROF_EVENT_HEAP_MOVE, 0, 2, 1);
	id_map_destroy(&work.sizes);
}

/* Deltas are modulo 2^64. */
Test(heap_decode, addresses_wrap)
{
	static decoding work;

	BEGIN(&work,
	      "\x86"
	      "\x81"
	      "\x82"
	      "\x86"
	      "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
	      "\x80",
	      12);
	cr_assert_eq(go_on(&work, MAX_EVENTS), HEAP_DECODE_DONE);
	expect_event(&work, 0, MPROF_EVENT_HEAP_MOVE, 0, 0, UINT64_C(0xfffffffffffff000));
	cr_assert_eq(work.batch.count, 2);
	expect_event(&work, 1, MPROF_EVENT_HEAP_MOVE, 0, 0, 0);
	id_map_destroy(&work.sizes);
}

/* A batch ends when its events or its references are full. */
Test(heap_decode, in_batches)
{
	static decoding work;

	BEGIN(&work,
	      "\x88\x82\x80\x83\x82\x82\x82"
	      "\x88\x82\x80\x82\x82\x82"
	      "\x8a\x82\x80"
	      "\x8a\x82\x80",
	      0);
	cr_assert_eq(go_on(&work, MAX_EVENTS), HEAP_DECODE_FULL, "three references and two do not fit");
	cr_assert_eq(work.batch.count, 1);
	cr_assert_eq(work.batch.reference_count, 3);
	cr_assert_eq(go_on(&work, 2), HEAP_DECODE_FULL);
	cr_assert_eq(work.batch.count, 2);
	expect_event(&work, 0, MPROF_EVENT_HEAP_OBJECT, 1, 0, 5);
	expect_event(&work, 1, MPROF_EVENT_HEAP_FREE, 1, 0, 8);
	cr_assert_eq(go_on(&work, 2), HEAP_DECODE_DONE);
	cr_assert_eq(work.batch.count, 1);
	expect_event(&work, 0, MPROF_EVENT_HEAP_FREE, 1, 0, 9);
	cr_assert_eq(go_on(&work, 2), HEAP_DECODE_DONE);
	cr_assert_eq(work.batch.count, 0);
	id_map_destroy(&work.sizes);
}

/* An object with more references than any batch holds: ten in pieces of four, and the record after it. */
Test(heap_decode, in_pieces)
{
	static decoding work;
	uint64_t expected = 2;

	BEGIN(&work,
	      "\x8a\x82\x80"
	      "\x88\x82\x85\x8a\x82\x82\x82\x82\x82\x82\x82\x82\x82\x82"
	      "\xb4\x82\x82\x82\x82\x82\x82"
	      "\x8a\x82\x80",
	      0);
	cr_assert_eq(go_on(&work, MAX_EVENTS), HEAP_DECODE_FULL);
	cr_assert_eq(work.batch.count, 2);
	expect_event(&work, 0, MPROF_EVENT_HEAP_FREE, 1, 0, 1);
	expect_event(&work, 1, MPROF_EVENT_HEAP_OBJECT, 1, 5, 2);
	for (size_t piece = 0; piece < 3; piece++) {
		size_t slot = piece == 0 ? 1 : 0;

		if (piece > 0) {
			cr_assert_eq(go_on(&work, 1), HEAP_DECODE_FULL);
			cr_assert_eq(work.batch.count, 1);
			expect_event(&work, 0, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0);
		}
		cr_assert_eq(work.details[slot].reference_count, piece < 2 ? 4 : 2);
		for (uint32_t i = 0; i < work.details[slot].reference_count; i++)
			cr_assert_eq(work.details[slot].references[i], ++expected);
	}
	/* A record of references alone is split in the same way. */
	cr_assert_eq(go_on(&work, 8), HEAP_DECODE_FULL);
	cr_assert_eq(work.batch.count, 1);
	expect_event(&work, 0, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0);
	cr_assert_eq(work.details[0].reference_count, 4);
	cr_assert_eq(go_on(&work, 8), HEAP_DECODE_DONE);
	cr_assert_eq(work.batch.count, 2);
	cr_assert_eq(work.details[0].reference_count, 2);
	expect_event(&work, 1, MPROF_EVENT_HEAP_FREE, 1, 0, 19);
	id_map_destroy(&work.sizes);
}

static void expect_offsets(const decoding *work, size_t number, const uint64_t *offsets, uint32_t count)
{
	const mprof_event_detail *detail = &work->details[number];

	cr_assert_eq(detail->reference_count, count, "event %zu: %u", number, (unsigned)detail->reference_count);
	cr_assert_not_null(detail->offsets);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(detail->offsets[i], offsets[i], "event %zu, offset %u: %llx", number, (unsigned)i,
			     (unsigned long long)detail->offsets[i]);
}

/* With directive 26: runs of all forms, references without offsets, and an object without references. */
Test(heap_decode, offsets)
{
	const uint64_t first[] = {16, 24, 40};
	const uint64_t second[] = {24, UINT64_C(0xfffffffffffffff8), 0};
	const uint64_t references[] = {8, 8, 8};
	static decoding work;

	BEGIN(&work,
	      "\x88\x82\x80\x87\x89\x80\x80\x84\x80"
	      "\xbc\x8c\x80\x8b\x89\x80\x80"
	      "\x94\x80"
	      "\x88\x80\x80\x80"
	      "\x88\x80\x80\x81",
	      3);
	work.state.has_offsets = 1;
	cr_assert_eq(go_on(&work, 1), HEAP_DECODE_FULL);
	expect_event(&work, 0, MPROF_EVENT_HEAP_OBJECT, 1, 0, 8);
	expect_references(&work, 0, references, 3);
	expect_offsets(&work, 0, first, 3);
	cr_assert_eq(go_on(&work, 1), HEAP_DECODE_FULL);
	expect_event(&work, 0, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0);
	expect_references(&work, 0, references, 3);
	expect_offsets(&work, 0, second, 3);
	cr_assert_eq(go_on(&work, 1), HEAP_DECODE_FULL);
	expect_references(&work, 0, references, 1);
	cr_assert_null(work.details[0].offsets);
	cr_assert_eq(go_on(&work, MAX_EVENTS), HEAP_DECODE_DONE);
	cr_assert_eq(work.batch.count, 2);
	expect_references(&work, 0, NULL, 0);
	expect_references(&work, 1, NULL, 0);
	id_map_destroy(&work.sizes);
}

/* A run goes on in the next piece. Offsets are modulo 2^64, whatever the size of the object. */
Test(heap_decode, offsets_in_pieces)
{
	static decoding work;
	uint64_t offset = 0;

	BEGIN(&work,
	      "\x88\x82\x80\x97\x9b\x81\x82\x82\x82\x82\x82\x82"
	      "\x93\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x82\x82\x82\x82"
	      "\x80\x82",
	      0);
	work.state.has_offsets = 1;
	for (size_t piece = 0; piece < 3; piece++) {
		cr_assert_eq(go_on(&work, 1), piece < 2 ? HEAP_DECODE_FULL : HEAP_DECODE_DONE);
		cr_assert_eq(work.batch.count, 1);
		cr_assert_eq(work.details[0].reference_count, piece < 2 ? 4 : 3);
		for (uint32_t i = 0; i < work.details[0].reference_count; i++, offset++) {
			uint64_t expected = offset < 6 ? offset - 1 : offset - 1 + (UINT64_C(1) << 63);

			cr_assert_eq(work.details[0].references[i], offset + 2);
			cr_assert_eq(work.details[0].offsets[i], expected, "%llu: %llx", (unsigned long long)offset,
				     (unsigned long long)work.details[0].offsets[i]);
		}
	}
	id_map_destroy(&work.sizes);
}

static void expect_bad_runs(heap_decode_result expected, size_t fault, const char *bytes, size_t length)
{
	static decoding work;

	begin(&work, bytes, length, 0);
	work.state.has_offsets = 1;
	cr_assert_eq(go_on(&work, MAX_EVENTS), expected);
	cr_assert_eq(work.batch.count, 0);
	cr_assert_eq(work.state.fault, fault, "fault at %zu", work.state.fault);
	id_map_destroy(&work.sizes);
}

#define EXPECT_BAD_RUNS(result, fault, bytes) expect_bad_runs(result, fault, bytes, sizeof(bytes) - 1)

Test(heap_decode, bad_runs)
{
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_RUN, 4, "\x88\x80\x80\x83\x81\x80\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_RUN, 6, "\x88\x80\x80\x87\x80\x80\x82\x80\x80\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_RUN, 4, "\x88\x80\x80\x83\x83\x80\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_RUN, 4, "\x88\x80\x80\x83\x8b\x80\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_RUN, 4, "\x88\x80\x80\x83\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x80\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_COUNT, 3, "\x88\x80\x80\x87\x80\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_COUNT, 0, "\xbc\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_TRUNCATED, 5, "\x88\x80\x80\x83\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_TRUNCATED, 6, "\x88\x80\x80\x85\x8b\x80");
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_VARINT, 4, "\x88\x80\x80\x83" TOO_LARGE);
	EXPECT_BAD_RUNS(HEAP_DECODE_BAD_VARINT, 5, "\x88\x80\x80\x83\x87" TOO_LARGE);
}

static void expect_fault(heap_decode_result expected, size_t fault, const char *bytes, size_t length)
{
	static decoding work;

	begin(&work, bytes, length, 0);
	cr_assert_eq(go_on(&work, MAX_EVENTS), expected);
	/* The record before it is returned. */
	cr_assert_eq(work.batch.count, 1);
	cr_assert_eq(work.state.position, 3);
	cr_assert_eq(work.state.fault, fault, "fault at %zu", work.state.fault);
	cr_assert_eq(go_on(&work, MAX_EVENTS), expected, "and again");
	cr_assert_eq(work.batch.count, 0);
	cr_assert_eq(work.state.fault, fault);
	id_map_destroy(&work.sizes);
}

#define EXPECT_FAULT(result, fault, bytes) expect_fault(result, fault, "\x8a\x82\x80" bytes, 3 + sizeof(bytes) - 1)

Test(heap_decode, faults)
{
	EXPECT_FAULT(HEAP_DECODE_LIST_END, 3, "\x80\x88");
	EXPECT_FAULT(HEAP_DECODE_BAD_TYPE, 3, "\x87\x80\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_TYPE, 3, "\x8e\x80\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_ID, 3, "\x81\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_ID, 3, "\x82\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_ID, 3, "\x83\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_ID, 3, "\x00\x00\x00\x00\x00\x81\x80\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_ID, 3, "\x05\x00\x00\x00\x00\x81\x80\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_NO_SIZE, 3, "\x89\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_NO_SIZE, 3, "\x8b\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 3, TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 4, "\x88" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 5, "\x88\x80" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 6, "\x88\x80\x80" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 8, "\x88\x80\x80\x82\x80" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 5, "\x8a\x80" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 4, "\x8d" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_BAD_VARINT, 5, "\x86\x80" TOO_LARGE);
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 3, "\x08");
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 4, "\x88");
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 5, "\x88\x80\x05");
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 6, "\x88\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 8, "\x88\x80\x80\x82\x80\x05");
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 5, "\x8d\x80");
	EXPECT_FAULT(HEAP_DECODE_TRUNCATED, 5, "\x86\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_COUNT, 6, "\x88\x80\x80\x83\x80\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_COUNT, 5, "\x91\x80\x81");
	EXPECT_FAULT(HEAP_DECODE_BAD_COUNT, 3, "\x94\x80");
	EXPECT_FAULT(HEAP_DECODE_BAD_COUNT, 6, "\x88\x80\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x80");
}
