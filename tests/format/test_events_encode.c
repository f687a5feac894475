/* SPDX-License-Identifier: MIT */
/* Events as bytes: each form, times, lists longer than a batch, and what is refused or left out. */
#include "format/events_encode.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define IMPLICIT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)
#define EXTENDED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS)
#define CALLER MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)
#define OBJECT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)

static const uint32_t defined[] = {1, 31, 32, 33, 4000, 100000, UINT32_MAX};

static mprof_allocator allocator;
static id_set methods;
static id_set classes;
static encode_buffer buffer;
static event_encoder encoder;

static void set_up(mprof_dialect dialect, uint64_t directives, int lossy)
{
	allocator_init(&allocator, NULL);
	id_set_init(&methods, &allocator);
	id_set_init(&classes, &allocator);
	for (size_t i = 0; i < sizeof(defined) / sizeof(defined[0]); i++) {
		cr_assert(id_set_add(&methods, defined[i]));
		cr_assert(id_set_add(&classes, defined[i]));
	}
	cr_assert(id_set_add(&methods, 77)); /* A method alone. */
	cr_assert(id_set_add(&classes, 88)); /* A class alone. */
	encode_buffer_init(&buffer, &allocator, SIZE_MAX);
	event_encoder_init(&encoder, dialect_get(dialect), directives, lossy, &methods, &classes);
}

static void tear_down(void)
{
	encode_buffer_destroy(&buffer);
	id_set_destroy(&methods);
	id_set_destroy(&classes);
}

static mprof_event event_of(uint32_t kind, uint32_t flags, uint32_t id, uint64_t value, uint64_t counter)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.flags = (uint8_t)flags;
	event.id = id;
	event.value = value;
	event.counter = counter;
	return event;
}

static mprof_status encode(const mprof_event *events, size_t count)
{
	size_t taken = 99;
	mprof_status status = events_encode(&encoder, &buffer, events, count, &taken);

	cr_assert(status == MPROF_OK ? taken == count : taken < count);
	return status;
}

/* Encodes one event a time after the last one and compares. */
static void expect(mprof_event event, uint64_t time, const char *bytes, size_t length)
{
	buffer.length = 0;
	event.counter = encoder.last_counter + time;
	cr_assert_eq(encode(&event, 1), MPROF_OK);
	cr_assert_eq(buffer.length, length);
	cr_assert_eq(memcmp(buffer.bytes, bytes, length), 0);
}

#define EXPECT(event, time, bytes) expect(event, time, bytes, sizeof(bytes) - 1)

Test(events_encode, packed_ids)
{
	set_up(MPROF_DIALECT_MAIL, 0, 0);
	EXPECT(event_of(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 0), 5, "\x09\x80\x85");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE, 0, 1, 0, 0), 0, "\x0b\x80\x80");
	EXPECT(event_of(MPROF_EVENT_METHOD_ENTER, 0, 31, 0, 0), 127, "\xf9\x80\xff");
	EXPECT(event_of(MPROF_EVENT_METHOD_ENTER, 0, 32, 0, 0), 128, "\x01\x81\x00\x81");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE, 0, 33, 0, 0), 300, "\x0b\x81\x2c\x82");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE, 0, UINT32_MAX, 0, 0), 1, "\xfb\x7f\x7f\x7f\xbf\x81");
	EXPECT(event_of(MPROF_EVENT_ALLOCATION, 0, 1, 24, 0), 0, "\x0c\x80\x98");
	EXPECT(event_of(MPROF_EVENT_ALLOCATION, 0, 4000, UINT64_MAX, 0), 0,
	       "\x04\xfd\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81");
	tear_down();
}

Test(events_encode, full_events)
{
	set_up(MPROF_DIALECT_MPROF2, EXTENDED, 0);
	EXPECT(event_of(MPROF_EVENT_METHOD_JIT_START, 0, 4000, 0, 0), 1, "\x05\x20\x9f\x81");
	EXPECT(event_of(MPROF_EVENT_METHOD_JIT_END, 0, 1, 0, 0), 1, "\x85\x81\x81");
	EXPECT(event_of(MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FAILED, 1, 0, 0), 1, "\xa5\x81\x81");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1, 0, 0), 1, "\x15\x81\x81");
	EXPECT(event_of(MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FAILED, 1, 0, 0), 1, "\xa6\x81\x81");
	EXPECT(event_of(MPROF_EVENT_EXCEPTION, 0, 88, 0, 0), 1, "\x16\xd8\x81");
	EXPECT(event_of(MPROF_EVENT_THREAD_START, 0, 0, UINT64_C(0x7f0012345740), 0), 2,
	       "\x0f\x40\x2e\x51\x11\x01\x60\x9f\x82");
	EXPECT(event_of(MPROF_EVENT_GC_RESIZE, 0, 0, 0, 0), 3, "\x2f\x80\x83");
	EXPECT(event_of(MPROF_EVENT_GC_START_WORLD_END, 0, 0, 1, 0), 3, "\xbf\x81\x83");
	tear_down();
}

Test(events_encode, implicit_leave)
{
	set_up(MPROF_DIALECT_MPROF2, IMPLICIT, 0);
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 0, 0), 0, "\x02\x80");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 0, 0), 31, "\xfa\x80");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 0, 0), 32, "\x02\x81");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 0, 0), 4095, "\xfa\xff");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 0, 0), UINT64_MAX,
	       "\xfa\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x87");
	tear_down();
}

Test(events_encode, allocation_extras)
{
	mprof_event_detail detail = {UINT64_C(0x1000), 77, 0};
	mprof_event_detail no_caller = {1, 0, 0};
	mprof_event event = event_of(MPROF_EVENT_ALLOCATION, 0, 1, 24, 0);

	event.more.detail = &detail;
	set_up(MPROF_DIALECT_MPROF2, 0, 0);
	EXPECT(event, 0, "\x0c\x80\x98");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, CALLER, 0);
	EXPECT(event, 0, "\x0c\x80\x98\xcd");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, OBJECT, 0);
	EXPECT(event, 0, "\x0c\x80\x98\x00\xa0");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, CALLER | OBJECT, 0);
	EXPECT(event, 0, "\x0c\x80\x98\xcd\x00\xa0");
	event.more.detail = NULL;
	EXPECT(event, 0, "\x0c\x80\x98\x80\x80");
	event.more.detail = &no_caller;
	EXPECT(event, 0, "\x0c\x80\x98\x80\x81");
	detail.caller = 88;
	event.more.detail = &detail;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

Test(events_encode, every_length_of_both_numbers)
{
	set_up(MPROF_DIALECT_MAIL, 0, 0);
	for (uint32_t i = 0; i <= 64; i++) {
		for (uint32_t j = 0; j <= 64; j++) {
			uint64_t value = i == 64 ? UINT64_MAX : (UINT64_C(1) << i) - 1 + (j & 1);
			uint64_t time = j == 64 ? UINT64_MAX : (UINT64_C(1) << j) - (i & 1);
			uint8_t expected[2 * MPROF_INT_MAX_LENGTH + 1] = {0x17};
			size_t length = 1 + mprof_int_encode(value, expected + 1);

			length += mprof_int_encode(time, expected + length);
			expect(event_of(MPROF_EVENT_GC_START, 0, 0, value, 0), time, (const char *)expected, length);
		}
	}
	tear_down();
}

Test(events_encode, times_are_differences_modulo_two_to_the_64)
{
	mprof_event events[] = {
		event_of(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 1000),
		event_of(MPROF_EVENT_ALLOCATION, 0, 1, 8, 123456789),
		event_of(MPROF_EVENT_METHOD_LEAVE, 0, 1, 0, 999),
		event_of(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 1000),
	};
	static const char expected[] = "\x09\x80\x8a"
				       "\x0c\x80\x88"
				       "\x0b\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
				       "\x09\x80\x81";

	set_up(MPROF_DIALECT_MAIL, 0, 0);
	encoder.last_counter = 990;
	cr_assert_eq(encode(events, 4), MPROF_OK);
	cr_assert_eq(buffer.length, sizeof(expected) - 1);
	cr_assert_eq(memcmp(buffer.bytes, expected, buffer.length), 0);
	cr_assert_eq(encoder.last_counter, 1000);
	cr_assert_eq(encoder.written, 4);
	tear_down();
}

Test(events_encode, ids_must_be_defined)
{
	static const struct {
		uint32_t kind;
		uint32_t id;
	} undefined[] = {
		{MPROF_EVENT_METHOD_ENTER, 0},
		{MPROF_EVENT_METHOD_ENTER, 2},
		{MPROF_EVENT_METHOD_LEAVE, 88},
		{MPROF_EVENT_METHOD_JIT_START, 99999},
		{MPROF_EVENT_METHOD_LEAVE_TAIL, 0},
		{MPROF_EVENT_CLASS_LOAD_START, 77},
		{MPROF_EVENT_EXCEPTION, UINT32_MAX - 1},
		{MPROF_EVENT_ALLOCATION, 77},
		{MPROF_EVENT_ALLOCATION, 0},
	};

	set_up(MPROF_DIALECT_MPROF2, IMPLICIT | EXTENDED, 0);
	for (size_t i = 0; i < sizeof(undefined) / sizeof(undefined[0]); i++) {
		mprof_event events[] = {
			event_of(MPROF_EVENT_METHOD_ENTER, 0, 77, 0, 10),
			event_of(undefined[i].kind, 0, undefined[i].id, 0, 20),
			event_of(MPROF_EVENT_METHOD_LEAVE, 0, 77, 0, 30),
		};
		size_t taken = 0;

		buffer.length = 0;
		encoder.last_counter = 9;
		encoder.written = 0;
		cr_assert_eq(events_encode(&encoder, &buffer, events, 3, &taken), MPROF_ERR_UNDEFINED_ID);
		cr_assert_eq(taken, 1);
		cr_assert_eq(buffer.length, 3);
		cr_assert_eq(encoder.last_counter, 10);
		cr_assert_eq(encoder.written, 1);
		/* The rest can follow. */
		cr_assert_eq(events_encode(&encoder, &buffer, events + 2, 1, &taken), MPROF_OK);
		cr_assert_eq(buffer.bytes[buffer.length - 1], 0x80 | 20);
	}
	tear_down();
}

static const uint8_t unsupported[] = {
	MPROF_EVENT_UNKNOWN,
	MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
	MPROF_EVENT_GC_STOP_WORLD_START,
	MPROF_EVENT_GC_START_WORLD_END,
	MPROF_EVENT_ALLOCATION_AT_JIT,
	MPROF_EVENT_MONITOR,
	MPROF_EVENT_SAMPLE,
	MPROF_EVENT_STACK_SECTION,
	MPROF_EVENT_HEAP_OBJECT,
	MPROF_EVENT_HEAP_FREE,
	MPROF_EVENT_KIND_COUNT,
	63,
	64,
	255,
};

Test(events_encode, refuses_what_cannot_be_said)
{
	mprof_event event;

	set_up(MPROF_DIALECT_MPROF2, 0, 0);
	for (size_t i = 0; i < sizeof(unsupported); i++) {
		event = event_of(unsupported[i], 0, 1, 0, 10);
		cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	}
	event = event_of(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1, 0, 10);
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	for (uint32_t flags = 1; flags < 256; flags++) {
		event = event_of(MPROF_EVENT_METHOD_ENTER, flags, 1, 0, 10);
		cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	}
	cr_assert_eq(buffer.length, 0);
	cr_assert_eq(encoder.last_counter, 0);
	cr_assert_eq(encoder.left_out, 0);
	tear_down();
}

Test(events_encode, leaves_out_what_cannot_be_said)
{
	static const char expected[] = "\x09\x80\x8a"
				       "\x0b\x80\x94"
				       "\x0b\x80\x81";
	mprof_event events[sizeof(unsupported) + 3];
	size_t count = 0;

	set_up(MPROF_DIALECT_MAIL, 0, 1);
	events[count++] = event_of(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 10);
	for (size_t i = 0; i < sizeof(unsupported); i++)
		events[count++] = event_of(unsupported[i], 0, 999, 0, 11 + i);
	events[count++] = event_of(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1, 0, 30);
	events[count++] = event_of(MPROF_EVENT_METHOD_LEAVE_TAIL, 0, 1, 0, 31);
	cr_assert_eq(encode(events, count), MPROF_OK);
	cr_assert_eq(buffer.length, sizeof(expected) - 1);
	cr_assert_eq(memcmp(buffer.bytes, expected, buffer.length), 0);
	cr_assert_eq(encoder.written, 3);
	cr_assert_eq(encoder.left_out, sizeof(unsupported) + 2);
	tear_down();
}

/* Events of all kinds in a row, with numbers of all sizes. */
static mprof_event *make_mixture(size_t count)
{
	static const uint8_t kinds[] = {
		MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
		MPROF_EVENT_ALLOCATION,   MPROF_EVENT_METHOD_LEAVE,
		MPROF_EVENT_GC_START,     MPROF_EVENT_EXCEPTION,
	};
	mprof_event *events = calloc(count, sizeof(*events));
	uint64_t random = 1;
	uint64_t counter = 0;

	cr_assert_not_null(events);
	for (size_t i = 0; i < count; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		counter += random >> (random >> 58);
		events[i] = event_of(kinds[(random >> 20) % 6], 0, defined[(random >> 30) % 7], random >> (i % 64),
				     counter);
	}
	return events;
}

Test(events_encode, batches_are_like_single_events)
{
	static const size_t counts[] = {0, 1, 255, 256, 257, 512, 1000, 5000};
	mprof_event *events = make_mixture(5000);

	set_up(MPROF_DIALECT_MPROF2, IMPLICIT, 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		encode_buffer whole;
		size_t taken;

		buffer.length = 0;
		encoder.last_counter = 0;
		for (size_t j = 0; j < counts[i]; j++)
			cr_assert_eq(encode(&events[j], 1), MPROF_OK);
		encode_buffer_init(&whole, &allocator, SIZE_MAX);
		encoder.last_counter = 0;
		cr_assert_eq(events_encode(&encoder, &whole, events, counts[i], &taken), MPROF_OK);
		cr_assert_eq(taken, counts[i]);
		cr_assert_eq(whole.length, buffer.length);
		cr_assert(whole.length == 0 || memcmp(whole.bytes, buffer.bytes, whole.length) == 0);
		encode_buffer_destroy(&whole);
	}
	free(events);
	tear_down();
}

Test(events_encode, stops_at_the_limit_with_room_for_the_tail)
{
	mprof_event *events = make_mixture(5000);
	size_t total = 0;
	size_t taken = 0;

	set_up(MPROF_DIALECT_MPROF2, IMPLICIT, 0);
	buffer.limit = 10000;
	cr_assert_eq(events_encode(&encoder, &buffer, events, 5000, &taken), MPROF_ERR_LIMIT);
	cr_assert_gt(taken, 300);
	cr_assert_eq(encoder.written, taken);
	cr_assert_leq(buffer.length, buffer.limit - EVENTS_TAIL_ROOM);
	cr_assert_gt(buffer.length, 9800);
	cr_assert(encode_buffer_reserve(&buffer, EVENTS_TAIL_ROOM));
	total = taken;
	buffer.length = 0;
	cr_assert_eq(events_encode(&encoder, &buffer, events + total, 100, &taken), MPROF_OK);
	free(events);
	tear_down();
}
