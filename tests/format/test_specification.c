/* SPDX-License-Identifier: MIT */
/*
 * The examples of doc/format.md, sections 2.1 and 6, and of doc/dialects.md, section 8, match the reader and the
 * writer.
 */
#include "log_text.h"

#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXAMPLES 14

typedef struct example {
	uint8_t bytes[4096];
	size_t length;
	char text[8192];
} example;

static example examples[MOST_EXAMPLES];
static size_t example_count;

static char *read_page(const char *name)
{
	const char *directory = getenv("srcdir");
	char path[4096];
	char *text;
	FILE *file;
	long length;

	snprintf(path, sizeof(path), "%s/doc/%s", directory != NULL ? directory : ".", name);
	file = fopen(path, "rb");
	cr_assert_not_null(file, "cannot open %s", path);
	cr_assert_eq(fseek(file, 0, SEEK_END), 0);
	length = ftell(file);
	rewind(file);
	text = malloc((size_t)length + 1);
	cr_assert_eq(fread(text, 1, (size_t)length, file), (size_t)length);
	text[length] = 0;
	fclose(file);
	return text;
}

/* Decodes the hexadecimal bytes up to \p end; returns their number. */
static size_t parse_hex(const char *text, const char *end, uint8_t *bytes, size_t room)
{
	size_t count = 0;

	while (text < end) {
		char *next;
		unsigned long byte;

		if (*text == ' ') {
			text++;
			continue;
		}
		byte = strtoul(text, &next, 16);
		cr_assert_eq(next - text, 2, "not a byte: %.20s", text);
		cr_assert_lt(count, room);
		bytes[count++] = (uint8_t)byte;
		text = next;
	}
	return count;
}

/* The first fenced block of a language at or after a position, without its fences. NULL if none. */
static const char *find_fenced(const char *text, const char *opening, const char **end)
{
	const char *start = strstr(text, opening);

	if (start == NULL)
		return NULL;
	start += strlen(opening);
	*end = strstr(start, "```\n");
	cr_assert_not_null(*end);
	return start;
}

static void take_hex_lines(example *taken, const char *line, const char *end)
{
	while (line < end) {
		const char *line_end = strchr(line, '\n');
		const char *bar = memchr(line, '|', (size_t)(line_end - line));

		cr_assert_not_null(bar, "no | in %.40s", line);
		taken->length +=
			parse_hex(line, bar, taken->bytes + taken->length, sizeof(taken->bytes) - taken->length);
		line = line_end + 1;
	}
}

static void load_page(const char *name)
{
	char *page = read_page(name);
	const char *start = page;
	const char *end;

	while ((start = find_fenced(start, "```hex\n", &end)) != NULL) {
		example *taken = &examples[example_count++];

		cr_assert_leq(example_count, MOST_EXAMPLES);
		take_hex_lines(taken, start, end);
		start = find_fenced(end, "```text\n", &end);
		cr_assert_not_null(start);
		cr_assert_lt(end - start, (ptrdiff_t)sizeof(taken->text));
		memcpy(taken->text, start, (size_t)(end - start));
		start = end;
	}
	free(page);
}

static void load_examples(void)
{
	load_page("format.md");
	cr_assert_eq(example_count, 11);
	load_page("dialects.md");
	cr_assert_eq(example_count, 14);
}

static void expect_text(const char *expected, const char *actual)
{
	while (*expected != 0 || *actual != 0) {
		size_t expected_length = strcspn(expected, "\n");
		size_t actual_length = strcspn(actual, "\n");

		cr_assert(expected_length == actual_length && strncmp(expected, actual, actual_length) == 0,
			  "the page has\n%.*s\nthe log has\n%.*s", (int)expected_length, expected, (int)actual_length,
			  actual);
		expected += expected_length + (expected[expected_length] == '\n');
		actual += actual_length + (actual[actual_length] == '\n');
	}
}

Test(specification, examples_are_read, .init = load_examples, .timeout = 60)
{
	static log_text out;

	for (size_t i = 0; i < example_count; i++) {
		log_text_render(&out, examples[i].bytes, examples[i].length, examples[i].length);
		expect_text(examples[i].text, out.text);
		for (size_t piece = 1; piece < 20; piece++) {
			log_text_render(&out, examples[i].bytes, examples[i].length, piece);
			expect_text(examples[i].text, out.text);
		}
	}
}

/* The clock of the examples: it advances one microsecond per call. */
static void read_example_clock(void *user, mprof_clock *clock)
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

static void write_example_of_mail(mprof_writer *writer)
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

static void write_example_of_mprof2(mprof_writer *writer)
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

static void write_example_of_heap(mprof_writer *writer)
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

static void write_example_of_memory(mprof_writer *writer)
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

static void write_example_of_switches(mprof_writer *writer)
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

static void write_example_of_exceptions(mprof_writer *writer)
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

static void write_example_of_fields(mprof_writer *writer)
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

static void write_example_of_code(mprof_writer *writer)
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

static void write_example_of_holders(mprof_writer *writer)
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

static void write_example_of_columns(mprof_writer *writer)
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

static void expect_written_with(const example *expected, const mprof_writer_options *given,
				void (*write)(mprof_writer *))
{
	mprof_writer_options options = *given;
	uint64_t readings = 0;
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	options.runtime = "demo";
	options.intro_flags = MPROF_INTRO_FLAG_DOMAIN | MPROF_INTRO_FLAG_CLASS | MPROF_INTRO_FLAG_JIT |
			      MPROF_INTRO_FLAG_THREAD | MPROF_INTRO_FLAG_ENTER_LEAVE;
	options.clock = read_example_clock;
	options.clock_user = &readings;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write(writer);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	for (size_t i = 0; i < length && i < expected->length; i++)
		cr_assert_eq(bytes[i], expected->bytes[i], "byte %zu: %02x, not %02x", i, bytes[i], expected->bytes[i]);
	cr_assert_eq(length, expected->length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

static void expect_written(const example *expected, uint32_t dialect, uint64_t directives,
			   void (*write)(mprof_writer *))
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.directives = directives;
	expect_written_with(expected, &options, write);
}

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

Test(specification, examples_are_written, .init = load_examples)
{
	const uint64_t first = BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
			       BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
			       BIT(MPROF_DIRECTIVE_METHOD_FLAGS) | BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
			       BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS);
	const uint64_t others = BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);

	const uint64_t switches = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_SOURCE_LINES) |
				  BIT(MPROF_DIRECTIVE_STACK_SWITCHES);

	expect_written(&examples[0], MPROF_DIALECT_MAIL, 0, write_example_of_mail);
	expect_written(&examples[1], MPROF_DIALECT_MPROF2, first, write_example_of_mprof2);
	expect_written(&examples[3], MPROF_DIALECT_MPROF2, others, write_example_of_heap);
	expect_written(&examples[4], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_MEMORY_EVENTS), write_example_of_memory);
	expect_written(&examples[5], MPROF_DIALECT_MPROF2, switches, write_example_of_switches);
	expect_written(&examples[6], MPROF_DIALECT_MPROF2,
		       BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID) | BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES),
		       write_example_of_exceptions);
	expect_written(&examples[7], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS),
		       write_example_of_fields);
	expect_written(&examples[8], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_METHOD_CODE), write_example_of_code);
	expect_written(&examples[9], MPROF_DIALECT_MPROF2,
		       BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS),
		       write_example_of_holders);
}

Test(specification, example_of_columns_is_written, .init = load_examples)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_CLASS_SIZES);
	options.has_columns = 1;
	expect_written_with(&examples[10], &options, write_example_of_columns);
}

Test(specification, table_of_ints)
{
	char *specification = read_page("format.md");
	const char *line = strstr(specification, "| value | bytes |\n|---|---|\n");
	size_t count = 0;

	cr_assert_not_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (; *line == '|'; line = strchr(line, '\n') + 1, count++) {
		const char *opening = strchr(line, '`');
		uint8_t expected[MPROF_VARINT_MAX_LENGTH];
		uint8_t encoded[MPROF_VARINT_MAX_LENGTH];
		uint64_t value = strtoull(line + 1, NULL, 10);
		uint64_t decoded = ~value;
		size_t length = parse_hex(opening + 1, strchr(opening + 1, '`'), expected, sizeof(expected));

		cr_assert_eq(mprof_varint_encode(value, encoded), length);
		cr_assert_eq(memcmp(encoded, expected, length), 0);
		cr_assert_eq(mprof_varint_decode(expected, length, &decoded), (int)length);
		cr_assert_eq(decoded, value);
	}
	cr_assert_geq(count, 10);
	free(specification);
}
