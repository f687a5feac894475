/* SPDX-License-Identifier: MIT */
/* Writes a log in the dialect of Mono 2 with the public functions, to test how the decoder of Mono 2 reads it. */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAIN_THREAD UINT64_C(0x7f0012345740)
#define OTHER_THREAD UINT64_C(0x7f0012345f40)
#define DEEP_CHAIN 106
#define LOOSE_CHAIN (DEEP_CHAIN + 1)

/* The counter is in microseconds, as is the wall-clock time. */
static uint64_t now = 1000000;

static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = UINT64_C(1200000000000000) + now;
}

static mprof_writer *writer;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_mono_log: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void begin(const char *path)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = MPROF_DIALECT_MONO;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_FLAGS);
	options.intro_flags = MPROF_INTRO_FLAG_CLASS | MPROF_INTRO_FLAG_JIT | MPROF_INTRO_FLAG_ALLOCATION |
			      MPROF_INTRO_FLAG_GC | MPROF_INTRO_FLAG_ENTER_LEAVE | MPROF_INTRO_FLAG_STATISTICAL |
			      MPROF_INTRO_FLAG_METHOD | MPROF_INTRO_FLAG_THREAD;
	options.clock = read_clock;
	expect(mprof_writer_open_path(path, &options, &writer), "open");
}

static void load(uint32_t id, uint32_t kind, const char *name, const mprof_assembly_name *assembly)
{
	mprof_element element = {sizeof(mprof_element),
				 kind | MPROF_ELEMENT_FLAG_SUCCESS,
				 id,
				 now,
				 now + 10,
				 MAIN_THREAD,
				 name,
				 strlen(name),
				 assembly};

	expect(mprof_writer_write_loaded(writer, &element), "loaded");
	now += 20;
}

static void define(void)
{
	static const char *const classes[] = {"object", "string", "Demo.Node", "Demo.Big"};
	static const struct {
		uint32_t class_id;
		uint32_t flags;
		const char *name;
	} methods[] = {{3, 0, "Main (string[])"},
		       {3, 0, "Work (int)"},
		       {1, MPROF_METHOD_FLAG_WRAPPER, "(wrapper runtime-invoke) Invoke (intptr)"},
		       {3, 0, "Far ()"}};

	for (uint32_t i = 0; i < 4; i++) {
		mprof_class_definition class = {
			sizeof(mprof_class_definition), i + 1, i < 2 ? 2 : 4, classes[i], strlen(classes[i]), 0, 0};

		expect(mprof_writer_define_class(writer, &class), "class");
	}
	for (uint32_t i = 0; i < 4; i++) {
		mprof_method_definition method = {sizeof(mprof_method_definition),
						  i + 1,
						  methods[i].class_id,
						  methods[i].flags,
						  0,
						  methods[i].name,
						  strlen(methods[i].name),
						  NULL,
						  0,
						  0,
						  0};

		expect(mprof_writer_define_method(writer, &method), "method");
	}
}

static void add(uint32_t kind, uint32_t flags, uint32_t id, uint64_t value, const mprof_event_detail *detail)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.flags = (uint16_t)flags;
	event.id = id;
	event.value = value;
	event.counter = now;
	event.more.detail = detail;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), mprof_event_get_name(kind));
}

/*
 * Stacks: 1 is Main, 2 is Work called by Main, 3 is Main being compiled, 4 is native code called by stack 2, 5 is
 * another location in the same module, 6 is a location outside of modules. Each stack from 7 on adds a frame, except
 * the last one, which is a function without a module.
 */
static void define_stacks(void)
{
	const mprof_record code[] = {
		{.kind = MPROF_RECORD_MODULE,
		 .id = 1,
		 .as.module.address = UINT64_C(0x7f1000000000),
		 .as.module.size = 0x20000,
		 .as.module.file = "/nonexistent/libdemo.so"},
		{.kind = MPROF_RECORD_FUNCTION,
		 .id = 1,
		 .as.function.module = 1,
		 .as.function.offset = 0x100,
		 .as.function.size = 0x80,
		 .as.function.name = "native_fn"},
		{.kind = MPROF_RECORD_LOCATION,
		 .id = 1,
		 .as.location.module = 1,
		 .as.location.offset = 0x120,
		 .as.location.function = 1},
		{.kind = MPROF_RECORD_LOCATION, .id = 2, .as.location.module = 1, .as.location.offset = 0x900},
		{.kind = MPROF_RECORD_LOCATION, .id = 3, .as.location.offset = UINT64_C(0xdeadbeef0000)},
		{.kind = MPROF_RECORD_FUNCTION, .id = 2, .as.function.name = "loose_fn"},
		{.kind = MPROF_RECORD_LOCATION, .id = 4, .as.location.function = 2},
	};
	const mprof_record loose = {
		.kind = MPROF_RECORD_STACK, .id = LOOSE_CHAIN, .as.stack.target = 4, .as.stack.is_native = 1};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack.target = 1},
		{.kind = MPROF_RECORD_STACK, .id = 2, .as.stack.caller = 1, .as.stack.target = 2},
		{.kind = MPROF_RECORD_STACK, .id = 3, .as.stack.target = 1, .as.stack.is_compiling = 1},
		{.kind = MPROF_RECORD_STACK,
		 .id = 4,
		 .as.stack.caller = 2,
		 .as.stack.target = 1,
		 .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 5, .as.stack.target = 2, .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 6, .as.stack.target = 3, .as.stack.is_native = 1},
	};

	expect(mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, code, sizeof(*code), 7), "code");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 6), "stacks");
	for (uint32_t id = 7; id <= DEEP_CHAIN; id++) {
		const mprof_record record = {
			.kind = MPROF_RECORD_STACK, .id = id, .as.stack.caller = id - 1, .as.stack.target = 3};

		expect(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, &record, sizeof(record), 1), "stacks");
	}
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, &loose, sizeof(loose), 1), "stacks");
}

static void add_collection(void)
{
	static const struct {
		uint8_t kind;
		uint32_t later;
	} steps[] = {{MPROF_EVENT_GC_START, 10},          {MPROF_EVENT_GC_STOP_WORLD_START, 1},
		     {MPROF_EVENT_GC_STOP_WORLD_END, 2},  {MPROF_EVENT_GC_MARK_START, 1},
		     {MPROF_EVENT_GC_MARK_END, 600},      {MPROF_EVENT_GC_START_WORLD_START, 1},
		     {MPROF_EVENT_GC_START_WORLD_END, 2}, {MPROF_EVENT_GC_SWEEP_START, 1},
		     {MPROF_EVENT_GC_SWEEP_END, 380},     {MPROF_EVENT_GC_END, 1}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		now += steps[i].later;
		add(steps[i].kind, 0, 0, 0, NULL);
	}
	add(MPROF_EVENT_GC_RESIZE, 0, 0, 1234567, NULL);
}

static void write_allocations(void)
{
	mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000001008), .caller = 1, .stack = 3};

	expect(mprof_writer_begin_events(writer, MAIN_THREAD, now), "block");
	now += 5;
	add(MPROF_EVENT_THREAD_START, 0, 0, MAIN_THREAD, NULL);
	now += 20;
	add(MPROF_EVENT_METHOD_JIT_START, 0, 1, 0, NULL);
	add(MPROF_EVENT_ALLOCATION_AT_JIT, 0, 2, 24, &detail);
	now += 1000;
	add(MPROF_EVENT_METHOD_JIT_END, 0, 1, 0, NULL);
	detail.stack = 2;
	detail.caller = 2;
	detail.object = UINT64_C(0x7f0000002000);
	add(MPROF_EVENT_ALLOCATION, 0, 3, 32, &detail);
	detail.object = UINT64_C(0x7f0000003000);
	detail.stack = 1;
	detail.caller = 1;
	add(MPROF_EVENT_ALLOCATION, 0, 4, 5000, &detail);
	detail.object = UINT64_C(0x7f0000002000);
	detail.stack = 2;
	add(MPROF_EVENT_MONITOR, 0, 3, MPROF_MONITOR_CONTENDED, &detail);
	now += 50;
	add(MPROF_EVENT_MONITOR, 0, 3, MPROF_MONITOR_ACQUIRED, &detail);
	add_collection();
	expect(mprof_writer_end_events(writer), "end of block");
}

static void write_calls(void)
{
	now += 30;
	expect(mprof_writer_begin_events(writer, OTHER_THREAD, now), "block");
	now += 10;
	add(MPROF_EVENT_METHOD_ENTER, 0, 1, 0, NULL);
	now += 3;
	add(MPROF_EVENT_METHOD_ENTER, 0, 2, 0, NULL);
	now += 200;
	add(MPROF_EVENT_METHOD_ENTER, 0, 4, 0, NULL);
	now += 300;
	add(MPROF_EVENT_METHOD_LEAVE, 0, 4, 0, NULL);
	expect(mprof_writer_end_events(writer), "end of block");
	now += 2000;
	expect(mprof_writer_begin_events(writer, OTHER_THREAD, now), "block");
	now += 5;
	add(MPROF_EVENT_METHOD_LEAVE, 0, 2, 0, NULL);
	add(MPROF_EVENT_METHOD_LEAVE, 0, 1, 0, NULL);
	expect(mprof_writer_end_events(writer), "end of block");
}

static void write_samples(void)
{
	/* The decoder fails on call stacks with more than 31 callers. */
	static const uint32_t chains[] = {2, 4, 4, 5, DEEP_CHAIN, 6, 1, LOOSE_CHAIN};
	mprof_event samples[sizeof(chains) / sizeof(chains[0])];

	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = now + 10 * i;
		samples[i].value = chains[i];
	}
	expect(mprof_writer_write_samples(writer, MAIN_THREAD, now, samples, sizeof(chains) / sizeof(chains[0])),
	       "samples");
}

static void write_heap(void)
{
	const uint64_t references[] = {UINT64_C(0x7f0000001008)};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail),
		 .object = UINT64_C(0x7f0000002000),
		 .reference_count = 1,
		 .references = references},
		{.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000001008)},
		{.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000003000)}};
	const mprof_event_detail more = {
		.struct_size = sizeof(mprof_event_detail), .reference_count = 1, .references = references};
	const mprof_event shot[] = {
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 32, .more.detail = &details[0]},
		{.kind = MPROF_EVENT_HEAP_REFERENCES, .more.detail = &more},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 2, .value = 24, .more.detail = &details[1]},
		{.kind = MPROF_EVENT_HEAP_FREE, .id = 4, .value = 5000, .more.detail = &details[2]},
	};
	const mprof_record summaries[] = {{.kind = MPROF_RECORD_SUMMARY, .id = 2, .as.summary = {1, 24, 0, 0}},
					  {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {2, 64, 3, 96}}};

	expect(mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, 1, summaries, sizeof(*summaries), 2),
	       "summary");
	expect(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, now, shot, 1), "shot");
	now += 400;
	expect(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_LAST, now, shot + 1, 3), "shot");
}

int main(int argc, char **argv)
{
	static const mprof_assembly_name corlib = {
		sizeof(mprof_assembly_name), "mscorlib", "neutral", "b77a5c561934e089", 2, 0, 0, 0, 0, 0};
	static const mprof_assembly_name demo = {
		sizeof(mprof_assembly_name), "demo", "neutral", "null", 1, 2, 300, 4, 1, 0};

	if (argc != 2)
		return fprintf(stderr, "usage: make_mono_log FILE\n"), 2;
	begin(argv[1]);
	load(1, MPROF_ELEMENT_DOMAIN, "1", NULL);
	load(3, MPROF_ELEMENT_MODULE, "mscorlib, Version=2.0.0.0", NULL);
	load(2, MPROF_ELEMENT_ASSEMBLY, "mscorlib, Version=2.0.0.0", &corlib);
	load(4, MPROF_ELEMENT_ASSEMBLY, "demo, Version=1.2.300.4", &demo);
	load(5, MPROF_ELEMENT_ASSEMBLY, "unknown", NULL);
	define();
	define_stacks();
	write_allocations();
	write_calls();
	write_samples();
	write_heap();
	now += 100;
	expect(mprof_writer_close(writer), "close");
	expect(mprof_writer_destroy(writer), "destroy");
	return 0;
}
