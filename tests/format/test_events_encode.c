/* SPDX-License-Identifier: MIT */
/* Encodes events: each layout, times, lists longer than a batch, and events that are refused or left out. */
#include "format/events/event_kinds.h"
#include "base/caller_structs.h"
#include "format/events/events_encode.h"
#include "format/values/varint.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define IMPLICIT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)
#define EXTENDED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS)
#define CALLER MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)
#define OBJECT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)
#define STACK MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)
#define DETAILED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS)
#define EXCEPTIONS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID)
#define SWITCHES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES)
#define NUMBERS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS)
#define STACKS 200 /* Call stacks that are defined. */

static const uint32_t defined[] = {1, 31, 32, 33, 4000, 100000, UINT32_MAX};

static mprof_allocator allocator;
static id_set methods;
static id_set classes;
static id_map sizes; /* Empty, as in a log without class sizes. */
static uint32_t stack_count;
static uint32_t type_count;
static encode_buffer buffer;
static event_encoder encoder;
static mprof_writer_stats stats;

static void set_up(mprof_dialect dialect, uint64_t directives, int lossy)
{
	const event_definitions all = {{NULL, &methods, &classes}, &sizes, &stack_count, &type_count, 0};

	allocator_init(&allocator, NULL);
	id_set_init(&methods, &allocator);
	id_set_init(&classes, &allocator);
	id_map_init(&sizes, &allocator);
	stack_count = STACKS;
	for (size_t i = 0; i < sizeof(defined) / sizeof(defined[0]); i++) {
		cr_assert(id_set_add(&methods, defined[i]));
		cr_assert(id_set_add(&classes, defined[i]));
	}
	cr_assert(id_set_add(&methods, 77)); /* A method only. */
	cr_assert(id_set_add(&classes, 88)); /* A class only. */
	encode_buffer_init(&buffer, &allocator, SIZE_MAX);
	memset(&stats, 0, sizeof(stats));
	memset(&encoder, 0, sizeof(encoder));
	event_checker_init(&encoder.checker, dialect_get(dialect), directives, lossy, &all, &stats);
}

static void tear_down(void)
{
	encode_buffer_destroy(&buffer);
	id_set_destroy(&methods);
	id_set_destroy(&classes);
	id_map_destroy(&sizes);
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

/* Encodes an event with a time since the last one, and compares the bytes. */
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
	EXPECT(event_of(MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_FAILED, 1, 0, 0), 1, "\xa5\x81\x81");
	EXPECT(event_of(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1, 0, 0), 1, "\x15\x81\x81");
	EXPECT(event_of(MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FLAG_FAILED, 1, 0, 0), 1, "\xa6\x81\x81");
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

Test(events_encode, more_events_of_two_numbers)
{
	set_up(MPROF_DIALECT_MPROF2, EXTENDED, 0);
	EXPECT(event_of(MPROF_EVENT_FINALIZATION_START, 0, 0, 0, 0), 1, "\x47\x80\x81");
	EXPECT(event_of(MPROF_EVENT_FINALIZATION_END, 0, 0, 0, 0), 300, "\xc7\x80\x2c\x82");
	EXPECT(event_of(MPROF_EVENT_RECORDING_RESUMED, 0, 0, 300, 0), 2, "\x57\x2c\x82\x82");
	tear_down();
}

Test(events_encode, native_memory)
{
	mprof_event_detail detail = {
		.struct_size = sizeof(detail), .object = 0x20000, .stack = STACKS, .size = 300, .started = 95};
	mprof_event_detail undefined = {.struct_size = sizeof(undefined), .stack = STACKS + 1};
	mprof_event event = event_of(MPROF_EVENT_MEMORY_ALLOCATED, 0, 0, 0x20010, 0);

	set_up(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS), 0);
	event.more.detail = &detail;
	EXPECT(event, 10, "\x4f\x8a\x04\x00\x82\x2c\x82\x48\x81");
	event.kind = MPROF_EVENT_MEMORY_FREED;
	EXPECT(event, 5, "\xdf\x85\x80\x48\x81");
	event.more.detail = NULL;
	event.value = 0x2000c;
	EXPECT(event, 5, "\xcf\x85\x83\x8c");
	event.kind = MPROF_EVENT_MEMORY_RESIZED;
	event.more.detail = &detail;
	event.value = 0x20000;
	EXPECT(event, 80, "\x5f\xd0\x85\x83\x84\x80\x2c\x82\x48\x81");
	detail.started = 0;
	event.value = 0;
	EXPECT(event, 0, "\x5f\x80\x80\x80\x7e\x7f\x81\x2c\x82\x48\x81");
	event.more.detail = &undefined;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	event.kind = MPROF_EVENT_MEMORY_FREED;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

Test(events_encode, exceptions_with_call_stacks)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .stack = STACKS};
	mprof_event_detail undefined = {.struct_size = sizeof(undefined), .stack = STACKS + 1};
	mprof_event event = event_of(MPROF_EVENT_EXCEPTION, 0, 1, 0, 0);

	set_up(MPROF_DIALECT_MPROF2, EXCEPTIONS, 0);
	EXPECT(event, 10, "\x16\x81\x8a\x80");
	event.more.detail = &detail;
	EXPECT(event, 10, "\x16\x81\x8a\x48\x81");
	event.more.detail = &undefined;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
	event.more.detail = &detail;
	set_up(MPROF_DIALECT_MPROF2, 0, 0);
	EXPECT(event, 10, "\x16\x81\x8a");
	tear_down();
}

Test(events_encode, exception_clauses)
{
	const uint64_t directive = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES);
	mprof_event_detail detail = {.struct_size = sizeof(detail), .caller = 1};
	mprof_event event = event_of(MPROF_EVENT_EXCEPTION_CLAUSE, 0, 1, 3 << 2 | MPROF_CLAUSE_FINALLY, 0);

	set_up(MPROF_DIALECT_MPROF2, directive, 0);
	event.more.detail = &detail;
	EXPECT(event, 10, "\x5e\x81\x8a\x8e\x81");
	event.more.detail = NULL;
	EXPECT(event, 0, "\x5e\x81\x80\x8e\x80");
	detail.caller = 88;
	event.more.detail = &detail;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

Test(events_encode, code_of_methods)
{
	mprof_event event = event_of(MPROF_EVENT_METHOD_CODE, 0, 1, 100 << 4 | MPROF_CODE_PRECOMPILED, 0);

	set_up(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE), 0);
	EXPECT(event, 10, "\x45\x81\x8a\x41\x8c");
	event.id = 0;
	event.value = 3 << 4 | MPROF_CODE_TRAMPOLINE;
	EXPECT(event, 0, "\x45\x80\x80\xb2");
	event.id = 88;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

Test(events_encode, holders_of_monitors)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = 0x1000};
	mprof_event event = event_of(MPROF_EVENT_MONITOR_HOLDER, 0, 1, 77, 0);

	set_up(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS), 0);
	event.more.detail = &detail;
	EXPECT(event, 10, "\x9e\x81\x8a\xcd\x00\xa0");
	event.id = 0;
	event.more.detail = NULL;
	EXPECT(event, 0, "\x9e\x80\x80\xcd\x80");
	tear_down();
}

Test(events_encode, objects_that_are_freed_or_resized)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = 0x1000, .size = 300};
	mprof_event freed = event_of(MPROF_EVENT_OBJECT_FREED, 0, 1, 32, 0);
	mprof_event resized = event_of(MPROF_EVENT_OBJECT_RESIZED, 0, 1, 0x1000, 0);

	set_up(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_OBJECT_EVENTS), 0);
	freed.more.detail = &detail;
	EXPECT(freed, 10, "\xd7\x81\x8a\x00\x88\xa0");
	EXPECT(freed, 0, "\xd7\x81\x80\x80\xa0");
	resized.more.detail = &detail;
	EXPECT(resized, 1, "\xf7\x81\x81\x80\x80\x2c\x82");
	resized.value = 0x1011;
	EXPECT(resized, 1, "\xf7\x81\x81\x80\x85\x81\x2c\x82");
	freed.id = 0;
	cr_assert_eq(encode(&freed, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

Test(events_encode, switches_between_stacks)
{
	set_up(MPROF_DIALECT_MPROF2, SWITCHES, 0);
	EXPECT(event_of(MPROF_EVENT_STACK_SWITCH, 0, 0, 300, 0), 2, "\x67\x2c\x82\x82");
	EXPECT(event_of(MPROF_EVENT_STACK_SWITCH, 0, 0, 0, 0), 1, "\x67\x80\x81");
	EXPECT(event_of(MPROF_EVENT_STACK_END, 0, 0, UINT64_MAX, 0), 1,
	       "\xe7\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x81");
	tear_down();
}

Test(events_encode, allocation_fields)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
				     .object = UINT64_C(0x1000),
				     .caller = 77,
				     .stack = STACKS,
				     .handle_type = 99};
	mprof_event_detail no_caller = {.struct_size = sizeof(mprof_event_detail), .object = 1};
	mprof_event event = event_of(MPROF_EVENT_ALLOCATION, 0, 1, 24, 0);

	event.more.detail = &detail;
	set_up(MPROF_DIALECT_MPROF2, DETAILED, 0);
	EXPECT(event, 0, "\x0c\x80\x98");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, CALLER, 0);
	EXPECT(event, 0, "\x0c\x80\x98\xcd");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, OBJECT, 0);
	EXPECT(event, 0, "\x0c\x80\x98\x00\xa0");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, STACK, 0);
	EXPECT(event, 0, "\x0c\x80\x98\x48\x81");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, CALLER | OBJECT, 0);
	EXPECT(event, 0, "\x0c\x80\x98\xcd\x00\xa0");
	event.more.detail = NULL;
	EXPECT(event, 0, "\x0c\x80\x98\x80\x80");
	event.more.detail = &no_caller;
	EXPECT(event, 0, "\x0c\x80\x98\x80\x81");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, CALLER | STACK | OBJECT, 0);
	EXPECT(event, 0, "\x0c\x80\x98\x80\x80\x81");
	event.more.detail = &detail;
	EXPECT(event, 0, "\x0c\x80\x98\xcd\x48\x81\x00\xa0");
	detail.caller = 88;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	detail.caller = 0;
	detail.stack = STACKS + 1;
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

Test(events_encode, allocations_at_jit)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 1, .caller = 77};
	mprof_event event = event_of(MPROF_EVENT_ALLOCATION_AT_JIT, 0, 4000, 24, 0);

	event.more.detail = &detail;
	set_up(MPROF_DIALECT_MPROF2, DETAILED, 0);
	EXPECT(event, 0, "\x56\x20\x9f\x98");
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, DETAILED | CALLER | OBJECT, 0);
	EXPECT(event, 0, "\x56\x20\x9f\x98\xcd\x81");
	tear_down();
	set_up(MPROF_DIALECT_MONO, CALLER | OBJECT, 0);
	EXPECT(event, 0, "\x47\x20\x9f\x98\xcd\x81");
	tear_down();
}

/* In mprof2, 0 means that the number is not known. In mono, which has no such value, the encoder counts. */
Test(events_encode, collections_with_numbers)
{
	const mprof_event start = event_of(MPROF_EVENT_GC_START, 0, 5, 1, 10);
	const mprof_event unknown = event_of(MPROF_EVENT_GC_END, 0, 0, 1, 10);
	const mprof_event largest = event_of(MPROF_EVENT_GC_MARK_START, 0, UINT32_MAX, 255, 10);
	const mprof_event too_large = event_of(MPROF_EVENT_GC_MARK_START, 0, 1, 256, 10);
	const mprof_event resize = event_of(MPROF_EVENT_GC_RESIZE, 0, 6, 64, 10);

	set_up(MPROF_DIALECT_MPROF2, NUMBERS | EXTENDED, 0);
	EXPECT(start, 3, "\x17\x01\x8a\x83");
	EXPECT(unknown, 3, "\x97\x81\x83");
	EXPECT(largest, 3, "\x1f\x7f\x7f\x7f\x7f\x7f\x9f\x83");
	cr_assert_eq(encode(&too_large, 1), MPROF_ERR_UNSUPPORTED);
	EXPECT(resize, 3, "\x2f\xc0\x83\x86");
	cr_assert_eq(encoder.last_counter, 12);
	tear_down();
	set_up(MPROF_DIALECT_MPROF2, EXTENDED, 0);
	EXPECT(start, 3, "\x17\x81\x83");
	EXPECT(resize, 3, "\x2f\xc0\x83");
	tear_down();
	set_up(MPROF_DIALECT_MONO, 0, 0);
	EXPECT(start, 3, "\x17\x01\x8a\x83");
	EXPECT(unknown, 3, "\x97\x01\x8a\x83");
	cr_assert_eq(encode(&largest, 1), MPROF_ERR_UNSUPPORTED);
	EXPECT(resize, 3, "\x2f\xc0\x86");
	cr_assert_eq(encoder.last_counter, 6);
	tear_down();
}

Test(events_encode, allocations_of_fixed_size)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = 5};
	mprof_event event = event_of(MPROF_EVENT_ALLOCATION, 0, 33, 24, 0);

	set_up(MPROF_DIALECT_MPROF2, STACK, 0);
	cr_assert(id_map_put(&sizes, 33, 24) && id_map_put(&sizes, 32, 24) && id_map_put(&sizes, 4000, UINT32_MAX) &&
		  id_map_put(&sizes, UINT32_MAX, 16));
	event.more.detail = &detail;
	EXPECT(event, 0, "\x08\x81\x85");
	event.value = 25;
	EXPECT(event, 0, "\x0c\x81\x99\x85");
	event.value = UINT64_C(24) + ((uint64_t)1 << 32);
	EXPECT(event, 0, "\x0c\x81\x18\x00\x00\x00\x90\x85");
	event.id = 1; /* The size is not known. */
	event.value = 0;
	EXPECT(event, 0, "\x0c\x80\x80\x85");
	event.id = 32; /* Its code would be the byte that ends the list. */
	event.value = 24;
	EXPECT(event, 0, "\x04\x81\x98\x85");
	event.id = UINT32_MAX;
	event.value = 16;
	EXPECT(event, 0, "\xf8\x7f\x7f\x7f\xbf\x85");
	event.id = 77; /* A size alone does not define a class. */
	cr_assert(id_map_put(&sizes, 77, 16));
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNDEFINED_ID);
	tear_down();
}

static mprof_event detailed_event_of(uint32_t kind, uint32_t id, uint64_t value, const mprof_event_detail *detail)
{
	mprof_event event = event_of(kind, 0, id, value, 0);

	event.more.detail = detail;
	return event;
}

Test(events_encode, detailed_events)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = UINT64_C(0x1000),
					   .stack = STACKS,
					   .caller = UINT32_MAX,
					   .handle_type = MPROF_HANDLE_PINNED};

	set_up(MPROF_DIALECT_MPROF2, DETAILED, 0);
	EXPECT(detailed_event_of(MPROF_EVENT_MONITOR, 33, MPROF_MONITOR_ACQUIRED, &detail), 5,
	       "\x1e\xa1\x85\x82\x00\xa0\x48\x81");
	EXPECT(detailed_event_of(MPROF_EVENT_HANDLE_CREATED, 88, 32, &detail), 5,
	       "\x46\xd8\x85\x03\x81\x00\xa0\x48\x81");
	EXPECT(detailed_event_of(MPROF_EVENT_HANDLE_DELETED, 0, 32, &detail), 5, "\xc6\x80\x85\x03\x81\x48\x81");
	EXPECT(detailed_event_of(MPROF_EVENT_FINALIZER_START, 33, 7, &detail), 5, "\x4e\xa1\x85\x00\xa0");
	EXPECT(detailed_event_of(MPROF_EVENT_FINALIZER_END, 33, 7, &detail), 5, "\xce\xa1\x85\x00\xa0");
	/* Neither the class nor any detail is known. */
	EXPECT(detailed_event_of(MPROF_EVENT_MONITOR, 0, MPROF_MONITOR_FAILED, NULL), 0, "\x1e\x80\x80\x83\x80\x80");
	EXPECT(detailed_event_of(MPROF_EVENT_HANDLE_CREATED, 0, 0, NULL), 0, "\x46\x80\x80\x80\x80\x80");
	EXPECT(detailed_event_of(MPROF_EVENT_HANDLE_DELETED, 0, 0, NULL), 0, "\xc6\x80\x80\x80\x80");
	EXPECT(detailed_event_of(MPROF_EVENT_FINALIZER_START, 0, 0, NULL), 0, "\x4e\x80\x80\x80");
	EXPECT(detailed_event_of(MPROF_EVENT_FINALIZER_END, 0, 0, NULL), 0, "\xce\x80\x80\x80");
	tear_down();
}

Test(events_encode, longest_events)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = UINT64_MAX,
					   .stack = UINT32_MAX,
					   .handle_type = MPROF_HANDLE_PINNED};

	set_up(MPROF_DIALECT_MPROF2, DETAILED, 0);
	stack_count = UINT32_MAX;
	EXPECT(detailed_event_of(MPROF_EVENT_MONITOR, UINT32_MAX, UINT64_MAX, &detail), UINT64_MAX,
	       "\x1e\x7f\x7f\x7f\x7f\x8f"
	       "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
	       "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
	       "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x7f\x7f\x7f\x7f\x8f");
	EXPECT(detailed_event_of(MPROF_EVENT_HANDLE_CREATED, UINT32_MAX, UINT64_MAX >> 2, &detail), UINT64_MAX,
	       "\x46\x7f\x7f\x7f\x7f\x8f"
	       "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
	       "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
	       "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x7f\x7f\x7f\x7f\x8f");
	tear_down();
}

Test(events_encode, details_that_cannot_be_represented)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = STACKS + 1};
	mprof_event_detail other_type = {.struct_size = sizeof(mprof_event_detail),
					 .handle_type = MPROF_HANDLE_PINNED + 1};
	const struct {
		mprof_event event;
		mprof_status status;
	} wrong[] = {
		{detailed_event_of(MPROF_EVENT_MONITOR, 1, 1, &detail), MPROF_ERR_UNDEFINED_ID},
		{detailed_event_of(MPROF_EVENT_MONITOR, 77, 1, NULL), MPROF_ERR_UNDEFINED_ID},
		{detailed_event_of(MPROF_EVENT_HANDLE_CREATED, 0, 1, &detail), MPROF_ERR_UNDEFINED_ID},
		{detailed_event_of(MPROF_EVENT_HANDLE_DELETED, 77, 1, NULL), MPROF_ERR_UNDEFINED_ID},
		{detailed_event_of(MPROF_EVENT_FINALIZER_END, 77, 1, NULL), MPROF_ERR_UNDEFINED_ID},
		{detailed_event_of(MPROF_EVENT_HANDLE_CREATED, 0, 1, &other_type), MPROF_ERR_ARGUMENT},
		{detailed_event_of(MPROF_EVENT_HANDLE_DELETED, 0, UINT64_C(1) << 62, NULL), MPROF_ERR_ARGUMENT},
	};

	set_up(MPROF_DIALECT_MPROF2, DETAILED, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const mprof_event events[] = {event_of(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 10), wrong[i].event};
		size_t taken = 0;

		buffer.length = 0;
		encoder.last_counter = 9;
		cr_assert_eq(events_encode(&encoder, &buffer, events, 2, &taken), wrong[i].status, "%zu", i);
		cr_assert_eq(taken, 1);
		cr_assert_eq(buffer.length, 3);
		cr_assert_eq(encoder.last_counter, 10);
	}
	tear_down();
}

Test(events_encode, every_length_of_both_numbers)
{
	set_up(MPROF_DIALECT_MAIL, 0, 0);
	for (uint32_t i = 0; i <= 64; i++) {
		for (uint32_t j = 0; j <= 64; j++) {
			uint64_t value = i == 64 ? UINT64_MAX : (UINT64_C(1) << i) - 1 + (j & 1);
			uint64_t time = j == 64 ? UINT64_MAX : (UINT64_C(1) << j) - (i & 1);
			uint8_t expected[2 * MPROF_VARINT_MAX_LENGTH + 1] = {0x17};
			size_t length = 1 + varint_encode(value, expected + 1);

			length += varint_encode(time, expected + length);
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
		/* The remaining events can follow. */
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
	MPROF_EVENT_MONITOR,
	MPROF_EVENT_SAMPLE,
	MPROF_EVENT_STACK_SECTION,
	MPROF_EVENT_HEAP_OBJECT,
	MPROF_EVENT_HEAP_FREE,
	MPROF_EVENT_HANDLE_CREATED,
	MPROF_EVENT_FINALIZER_END,
	MPROF_EVENT_FINALIZATION_START,
	MPROF_EVENT_RECORDING_RESUMED,
	MPROF_EVENT_MEMORY_ALLOCATED,
	MPROF_EVENT_MEMORY_FREED,
	MPROF_EVENT_MEMORY_RESIZED,
	MPROF_EVENT_STACK_SWITCH,
	MPROF_EVENT_STACK_END,
	MPROF_EVENT_EXCEPTION_CLAUSE,
	MPROF_EVENT_METHOD_CODE,
	MPROF_EVENT_MONITOR_HOLDER,
	MPROF_EVENT_OBJECT_FREED,
	MPROF_EVENT_OBJECT_RESIZED,
	EVENT_KIND_COUNT,
	63,
	64,
	255,
};

Test(events_encode, refuses_what_cannot_be_represented)
{
	mprof_event event;

	set_up(MPROF_DIALECT_MPROF2, 0, 0);
	for (size_t i = 0; i < sizeof(unsupported); i++) {
		event = event_of(unsupported[i], 0, 1, 0, 10);
		cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	}
	event = event_of(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1, 0, 10);
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	event = event_of(MPROF_EVENT_ALLOCATION_AT_JIT, 0, 1, 0, 10);
	cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	for (uint32_t flags = 1; flags < 256; flags++) {
		event = event_of(MPROF_EVENT_METHOD_ENTER, flags, 1, 0, 10);
		cr_assert_eq(encode(&event, 1), MPROF_ERR_UNSUPPORTED);
	}
	cr_assert_eq(buffer.length, 0);
	cr_assert_eq(encoder.last_counter, 0);
	cr_assert_eq(stats.left_out, 0);
	tear_down();
}

Test(events_encode, leaves_out_what_cannot_be_represented)
{
	static const char expected[] = "\x09\x80\x8a"
				       "\x0b\x80\x94"
				       "\x0b\x80\x81"
				       "\x0c\x80\x98"
				       "\x17\x80\x84";
	mprof_event events[sizeof(unsupported) + 5];
	size_t count = 0;

	set_up(MPROF_DIALECT_MAIL, 0, 1);
	events[count++] = event_of(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 10);
	for (size_t i = 0; i < sizeof(unsupported); i++)
		events[count++] = event_of(unsupported[i], 0, 999, 0, 11 + i);
	events[count++] = event_of(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1, 0, 30);
	events[count++] = event_of(MPROF_EVENT_METHOD_LEAVE_TAIL, 0, 1, 0, 31);
	events[count++] = event_of(MPROF_EVENT_ALLOCATION_AT_JIT, 0, 1, 24, 0);
	/* Collections have no numbers. */
	events[count++] = event_of(MPROF_EVENT_GC_START, 0, 7, 0, 35);
	cr_assert_eq(encode(events, count), MPROF_OK);
	cr_assert_eq(buffer.length, sizeof(expected) - 1);
	cr_assert_eq(memcmp(buffer.bytes, expected, buffer.length), 0);
	cr_assert_eq(encoder.written, 5);
	cr_assert_eq(stats.left_out, sizeof(unsupported) + 4);
	for (size_t i = 0; i < sizeof(unsupported) && unsupported[i] < 64; i++)
		cr_assert_eq(stats.left_out_events[unsupported[i]], 1, "%u", unsupported[i]);
	cr_assert_eq(stats.shortened_events[MPROF_EVENT_METHOD_LEAVE_EXCEPTION], 1);
	cr_assert_eq(stats.shortened_events[MPROF_EVENT_METHOD_LEAVE_TAIL], 1);
	cr_assert_eq(stats.shortened_events[MPROF_EVENT_ALLOCATION_AT_JIT], 1);
	cr_assert_eq(stats.shortened_events[MPROF_EVENT_GC_START], 1);
	tear_down();
}

/* A sequence of events of all kinds, with numbers of all sizes. */
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
