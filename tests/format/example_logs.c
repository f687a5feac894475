/* SPDX-License-Identifier: MIT */
/* Writes the logs of the worked examples in doc/format.md. */
#include "format/example_logs.h"

#include "writer/writer.h"

#include <criterion/criterion.h>

#include <string.h>

/* The clock of the examples: it advances one microsecond per call. */
void example_logs_read_clock(void *user, mprof_clock *clock)
{
	uint64_t *readings = user;

	++*readings;
	clock->counter = 1000 * *readings;
	clock->time = UINT64_C(1195689600000000) + *readings;
}

static mprof_event make_event(uint32_t kind, uint32_t id, uint64_t value, uint64_t counter)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.counter = counter;
	return event;
}

static void write_class(mprof_writer *writer, uint32_t id, uint32_t assembly_id, uint32_t size, const char *name)
{
	mprof_class_definition definition = {
		sizeof(mprof_class_definition), id, assembly_id, name, strlen(name), size, 0};

	cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
}

static void write_method(mprof_writer *writer, uint32_t id, uint32_t class_id, uint32_t flags, const char *name)
{
	mprof_method_definition definition = {.struct_size = sizeof(mprof_method_definition),
					      .id = id,
					      .class_id = class_id,
					      .flags = flags,
					      .name = name,
					      .name_length = strlen(name)};

	cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
}

static void write_method_of_file(mprof_writer *writer, uint32_t id, const char *file, uint32_t line, const char *name)
{
	mprof_method_definition definition = {.struct_size = sizeof(mprof_method_definition),
					      .id = id,
					      .name = name,
					      .name_length = strlen(name),
					      .source_file = file,
					      .source_file_length = strlen(file),
					      .source_line = line};

	cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
}

static void write_events(mprof_writer *writer, uint64_t thread, uint64_t base, const mprof_event *events, size_t count)
{
	cr_assert_eq(mprof_writer_begin_events(writer, thread, base), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, count, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

void example_logs_write_mail(mprof_writer *writer)
{
	mprof_element element = {sizeof(mprof_element),
				 MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS,
				 0,
				 1100,
				 1200,
				 1,
				 "Demo.exe",
				 8,
				 NULL};
	uint32_t methods[] = {1, 300, 1};
	uint32_t functions[] = {7};
	mprof_event events[] = {
		make_event(MPROF_EVENT_THREAD_START, 0, 1, 1500),
		make_event(MPROF_EVENT_CLASS_LOAD_START, 1, 0, 1510),
		make_event(MPROF_EVENT_CLASS_LOAD_END, 1, 0, 1530),
		make_event(MPROF_EVENT_METHOD_JIT_START, 1, 0, 1540),
		make_event(MPROF_EVENT_METHOD_JIT_END, 1, 0, 1700),
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 1701),
		make_event(MPROF_EVENT_ALLOCATION, 40, 24, 0),
		make_event(MPROF_EVENT_METHOD_ENTER, 300, 0, 1850),
		make_event(MPROF_EVENT_METHOD_JIT_END, 300, 0, 1849),
		make_event(MPROF_EVENT_METHOD_LEAVE, 300, 0, 1900),
		make_event(MPROF_EVENT_EXCEPTION, 40, 0, 1910),
		make_event(MPROF_EVENT_GC_START, 0, 0, 1920),
		make_event(MPROF_EVENT_GC_RESIZE, 0, 1 << 20, 1930),
		make_event(MPROF_EVENT_GC_END, 0, 0, 1940),
		make_event(MPROF_EVENT_METHOD_LEAVE, 1, 0, 1950),
	};

	events[8].flags = MPROF_EVENT_FLAG_FAILED;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	write_class(writer, 1, 0, 0, "Demo.Main");
	write_class(writer, 40, 0, 0, "String");
	write_method(writer, 1, 1, 0, "Run ()");
	write_method(writer, 300, 1, 0, "Sort (int[])");
	write_events(writer, 1, 1500, events, sizeof(events) / sizeof(events[0]));
	cr_assert_eq(mprof_writer_write_statistical(writer, 1500, methods, 3, functions, 1, 2500), MPROF_OK);
	element.start_counter = 2600;
	element.end_counter = 2700;
	cr_assert_eq(mprof_writer_write_unloaded(writer, &element), MPROF_OK);
}

static void write_events_of_mprof2(mprof_writer *writer)
{
	mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0012345740), .caller = 33};
	mprof_event thread_end = make_event(MPROF_EVENT_THREAD_END, 0, 77, 1);
	mprof_event events[] = {
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 5010),
		make_event(MPROF_EVENT_METHOD_ENTER, 33, 0, 5020),
		make_event(MPROF_EVENT_ALLOCATION, 2, 4096, 0),
		make_event(MPROF_EVENT_ALLOCATION, 2, 0, 0),
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 5053),
		make_event(MPROF_EVENT_METHOD_ENTER, 33, 0, 5060),
		make_event(MPROF_EVENT_EXCEPTION, 2, 0, 5070),
		make_event(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 33, 0, 5080),
		make_event(MPROF_EVENT_METHOD_ENTER, 33, 0, 5090),
		make_event(MPROF_EVENT_METHOD_LEAVE_TAIL, 33, 0, 5100),
		make_event(MPROF_EVENT_GC_STOP_WORLD_START, 0, 1, 5110),
		make_event(MPROF_EVENT_GC_START_WORLD_END, 0, 1, 5120),
		make_event(MPROF_EVENT_METHOD_LEAVE, 1, 0, 5119),
	};

	events[2].more.detail = &detail;
	write_events(writer, 77, 5000, events, sizeof(events) / sizeof(events[0]));
	write_events(writer, 77, UINT64_MAX, &thread_end, 1);
}

void example_logs_write_mprof2(mprof_writer *writer)
{
	static const char name[] = "Demo, Version=1.2.3.4";
	mprof_assembly_name split = {
		sizeof(mprof_assembly_name), "Demo", "neutral", "b77a5c561934e089", 1, 2, 3, 4, 0, 0};
	mprof_element assembly = {sizeof(mprof_element),
				  MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS,
				  9,
				  1100,
				  1200,
				  77,
				  name,
				  sizeof(name) - 1,
				  &split};
	mprof_element module = {sizeof(mprof_element),
				MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FLAG_FAILURE,
				0,
				1200,
				1250,
				77,
				"Demo.netmodule",
				14,
				NULL};
	mprof_property properties[] = {{"program", "demo"}, {"arguments", ""}};
	uint64_t losses[] = {0, 3, 0, 200};
	uint32_t hits[] = {33};

	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(*properties), 2), MPROF_OK);
	cr_assert_eq(mprof_writer_write_loaded(writer, &assembly), MPROF_OK);
	cr_assert_eq(mprof_writer_write_loaded(writer, &module), MPROF_OK);
	cr_assert_eq(mprof_writer_write_thread_name(writer, 77, "main", 4), MPROF_OK);
	write_class(writer, 1, 9, 0, "Demo.Main");
	write_class(writer, 2, 0, 0, "Größe");
	write_method(writer, 1, 1, 0, "Run ()");
	write_method(writer, 33, 2, MPROF_METHOD_FLAG_WRAPPER, "");
	write_events_of_mprof2(writer);
	cr_assert_eq(mprof_writer_write_losses(writer, 77, losses, 4), MPROF_OK);
	cr_assert_eq(mprof_writer_write_statistical(writer, 5000, hits, 1, NULL, 0, 6000), MPROF_OK);
	assembly.start_counter = 6100;
	assembly.end_counter = 6200;
	cr_assert_eq(mprof_writer_write_unloaded(writer, &assembly), MPROF_OK);
}

static mprof_record make_record(uint32_t kind, uint32_t id)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = kind;
	record.id = id;
	return record;
}

static mprof_record make_stack(uint32_t id, uint32_t caller, uint32_t target, uint32_t is_native)
{
	mprof_record record = make_record(MPROF_RECORD_STACK, id);

	record.as.stack.caller = caller;
	record.as.stack.target = target;
	record.as.stack.is_native = is_native;
	return record;
}

static void write_records(mprof_writer *writer, mprof_block_kind kind, const mprof_record *records, size_t count)
{
	uint32_t collection = kind == MPROF_BLOCK_HEAP_SUMMARY ? 3 : 0;

	cr_assert_eq(mprof_writer_write_records(writer, kind, collection, records, sizeof(*records), count), MPROF_OK);
}

static void write_code_and_stacks(mprof_writer *writer)
{
	mprof_record code[] = {
		make_record(MPROF_RECORD_MODULE, 1),
		make_record(MPROF_RECORD_FUNCTION, 1),
		make_record(MPROF_RECORD_LOCATION, 1),
		make_record(MPROF_RECORD_LOCATION, 2),
	};
	const mprof_record stacks[] = {
		make_stack(1, 0, 1, 0), make_stack(2, 1, 2, 0), make_stack(3, 1, 1, 1),
		make_stack(4, 2, 0, 0), make_stack(5, 0, 0, 1), make_stack(6, 5, 2, 0),
	};

	code[0].as.module.address = UINT64_C(0x7f0012000000);
	code[0].as.module.size = 0x20000;
	code[0].as.module.build_id = "0af3";
	code[0].as.module.file = "/lib/libdemo.so";
	code[1].as.function.module = 1;
	code[1].as.function.offset = 0x1200;
	code[1].as.function.size = 300;
	code[1].as.function.name = "demo_wait";
	code[2].as.location.module = 1;
	code[2].as.location.function = 1;
	code[2].as.location.offset = 0x1234;
	code[3].as.location.offset = UINT64_C(0x7f0040000010);
	write_records(writer, MPROF_BLOCK_CODE, code, 4);
	write_records(writer, MPROF_BLOCK_STACKS, stacks, 6);
}

static void write_detailed_events(mprof_writer *writer)
{
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10000, .stack = 2},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10018, .stack = 0},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10000, .stack = 3},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x10000,
		 .stack = 2,
		 .handle_type = MPROF_HANDLE_PINNED},
		{.struct_size = sizeof(mprof_event_detail), .handle_type = MPROF_HANDLE_PINNED},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10000},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_ALLOCATION, 1, 24, 0),
		make_event(MPROF_EVENT_ALLOCATION, 2, 24, 0),
		make_event(MPROF_EVENT_ALLOCATION, 1, 32, 0),
		make_event(MPROF_EVENT_MONITOR, 1, MPROF_MONITOR_CONTENDED, 5010),
		make_event(MPROF_EVENT_HANDLE_CREATED, 1, 300, 5020),
		make_event(MPROF_EVENT_HANDLE_DELETED, 0, 300, 5030),
		make_event(MPROF_EVENT_FINALIZATION_START, 0, 0, 5040),
		make_event(MPROF_EVENT_FINALIZER_START, 1, 0, 5050),
		make_event(MPROF_EVENT_FINALIZER_END, 1, 0, 5060),
		make_event(MPROF_EVENT_FINALIZATION_END, 0, 0, 5070),
		make_event(MPROF_EVENT_RECORDING_RESUMED, 0, 500, 5580),
		make_event(MPROF_EVENT_ALLOCATION_AT_JIT, 1, 24, 0),
		make_event(MPROF_EVENT_GC_START, 300, 1, 5590),
		make_event(MPROF_EVENT_GC_RESIZE, 301, 1 << 20, 5600),
		make_event(MPROF_EVENT_GC_END, 300, 1, 5610),
	};

	events[0].more.detail = &details[0];
	events[1].more.detail = &details[1];
	events[3].more.detail = &details[2];
	events[4].more.detail = &details[3];
	events[5].more.detail = &details[4];
	events[7].more.detail = &details[5];
	events[8].more.detail = &details[5];
	events[11].more.detail = &details[0];
	write_events(writer, 77, 5000, events, sizeof(events) / sizeof(events[0]));
}

static void write_samples_and_figures(mprof_writer *writer)
{
	const double quarter = 0.25;
	mprof_event samples[] = {make_event(MPROF_EVENT_SAMPLE, 0, 3, 5100),
				 make_event(MPROF_EVENT_SAMPLE, 0, 4, 5090)};
	mprof_record metrics[] = {
		make_record(MPROF_RECORD_METRIC, 1),       make_record(MPROF_RECORD_METRIC, 2),
		make_record(MPROF_RECORD_METRIC_VALUE, 1), make_record(MPROF_RECORD_METRIC_VALUE, 1),
		make_record(MPROF_RECORD_METRIC_VALUE, 2),
	};

	metrics[0].as.metric.flags = MPROF_METRIC_UNIT_BYTES;
	metrics[0].as.metric.section = "memory";
	metrics[0].as.metric.name = "growth";
	metrics[1].as.metric.flags = MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_RATIO;
	metrics[1].as.metric.name = "load";
	metrics[2].as.metric_value.value = 4096;
	metrics[3].as.metric_value.value = (uint64_t)-300;
	memcpy(&metrics[4].as.metric_value.value, &quarter, sizeof(quarter));
	cr_assert_eq(mprof_writer_write_samples(writer, 77, 5000, samples, 2), MPROF_OK);
	write_records(writer, MPROF_BLOCK_METRICS, metrics, 5);
	cr_assert_eq(mprof_writer_write_mark(writer, 77, 5600, "half way", 8), MPROF_OK);
}

static void write_heap_shot(mprof_writer *writer)
{
	const uint64_t references[] = {0x10018, 0x10000};
	const uint64_t more[] = {0x10030};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x10000,
		 .reference_count = 2,
		 .references = references},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10018, .reference_count = 0},
		{.struct_size = sizeof(mprof_event_detail), .reference_count = 1, .references = more},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10000},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10030},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_HEAP_ROOT, 1, MPROF_ROOT_STATIC, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 1, 24, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 2, 20, 0),
		make_event(MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0),
	};
	mprof_event between[] = {
		make_event(MPROF_EVENT_HEAP_FREE, 1, 24, 0),
		make_event(MPROF_EVENT_HEAP_FREE, 2, 400, 0),
		make_event(MPROF_EVENT_HEAP_MOVE, 0, 0x10004, 0),
	};

	events[0].more.detail = &details[3];
	for (size_t i = 1; i < 4; i++)
		events[i].more.detail = &details[i - 1];
	between[0].more.detail = &details[4];
	between[2].more.detail = &details[1];
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 5700, events, 4),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 5800, between, 3), MPROF_OK);
}

void example_logs_write_heap(mprof_writer *writer)
{
	mprof_record root = make_record(MPROF_RECORD_ROOT, 1);
	mprof_record summary = make_record(MPROF_RECORD_SUMMARY, 1);

	write_class(writer, 1, 0, 24, "Demo.Node");
	write_class(writer, 2, 0, 0, "Byte[]");
	write_method(writer, 1, 1, 0, "Run ()");
	write_method(writer, 2, 1, 0, "Add (Node)");
	write_code_and_stacks(writer);
	write_detailed_events(writer);
	write_samples_and_figures(writer);
	root.as.root.kind = MPROF_ROOT_STATIC;
	root.as.root.class_id = 1;
	root.as.root.address = UINT64_C(0x7f0030000000);
	root.as.root.size = 64;
	root.as.root.name = "Demo.Node.first";
	write_records(writer, MPROF_BLOCK_ROOTS, &root, 1);
	write_heap_shot(writer);
	summary.as.summary.live_objects = 2;
	summary.as.summary.live_bytes = 48;
	summary.as.summary.dead_objects = 1;
	summary.as.summary.dead_bytes = 24;
	write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, &summary, 1);
}

void example_logs_write_memory(mprof_writer *writer)
{
	const mprof_record stack = make_stack(1, 0, 1, 0);
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail), .size = 100, .stack = 1},
		{.struct_size = sizeof(mprof_event_detail), .size = 24},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = UINT64_C(0x55550000a2a0),
		 .size = 200,
		 .stack = 1,
		 .started = 5120},
		{.struct_size = sizeof(mprof_event_detail), .stack = 1},
		{.struct_size = sizeof(mprof_event_detail), .size = 7},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_MEMORY_ALLOCATED, 0, UINT64_C(0x55550000a2a0), 5010),
		make_event(MPROF_EVENT_MEMORY_ALLOCATED, 0, UINT64_C(0x55550000a310), 5020),
		make_event(MPROF_EVENT_MEMORY_FREED, 0, UINT64_C(0x55550000a310), 5030),
		make_event(MPROF_EVENT_MEMORY_RESIZED, 0, UINT64_C(0x55550000a330), 5150),
		make_event(MPROF_EVENT_MEMORY_FREED, 0, UINT64_C(0x55550000a330), 5160),
		make_event(MPROF_EVENT_MEMORY_ALLOCATED, 0, UINT64_C(0x55550000a2ac), 5170),
		make_event(MPROF_EVENT_MEMORY_FREED, 0, UINT64_C(0x7fff00000008), 5180),
	};

	write_method(writer, 1, 0, 0, "parse ()");
	write_records(writer, MPROF_BLOCK_STACKS, &stack, 1);
	events[0].more.detail = &details[0];
	events[1].more.detail = &details[1];
	events[3].more.detail = &details[2];
	events[4].more.detail = &details[3];
	events[5].more.detail = &details[4];
	write_events(writer, 77, 5000, events, sizeof(events) / sizeof(events[0]));
	cr_assert_eq(mprof_writer_write_watermark(writer, 5180), MPROF_OK);
}

void example_logs_write_switches(mprof_writer *writer)
{
	const mprof_event events[] = {
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 3010),
		make_event(MPROF_EVENT_STACK_SWITCH, 0, 300, 3020),
		make_event(MPROF_EVENT_METHOD_ENTER, 2, 0, 3030),
		make_event(MPROF_EVENT_STACK_SWITCH, 0, 0, 3040),
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 3050),
		make_event(MPROF_EVENT_METHOD_ENTER, 3, 0, 3060),
		make_event(MPROF_EVENT_STACK_SWITCH, 0, 300, 3070),
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 3080),
		make_event(MPROF_EVENT_STACK_END, 0, 300, 3090),
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 3100),
	};

	write_method_of_file(writer, 1, "app.lua", 10, "run");
	write_method_of_file(writer, 2, "app.lua", 25, "produce");
	write_method(writer, 3, 0, 0, "consume");
	write_events(writer, 1, 3000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_exceptions(mprof_writer *writer)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = 1};
	const mprof_event_detail clause = {.struct_size = sizeof(mprof_event_detail), .caller = 1};
	const mprof_record stack = make_stack(1, 0, 1, 0);
	mprof_event events[] = {
		make_event(MPROF_EVENT_EXCEPTION, 1, 0, 5010),
		make_event(MPROF_EVENT_EXCEPTION_CLAUSE, 1, 2 << 2 | MPROF_CLAUSE_FINALLY, 5015),
		make_event(MPROF_EVENT_EXCEPTION, 1, 0, 5020),
	};

	write_class(writer, 1, 0, 0, "Demo.Problem");
	write_method(writer, 1, 0, 0, "Run ()");
	write_records(writer, MPROF_BLOCK_STACKS, &stack, 1);
	events[0].more.detail = &detail;
	events[1].more.detail = &clause;
	write_events(writer, 77, 5000, events, sizeof(events) / sizeof(events[0]));
}

static mprof_record make_field(uint32_t class_id, uint32_t offset, uint32_t stride, const char *name)
{
	mprof_record field = make_record(MPROF_RECORD_FIELD, class_id);

	field.as.field.offset = offset;
	field.as.field.stride = stride;
	field.as.field.name = name;
	return field;
}

void example_logs_write_fields(mprof_writer *writer)
{
	const uint64_t references[] = {0x10020, 0x10080, 0x10090, 0x10090, 0x100a0};
	const uint64_t map[] = {16};
	const uint64_t entries[] = {48, 64, 72};
	const uint64_t list[] = {32, 40, 48, 56, 64};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x10000,
		 .reference_count = 1,
		 .references = references,
		 .offsets = map},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x10020,
		 .reference_count = 3,
		 .references = references + 1,
		 .offsets = entries},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x10080,
		 .reference_count = 5,
		 .references = references,
		 .offsets = list},
		{.struct_size = sizeof(mprof_event_detail), .reference_count = 1, .references = references},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_HEAP_OBJECT, 1, 24, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 2, 80, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 3, 72, 0),
		make_event(MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0),
	};
	mprof_record fields[] = {make_field(1, 16, 0, "entries"), make_field(2, 40, 24, "[].key"),
				 make_field(2, 48, 24, "[].value"), make_field(3, 32, 8, "[]")};

	write_class(writer, 1, 0, 0, "Demo.Map");
	write_class(writer, 2, 0, 0, "Demo.Map/Entry[]");
	write_class(writer, 3, 0, 0, "object[]");
	write_class(writer, 4, 0, 0, "Demo.Base");
	fields[0].as.field.class_id = 4;
	for (size_t i = 0; i < 4; i++)
		events[i].more.detail = &details[i];
	write_records(writer, MPROF_BLOCK_FIELDS, fields, 4);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 5700, events, 4),
		     MPROF_OK);
}

void example_logs_write_code(mprof_writer *writer)
{
	const mprof_event events[] = {
		make_event(MPROF_EVENT_METHOD_JIT_START, 1, 0, 4010),
		make_event(MPROF_EVENT_METHOD_CODE, 0, 12 << 4 | MPROF_CODE_TRAMPOLINE, 4030),
		make_event(MPROF_EVENT_METHOD_CODE, 1, 100 << 4 | MPROF_CODE_JIT, 4060),
		make_event(MPROF_EVENT_METHOD_JIT_END, 1, 0, 4060),
		make_event(MPROF_EVENT_METHOD_CODE, 2, 250 << 4 | MPROF_CODE_PRECOMPILED, 4100),
	};

	write_method(writer, 1, 0, 0, "Run ()");
	write_method(writer, 2, 0, 0, "Load ()");
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_holders(mprof_writer *writer)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x10000};
	mprof_event events[] = {
		make_event(MPROF_EVENT_MONITOR, 1, MPROF_MONITOR_CONTENDED, 4010),
		make_event(MPROF_EVENT_MONITOR_HOLDER, 1, 78, 4010),
		make_event(MPROF_EVENT_MONITOR, 1, MPROF_MONITOR_ACQUIRED, 4050),
	};

	write_class(writer, 1, 0, 0, "Demo.Gate");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		events[i].more.detail = &detail;
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_objects(mprof_writer *writer)
{
	const mprof_event_detail first = {.struct_size = sizeof(mprof_event_detail), .object = 0x10000, .size = 48};
	const mprof_event_detail second = {.struct_size = sizeof(mprof_event_detail), .object = 0x10040};
	mprof_event events[] = {
		make_event(MPROF_EVENT_ALLOCATION, 1, 32, 4000),
		make_event(MPROF_EVENT_OBJECT_RESIZED, 1, 0x10040, 4010),
		make_event(MPROF_EVENT_OBJECT_FREED, 1, 48, 4050),
	};

	write_class(writer, 1, 0, 0, "Demo.List");
	events[0].more.detail = &first;
	events[1].more.detail = &first;
	events[2].more.detail = &second;
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_types(mprof_writer *writer)
{
	static const uint8_t arguments[] = {0x7a, 0x81, 0x00, 0xa0, 0x81, 0x83, 'a', '/', 'b'};
	const mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .arguments = arguments, .argument_size = sizeof(arguments)};
	const mprof_record text = {.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "files"};
	const mprof_record types[] = {
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 1,
		 .as.argument = {MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "time",
				 NULL}},
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 2,
		 .as.argument = {MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, MPROF_ARGUMENT_UNIT_BYTES, "size",
				 NULL}},
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 3,
		 .as.argument = {MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, 0, MPROF_ARGUMENT_UNIT_NAMED, "heat",
				 "Cel"}},
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 4,
		 .as.argument = {MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "path", NULL}},
		{.kind = MPROF_RECORD_TYPE, .id = 1, .as.type = {MPROF_TYPE_SPAN, 0, 1, 1, 4, 0, "read"}},
		{.kind = MPROF_RECORD_TYPE, .id = 2, .as.type = {MPROF_TYPE_INSTANT, 0, 0, 0, 0, 0, "tick"}},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_TYPED, 1, 0, 4300),
		make_event(MPROF_EVENT_TYPED, 2, 0, 4310),
	};

	events[0].more.detail = &detail;
	write_records(writer, MPROF_BLOCK_TEXTS, &text, 1);
	write_records(writer, MPROF_BLOCK_TYPES, types, sizeof(types) / sizeof(types[0]));
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_positions(mprof_writer *writer)
{
	const mprof_record text = {.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "list.h"};
	const mprof_record positions[] = {
		{.kind = MPROF_RECORD_POSITION, .id = 1, .as.position = {.target = 1, .line = 12}},
		{.kind = MPROF_RECORD_POSITION,
		 .id = 2,
		 .as.position = {.target = 2, .is_inlined = 1, .line = 300, .offset = 38, .file = 1}},
	};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.position = 1}},
		{.kind = MPROF_RECORD_STACK, .id = 2, .as.stack = {.caller = 1, .position = 2}},
	};
	const mprof_event sample = make_event(MPROF_EVENT_SAMPLE, 0, 2, 4300);

	write_method(writer, 1, 0, 0, "Run ()");
	write_method(writer, 2, 0, 0, "Next ()");
	write_records(writer, MPROF_BLOCK_TEXTS, &text, 1);
	write_records(writer, MPROF_BLOCK_POSITIONS, positions, 2);
	write_records(writer, MPROF_BLOCK_STACKS, stacks, 2);
	cr_assert_eq(mprof_writer_write_samples(writer, 77, 4000, &sample, 1), MPROF_OK);
}

void example_logs_write_code_ranges(mprof_writer *writer)
{
	const mprof_record location = {.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.offset = 0x5008};
	const mprof_record stack = {.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.target = 1, .is_native = 1}};
	const mprof_record position = {
		.kind = MPROF_RECORD_POSITION, .id = 1, .as.position = {.target = 1, .line = 12}};
	const mprof_record ranges[] = {
		{.kind = MPROF_RECORD_CODE_RANGE,
		 .id = 1,
		 .as.code_range = {0x5000, 64, 4100, NULL, MPROF_CODE_RANGE_METHOD, 1, 0, 0, 0}},
		{.kind = MPROF_RECORD_CODE_RANGE,
		 .id = 2,
		 .as.code_range = {0x5000, 32, 4400, "stub", MPROF_CODE_RANGE_STUB, 0, 0, 0, 0}},
		{.kind = MPROF_RECORD_CODE_LINE, .id = 1, .as.code_line = {8, 1, 0}},
		{.kind = MPROF_RECORD_CODE_END, .id = 1, .as.code_end = {4350, 0x6000}},
		{.kind = MPROF_RECORD_CODE_END, .id = 2, .as.code_end = {4500, 0}},
	};
	const mprof_event samples[] = {
		make_event(MPROF_EVENT_SAMPLE, 0, 1, 4300),
		make_event(MPROF_EVENT_SAMPLE, 0, 1, 4410),
	};

	write_method(writer, 1, 0, 0, "Run ()");
	write_records(writer, MPROF_BLOCK_CODE, &location, 1);
	write_records(writer, MPROF_BLOCK_STACKS, &stack, 1);
	cr_assert_eq(mprof_writer_write_samples(writer, 77, 4000, samples, 2), MPROF_OK);
	write_records(writer, MPROF_BLOCK_POSITIONS, &position, 1);
	write_records(writer, MPROF_BLOCK_CODE_RANGES, ranges, 5);
}

void example_logs_write_reachability(mprof_writer *writer)
{
	const mprof_record records[] = {
		{.kind = MPROF_RECORD_MEMORY_SEARCH, .id = 1, .as.memory_search = {0, 5, 640, 4096, 1000000}},
		{.kind = MPROF_RECORD_MEMORY_BLOCK,
		 .id = MPROF_REACHABILITY_UNREACHABLE,
		 .as.memory_block = {0, 0x5000}},
		{.kind = MPROF_RECORD_MEMORY_BLOCK, .id = MPROF_REACHABILITY_INDIRECT, .as.memory_block = {0, 0x5030}},
		{.kind = MPROF_RECORD_MEMORY_BLOCK, .id = MPROF_REACHABILITY_INTERIOR, .as.memory_block = {0, 0x5100}},
	};

	write_records(writer, MPROF_BLOCK_REACHABILITY, records, 4);
}

void example_logs_write_kinds(mprof_writer *writer)
{
	static const uint8_t arguments[2][6] = {{0x81, 0x40, 0x84, 0x83}, {0x80, 0x8a}};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail), .arguments = arguments[0], .argument_size = 4},
		{.struct_size = sizeof(mprof_event_detail), .arguments = arguments[1], .argument_size = 2},
	};
	const mprof_record stack = {.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.caller = 0, .target = 1}};
	const mprof_record types[] = {
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 1,
		 .as.argument = {MPROF_ARGUMENT_STACK, 0, MPROF_ROLE_STACK, 0, "stack", NULL}},
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 2,
		 .as.argument = {MPROF_ARGUMENT_NUMBER, 0, MPROF_ROLE_WEIGHT, MPROF_ARGUMENT_UNIT_BYTES, "size", NULL}},
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 3,
		 .as.argument = {MPROF_ARGUMENT_NUMBER, 0, MPROF_ROLE_CPU, 0, "cpu", NULL}},
		{.kind = MPROF_RECORD_TYPE,
		 .id = 1,
		 .as.type = {MPROF_TYPE_SAMPLE, 0, 0, 1, 3, 0, "heap", 512, "malloc"}},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_TYPED, 1, 0, 4300),
		make_event(MPROF_EVENT_TYPED, 1, 0, 4290),
	};

	events[0].more.detail = &details[0];
	events[1].more.detail = &details[1];
	write_method(writer, 1, 0, 0, "Run ()");
	write_records(writer, MPROF_BLOCK_STACKS, &stack, 1);
	write_records(writer, MPROF_BLOCK_TYPES, types, sizeof(types) / sizeof(types[0]));
	cr_assert_eq(mprof_writer_write_typed(writer, 77, 4000, events, 2), MPROF_OK);
}

void example_logs_write_application(mprof_writer *writer)
{
	static const uint8_t bytes[] = {0x00, 0xff, 'x'};

	cr_assert_eq(mprof_writer_write_application(writer, "org.example.tool", 16, 300,
						    MPROF_APPLICATION_FLAG_SELF_CONTAINED, bytes, sizeof(bytes)),
		     MPROF_OK);
}

void example_logs_write_timelines(mprof_writer *writer)
{
	const mprof_record clocks[] = {
		{.kind = MPROF_RECORD_CLOCK, .id = 1, .as.clock = {0, 0, MPROF_CLOCK_MACHINE, 0, "ticks"}},
		{.kind = MPROF_RECORD_CLOCK, .id = 2, .as.clock = {19200000, 1, MPROF_CLOCK_DEVICE, 0, "gpu"}},
	};
	const mprof_record process = {.kind = MPROF_RECORD_PROCESS,
				      .id = 1,
				      .as.process = {1, 4242, 0, 1000, 0, "server", "server --port=80"}};
	const mprof_record timelines[] = {
		{.kind = MPROF_RECORD_TIMELINE,
		 .id = 1,
		 .as.timeline = {77, 1, 4243, 0, MPROF_TIMELINE_THREAD, 0, 0, 0, NULL}},
		{.kind = MPROF_RECORD_TIMELINE,
		 .id = 2,
		 .as.timeline = {78, 1, 0, 77, MPROF_TIMELINE_QUEUE, 2, MPROF_TIMELINE_FLAG_ENDED, 3, "render"}},
	};
	const mprof_record pairs[] = {
		{.kind = MPROF_RECORD_CLOCK_PAIR, .id = 2, .as.clock_pair = {70000, 3000, 5}},
		{.kind = MPROF_RECORD_CLOCK_PAIR, .id = 2, .as.clock_pair = {70300, 4000, 5}},
	};

	write_records(writer, MPROF_BLOCK_CLOCKS, clocks, 2);
	write_records(writer, MPROF_BLOCK_PROCESSES, &process, 1);
	write_records(writer, MPROF_BLOCK_TIMELINES, timelines, 2);
	write_records(writer, MPROF_BLOCK_CLOCK_PAIRS, pairs, 2);
}

void example_logs_write_heap_notes(mprof_writer *writer)
{
	const uint64_t references[] = {0x10040, 0x10060};
	const mprof_record texts[] = {{.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "PATH"},
				      {.kind = MPROF_RECORD_TEXT, .id = 2, .as.text.text = "HOME"}};
	const mprof_record labels[] = {
		{.kind = MPROF_RECORD_LABEL, .as.label = {0x10000, "dict of module os"}},
		{.kind = MPROF_RECORD_LABEL, .id = 1, .as.label = {0x10040, NULL}},
		{.kind = MPROF_RECORD_OBJECT_FLAGS, .id = MPROF_OBJECT_FLAG_SYNTHETIC, .as.object_flags = {8}},
	};
	const mprof_record names[] = {
		{.kind = MPROF_RECORD_REFERENCE_NAME, .id = 1, .as.reference_name = {0x10000, 0, 0}},
		{.kind = MPROF_RECORD_REFERENCE_NAME, .id = 2, .as.reference_name = {0x10000, 1, 0}},
		{.kind = MPROF_RECORD_WEAK_REFERENCE, .as.weak_reference = {0x10060, 0x10000}},
	};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x10000,
		 .reference_count = 2,
		 .references = references},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10040},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10060},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 8,
		 .reference_count = 1,
		 .references = references},
	};
	mprof_event events[] = {
		make_event(MPROF_EVENT_HEAP_OBJECT, 1, 64, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 2, 24, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 2, 24, 0),
		make_event(MPROF_EVENT_HEAP_OBJECT, 2, 0, 0),
	};

	write_class(writer, 1, 0, 0, "dict");
	write_class(writer, 2, 0, 0, "str");
	for (size_t i = 0; i < 4; i++)
		events[i].more.detail = &details[i];
	write_records(writer, MPROF_BLOCK_TEXTS, texts, 2);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, 5700, events, 4), MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_OBJECT_LABELS, 1, labels, sizeof(labels[0]), 3),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_REFERENCE_NAMES, 1, names, sizeof(names[0]), 3),
		     MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_LAST, 5700, NULL, 0), MPROF_OK);
}

void example_logs_write_processes(mprof_writer *writer)
{
	const mprof_record processes[] = {
		{.kind = MPROF_RECORD_PROCESS, .id = 1, .as.process = {4711, 4711, 0, 1000, 0, "sh", "sh run"}},
		{.kind = MPROF_RECORD_PROCESS, .id = 2, .as.process = {4712, 4712, 4711, 2000, 0, "cc", "cc a.c"}},
	};
	const mprof_record timelines[] = {
		{.kind = MPROF_RECORD_TIMELINE, .id = 1, .as.timeline = {.thread = 77, .process = 4711, .name = ""}},
		{.kind = MPROF_RECORD_TIMELINE, .id = 2, .as.timeline = {.thread = 78, .process = 4712, .name = ""}},
	};
	const mprof_record ranges[] = {
		{.kind = MPROF_RECORD_CODE_RANGE,
		 .id = 1,
		 .as.code_range = {0x5000, 64, 1000, "hook", MPROF_CODE_RANGE_STUB, 0, 0, 0, 4711}},
		{.kind = MPROF_RECORD_CODE_RANGE,
		 .id = 2,
		 .as.code_range = {0x5000, 32, 2000, "hash", MPROF_CODE_RANGE_STUB, 0, 0, 0, 4712}},
	};
	const mprof_property properties[] = {{"program", "sh"}, {"4712/program", "cc"}};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail), .size = 32},
		{.struct_size = sizeof(mprof_event_detail), .size = 48},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x10040},
	};
	mprof_event first = make_event(MPROF_EVENT_MEMORY_ALLOCATED, 0, 0x10000, 6010);
	mprof_event second = make_event(MPROF_EVENT_MEMORY_ALLOCATED, 0, 0x10000, 7010);
	mprof_event object = make_event(MPROF_EVENT_HEAP_OBJECT, 1, 24, 0);

	first.more.detail = &details[0];
	second.more.detail = &details[1];
	object.more.detail = &details[2];
	cr_assert_eq(mprof_writer_write_session(writer, properties, sizeof(properties[0]), 2), MPROF_OK);
	write_records(writer, MPROF_BLOCK_PROCESSES, processes, 2);
	write_records(writer, MPROF_BLOCK_TIMELINES, timelines, 2);
	write_class(writer, 1, 0, 0, "str");
	write_events(writer, 77, 6000, &first, 1);
	write_events(writer, 78, 7000, &second, 1);
	writer_set_heap_process(writer, 4712);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 8010, &object, 1),
		     MPROF_OK);
	write_records(writer, MPROF_BLOCK_CODE_RANGES, ranges, 2);
}

void example_logs_write_columns(mprof_writer *writer)
{
	const mprof_event events[] = {
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 4010),
		make_event(MPROF_EVENT_ALLOCATION, 1, 24, 0),
		make_event(MPROF_EVENT_ALLOCATION, 2, 4096, 0),
		make_event(MPROF_EVENT_METHOD_ENTER, 300, 0, 4310),
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 4330),
		make_event(MPROF_EVENT_GC_START, 0, 1, 4335),
		make_event(MPROF_EVENT_METHOD_LEAVE, 1, 0, 4400),
	};

	write_class(writer, 1, 0, 24, "Demo.Word");
	write_class(writer, 2, 0, 0, "Demo.Word[]");
	write_method(writer, 1, 1, 0, "Run ()");
	write_method(writer, 300, 1, 0, "Read ()");
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

#define TYPED_EVENTS 16

void example_logs_write_typed_columns(mprof_writer *writer)
{
	const mprof_record types[] = {
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 1,
		 .as.argument = {MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, MPROF_ARGUMENT_UNIT_BYTES, "size",
				 NULL}},
		{.kind = MPROF_RECORD_ARGUMENT,
		 .id = 2,
		 .as.argument = {MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "path", NULL}},
		{.kind = MPROF_RECORD_TYPE, .id = 1, .as.type = {MPROF_TYPE_INSTANT, 0, 0, 1, 2, 0, "read"}},
		{.kind = MPROF_RECORD_TYPE, .id = 2, .as.type = {MPROF_TYPE_INSTANT, 0, 0, 0, 0, 0, "tick"}},
	};
	uint8_t arguments[TYPED_EVENTS][4];
	mprof_event_detail details[TYPED_EVENTS];
	mprof_event events[TYPED_EVENTS + 1];

	for (uint32_t i = 0; i < TYPED_EVENTS; i++) {
		const uint8_t text[2][3] = {{0x81, 'a'}, {0x82, 'b', 'c'}};

		arguments[i][0] = (uint8_t)(0x80 + 2 * i);
		memcpy(arguments[i] + 1, text[i % 2], 3);
		details[i] = (mprof_event_detail){
			.struct_size = sizeof(details[i]), .arguments = arguments[i], .argument_size = 3 + i % 2};
		events[i] = make_event(MPROF_EVENT_TYPED, 1, 0, 4010 + 10 * i);
		events[i].more.detail = &details[i];
	}
	/* Its type has only this event. */
	events[TYPED_EVENTS] = events[TYPED_EVENTS - 1];
	events[TYPED_EVENTS - 1] = make_event(MPROF_EVENT_TYPED, 2, 0, 4155);
	write_records(writer, MPROF_BLOCK_TYPES, types, sizeof(types) / sizeof(types[0]));
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_sized_metrics(mprof_writer *writer)
{
	const mprof_record metrics[] = {
		{.kind = MPROF_RECORD_METRIC,
		 .id = 1,
		 .as.metric = {MPROF_METRIC_UNIT_NAMED, 0, "pump", "pressure", 0, "mm[Hg]"}},
		{.kind = MPROF_RECORD_METRIC,
		 .id = 2,
		 .as.metric = {MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_THREAD | MPROF_METRIC_FLAG_HISTOGRAM, 0,
			       "pump", "stroke", 77, NULL}},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value = {.value = 120}},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value = {.value = 118, .counter = 2900}},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 2, .as.metric_value = {.value = 50, .count = 12}},
		{.kind = MPROF_RECORD_METRIC_VALUE,
		 .id = 2,
		 .as.metric_value = {.value = 400, .lower = 50, .count = 3}},
	};

	write_records(writer, MPROF_BLOCK_METRICS, metrics, sizeof(metrics) / sizeof(metrics[0]));
}

void example_logs_write_compressed(mprof_writer *writer)
{
	mprof_event events[48];

	for (uint64_t i = 0; i < 48; i++)
		events[i] = i % 2 == 0 ? make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 4010 + 10 * i)
				       : make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 4010 + 10 * i);
	write_method(writer, 1, 0, 0, "Run ()");
	write_events(writer, 77, 4000, events, sizeof(events) / sizeof(events[0]));
}

void example_logs_write_index(mprof_writer *writer)
{
	const mprof_event first[] = {
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 4010),
		make_event(MPROF_EVENT_METHOD_ENTER, 2, 0, 4020),
	};
	const mprof_event second[] = {
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 5010),
	};
	const mprof_event third[] = {
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 6010),
	};
	const mprof_event fourth[] = {
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 7010),
	};

	write_method(writer, 1, 0, 0, "Run ()");
	write_method(writer, 2, 0, 0, "Read ()");
	write_events(writer, 77, 4000, first, 2);
	write_events(writer, 78, 5000, second, 1);
	write_events(writer, 77, 6000, third, 1);
	write_events(writer, 77, 7000, fourth, 1);
}
