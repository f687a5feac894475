/* SPDX-License-Identifier: MIT */
#include "log_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define THREAD UINT64_C(0x7f0012345740)

/* As in log_make(). */
static void read_clock(void *user, mprof_clock *clock)
{
	uint64_t *calls = user;

	++*calls;
	clock->counter = 5000000 + *calls * 100000;
	clock->time = UINT64_C(1200000000000000) + *calls * 100;
}

/* Every second class has an object size. */
static uint32_t object_size(uint32_t class_id)
{
	return class_id % 2 == 0 ? class_id * 16 : 0;
}

static void define(mprof_writer *writer)
{
	for (uint32_t id = 1; id <= 10; id++) {
		const mprof_class_definition class_definition = {
			sizeof(mprof_class_definition), id, 0, "Space.Class", 11, object_size(id), 0};
		const mprof_method_definition method_definition = {
			sizeof(mprof_method_definition), id, id, 0, 0, "Method ()", 9, NULL, 0, 0, 0};

		cr_assert_eq(mprof_writer_define_class(writer, &class_definition), MPROF_OK);
		cr_assert_eq(mprof_writer_define_method(writer, &method_definition), MPROF_OK);
	}
}

static mprof_record record_of(uint32_t kind, uint32_t id)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = kind;
	record.id = id;
	return record;
}

static void put(mprof_writer *writer, mprof_block_kind kind, const mprof_record *records, size_t count)
{
	uint32_t number = kind == MPROF_BLOCK_HEAP_SUMMARY ? 17 : 0;

	cr_assert_eq(mprof_writer_write_records(writer, kind, number, records, sizeof(*records), count), MPROF_OK);
}

static void write_code(mprof_writer *writer, uint32_t first)
{
	mprof_record records[12];

	for (uint32_t i = 0; i < 4; i++) {
		mprof_record *module = &records[i];
		mprof_record *function = &records[4 + i];
		mprof_record *location = &records[8 + i];

		*module = record_of(MPROF_RECORD_MODULE, first + i);
		module->as.module.address = UINT64_C(0x7f0000000000) + i * 0x1000000;
		module->as.module.size = 0x123000;
		module->as.module.file = "/usr/lib/libsome.so.1";
		module->as.module.build_id = i % 2 == 0 ? "0123456789abcdef" : NULL;
		*function = record_of(MPROF_RECORD_FUNCTION, first + i);
		function->as.function.module = i == 3 ? 0 : first + i;
		function->as.function.offset = 0x1230 + i;
		function->as.function.size = i * 100;
		function->as.function.name = i == 2 ? "" : "some_function";
		*location = record_of(MPROF_RECORD_LOCATION, first + i);
		location->as.location.module = i == 3 ? 0 : first + i;
		location->as.location.offset = 0x1234 + i;
		location->as.location.function = i == 0 ? 0 : first + i;
	}
	put(writer, MPROF_BLOCK_CODE, records, 12);
}

/*
 * A tree: each call stack calls two others, and some frames are native or unknown. Some branches of the first block are
 * truncated; the stacks of the second one all have callers, so that they stay valid if a test changes its first ID.
 */
static void write_stacks(mprof_writer *writer, uint32_t first, uint32_t count)
{
	mprof_record records[100];

	for (uint32_t i = 0; i < count; i++) {
		records[i] = record_of(MPROF_RECORD_STACK, first + i);
		records[i].as.stack.caller = (first + i) / 2;
		records[i].as.stack.target = 1 + i % 10;
		if (i % 5 == 3) {
			records[i].as.stack.target = 1 + i % 4;
			records[i].as.stack.is_native = 1;
		} else if (i % 7 == 6) {
			records[i].as.stack.target = 0;
		}
		if (first == 1 && i % 11 == 10) {
			records[i].as.stack.caller = 0;
			records[i].as.stack.target = 0;
			records[i].as.stack.is_native = 1;
		}
	}
	put(writer, MPROF_BLOCK_STACKS, records, count);
}

static void write_samples(mprof_writer *writer, uint32_t stacks, uint64_t base)
{
	mprof_event samples[60];

	for (uint32_t i = 0; i < 60; i++) {
		memset(&samples[i], 0, sizeof(samples[i]));
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].value = 1 + (i * 7) % stacks;
		samples[i].counter = base + i * 1000 - (i == 30 ? 5000 : 0);
	}
	cr_assert_eq(mprof_writer_write_samples(writer, THREAD, base, samples, 60), MPROF_OK);
}

static void write_roots(mprof_writer *writer)
{
	mprof_record records[3];

	for (uint32_t i = 0; i < 3; i++) {
		records[i] = record_of(MPROF_RECORD_ROOT, 1 + i);
		records[i].as.root.kind = MPROF_ROOT_STATIC + i;
		records[i].as.root.class_id = i == 0 ? 7 : 0;
		records[i].as.root.thread = i == 0 ? 0 : THREAD;
		records[i].as.root.address = UINT64_C(0x7fff00000000) + i;
		records[i].as.root.size = 4096 * i;
		records[i].as.root.name = i == 1 ? NULL : "area";
	}
	put(writer, MPROF_BLOCK_ROOTS, records, 3);
}

/* An integer and a floating-point metric, with values that a later block continues. */
static void write_metrics(mprof_writer *writer, int is_first)
{
	const double ratio = 0.125;
	mprof_record records[4];

	records[0] = record_of(MPROF_RECORD_METRIC, 1);
	records[0].as.metric.flags = MPROF_METRIC_UNIT_BYTES | MPROF_METRIC_FLAG_MONOTONIC;
	records[0].as.metric.section = "memory";
	records[0].as.metric.name = "heap";
	records[1] = record_of(MPROF_RECORD_METRIC, 2);
	records[1].as.metric.flags = MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_RATIO;
	records[1].as.metric.name = "load";
	records[2] = record_of(MPROF_RECORD_METRIC_VALUE, 2);
	memcpy(&records[2].as.metric_value.value, &ratio, sizeof(ratio));
	records[3] = record_of(MPROF_RECORD_METRIC_VALUE, 1);
	records[3].as.metric_value.value = (uint64_t)-5;
	put(writer, MPROF_BLOCK_METRICS, is_first ? records : records + 2, is_first ? 4 : 2);
}

static void write_summary(mprof_writer *writer)
{
	mprof_record records[10];

	for (uint32_t i = 0; i < 10; i++) {
		records[i] = record_of(MPROF_RECORD_SUMMARY, 10 - i);
		records[i].as.summary.live_objects = i;
		records[i].as.summary.live_bytes = i * 1000;
		records[i].as.summary.dead_objects = 1 << i;
		records[i].as.summary.dead_bytes = UINT64_C(1) << 6 * i;
	}
	put(writer, MPROF_BLOCK_HEAP_SUMMARY, records, 10);
}

#define HEAP_EVENTS 90
#define MAX_REFERENCES 7

/* All records, objects with and without references to others. */
static void write_heap(mprof_writer *writer, uint32_t shot, uint32_t flags, uint64_t base, int has_offsets)
{
	static mprof_event events[HEAP_EVENTS];
	static mprof_event_detail details[HEAP_EVENTS];
	static uint64_t references[HEAP_EVENTS][MAX_REFERENCES];
	static uint64_t offsets[HEAP_EVENTS][MAX_REFERENCES];
	static const uint8_t kinds[] = {MPROF_EVENT_HEAP_OBJECT, MPROF_EVENT_HEAP_OBJECT, MPROF_EVENT_HEAP_REFERENCES,
					MPROF_EVENT_HEAP_ROOT,   MPROF_EVENT_HEAP_MOVE,   MPROF_EVENT_HEAP_FREE};

	memset(events, 0, sizeof(events));
	memset(details, 0, sizeof(details));
	for (uint32_t i = 0; i < HEAP_EVENTS; i++) {
		mprof_event *event = &events[i];

		event->kind = kinds[i % sizeof(kinds)];
		event->more.detail = &details[i];
		details[i].struct_size = sizeof(details[i]);
		details[i].object = base + i * 48;
		if (event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_FREE) {
			event->id = 1 + i % 10;
			event->value = i % 3 == 0 ? 24 + i * 100 : object_size(event->id);
		} else if (event->kind == MPROF_EVENT_HEAP_ROOT) {
			event->id = i % 4;
			event->value = MPROF_ROOT_STACK;
		} else if (event->kind == MPROF_EVENT_HEAP_MOVE) {
			event->value = base + i * 32;
		}
		if (event->kind != MPROF_EVENT_HEAP_OBJECT && event->kind != MPROF_EVENT_HEAP_REFERENCES)
			continue;
		details[i].reference_count = i % (MAX_REFERENCES + 1);
		details[i].references = references[i];
		details[i].offsets = has_offsets && i % 5 != 0 ? offsets[i] : NULL;
		for (uint32_t j = 0; j < details[i].reference_count; j++)
			references[i][j] = base + (i * 31 + j * 577) % HEAP_EVENTS * 48;
		for (uint32_t j = 0; j < details[i].reference_count; j++)
			offsets[i][j] = 16 + 8 * (j + i * j % 3);
	}
	cr_assert_eq(mprof_writer_write_heap(writer, shot, flags, 5400000, events, HEAP_EVENTS), MPROF_OK);
}

#define MEMORY_EVENTS 60

/* Events of native memory in all their forms, at adjacent and distant addresses. */
static void write_memory(mprof_writer *writer)
{
	static mprof_event events[MEMORY_EVENTS];
	static mprof_event_detail details[MEMORY_EVENTS];
	const uint64_t base = UINT64_C(0x55550000a000);

	memset(events, 0, sizeof(events));
	memset(details, 0, sizeof(details));
	for (uint32_t i = 0; i < MEMORY_EVENTS; i++) {
		events[i].kind = (uint8_t)(MPROF_EVENT_MEMORY_ALLOCATED + i % 3);
		events[i].counter = 5450000 + i * 40;
		events[i].value = i % 7 == 0 ? UINT64_MAX - i : base + i * 24;
		if (i % 6 == 1)
			continue;
		events[i].more.detail = &details[i];
		details[i].struct_size = sizeof(details[i]);
		details[i].stack = i % 10;
		if (events[i].kind == MPROF_EVENT_MEMORY_FREED)
			continue;
		details[i].size = i * 100;
		if (events[i].kind == MPROF_EVENT_MEMORY_RESIZED) {
			details[i].object = base + i * 16;
			details[i].started = events[i].counter - i % 20;
		}
	}
	cr_assert_eq(mprof_writer_begin_events(writer, THREAD, 5450000), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, MEMORY_EVENTS, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_watermark(writer, 5450000 + MEMORY_EVENTS * 40), MPROF_OK);
}

static log_bytes make(uint64_t directives, uint32_t gzip_level)
{
	int has_offsets = (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS)) != 0;
	uint64_t clock_calls = 0;
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.runtime = "fixture";
	options.clock = read_clock;
	options.clock_user = &clock_calls;
	options.gzip_level = gzip_level;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	define(writer);
	write_code(writer, 1);
	write_stacks(writer, 1, 100);
	write_samples(writer, 100, 5300000);
	write_roots(writer);
	write_metrics(writer, 1);
	cr_assert_eq(mprof_writer_write_mark(writer, THREAD, 5350000, "here", 4), MPROF_OK);
	write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, UINT64_C(0x7f0012000000), has_offsets);
	write_summary(writer);
	write_code(writer, 5);
	write_stacks(writer, 101, 20);
	write_samples(writer, 120, (uint64_t)-30000);
	write_metrics(writer, 0);
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS)) != 0)
		write_memory(writer);
	write_heap(writer, 0, 0, UINT64_C(0xfffffffffffff001), has_offsets);
	return log_take(writer);
}

log_bytes log_make_more(uint64_t directives)
{
	return make(directives, 0);
}

log_bytes log_make_more_compressed(uint64_t directives)
{
	return make(directives, 6);
}
