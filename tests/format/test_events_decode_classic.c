/* SPDX-License-Identifier: MIT */
/* Events as the profilers of Mono wrote them, with their faults, whose names are those of doc/dialects.md. */
#include "format/events/events_decode.h"

#include <criterion/criterion.h>

#include <string.h>

#define MAX_EVENTS 64
#define MAX_FRAMES 32
#define CALLER MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)
#define OBJECT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)
#define NUMBERS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS)
#define DETAILED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS)

static event_decode_table table;
static mprof_event events[MAX_EVENTS];
static mprof_event_detail details[MAX_EVENTS];
static event_section sections[MAX_EVENTS];
static uint64_t frames[MAX_FRAMES];
static events_decode_state state;
static events_decode_batch batch;

static void begin(mprof_dialect dialect, uint64_t directives, const void *bytes, size_t length)
{
	event_decode_table_build(&table, dialect_get(dialect), directives, NULL);
	memset(&state, 0, sizeof(state));
	state.bytes = bytes;
	state.length = length;
	state.readable = length;
	state.counter = 1000;
	state.earliest = 1000;
}

static events_decode_result decode(void)
{
	batch = (events_decode_batch){.events = events,
				      .capacity = MAX_EVENTS,
				      .details = details,
				      .detail_capacity = MAX_EVENTS,
				      .sections = sections,
				      .frames = frames,
				      .frame_capacity = MAX_FRAMES};
	return events_decode(&table, &state, &batch);
}

#define BEGIN(dialect, directives, bytes) begin(MPROF_DIALECT_##dialect, directives, bytes, sizeof(bytes) - 1)

#define DECODE(dialect, directives, bytes) (BEGIN(dialect, directives, bytes), decode())

static void expect(size_t number, uint32_t kind, uint32_t id, uint64_t value, uint64_t counter)
{
	cr_assert_lt(number, batch.count);
	cr_assert_eq(events[number].kind, kind, "event %zu is of kind %u", number, (unsigned)events[number].kind);
	cr_assert_eq(events[number].id, id, "event %zu has id %u", number, (unsigned)events[number].id);
	cr_assert_eq(events[number].value, value, "event %zu has value %llu", number,
		     (unsigned long long)events[number].value);
	cr_assert_eq(events[number].counter, counter, "event %zu has counter %llu", number,
		     (unsigned long long)events[number].counter);
}

static void expect_allocation(size_t number, uint32_t caller, uint64_t object)
{
	cr_assert_not_null(events[number].more.detail);
	cr_assert_eq(events[number].more.detail->caller, caller);
	cr_assert_eq(events[number].more.detail->object, object);
	cr_assert_eq(events[number].more.detail->stack, 0);
}

/* The batch lists the section of this detail once. */
static void expect_section(uint64_t kept, const mprof_event_detail *detail)
{
	size_t found = 0;

	for (size_t i = 0; i < batch.section_count; i++) {
		if (&details[sections[i].detail_index] != detail)
			continue;
		cr_assert_eq(sections[i].kept, kept);
		found++;
	}
	cr_assert_eq(found, 1);
}

static void expect_frames(size_t number, uint64_t kept, const uint64_t *expected, uint32_t count)
{
	const mprof_event_detail *detail = events[number].more.detail;

	expect(number, MPROF_EVENT_STACK_SECTION, 0, kept, events[number].counter);
	cr_assert_not_null(detail);
	cr_assert_eq(detail->reference_count, count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(detail->references[i], expected[i]);
	cr_assert_eq(detail->object, 0);
	cr_assert_eq(detail->stack, 0);
	expect_section(kept, detail);
}

Test(events_decode_classic, stack_sections_and_allocations_with_their_caller_and_object)
{
	static const char bytes[] = "\x4f\x80\x80"                                 /* No frames are known. */
				    "\x4f\x80\x81\x83"                             /* Method 1 is being compiled. */
				    "\x47\x82\x98\x81\x08\x20\x00\x00\x00\x60\x9f" /* It allocates. */
				    "\x4f\x80\x82\x84\x82"                         /* Method 2, called by method 1. */
				    "\x1c\x80\xa0\x82\x00\x40\x00\x00\x00\x60\x9f"
				    "\x44\x86\x08\xa7\x80\x00\x60\x00\x00\x00\x60\x9f"
				    "\x4f\x81\x80"; /* Method 2 has returned. */
	const uint64_t compiled[] = {3};
	const uint64_t called[] = {4, 2};

	cr_assert_eq(DECODE(MONO, CALLER | OBJECT, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 7);
	expect_frames(0, 0, NULL, 0);
	expect_frames(1, 0, compiled, 1);
	expect(2, MPROF_EVENT_ALLOCATION_AT_JIT, 2, 24, 1000);
	expect_allocation(2, 1, UINT64_C(0x7f0000001008));
	expect_frames(3, 0, called, 2);
	expect(4, MPROF_EVENT_ALLOCATION, 3, 32, 1000);
	expect_allocation(4, 2, UINT64_C(0x7f0000002000));
	expect(5, MPROF_EVENT_ALLOCATION, 200, 5000, 1000);
	expect_allocation(5, 0, UINT64_C(0x7f0000003000));
	expect_frames(6, 1, NULL, 0);
}

Test(events_decode_classic, monitor_events_have_a_state_and_an_object)
{
	static const char bytes[] = "\x1e\x83\x86\x81\x00\x40\x00\x00\x00\x60\x9f"
				    "\x1e\x83\x90\x82\x00\x40\x00\x00\x00\x60\x9f";

	cr_assert_eq(DECODE(MONO, 0, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 2);
	expect(0, MPROF_EVENT_MONITOR, 3, MPROF_MONITOR_CONTENDED, 1006);
	expect_allocation(0, 0, UINT64_C(0x7f0000002000));
	expect(1, MPROF_EVENT_MONITOR, 3, MPROF_MONITOR_ACQUIRED, 1022);
}

/* An enter, a monitor event whose time is a value that Mono had left in memory, and a leave. */
#define AROUND_MONITOR(time) "\x09\x80\x8a\x1e\x83" time "\x82\x00\x40\x00\x00\x00\x60\x9f\x0b\x80\x85"
#define POINTER "\x20\x77\x63\x63\x0a\x7b\x9f"                   /* 7fd8ac78fba0 */
#define NEGATIVE "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"      /* 2^64 - 1 */
#define VERY_NEGATIVE "\x00\x00\x00\x00\x00\x00\x00\x00\x40\x81" /* -2^62 */

static void expect_around_monitor(const char *bytes, size_t length, uint64_t latest, uint64_t counter)
{
	begin(MPROF_DIALECT_MONO, 0, bytes, length);
	state.latest = latest;
	state.has_latest = latest != 0;
	cr_assert_eq(decode(), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 3);
	expect(0, MPROF_EVENT_METHOD_ENTER, 1, 0, 1010);
	expect(1, MPROF_EVENT_MONITOR, 3, MPROF_MONITOR_ACQUIRED, counter);
	expect(2, MPROF_EVENT_METHOD_LEAVE, 1, 0, counter + 5);
}

#define EXPECT_AROUND_MONITOR(time, latest, counter)                                                                   \
	expect_around_monitor(AROUND_MONITOR(time), sizeof(AROUND_MONITOR(time)) - 1, latest, counter)

Test(events_decode_classic, monitor_time_that_is_a_pointer_counts_as_none)
{
	EXPECT_AROUND_MONITOR(POINTER, 5000, 1010);
	EXPECT_AROUND_MONITOR(VERY_NEGATIVE, 5000, 1010);
	EXPECT_AROUND_MONITOR("\x80", 5000, 1010);
}

Test(events_decode_classic, monitor_time_inside_the_block_counts)
{
	EXPECT_AROUND_MONITOR("\x10\x9f", 5000, 4994);
	EXPECT_AROUND_MONITOR("\x16\x9f", 5000, 5000);
	EXPECT_AROUND_MONITOR("\x17\x9f", 5000, 1010);
	EXPECT_AROUND_MONITOR(NEGATIVE, 5000, 1009);
}

/* If the log ends inside the block, the end of the block is not known. */
Test(events_decode_classic, monitor_time_in_a_cut_block)
{
	EXPECT_AROUND_MONITOR(POINTER, 0, 1010);
	EXPECT_AROUND_MONITOR(VERY_NEGATIVE, 0, 1010);
	EXPECT_AROUND_MONITOR("\x00\x00\x00\x00\x81", 0, 1010 + (UINT64_C(1) << 28));
	EXPECT_AROUND_MONITOR(NEGATIVE, 0, 1009);
}

/* In the library's own dialect times are always valid. */
Test(events_decode_classic, monitor_time_of_mprof2_is_not_doubted)
{
	static const char bytes[] = "\x1e\x83" POINTER "\x82\x81\x80";

	BEGIN(MPROF2, DETAILED, bytes);
	state.latest = 5000;
	state.has_latest = 1;
	cr_assert_eq(decode(), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_MONITOR, 3, 2, 1000 + UINT64_C(0x7fd8ac78fba0));
}

Test(events_decode_classic, stray_record_is_the_rest_of_a_time)
{
	/* Enter of method 2, followed by its time, 70000000. */
	static const char bytes[] = "\x11\x80\x80\x07\x00\x3b\x30\xa1\x80\x13\x80\x85";

	cr_assert_eq(DECODE(DROP, 0, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 2);
	expect(0, MPROF_EVENT_METHOD_ENTER, 2, 0, 1000);
	expect(1, MPROF_EVENT_METHOD_LEAVE, 2, 0, 70001005);
	cr_assert_eq(DECODE(MONO, 0, bytes), EVENTS_DECODE_DONE);
	expect(1, MPROF_EVENT_METHOD_LEAVE, 2, 0, 70001005);
	cr_assert_eq(DECODE(UNITY, 0, bytes), EVENTS_DECODE_DONE);
	expect(1, MPROF_EVENT_METHOD_LEAVE, 2, 0, 70001005);
	cr_assert_eq(DECODE(MAIL, 0, bytes), EVENTS_DECODE_BAD_CODE);
}

Test(events_decode_classic, nothing_but_stray_records)
{
	static const char bytes[] = "\x07\x8a\x80\x07\x8a\x80";

	cr_assert_eq(DECODE(UNITY, 0, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 0);
	cr_assert_eq(state.position, 6);
	cr_assert_eq(state.counter, 1020);
	cr_assert_eq(DECODE(UNITY, 0, "\x07\x8a"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(state.position, 0);
	cr_assert_eq(state.counter, 1000);
}

Test(events_decode_classic, numbers_of_collections)
{
	static const char bytes[] = "\x17\x00\x82\x8b"     /* Collection 1 starts */
				    "\x37\x00\x82\x81"     /* and stops the world. */
				    "\x2f\x07\x2d\xcb\x82" /* The heap has 1234567 bytes after collection 2. */
				    "\x97\x01\x86\x84";    /* Collection 3, of generation 1, ends. */

	cr_assert_eq(DECODE(MONO, 0, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 4);
	expect(0, MPROF_EVENT_GC_START, 1, 0, 1011);
	expect(1, MPROF_EVENT_GC_STOP_WORLD_START, 1, 0, 1012);
	expect(2, MPROF_EVENT_GC_RESIZE, 2, 1234567, 1012);
	expect(3, MPROF_EVENT_GC_END, 3, 1, 1016);
	cr_assert_eq(state.numbers, COLLECTION_NUMBERS_SURE);
}

Test(events_decode_classic, collections_without_numbers)
{
	static const char bytes[] = "\x17\x80\x8b\x2f\x07\x2d\xcb\x88\x97\x80\x81";

	cr_assert_eq(DECODE(MONO, 0, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 3);
	expect(0, MPROF_EVENT_GC_START, 0, 0, 1011);
	expect(1, MPROF_EVENT_GC_RESIZE, 0, 1234567, 1019);
	expect(2, MPROF_EVENT_GC_END, 0, 0, 1020);
	cr_assert_eq(state.numbers, COLLECTION_NUMBERS_NONE);
}

/* The first new size has either the first collection number or a time. */
Test(events_decode_classic, first_resize)
{
	static const char numbered[] = "\x2f\x90\x81\x2f\xa0\x82\x17\x00\x86\x8b";
	static const char timed[] = "\x2f\x90\x85\x2f\xa0\x81\x17\x80\x8b";

	cr_assert_eq(DECODE(MONO, 0, numbered), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_GC_RESIZE, 1, 16, 1000);
	expect(1, MPROF_EVENT_GC_RESIZE, 2, 32, 1000);
	expect(2, MPROF_EVENT_GC_START, 3, 0, 1011);
	cr_assert_eq(DECODE(MONO, 0, timed), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_GC_RESIZE, 0, 16, 1005);
	expect(1, MPROF_EVENT_GC_RESIZE, 0, 32, 1006);
	expect(2, MPROF_EVENT_GC_START, 0, 0, 1017);
}

/* A collection without a number shows that the possible number was a time. */
Test(events_decode_classic, first_resize_after_the_shortest_time)
{
	static const char bytes[] = "\x2f\x90\x81\x17\x80\x8b\x2f\xa0\x82";

	cr_assert_eq(DECODE(MONO, 0, bytes), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_GC_RESIZE, 1, 16, 1000);
	expect(1, MPROF_EVENT_GC_START, 0, 0, 1011);
	expect(2, MPROF_EVENT_GC_RESIZE, 0, 32, 1013);
	cr_assert_eq(state.numbers, COLLECTION_NUMBERS_NONE);
}

/* A new size may contain the number of the first collection. */
Test(events_decode_classic, first_resize_of_a_log_that_is_known_to_number)
{
	static const char bytes[] = "\x2f\x07\x2d\xcb\x81\x17\x00\x84\x8b";

	BEGIN(MONO, 0, bytes);
	state.numbers = COLLECTION_NUMBERS_SURE;
	cr_assert_eq(decode(), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_GC_RESIZE, 1, 1234567, 1000);
	expect(1, MPROF_EVENT_GC_START, 2, 0, 1011);
}

/* A command to the profiler could set it to any value, including 0. */
Test(events_decode_classic, number_of_a_collection_can_be_anything)
{
	static const char bytes[] = "\x17\x80\x8b\x17\x00\x7e\x7f\x7f\x8f\x81\x2f\x81\x80";

	BEGIN(MONO, 0, bytes);
	state.numbers = COLLECTION_NUMBERS_SURE;
	cr_assert_eq(decode(), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_GC_START, 0, 0, 1011);
	expect(1, MPROF_EVENT_GC_START, 0xffffff, 0, 1012);
	expect(2, MPROF_EVENT_GC_RESIZE, 0, 1, 1012);
}

Test(events_decode_classic, number_of_a_collection_is_no_id)
{
	cr_assert_eq(DECODE(MONO, 0, "\x17\x00\x00\x00\x00\x00\xa0\x81"), EVENTS_DECODE_BAD_ID);
	BEGIN(MONO, 0, "\x2f\x81\x00\x00\x00\x00\x90");
	state.numbers = COLLECTION_NUMBERS_SURE;
	cr_assert_eq(decode(), EVENTS_DECODE_BAD_ID);
}

/* Drop and mail have only generations, which may be large. */
Test(events_decode_classic, generations_of_drop)
{
	static const char bytes[] = "\x17\x00\x82\x8b\x2f\x07\x2d\xcb\x88";

	cr_assert_eq(DECODE(DROP, 0, bytes), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_GC_START, 0, 256, 1011);
	expect(1, MPROF_EVENT_GC_RESIZE, 0, 1234567, 1019);
}

Test(events_decode_classic, numbers_of_collections_in_mprof2)
{
	static const char bytes[] = "\x17\x01\x8a\x8b\x2f\x07\x2d\xcb\x88\x86\x97\x01\x8a\x81";

	cr_assert_eq(DECODE(MPROF2, NUMBERS, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 3);
	expect(0, MPROF_EVENT_GC_START, 5, 1, 1011);
	expect(1, MPROF_EVENT_GC_RESIZE, 6, 1234567, 1019);
	expect(2, MPROF_EVENT_GC_END, 5, 1, 1020);
	cr_assert_eq(DECODE(MPROF2, NUMBERS, "\x2f\x81\x80"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(DECODE(MPROF2, NUMBERS, "\x2f\x81\x80\x00\x00\x00\x00\x90"), EVENTS_DECODE_BAD_ID);
}

Test(events_decode_classic, allocation_at_jit_of_mprof2)
{
	static const char bytes[] = "\x56\x00\x82\x98\x87\x56\x82\x98\x80";

	cr_assert_eq(DECODE(MPROF2, DETAILED | OBJECT, bytes), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 2);
	expect(0, MPROF_EVENT_ALLOCATION_AT_JIT, 256, 24, 1000);
	expect_allocation(0, 0, 7);
	expect(1, MPROF_EVENT_ALLOCATION_AT_JIT, 2, 24, 1000);
}

/* The clocks of processors differ. */
Test(events_decode_classic, times_that_go_back)
{
	static const char bytes[] = "\x09\x80\x8a\x0b\x80\x7b\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81";

	cr_assert_eq(DECODE(DROP, 0, bytes), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_METHOD_ENTER, 1, 0, 1010);
	expect(1, MPROF_EVENT_METHOD_LEAVE, 1, 0, 1005);
}

/* It has the code of an allocation, and its time takes the place of the size. */
Test(events_decode_classic, failed_class_load_of_mono_looks_like_an_allocation)
{
	static const char bytes[] = "\x1c\x80\x00\x00\x00\x00\x84\x09\x80\x81";

	cr_assert_eq(DECODE(MONO, 0, bytes), EVENTS_DECODE_DONE);
	expect(0, MPROF_EVENT_ALLOCATION, 3, UINT64_C(1) << 30, 1000);
	expect(1, MPROF_EVENT_METHOD_ENTER, 1, 0, 1001);
}

Test(events_decode_classic, batch_ends_where_frames_have_no_room)
{
	uint8_t bytes[2 * (3 + MAX_FRAMES) + 3];
	uint8_t *out = bytes;

	for (int i = 0; i < 2; i++) {
		memcpy(out, "\x4f\x80\xa0", 3);
		memset(out + 3, 0x82 + i, MAX_FRAMES);
		out += 3 + MAX_FRAMES;
	}
	memcpy(out, "\x09\x80\x81", 3);
	begin(MPROF_DIALECT_MONO, 0, bytes, sizeof(bytes));
	cr_assert_eq(decode(), EVENTS_DECODE_FULL);
	cr_assert_eq(batch.count, 1);
	cr_assert_eq(events[0].more.detail->references[MAX_FRAMES - 1], 2);
	cr_assert_eq(decode(), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 2);
	cr_assert_eq(events[0].more.detail->references[MAX_FRAMES - 1], 3);
}

Test(events_decode_classic, section_that_needs_more_room_returns_how_much)
{
	uint8_t bytes[3 + MAX_FRAMES + 1];

	memcpy(bytes, "\x4f\x80\xa1", 3);
	memset(bytes + 3, 0x84, MAX_FRAMES + 1);
	begin(MPROF_DIALECT_MONO, 0, bytes, sizeof(bytes));
	cr_assert_eq(decode(), EVENTS_DECODE_NO_ROOM);
	cr_assert_eq(batch.count, 0);
	cr_assert_eq(batch.frames_needed, MAX_FRAMES + 1);
	cr_assert_eq(state.position, 0);
}

/* The frame count of a section must not exceed the remaining bytes, nor the limit of a call stack. */
Test(events_decode_classic, section_with_too_many_frames)
{
	static uint8_t bytes[EVENTS_MAX_FRAMES + 10];

	cr_assert_eq(DECODE(MONO, 0, "\x4f\x80\x82\x84"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(DECODE(MONO, 0, "\x4f\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x84"), EVENTS_DECODE_TRUNCATED);
	memcpy(bytes, "\x4f\x80\x01\x00\xc0", 5);
	memset(bytes + 5, 0x84, sizeof(bytes) - 5);
	begin(MPROF_DIALECT_MONO, 0, bytes, sizeof(bytes));
	cr_assert_eq(decode(), EVENTS_DECODE_TOO_DEEP);
	bytes[2] = 0;
	begin(MPROF_DIALECT_MONO, 0, bytes, sizeof(bytes));
	cr_assert_eq(decode(), EVENTS_DECODE_NO_ROOM);
	cr_assert_eq(batch.frames_needed, EVENTS_MAX_FRAMES);
}

/* The same events in a list that is long enough for the fast path. */
Test(events_decode_classic, damage_of_stack_sections_between_others)
{
	static const struct {
		const char *bytes;
		size_t length;
		events_decode_result result;
	} faults[] = {
		{"\x4f\x80\x81\x00\x00\x00\x00\x90", 8, EVENTS_DECODE_BAD_ID},
		{"\x4f\x00\x00\x00\x00\x90\x80", 7, EVENTS_DECODE_BAD_ID},
		{"\x4f\x80\x00\x00\x00\x00\x90", 7, EVENTS_DECODE_TRUNCATED},
		{"\x4f\x80\x81\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82", 13, EVENTS_DECODE_BAD_VARINT},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		uint8_t bytes[300];

		for (size_t j = 0; j + 5 <= sizeof(bytes); j += 5)
			memcpy(bytes + j, "\x4f\x80\x82\x84\x83", 5);
		memcpy(bytes + 50, faults[i].bytes, faults[i].length);
		begin(MPROF_DIALECT_MONO, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK), bytes, sizeof(bytes));
		cr_assert_eq(decode(), faults[i].result, "fault %zu", i);
		cr_assert_eq(batch.count, 10);
		cr_assert_eq(batch.detail_count, 10);
		cr_assert_eq(batch.frame_count, 20);
		cr_assert_eq(state.position, 50);
	}
}

Test(events_decode_classic, damage)
{
	cr_assert_eq(DECODE(MONO, 0, "\x0a\x81\x81"), EVENTS_DECODE_BAD_CODE,
		     "no profiler of Mono wrote an implicit leave");
	cr_assert_eq(DECODE(MONO, 0, "\x57\x81\x81"), EVENTS_DECODE_BAD_CODE);
	cr_assert_eq(DECODE(MONO, 0, "\x5f\x81\x81"), EVENTS_DECODE_BAD_CODE);
	cr_assert_eq(DECODE(DROP, 0, "\x47\x81\x81"), EVENTS_DECODE_BAD_CODE, "drop has no allocations at jit");
	cr_assert_eq(DECODE(DROP, 0, "\x1e\x81\x81\x81\x81"), EVENTS_DECODE_BAD_CODE, "nor monitors");
	cr_assert_eq(DECODE(DROP, 0, "\x4f\x80\x80"), EVENTS_DECODE_BAD_CODE, "nor stack sections");
	cr_assert_eq(DECODE(MONO, 0, "\x00"), EVENTS_DECODE_LIST_END);
	cr_assert_eq(DECODE(MONO, 0, "\x1e\x81\x81\x81"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(DECODE(MONO, 0, "\x47\x7f\x7f\x7f\x7f\x90\x81"), EVENTS_DECODE_BAD_ID);
	cr_assert_eq(DECODE(MONO, CALLER, "\x47\x81\x81"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(DECODE(MONO, CALLER, "\x0c\x80\x81\x00\x00\x00\x00\x90"), EVENTS_DECODE_BAD_ID);
	cr_assert_eq(DECODE(MONO, 0, "\x4f\x00\x00\x00\x00\x90\x80"), EVENTS_DECODE_BAD_ID, "2^32 frames are kept");
	cr_assert_eq(DECODE(MONO, 0, "\x4f\x80\x81\x00\x00\x00\x00\x90"), EVENTS_DECODE_BAD_ID, "2^31 is a method");
	cr_assert_eq(DECODE(MONO, 0, "\x4f\x80"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(DECODE(MONO, 0, "\x4f"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(DECODE(MONO, 0, "\x17\x00"), EVENTS_DECODE_TRUNCATED);
	cr_assert_eq(batch.count, 0);
	cr_assert_eq(state.counter, 1000);
}
