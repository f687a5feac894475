/* SPDX-License-Identifier: MIT */
/*
 * Writes the logs that the tests of the command line tool read: make_log KIND FILE. All counters are nanoseconds, and a
 * session lasts a second, so that the expected numbers are known. Kinds:
 *   sample   some of everything, with names that are hard to print
 *   mail     the same in the format of 2007, as far as it can represent it
 *   gzip     the same, compressed
 *   open     the same, not closed
 *   large    counters above 2^53
 *   deep     a recursion of 3000 calls
 *   backward a clock that goes back
 *   empty    no events
 *   full     every block and event of the library's own format
 *   memory   native memory, some of which is freed or resized
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define START_TIME UINT64_C(1700000000000000)

#define MAIN_THREAD 0x10
#define OTHER_THREAD 0x20

typedef struct generator {
	mprof_writer *writer;
	mprof_clock now;
	uint64_t start;
} generator;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_log: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void tell_time(void *user, mprof_clock *clock)
{
	*clock = ((generator *)user)->now;
}

static void begin(generator *created, const char *path, mprof_writer_options *options, uint64_t start)
{
	created->start = start;
	created->now.counter = start;
	created->now.time = START_TIME;
	options->clock = tell_time;
	options->clock_user = created;
	options->runtime = "test \"runtime\"";
	options->intro_flags |=
		MPROF_INTRO_FLAG_ENTER_LEAVE | MPROF_INTRO_FLAG_ALLOCATION | MPROF_INTRO_FLAG_JIT | MPROF_INTRO_FLAG_GC;
	options->directives.bits[0] |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |
				       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
				       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_FLAGS) |
				       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
				       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS);
	expect(mprof_writer_open_path(path, options, &created->writer), path);
}

static void end(generator *created, int is_closed)
{
	created->now.counter += SECOND;
	created->now.time += SECOND / 1000;
	expect(is_closed ? mprof_writer_close(created->writer) : mprof_writer_flush(created->writer), "end");
	expect(mprof_writer_destroy(created->writer), "destroy");
}

static void define_class(generator *created, uint32_t id, uint32_t assembly, const char *name)
{
	mprof_class_definition definition = {sizeof(mprof_class_definition), id, assembly, name, strlen(name), 0, 0};

	expect(mprof_writer_define_class(created->writer, &definition), name);
}

static void define_method(generator *created, uint32_t id, uint32_t class_id, uint32_t flags, const char *name)
{
	mprof_method_definition definition = {
		sizeof(mprof_method_definition), id, class_id, flags, 0, name, strlen(name), NULL, 0, 0, 0};

	expect(mprof_writer_define_method(created->writer, &definition), name);
}

static void define_names(generator *created)
{
	define_class(created, 1, 1, "Game.World");
	define_class(created, 2, 1, "Game.Gr\303\266\303\237e");
	define_class(created, 3, 2, "System.String");
	define_class(created, 4, 1, "Bad\"\\\001\033[31m\302\233");
	define_class(created, 5, 1, "In\377valid");
	define_method(created, 1, 1, 0, "Run (string[])");
	define_method(created, 2, 1, 0, "Fib (int)");
	define_method(created, 3, 2, 0, "Measure ()");
	define_method(created, 4, 3, MPROF_METHOD_FLAG_WRAPPER, "Concat (string,string)");
	define_method(created, 5, 4, 0, "Print ()");
	define_method(created, 6, 0, 0, "Nowhere ()");
	define_method(created, 7, 1, 0, "Unused ()");
}

static void add(generator *created, uint32_t kind, uint32_t id, uint64_t value, uint64_t counter)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.counter = created->start + counter;
	expect(mprof_writer_write_events(created->writer, &event, 1, NULL), mprof_event_get_name(kind));
}

static void call(generator *created, uint32_t method, uint64_t counter)
{
	add(created, MPROF_EVENT_METHOD_ENTER, method, 0, counter);
}

static void back(generator *created, uint32_t method, uint64_t counter)
{
	add(created, MPROF_EVENT_METHOD_LEAVE, method, 0, counter);
}

static void load_assembly(generator *created, uint32_t id, const char *name, const char *base_name)
{
	mprof_assembly_name assembly = {sizeof(mprof_assembly_name), base_name, "neutral", "null", 1, 2, 3, 4, 0, 0};
	mprof_element element = {sizeof(mprof_element),
				 MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS,
				 id,
				 created->start,
				 created->start + 500,
				 MAIN_THREAD,
				 name,
				 strlen(name),
				 &assembly};

	expect(mprof_writer_write_loaded(created->writer, &element), name);
}

/* Run is 1000000 ns, 400000 of them its own; Fib is called 3 times, one inside the other, 300000 in all. */
static void write_main_calls(generator *created)
{
	expect(mprof_writer_begin_events(created->writer, MAIN_THREAD, created->start), "block");
	add(created, MPROF_EVENT_THREAD_START, 0, MAIN_THREAD, 0);
	call(created, 1, 1000);
	add(created, MPROF_EVENT_METHOD_JIT_START, 2, 0, 2000);
	add(created, MPROF_EVENT_METHOD_JIT_END, 2, 0, 5000);
	call(created, 2, 100000);
	call(created, 2, 150000);
	call(created, 2, 200000);
	back(created, 2, 300000);
	back(created, 2, 350000);
	back(created, 2, 400000);
	for (int i = 0; i < 10; i++) {
		add(created, MPROF_EVENT_ALLOCATION, 3, 40, 0);
		add(created, MPROF_EVENT_ALLOCATION, 1, 24, 0);
	}
	call(created, 3, 500000);
	add(created, MPROF_EVENT_EXCEPTION, 4, 0, 550000);
	back(created, 3, 600000);
	call(created, 5, 700000);
	call(created, 4, 710000);
	back(created, 4, 730000);
	call(created, 6, 750000);
	back(created, 6, 800000);
	back(created, 5, 900000);
	back(created, 1, 1001000);
	expect(mprof_writer_end_events(created->writer), "end of block");
}

static void write_collections(generator *created)
{
	expect(mprof_writer_begin_events(created->writer, OTHER_THREAD, created->start), "block");
	add(created, MPROF_EVENT_GC_START, 0, 0, 2000000);
	add(created, MPROF_EVENT_GC_MARK_START, 0, 0, 2000100);
	add(created, MPROF_EVENT_GC_MARK_END, 0, 0, 2000200);
	add(created, MPROF_EVENT_GC_END, 0, 0, 2000500);
	add(created, MPROF_EVENT_GC_RESIZE, 0, 1048576, 2000600);
	add(created, MPROF_EVENT_GC_START, 0, 1, 3000000);
	add(created, MPROF_EVENT_GC_END, 0, 1, 3001000);
	call(created, 2, 4000000);
	back(created, 2, 4000050);
	expect(mprof_writer_end_events(created->writer), "end of block");
}

static void write_extras(generator *created)
{
	const mprof_property properties[] = {{"program", "a \"quoted\" program"}, {"pid", "42"}};
	const uint64_t lost[] = {0, 7};

	expect(mprof_writer_write_session(created->writer, properties, sizeof(*properties), 2), "session");
	expect(mprof_writer_write_thread_name(created->writer, MAIN_THREAD, "main", 4), "thread");
	expect(mprof_writer_write_losses(created->writer, OTHER_THREAD, lost, 2), "lost");
}

static void write_sample(const char *path, mprof_dialect dialect, uint32_t gzip_level, int is_closed, uint64_t start)
{
	const uint32_t methods[] = {2, 2, 3};
	mprof_writer_options options;
	generator created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.lossy = dialect == MPROF_DIALECT_MAIL;
	options.gzip_level = gzip_level;
	begin(&created, path, &options, start);
	define_names(&created);
	if (dialect != MPROF_DIALECT_MAIL)
		write_extras(&created);
	load_assembly(&created, 1, "Game, Version=1.2.3.4", "Game");
	load_assembly(&created, 2, "mscorlib, Version=4.0.0.0", "mscorlib");
	write_main_calls(&created);
	write_collections(&created);
	expect(mprof_writer_write_statistical(created.writer, created.start, methods, 3, NULL, 0, created.start + 10),
	       "samples");
	end(&created, is_closed);
}

/*
 * Stacks: 1 is Run, 2 is Fib called by it, 3 is memcpy called by Fib, 4 is native code outside of functions, 5 is
 * unknown.
 */
static void write_code_and_stacks(generator *created)
{
	const mprof_record code[] = {
		{.kind = MPROF_RECORD_MODULE,
		 .id = 1,
		 .as.module.address = 0x7f0000000000,
		 .as.module.size = 0x10000,
		 .as.module.file = "/lib/libc.so.6",
		 .as.module.build_id = "a1b2"},
		{.kind = MPROF_RECORD_FUNCTION,
		 .id = 1,
		 .as.function.module = 1,
		 .as.function.offset = 0x100,
		 .as.function.size = 0x80,
		 .as.function.name = "memcpy"},
		{.kind = MPROF_RECORD_LOCATION,
		 .id = 1,
		 .as.location.module = 1,
		 .as.location.offset = 0x120,
		 .as.location.function = 1},
		{.kind = MPROF_RECORD_LOCATION, .id = 2, .as.location.module = 1, .as.location.offset = 0x900},
	};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack.target = 1},
		{.kind = MPROF_RECORD_STACK, .id = 2, .as.stack.caller = 1, .as.stack.target = 2},
		{.kind = MPROF_RECORD_STACK,
		 .id = 3,
		 .as.stack.caller = 2,
		 .as.stack.target = 1,
		 .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 4, .as.stack.target = 2, .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 5, .as.stack.caller = 4, .as.stack.target = 0},
	};

	expect(mprof_writer_write_records(created->writer, MPROF_BLOCK_CODE, 0, code, sizeof(*code), 4), "code");
	expect(mprof_writer_write_records(created->writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 5),
	       "stacks");
}

static void write_samples(generator *created)
{
	const uint32_t hit[] = {1, 2, 2, 2, 3, 3, 4, 5};
	mprof_event samples[8];

	memset(samples, 0, sizeof(samples));
	for (uint64_t i = 0; i < 8; i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = created->start + 1000 * i;
		samples[i].value = hit[i];
	}
	expect(mprof_writer_write_samples(created->writer, MAIN_THREAD, created->start, samples, 6), "samples");
	expect(mprof_writer_write_samples(created->writer, OTHER_THREAD, created->start, samples + 6, 2), "samples");
}

static void add_detailed(generator *created, uint32_t kind, uint32_t id, uint64_t value, uint64_t counter,
			 const mprof_event_detail *detail)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.counter = created->start + counter;
	event.more.detail = detail;
	expect(mprof_writer_write_events(created->writer, &event, 1, NULL), mprof_event_get_name(kind));
}

/* 218 handles of class 1 are alive, created by two call stacks; one of class 2 is not. */
static void add_handles(generator *created)
{
	mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = 0x7f1000, .handle_type = MPROF_HANDLE_NORMAL};

	for (uint64_t i = 0; i < 218; i++) {
		detail.stack = i < 200 ? 2 : 1;
		add_detailed(created, MPROF_EVENT_HANDLE_CREATED, 1, i + 1, 5000 + i, &detail);
	}
	detail.handle_type = MPROF_HANDLE_PINNED;
	add_detailed(created, MPROF_EVENT_HANDLE_CREATED, 2, 500, 6000, &detail);
	detail.object = 0;
	detail.stack = 0;
	add_detailed(created, MPROF_EVENT_HANDLE_DELETED, 0, 500, 6100, &detail);
	detail.handle_type = MPROF_HANDLE_WEAK;
	add_detailed(created, MPROF_EVENT_HANDLE_CREATED, 0, 501, 6200, &detail);
}

/*
 * Two waits for class 2, of 300 ns while thread 0x11 holds the monitor, and of 50 ns, which fails; two finalizers of
 * class 1, of 100 ns together; an exception that is caught; 300 bytes of precompiled code.
 */
static void add_waits(generator *created)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x7f2000, .stack = 1};
	const mprof_event_detail held = {.struct_size = sizeof(mprof_event_detail), .object = 0x7f2000};
	const mprof_event_detail clause = {.struct_size = sizeof(mprof_event_detail), .caller = 2};

	add_detailed(created, MPROF_EVENT_MONITOR, 2, MPROF_MONITOR_CONTENDED, 7000, &detail);
	add_detailed(created, MPROF_EVENT_MONITOR_HOLDER, 2, 0x11, 7000, &held);
	add_detailed(created, MPROF_EVENT_MONITOR, 2, MPROF_MONITOR_ACQUIRED, 7300, &detail);
	add_detailed(created, MPROF_EVENT_MONITOR, 2, MPROF_MONITOR_CONTENDED, 7400, &detail);
	add_detailed(created, MPROF_EVENT_MONITOR, 2, MPROF_MONITOR_FAILED, 7450, &detail);
	add(created, MPROF_EVENT_FINALIZATION_START, 0, 0, 8000);
	for (uint64_t i = 0; i < 2; i++) {
		add_detailed(created, MPROF_EVENT_FINALIZER_START, 1, 0, 8100 + 100 * i, &detail);
		add_detailed(created, MPROF_EVENT_FINALIZER_END, 1, 0, 8150 + 100 * i, &detail);
	}
	add(created, MPROF_EVENT_FINALIZATION_END, 0, 0, 8400);
	add_detailed(created, MPROF_EVENT_EXCEPTION, 6, 0, 8410, &detail);
	add_detailed(created, MPROF_EVENT_EXCEPTION_CLAUSE, 6, 1 << 2 | MPROF_CLAUSE_CATCH, 8420, &clause);
	add(created, MPROF_EVENT_METHOD_CODE, 2, 300 << 4 | MPROF_CODE_PRECOMPILED, 8430);
}

static void add_allocations(generator *created)
{
	mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = 0x7f3000, .caller = 2, .stack = 2};

	/* Objects of class 6 have a size of their own. */
	add_detailed(created, MPROF_EVENT_ALLOCATION, 6, 48, 0, &detail);
	add_detailed(created, MPROF_EVENT_ALLOCATION, 6, 48, 0, &detail);
	detail.stack = 0;
	add_detailed(created, MPROF_EVENT_ALLOCATION, 3, 100, 0, &detail);
}

static void write_detailed_events(generator *created)
{
	expect(mprof_writer_begin_events(created->writer, MAIN_THREAD, created->start), "block");
	call(created, 1, 1000);
	call(created, 2, 1100);
	add_allocations(created);
	add(created, MPROF_EVENT_RECORDING_RESUMED, 0, 2000, 4000);
	add_handles(created);
	add_waits(created);
	expect(mprof_writer_end_events(created->writer), "end of block");
}

/*
 * Two heap snapshots, the second of which is incomplete; a block outside of snapshots has objects that a collection
 * freed and moved.
 */
static void write_heap(generator *created)
{
	const uint64_t references[] = {0x2000, 0x3000};
	const mprof_record root = {.kind = MPROF_RECORD_ROOT,
				   .id = 1,
				   .as.root.kind = MPROF_ROOT_STATIC,
				   .as.root.class_id = 1,
				   .as.root.address = 0x9000,
				   .as.root.size = 64,
				   .as.root.name = "Game.World"};
	const mprof_event_detail details[] = {{.struct_size = sizeof(mprof_event_detail),
					       .object = 0x1000,
					       .reference_count = 2,
					       .references = references},
					      {.struct_size = sizeof(mprof_event_detail), .object = 0x2000},
					      {.struct_size = sizeof(mprof_event_detail), .object = 0x3000}};
	const mprof_event_detail dead = {.struct_size = sizeof(mprof_event_detail), .object = 0x8000};
	const mprof_event shot[] = {
		{.kind = MPROF_EVENT_HEAP_ROOT, .id = 1, .value = MPROF_ROOT_STATIC, .more.detail = &details[0]},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 32, .more.detail = &details[0]},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 6, .value = 48, .more.detail = &details[1]},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 500, .more.detail = &details[2]},
	};
	const mprof_event collected[] = {
		{.kind = MPROF_EVENT_HEAP_FREE, .id = 6, .value = 48, .more.detail = &dead},
		{.kind = MPROF_EVENT_HEAP_FREE, .id = 3, .value = 100, .more.detail = &dead},
		{.kind = MPROF_EVENT_HEAP_MOVE, .value = 0x4000, .more.detail = &details[2]},
	};
	const mprof_record summary = {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {1, 500, 1, 100}};

	expect(mprof_writer_write_records(created->writer, MPROF_BLOCK_ROOTS, 0, &root, sizeof(root), 1), "roots");
	expect(mprof_writer_write_heap(created->writer, 1, MPROF_HEAP_FLAG_FIRST, created->start + 10000, shot, 2),
	       "shot");
	expect(mprof_writer_write_heap(created->writer, 1, MPROF_HEAP_FLAG_LAST, created->start + 10000, shot + 2, 2),
	       "shot");
	expect(mprof_writer_write_heap(created->writer, 0, 0, created->start + 15000, collected, 3), "collected");
	expect(mprof_writer_write_records(created->writer, MPROF_BLOCK_HEAP_SUMMARY, 1, &summary, sizeof(summary), 1),
	       "summary");
	expect(mprof_writer_write_heap(created->writer, 2,
				       MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE,
				       created->start + 20000, shot, 3),
	       "shot");
}

static void write_metrics_and_mark(generator *created)
{
	const double load = 0.25;
	mprof_record records[] = {
		{.kind = MPROF_RECORD_METRIC,
		 .id = 1,
		 .as.metric.flags = MPROF_METRIC_UNIT_BYTES,
		 .as.metric.section = "GC",
		 .as.metric.name = "heap size"},
		{.kind = MPROF_RECORD_METRIC,
		 .id = 2,
		 .as.metric.flags = MPROF_METRIC_UNIT_RATIO | MPROF_METRIC_FLAG_DOUBLE,
		 .as.metric.section = "CPU",
		 .as.metric.name = "load"},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value.value = 4096},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 2},
	};

	memcpy(&records[3].as.metric_value.value, &load, sizeof(load));
	expect(mprof_writer_write_records(created->writer, MPROF_BLOCK_METRICS, 0, records, sizeof(*records), 4),
	       "metrics");
	records[2].as.metric_value.value = 1024;
	expect(mprof_writer_write_records(created->writer, MPROF_BLOCK_METRICS, 0, records + 2, sizeof(mprof_record),
					  1),
	       "metrics");
	expect(mprof_writer_write_mark(created->writer, MAIN_THREAD, created->start + 30000, "level \"two\"", 11),
	       "mark");
}

/* Half of the requested rate: each sample represents 20 ms. */
static void write_sampling(generator *created)
{
	const mprof_property properties[] = {{"sample_hz", "100"},
					     {"sample_clock", "processor"},
					     {"sample_source", "runtime"},
					     {"sample_time_ns", "160000000"},
					     {"sample_hits", "8"},
					     {"sample_discarded", "3"},
					     {"tick_hz", "50"},
					     {"only", "Game.*\nassembly:Game"},
					     {"not", "Game.Hidden"}};
	const size_t count = sizeof(properties) / sizeof(properties[0]);

	expect(mprof_writer_write_session(created->writer, properties, sizeof(*properties), count), "session");
}

static void write_full(const char *path)
{
	const uint64_t lost[MPROF_LOSS_LIMIT + 1] = {[MPROF_LOSS_NO_SAMPLE_ROOM] = 3, [MPROF_LOSS_LIMIT] = 2};
	const mprof_class_definition sized = {sizeof(mprof_class_definition), 6, 1, "Game.Point", 10, 48, 0};
	const mprof_property ring = {"ring",
				     "the last 2.500 s; overwritten before: 4096 bytes in 3 blocks with 70 events"};
	mprof_writer_options options;
	generator created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS);
	options.intro_flags =
		MPROF_INTRO_FLAG_HEAP | MPROF_INTRO_FLAG_HANDLE | MPROF_INTRO_FLAG_FINALIZER | MPROF_INTRO_FLAG_METRIC;
	begin(&created, path, &options, SECOND);
	define_names(&created);
	expect(mprof_writer_define_class(created.writer, &sized), "class");
	load_assembly(&created, 1, "Game, Version=1.2.3.4", "Game");
	write_code_and_stacks(&created);
	write_detailed_events(&created);
	write_samples(&created);
	write_sampling(&created);
	write_heap(&created);
	write_metrics_and_mark(&created);
	expect(mprof_writer_write_losses(created.writer, MAIN_THREAD, lost, MPROF_LOSS_LIMIT + 1), "lost");
	expect(mprof_writer_write_session(created.writer, &ring, sizeof(ring), 1), "session");
	end(&created, 1);
}

static void write_memory(const char *path)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .size = 1000, .stack = 3};
	mprof_writer_options options;
	generator created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS);
	options.intro_flags = MPROF_INTRO_FLAG_MEMORY;
	begin(&created, path, &options, SECOND);
	define_names(&created);
	write_code_and_stacks(&created);
	expect(mprof_writer_begin_events(created.writer, MAIN_THREAD, created.start), "block");
	add_detailed(&created, MPROF_EVENT_MEMORY_ALLOCATED, 0, 0x10000, 1000, &detail);
	add_detailed(&created, MPROF_EVENT_MEMORY_ALLOCATED, 0, 0x20000, 1100, &detail);
	detail.stack = 0;
	detail.size = 0;
	add_detailed(&created, MPROF_EVENT_MEMORY_FREED, 0, 0x10000, 1200, &detail);
	detail.stack = 2;
	detail.size = 3000;
	detail.object = 0x20000;
	add_detailed(&created, MPROF_EVENT_MEMORY_RESIZED, 0, 0x30000, 1300, &detail);
	expect(mprof_writer_end_events(created.writer), "end of block");
	end(&created, 1);
}

static void write_deep(const char *path)
{
	const uint64_t depth = 3000;
	mprof_writer_options options;
	generator created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	begin(&created, path, &options, SECOND);
	define_names(&created);
	expect(mprof_writer_begin_events(created.writer, MAIN_THREAD, created.start), "block");
	for (uint64_t i = 0; i < depth; i++)
		call(&created, 2, 100 * i);
	for (uint64_t i = 0; i < depth; i++)
		back(&created, 2, 100 * (depth + i));
	expect(mprof_writer_end_events(created.writer), "end of block");
	end(&created, 1);
}

static void write_backward(const char *path)
{
	mprof_writer_options options;
	generator created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	begin(&created, path, &options, SECOND);
	define_names(&created);
	expect(mprof_writer_begin_events(created.writer, MAIN_THREAD, created.start), "block");
	call(&created, 1, 1000);
	call(&created, 2, 900);
	back(&created, 2, 2000);
	back(&created, 1, 3000);
	expect(mprof_writer_end_events(created.writer), "end of block");
	end(&created, 1);
}

static void write_empty(const char *path)
{
	mprof_writer_options options;
	generator created;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	begin(&created, path, &options, SECOND);
	end(&created, 1);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";

	if (strcmp(kind, "sample") == 0)
		write_sample(argv[2], MPROF_DIALECT_MPROF2, 0, 1, SECOND);
	else if (strcmp(kind, "mail") == 0)
		write_sample(argv[2], MPROF_DIALECT_MAIL, 0, 1, SECOND);
	else if (strcmp(kind, "gzip") == 0)
		write_sample(argv[2], MPROF_DIALECT_MPROF2, 6, 1, SECOND);
	else if (strcmp(kind, "open") == 0)
		write_sample(argv[2], MPROF_DIALECT_MPROF2, 0, 0, SECOND);
	else if (strcmp(kind, "large") == 0)
		write_sample(argv[2], MPROF_DIALECT_MPROF2, 0, 1, UINT64_C(1) << 60);
	else if (strcmp(kind, "deep") == 0)
		write_deep(argv[2]);
	else if (strcmp(kind, "backward") == 0)
		write_backward(argv[2]);
	else if (strcmp(kind, "empty") == 0)
		write_empty(argv[2]);
	else if (strcmp(kind, "full") == 0)
		write_full(argv[2]);
	else if (strcmp(kind, "memory") == 0)
		write_memory(argv[2]);
	else
		return fprintf(stderr, "usage: make_log KIND FILE\n"), 2;
	return 0;
}
