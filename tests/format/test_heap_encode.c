/* SPDX-License-Identifier: MIT */
/* Encodes the records of a HEAP_DATA block and decodes them again. */
#include "base/caller_structs.h"
#include "format/blocks/heap_records.h"

#include <criterion/criterion.h>

#include <string.h>

typedef struct encoding_fixture {
	id_set class_ids;
	id_map sizes;
	encode_buffer buffer;
	heap_encoding encoding;
} encoding_fixture;

/* Classes 1 to 9, of which 2 has objects of 24 bytes, and roots 1 to 3. */
static void open_fixture(encoding_fixture *fixture, int with_sizes)
{
	mprof_allocator allocator;

	cr_assert_eq(allocator_init(&allocator, NULL), 1);
	id_set_init(&fixture->class_ids, &allocator);
	id_map_init(&fixture->sizes, &allocator);
	encode_buffer_init(&fixture->buffer, &allocator, SIZE_MAX);
	for (uint32_t id = 1; id < 10; id++)
		cr_assert_eq(id_set_add(&fixture->class_ids, id), 1);
	cr_assert_eq(id_map_put(&fixture->sizes, 2, 24), 1);
	fixture->encoding.class_ids = &fixture->class_ids;
	fixture->encoding.sizes = with_sizes ? &fixture->sizes : NULL;
	fixture->encoding.root_count = 3;
	fixture->encoding.any = 0;
	fixture->encoding.has_offsets = 0;
	fixture->encoding.has_unknown_class = 0;
}

static void close_fixture(encoding_fixture *fixture)
{
	id_set_destroy(&fixture->class_ids);
	id_map_destroy(&fixture->sizes);
	encode_buffer_destroy(&fixture->buffer);
}

static mprof_event event_of(uint32_t kind, uint32_t id, uint64_t value, const mprof_event_detail *detail)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.more.detail = detail;
	return event;
}

static void expect_bytes(encoding_fixture *fixture, const mprof_event *events, size_t count, uint32_t shift,
			 const char *expected, size_t length)
{
	uint32_t found;

	cr_assert_eq(heap_check(&fixture->encoding, events, count, &found), MPROF_OK);
	cr_assert_eq(found, shift, "%u", (unsigned)found);
	encode_buffer_clear(&fixture->buffer);
	heap_encode(&fixture->buffer, &fixture->encoding, events, count, shift);
	cr_assert_eq(fixture->buffer.status, MPROF_OK);
	cr_assert_eq(fixture->buffer.length, length, "%zu bytes", fixture->buffer.length);
	for (size_t i = 0; i < length; i++)
		cr_assert_eq(fixture->buffer.bytes[i], (uint8_t)expected[i], "byte %zu: %02x", i,
			     fixture->buffer.bytes[i]);
}

#define EXPECT_BYTES(fixture, events, shift, expected)                                                                 \
	expect_bytes(fixture, events, sizeof(events) / sizeof((events)[0]), shift, expected, sizeof(expected) - 1)

Test(heap_encode, records)
{
	const uint64_t references[] = {0x1008, 0xff8};
	const mprof_event_detail object = {.struct_size = sizeof(mprof_event_detail),
					   .object = 0x1000,
					   .reference_count = 2,
					   .references = references};
	const mprof_event_detail lone = {.struct_size = sizeof(mprof_event_detail), .object = 0x1010};
	const mprof_event_detail more = {.struct_size = sizeof(mprof_event_detail),
					 .object = 0x777,
					 .reference_count = 2,
					 .references = references};
	const mprof_event events[] = {
		event_of(MPROF_EVENT_HEAP_OBJECT, 1, 300, &object), event_of(MPROF_EVENT_HEAP_OBJECT, 2, 24, &lone),
		event_of(MPROF_EVENT_HEAP_OBJECT, 2, 25, &lone),    event_of(MPROF_EVENT_HEAP_REFERENCES, 9, 9, &more),
		event_of(MPROF_EVENT_HEAP_FREE, 1, 7, NULL),        event_of(MPROF_EVENT_HEAP_FREE, 2, 24, &lone),
		event_of(MPROF_EVENT_HEAP_ROOT, 3, 4, &lone),       event_of(MPROF_EVENT_HEAP_ROOT, 0, 300, &lone),
		event_of(MPROF_EVENT_HEAP_MOVE, 5, 0x1000, &lone),
	};
	encoding_fixture fixture;

	open_fixture(&fixture, 1);
	EXPECT_BYTES(&fixture, events, 3,
		     "\x88\x00\x88\x2c\x82\x82\x82\x83"
		     "\x91\x86\x80"
		     "\x90\x80\x99\x80"
		     "\x94\x81\x83"
		     "\x8a\x7d\x87\x87"
		     "\x93\x04\x88"
		     "\x9d\x84\x80"
		     "\x85\x2c\x82\x80"
		     "\x86\x80\x83");
	/* Without directive 18 every size is written. */
	fixture.encoding.sizes = NULL;
	EXPECT_BYTES(&fixture, events, 3,
		     "\x88\x00\x88\x2c\x82\x82\x82\x83"
		     "\x90\x86\x98\x80"
		     "\x90\x80\x99\x80"
		     "\x94\x81\x83"
		     "\x8a\x7d\x87\x87"
		     "\x92\x04\x88\x98"
		     "\x9d\x84\x80"
		     "\x85\x2c\x82\x80"
		     "\x86\x80\x83");
	close_fixture(&fixture);
}

/* The size is written for a class without a known size, and for an object of no bytes. */
Test(heap_encode, size_0_is_written)
{
	const mprof_event_detail lone = {.struct_size = sizeof(mprof_event_detail), .object = 8};
	const mprof_event events[] = {event_of(MPROF_EVENT_HEAP_OBJECT, 1, 0, &lone),
				      event_of(MPROF_EVENT_HEAP_OBJECT, 2, 0, &lone)};
	encoding_fixture fixture;

	open_fixture(&fixture, 1);
	EXPECT_BYTES(&fixture, events, 3,
		     "\x88\x82\x80\x80"
		     "\x90\x80\x80\x80");
	close_fixture(&fixture);
}

static uint32_t shift_of(encoding_fixture *fixture, uint64_t object, uint64_t reference, uint64_t moved)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = object,
					   .reference_count = 1,
					   .references = &reference};
	const mprof_event events[] = {event_of(MPROF_EVENT_HEAP_OBJECT, 1, 1, &detail),
				      event_of(MPROF_EVENT_HEAP_MOVE, 0, moved, &detail)};
	uint32_t shift = 99;

	cr_assert_eq(heap_check(&fixture->encoding, events, 2, &shift), MPROF_OK);
	return shift;
}

Test(heap_encode, shift)
{
	const uint64_t odd = 0x7f0000000001;
	const mprof_event_detail more = {
		.struct_size = sizeof(mprof_event_detail), .object = 1, .reference_count = 1, .references = &odd};
	const mprof_event references = event_of(MPROF_EVENT_HEAP_REFERENCES, 0, 1, &more);
	encoding_fixture fixture;
	uint32_t shift = 99;

	open_fixture(&fixture, 1);
	cr_assert_eq(shift_of(&fixture, 0x7f0000000008, 0x7f0000001000, 0x7f0000000010), 3);
	cr_assert_eq(shift_of(&fixture, 0x7f0000000100, 0x7f0000001002, 0x7f0000000010), 1);
	cr_assert_eq(shift_of(&fixture, 0x7f0000000100, 0x7f0000001000, 0x7f0000000001), 0);
	cr_assert_eq(shift_of(&fixture, 0x7f0000010000, 0x7f0000000000, 0), 12);
	cr_assert_eq(heap_check(&fixture.encoding, &references, 1, &shift), MPROF_OK);
	cr_assert_eq(shift, 0);
	close_fixture(&fixture);
}

Test(heap_encode, refused)
{
	const mprof_event_detail without = {
		.struct_size = sizeof(mprof_event_detail), .object = 8, .reference_count = 1};
	const mprof_event_detail lone = {.struct_size = sizeof(mprof_event_detail), .object = 8};
	const struct {
		mprof_event event;
		mprof_status status;
	} cases[] = {
		{event_of(MPROF_EVENT_HEAP_OBJECT, 1, 1, NULL), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_HEAP_OBJECT, 1, 1, &without), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_HEAP_OBJECT, 10, 1, &lone), MPROF_ERR_UNDEFINED_ID},
		{event_of(MPROF_EVENT_HEAP_OBJECT, 0, 1, &lone), MPROF_ERR_UNDEFINED_ID},
		{event_of(MPROF_EVENT_HEAP_FREE, 10, 1, &lone), MPROF_ERR_UNDEFINED_ID},
		{event_of(MPROF_EVENT_HEAP_REFERENCES, 0, 0, NULL), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_HEAP_REFERENCES, 0, 0, &without), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_HEAP_ROOT, 0, 0, NULL), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_HEAP_ROOT, 4, 0, &lone), MPROF_ERR_UNDEFINED_ID},
		{event_of(MPROF_EVENT_HEAP_MOVE, 0, 0, NULL), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_ALLOCATION, 1, 1, &lone), MPROF_ERR_ARGUMENT},
		{event_of(MPROF_EVENT_UNKNOWN, 1, 1, &lone), MPROF_ERR_ARGUMENT},
	};
	encoding_fixture fixture;

	open_fixture(&fixture, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const mprof_event events[] = {event_of(MPROF_EVENT_HEAP_FREE, 1, 1, NULL), cases[i].event};
		uint32_t shift;

		cr_assert_eq(heap_check(&fixture.encoding, events, 2, &shift), cases[i].status, "case %zu", i);
	}
	close_fixture(&fixture);
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

#define COUNT 1000
#define MAX_REFERENCES 2000

/* Events of any kind, with adjacent or arbitrary addresses, all multiples of 2^shift. */
static void make_events(mprof_event *events, mprof_event_detail *details, uint64_t *references, uint64_t *offsets,
			uint32_t shift)
{
	static const uint8_t kinds[] = {MPROF_EVENT_HEAP_OBJECT, MPROF_EVENT_HEAP_FREE, MPROF_EVENT_HEAP_ROOT,
					MPROF_EVENT_HEAP_MOVE, MPROF_EVENT_HEAP_REFERENCES};
	uint64_t base = UINT64_C(0x7f0012000000);

	for (size_t i = 0; i < COUNT; i++) {
		uint32_t kind = kinds[random_below(sizeof(kinds))];
		mprof_event_detail *detail = &details[i];

		memset(detail, 0, sizeof(*detail));
		detail->struct_size = sizeof(*detail);
		detail->object = random_below(10) == 0 ? random_below(UINT64_MAX) : base + random_below(100000);
		detail->object = detail->object >> shift << shift;
		events[i] = event_of(kind, 1 + (uint32_t)random_below(3), random_below(40), detail);
		if (kind == MPROF_EVENT_HEAP_MOVE) {
			events[i].id = 0;
			events[i].value = (base + random_below(100000)) >> shift << shift;
		}
		if (kind == MPROF_EVENT_HEAP_REFERENCES) {
			detail->object = 0;
			events[i].id = 0;
			events[i].value = 0;
		}
		if (kind != MPROF_EVENT_HEAP_OBJECT && kind != MPROF_EVENT_HEAP_REFERENCES)
			continue;
		detail->reference_count = (uint32_t)random_below(random_below(50) == 0 ? MAX_REFERENCES : 5);
		detail->references = references;
		for (uint32_t j = 0; j < detail->reference_count; j++)
			*references++ = (base + random_below(UINT64_C(1) << random_below(48))) >> shift << shift;
		if (random_below(4) == 0)
			continue;
		detail->offsets = offsets;
		for (uint32_t j = 0; j < detail->reference_count; j++, offsets++)
			*offsets = j > 0 && random_below(3) != 0
					   ? offsets[-1] + (UINT64_C(1) << shift)
					   : random_below(UINT64_MAX) >> random_below(64) >> shift << shift;
	}
}

static void expect_same(const mprof_event *expected, const mprof_event *actual, size_t number, int with_offsets)
{
	const mprof_event_detail *before = expected->more.detail;
	const mprof_event_detail *after = actual->more.detail;

	cr_assert_eq(actual->kind, expected->kind, "event %zu", number);
	cr_assert_eq(actual->id, expected->id, "event %zu", number);
	cr_assert_eq(actual->value, expected->value, "event %zu", number);
	cr_assert_eq(after->object, before->object, "event %zu", number);
	cr_assert_eq(after->reference_count, before->reference_count, "event %zu", number);
	cr_assert_eq(after->offsets != NULL, with_offsets && before->offsets != NULL && before->reference_count > 0);
	for (uint32_t i = 0; after->offsets != NULL && i < after->reference_count; i++)
		cr_assert_eq(after->offsets[i], before->offsets[i], "event %zu", number);
	for (uint32_t i = 0; i < after->reference_count; i++)
		cr_assert_eq(after->references[i], before->references[i], "event %zu", number);
}

static void check_round_trip(int with_sizes, int with_offsets, uint32_t shift)
{
	static mprof_event events[COUNT];
	static mprof_event_detail details[COUNT];
	static uint64_t references[COUNT * MAX_REFERENCES];
	static mprof_event decoded[COUNT];
	static mprof_event_detail decoded_details[COUNT];
	static uint64_t decoded_references[COUNT * MAX_REFERENCES];
	static uint64_t offsets[COUNT * MAX_REFERENCES];
	static uint64_t decoded_offsets[COUNT * MAX_REFERENCES];
	heap_decode_batch batch = {decoded, decoded_details, COUNT, 0, decoded_references, COUNT * MAX_REFERENCES,
				   0,       decoded_offsets};
	heap_decode_state state;
	encoding_fixture fixture;
	uint32_t found;

	make_events(events, details, references, offsets, shift);
	open_fixture(&fixture, with_sizes);
	fixture.encoding.has_offsets = with_offsets;
	cr_assert_eq(heap_check(&fixture.encoding, events, COUNT, &found), MPROF_OK);
	cr_assert_eq(found, shift);
	heap_encode(&fixture.buffer, &fixture.encoding, events, COUNT, shift);
	cr_assert_eq(fixture.buffer.status, MPROF_OK);
	memset(&state, 0, sizeof(state));
	state.bytes = fixture.buffer.bytes;
	state.length = fixture.buffer.length;
	state.shift = shift;
	state.has_offsets = (uint8_t)with_offsets;
	cr_assert_eq(heap_decode(&state, &fixture.sizes, &batch), HEAP_DECODE_DONE);
	cr_assert_eq(batch.count, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		expect_same(&events[i], &decoded[i], i, with_offsets);
	close_fixture(&fixture);
}

Test(heap_encode, round_trip)
{
	for (uint32_t shift = 0; shift <= 12; shift++) {
		check_round_trip(1, 0, shift);
		check_round_trip(0, 0, shift);
		check_round_trip(1, 1, shift);
	}
}

/* An event that does not fit fails, for every limit. */
Test(heap_encode, limit)
{
	static const uint64_t references[2000];
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = 8,
					   .reference_count = 2000,
					   .references = references};
	const mprof_event event = event_of(MPROF_EVENT_HEAP_OBJECT, 1, 1, &detail);
	encoding_fixture fixture;
	size_t length;

	open_fixture(&fixture, 0);
	heap_encode(&fixture.buffer, &fixture.encoding, &event, 1, 3);
	length = fixture.buffer.length;
	for (size_t limit = 0; limit <= length; limit++) {
		encode_buffer_clear(&fixture.buffer);
		fixture.buffer.limit = limit;
		heap_encode(&fixture.buffer, &fixture.encoding, &event, 1, 3);
		cr_assert_eq(fixture.buffer.status, limit < length ? MPROF_ERR_LIMIT : MPROF_OK, "limit %zu", limit);
	}
	close_fixture(&fixture);
}
