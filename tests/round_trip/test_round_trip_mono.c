/* SPDX-License-Identifier: MIT */
/*
 * Every block and event can be written in the dialects of Mono and read again, as far as the dialect can represent it.
 */
#include "logs/mono_fixture.h"

#include <mprof/reader.h>

#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static mprof_reader *open_reader(mprof_writer *writer)
{
	mprof_reader *reader = NULL;
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	return reader;
}

/* Reads up to the next block of a kind. */
static mprof_block find_block(mprof_reader *reader, mprof_block_kind kind)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	do {
		status = mprof_reader_next_block(reader, &block);
		cr_assert_eq(status, MPROF_OK, "%s: %s", mprof_block_get_name(kind), mprof_status_get_text(status));
	} while (block.kind != kind);
	cr_assert_eq(block.loaded, 1);
	return block;
}

/* Logs of unity are recognized by their samples; without samples they are logs of mono. */
static void finish(mprof_reader *reader, mprof_writer *writer)
{
	uint32_t dialect = writer->encoding.rules->dialect;
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_block block = find_block(reader, MPROF_BLOCK_END);

	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_END);
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	cr_assert_eq(session.complete, 1);
	if (dialect != MPROF_DIALECT_UNITY)
		cr_assert_eq(session.dialect, dialect);
	mprof_reader_destroy(reader);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

/* The next event of the block that is not a stack section. */
static mprof_event next_event(mprof_reader *reader)
{
	mprof_event event;
	size_t count;

	do {
		mprof_status status = mprof_reader_next_events(reader, &event, 1, &count);

		cr_assert_eq(status, MPROF_OK, "%s", mprof_status_get_text(status));
	} while (event.kind == MPROF_EVENT_STACK_SECTION);
	return event;
}

static void expect_no_event(mprof_reader *reader)
{
	mprof_event event;
	size_t count;

	cr_assert_eq(mprof_reader_next_events(reader, &event, 1, &count), MPROF_END);
}

/*
 * Frames as text: "2 1" is method 2 called by method 1; J marks methods being compiled; native code has the name of its
 * function.
 */
static void expect_chain(mprof_reader *reader, uint64_t chain, const char *expected)
{
	char text[200] = "";
	size_t length = 0;

	while (chain != 0) {
		mprof_stack_frame frame;
		mprof_record location;
		mprof_record function;
		uint32_t caller;

		cr_assert_eq(mprof_reader_lookup_caller(reader, (uint32_t)chain, &frame, sizeof(frame), &caller),
			     MPROF_OK);
		if (frame.is_native) {
			cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, frame.id, &location,
								sizeof(location)),
				     MPROF_OK);
			if (mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, location.as.location.function,
						       &function, sizeof(function)) == MPROF_OK)
				length += (size_t)snprintf(text + length, sizeof(text) - length, " %s",
							   function.as.function.name);
			else
				length += (size_t)snprintf(text + length, sizeof(text) - length, " %u+%llx",
							   location.as.location.module,
							   (unsigned long long)location.as.location.offset);
		} else {
			length += (size_t)snprintf(text + length, sizeof(text) - length, " %u%s", frame.id,
						   frame.is_compiling ? "J" : "");
		}
		chain = caller;
	}
	cr_assert_str_eq(text[0] != 0 ? text + 1 : text, expected);
}

typedef struct written_event {
	uint8_t kind;
	uint8_t flags;
	uint32_t id;
	uint64_t value;
	uint64_t later;
} written_event;

static const written_event plain_events[] = {
	{MPROF_EVENT_METHOD_ENTER, 0, 1, 0, 5},
	{MPROF_EVENT_METHOD_ENTER, 0, 200, 0, UINT64_C(1) << 40},
	{MPROF_EVENT_METHOD_LEAVE, 0, 200, 0, 1},
	{MPROF_EVENT_METHOD_LEAVE, 0, 1, 0, 0},
	{MPROF_EVENT_METHOD_JIT_START, 0, 2, 0, 1},
	{MPROF_EVENT_METHOD_JIT_END, 0, 2, 0, 1},
	{MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_FAILED, 2, 0, 1},
	{MPROF_EVENT_METHOD_FREED, 0, 3, 0, 1},
	{MPROF_EVENT_CLASS_LOAD_START, 0, 3, 0, 1},
	{MPROF_EVENT_CLASS_LOAD_END, 0, 3, 0, 1},
	{MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FLAG_FAILED, 3, 0, 1},
	{MPROF_EVENT_CLASS_UNLOAD_START, 0, 3, 0, 1},
	{MPROF_EVENT_CLASS_UNLOAD_END, 0, 3, 0, 1},
	{MPROF_EVENT_EXCEPTION, 0, 3, 0, 1},
	{MPROF_EVENT_THREAD_START, 0, 0, THREAD, 1},
	{MPROF_EVENT_THREAD_END, 0, 0, THREAD, 1},
};

static const uint8_t collection_kinds[] = {
	MPROF_EVENT_GC_START,           MPROF_EVENT_GC_STOP_WORLD_START,
	MPROF_EVENT_GC_STOP_WORLD_END,  MPROF_EVENT_GC_MARK_START,
	MPROF_EVENT_GC_MARK_END,        MPROF_EVENT_GC_START_WORLD_START,
	MPROF_EVENT_GC_START_WORLD_END, MPROF_EVENT_GC_SWEEP_START,
	MPROF_EVENT_GC_SWEEP_END,       MPROF_EVENT_GC_END,
};

static void write_plain_events(mprof_writer *writer)
{
	for (size_t i = 0; i < COUNT_OF(plain_events); i++) {
		mprof_event event =
			event_of(plain_events[i].kind, plain_events[i].id, now.counter + plain_events[i].later);

		now.counter = event.counter;
		event.flags = plain_events[i].flags;
		event.value = plain_events[i].value;
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	for (size_t i = 0; i < sizeof(collection_kinds); i++)
		cr_assert_eq(add(writer, collection_kinds[i], 300, 2, 1, NULL), MPROF_OK);
}

static void expect_plain_events(mprof_reader *reader, uint64_t counter, uint32_t number)
{
	for (size_t i = 0; i < COUNT_OF(plain_events); i++) {
		mprof_event event = next_event(reader);

		counter += plain_events[i].later;
		cr_assert_eq(event.kind, plain_events[i].kind, "%zu", i);
		cr_assert_eq(event.flags, plain_events[i].flags, "%zu", i);
		cr_assert_eq(event.id, plain_events[i].id, "%zu", i);
		cr_assert_eq(event.value, plain_events[i].value, "%zu", i);
		cr_assert_eq(event.counter, counter, "%zu", i);
	}
	for (size_t i = 0; i < sizeof(collection_kinds); i++) {
		mprof_event event = next_event(reader);

		cr_assert_eq(event.kind, collection_kinds[i], "%zu", i);
		cr_assert_eq(event.id, number, "%zu", i);
		cr_assert_eq(event.value, 2, "%zu", i);
		cr_assert_eq(event.counter, ++counter, "%zu", i);
	}
}

static void round_trip_events(uint32_t dialect, uint32_t number)
{
	mprof_writer *writer = open_mono(dialect, 0, 1);
	uint64_t base = now.counter;
	mprof_reader *reader;
	mprof_block block;
	mprof_event event;

	define_names(writer);
	begin_events(writer, THREAD);
	write_plain_events(writer);
	ADD(writer, GC_RESIZE, 301, 4096, 1, NULL);
	ADD(writer, ALLOCATION, 200, UINT64_C(1) << 33, 0, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	reader = open_reader(writer);
	block = find_block(reader, MPROF_BLOCK_EVENTS);
	cr_assert_eq(block.thread, THREAD);
	cr_assert_eq(block.as.events.base_counter, base);
	expect_plain_events(reader, base, number);
	event = next_event(reader);
	cr_assert_eq(event.kind, MPROF_EVENT_GC_RESIZE);
	cr_assert_eq(event.id, number == 0 ? 0 : 301);
	cr_assert_eq(event.value, 4096);
	event = next_event(reader);
	cr_assert_eq(event.kind, MPROF_EVENT_ALLOCATION);
	cr_assert_eq(event.id, 200);
	cr_assert_eq(event.value, UINT64_C(1) << 33);
	expect_no_event(reader);
	finish(reader, writer);
}

Test(round_trip_mono, events)
{
	round_trip_events(MPROF_DIALECT_DROP, 0);
	round_trip_events(MPROF_DIALECT_MONO, 300);
	round_trip_events(MPROF_DIALECT_UNITY, 300);
}

/* With the base counter of the thread's previous block, this block would continue where that one ended. */
Test(round_trip_mono, a_base_counter_that_comes_again)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);
	uint64_t base = now.counter;
	mprof_reader *reader;

	define_names(writer);
	for (uint64_t block = 0; block < 4; block++) {
		cr_assert_eq(mprof_writer_begin_events(writer, 1, base), MPROF_OK);
		now.counter = base + 10;
		ADD(writer, METHOD_ENTER, 1, 0, block, NULL);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		/* A block of another thread has no effect on it. */
		cr_assert_eq(mprof_writer_begin_events(writer, 2, base + block), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	}
	reader = open_reader(writer);
	for (uint64_t block = 0; block < 4; block++) {
		(void)find_block(reader, MPROF_BLOCK_EVENTS);
		cr_assert_eq(next_event(reader).counter, base + 10 + block);
		expect_no_event(reader);
		cr_assert_eq(find_block(reader, MPROF_BLOCK_EVENTS).as.events.base_counter, base + block);
	}
	finish(reader, writer);
}

static void expect_stacked(mprof_reader *reader, uint32_t kind, uint32_t caller, uint64_t object, const char *chain)
{
	mprof_event event = next_event(reader);

	cr_assert_eq(event.kind, kind);
	cr_assert_eq(event.id, 3);
	cr_assert_not_null(event.more.detail);
	cr_assert_eq(event.more.detail->caller, caller);
	cr_assert_eq(event.more.detail->object, object);
	expect_chain(reader, event.more.detail->stack, chain);
}

static void round_trip_chains(uint32_t dialect)
{
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1000, .caller = 1, .stack = 1},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1008, .caller = 2, .stack = 3},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1010, .stack = 3},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1018, .caller = 1, .stack = 2},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x1020}};
	mprof_writer *writer = open_mono(dialect, MONO_DIRECTIVES, 0);
	mprof_reader *reader;

	define_stacks(writer);
	for (int block = 0; block < 2; block++) {
		begin_events(writer, 1);
		ADD(writer, ALLOCATION_AT_JIT, 3, 24, 0, &details[0]);
		ADD(writer, ALLOCATION, 3, 24, 0, &details[1]);
		ADD(writer, METHOD_ENTER, 1, 0, 1, NULL);
		ADD(writer, MONITOR, 3, MPROF_MONITOR_CONTENDED, 1, &details[2]);
		ADD(writer, ALLOCATION, 3, 24, 0, &details[3]);
		ADD(writer, ALLOCATION, 3, 24, 0, &details[4]);
		ADD(writer, ALLOCATION, 3, 24, 0, &details[1]);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	}
	reader = open_reader(writer);
	for (int block = 0; block < 2; block++) {
		find_block(reader, MPROF_BLOCK_EVENTS);
		expect_stacked(reader, MPROF_EVENT_ALLOCATION_AT_JIT, 1, 0x1000, "1J");
		expect_stacked(reader, MPROF_EVENT_ALLOCATION, 2, 0x1008, "2 1");
		cr_assert_eq(next_event(reader).kind, MPROF_EVENT_METHOD_ENTER);
		expect_stacked(reader, MPROF_EVENT_MONITOR, 0, 0x1010, "2 1");
		expect_stacked(reader, MPROF_EVENT_ALLOCATION, 1, 0x1018, "1");
		expect_stacked(reader, MPROF_EVENT_ALLOCATION, 0, 0x1020, "");
		expect_stacked(reader, MPROF_EVENT_ALLOCATION, 2, 0x1008, "2 1");
		expect_no_event(reader);
	}
	finish(reader, writer);
}

Test(round_trip_mono, chains_of_events)
{
	round_trip_chains(MPROF_DIALECT_MONO);
	round_trip_chains(MPROF_DIALECT_UNITY);
}

static void round_trip_samples(uint32_t dialect, const char *const *expected)
{
	static const uint32_t chains[] = {3, 4, 5, 6, 7, 2};
	mprof_writer *writer = open_mono(dialect, 0, 0);
	mprof_reader *reader;

	define_stacks(writer);
	put_samples(writer, chains, COUNT_OF(chains));
	put_samples(writer, chains, COUNT_OF(chains));
	reader = open_reader(writer);
	for (int block = 0; block < 2; block++) {
		find_block(reader, MPROF_BLOCK_STATISTICAL);
		for (size_t i = 0; i < COUNT_OF(chains); i++) {
			mprof_event event = next_event(reader);

			cr_assert_eq(event.kind, MPROF_EVENT_SAMPLE);
			expect_chain(reader, event.value, expected[i]);
		}
		expect_no_event(reader);
	}
	finish(reader, writer);
}

Test(round_trip_mono, samples)
{
	static const char *const whole[] = {"2 1", "native_fn 2 1", "native_fn", "1+345", "0+deadbeef0000", "1"};
	static const char *const leaves[] = {"2", "native_fn", "native_fn", "1+345", "0+deadbeef0000", "1"};

	round_trip_samples(MPROF_DIALECT_DROP, leaves);
	round_trip_samples(MPROF_DIALECT_MONO, whole);
	round_trip_samples(MPROF_DIALECT_UNITY, whole);
}

/* In drop a number is the count of hits of a function. */
Test(round_trip_mono, samples_with_a_weight)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .samples = UINT64_C(1) << 33};
	mprof_event sample = event_of(MPROF_EVENT_SAMPLE, 0, 0);
	mprof_writer *writer = open_mono(MPROF_DIALECT_DROP, 0, 0);
	mprof_reader *reader;
	mprof_event event;

	define_stacks(writer);
	sample.value = 5;
	sample.more.detail = &detail;
	cr_assert_eq(mprof_writer_write_samples(writer, 1, 0, &sample, 1), MPROF_OK);
	reader = open_reader(writer);
	find_block(reader, MPROF_BLOCK_STATISTICAL);
	event = next_event(reader);
	cr_assert_not_null(event.more.detail);
	cr_assert_eq(event.more.detail->samples, UINT32_MAX);
	expect_no_event(reader);
	finish(reader, writer);
}

static void expect_heap_event(mprof_reader *reader, uint32_t kind, uint32_t id, uint64_t value, uint64_t object,
			      uint32_t reference_count)
{
	mprof_event event = next_event(reader);

	cr_assert_eq(event.kind, kind);
	cr_assert_eq(event.id, id);
	cr_assert_eq(event.value, value);
	if (kind == MPROF_EVENT_HEAP_FREE)
		return;
	cr_assert_not_null(event.more.detail);
	cr_assert_eq(event.more.detail->object, object);
	cr_assert_eq(event.more.detail->reference_count, reference_count);
	for (uint32_t i = 0; i < reference_count; i++)
		cr_assert_eq(event.more.detail->references[i], 8 * (i + 1));
}

static void round_trip_heap(uint32_t dialect, uint32_t number)
{
	const uint64_t references[] = {8, 16, 24};
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = UINT64_MAX - 7,
					   .reference_count = 3,
					   .references = references};
	const mprof_event_detail alone = {.struct_size = sizeof(mprof_event_detail), .object = 16};
	const mprof_event events[] = {
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 32, .more.detail = &detail},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 200, .value = UINT32_MAX, .more.detail = &alone},
		{.kind = MPROF_EVENT_HEAP_FREE, .id = 1, .value = 5000},
	};
	mprof_writer *writer = open_mono(dialect, 0, 0);
	uint64_t taken = now.counter;
	mprof_reader *reader;
	mprof_block block;

	define_names(writer);
	cr_assert_eq(mprof_writer_write_heap(writer, 300, MPROF_HEAP_FLAG_FIRST, taken, events, 1), MPROF_OK);
	now.counter += 1000;
	cr_assert_eq(mprof_writer_write_heap(writer, 300, MPROF_HEAP_FLAG_LAST, taken, events + 1, 2), MPROF_OK);
	reader = open_reader(writer);
	block = find_block(reader, MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(block.as.heap_data.number, number);
	cr_assert_eq(block.as.heap_data.flags, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST);
	cr_assert_eq(block.as.heap_data.has_clocks, 1);
	cr_assert_eq(block.as.heap_data.start.counter, taken);
	cr_assert_eq(block.as.heap_data.end.counter, taken + 1000);
	expect_heap_event(reader, MPROF_EVENT_HEAP_OBJECT, 3, 32, UINT64_MAX - 7, 3);
	expect_heap_event(reader, MPROF_EVENT_HEAP_OBJECT, 200, UINT32_MAX, 16, 0);
	expect_heap_event(reader, MPROF_EVENT_HEAP_FREE, 1, 5000, 0, 0);
	expect_no_event(reader);
	finish(reader, writer);
}

Test(round_trip_mono, heap)
{
	round_trip_heap(MPROF_DIALECT_DROP, 0);
	round_trip_heap(MPROF_DIALECT_MONO, 300);
	round_trip_heap(MPROF_DIALECT_UNITY, 300);
}

Test(round_trip_mono, summary)
{
	const mprof_record summary = {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {2, 64, 3, 96}};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);
	mprof_reader *reader;
	mprof_record record;
	size_t count;

	define_names(writer);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, 300, &summary, sizeof(summary), 1),
		     MPROF_OK);
	reader = open_reader(writer);
	cr_assert_eq(find_block(reader, MPROF_BLOCK_HEAP_SUMMARY).as.heap_summary.collection, 300);
	cr_assert_eq(mprof_reader_next_records(reader, &record, sizeof(record), 1, &count), MPROF_OK);
	cr_assert_eq(record.kind, MPROF_RECORD_SUMMARY);
	cr_assert_eq(record.id, 3);
	cr_assert_eq(memcmp(&record.as.summary, &summary.as.summary, sizeof(record.as.summary)), 0);
	cr_assert_eq(mprof_reader_next_records(reader, &record, sizeof(record), 1, &count), MPROF_END);
	finish(reader, writer);
}

static void round_trip_definitions(uint32_t dialect, uint64_t directives)
{
	const mprof_assembly_name split = {sizeof(mprof_assembly_name), "demo", "neutral", "null", 1, 2, 300, 4, 1, 0};
	mprof_element element = {sizeof(mprof_element),
				 MPROF_ELEMENT_ASSEMBLY,
				 9,
				 10,
				 20,
				 THREAD,
				 "demo, Version=1.2.300.4",
				 23,
				 &split};
	mprof_writer *writer = open_mono(dialect, directives, 1);
	mprof_reader *reader;
	mprof_mapping mapping;
	mprof_block block;

	define_names(writer);
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	cr_assert_eq(mprof_writer_write_unloaded(writer, &element), MPROF_OK);
	reader = open_reader(writer);
	block = find_block(reader, MPROF_BLOCK_INTRO);
	cr_assert_eq(block.as.intro.version, 1);
	cr_assert_str_eq(block.as.intro.runtime, "mono");
	block = find_block(reader, MPROF_BLOCK_LOADED);
	cr_assert_eq(block.as.element.kind, MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS);
	cr_assert_str_eq(block.as.element.name, element.name);
	cr_assert_eq(block.as.element.id, directives != 0 ? 9 : 0);
	cr_assert_eq(block.as.element.assembly != NULL, directives != 0 ? 1 : 0);
	if (directives != 0) {
		cr_assert_str_eq(block.as.element.assembly->base_name, "demo");
		cr_assert_eq(block.as.element.assembly->build, 300);
	}
	block = find_block(reader, MPROF_BLOCK_UNLOADED);
	cr_assert_eq(block.as.element.kind, MPROF_ELEMENT_ASSEMBLY);
	cr_assert_str_eq(block.as.element.name, element.name);
	cr_assert_eq(mprof_reader_lookup_class(reader, 200, &mapping, sizeof(mapping)), MPROF_OK);
	cr_assert_eq(mapping.assembly_id, directives != 0 ? 3 : 0);
	cr_assert_eq(mprof_reader_lookup_method(reader, 200, &mapping, sizeof(mapping)), MPROF_OK);
	cr_assert_eq(mapping.class_id, 200);
	cr_assert_eq(mapping.flags, directives != 0 ? MPROF_METHOD_FLAG_WRAPPER : 0);
	finish(reader, writer);
}

Test(round_trip_mono, elements_and_definitions)
{
	round_trip_definitions(MPROF_DIALECT_DROP, 0);
	round_trip_definitions(MPROF_DIALECT_MONO, 0);
	round_trip_definitions(MPROF_DIALECT_MONO, MONO_DIRECTIVES);
	round_trip_definitions(MPROF_DIALECT_UNITY, MONO_DIRECTIVES);
}
