/* SPDX-License-Identifier: MIT */
/*
 * Writes logs with many calls and call stacks, or with long names, for the tests of the command line tool: make_trees
 * KIND FILE [SIZE]. Counters are nanoseconds. Kinds:
 *   names    generic methods with long names, called, allocating and sampled
 *   hostile  methods, classes and modules with names that could be markup, called, allocating and sampled
 *   shares   248 ns and 248 samples, of which children of the root take 243, 3 and 2
 *   branches a call tree without equal paths, SIZE levels deep, each call making two others
 *   places   SIZE objects, each allocated by another call stack of 32 frames
 *   memory   SIZE blocks of native memory, each allocated by another call stack; another thread frees every other one
 *   chain    one call stack of SIZE frames, and as many samples along it
 *   growing  SIZE heap snapshots, each with one more order in a list than the one before, and an incomplete one
 *   ending   the same, but the last one is complete and has as many orders as the one before
 *   origins two heap snapshots of objects whose allocations and moves are known
 *   objects two objects in a heap snapshot, each with references in several events
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 1000
#define THREAD 0x10
#define OTHER_THREAD 0x11
#define BRANCH_METHODS 40
#define RECORDS 4096

static mprof_writer *writer;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_trees: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void tell_time(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = START;
	clock->time = UINT64_C(1700000000000000);
}

static void begin(const char *path, uint64_t directives)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = tell_time;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS);
	expect(mprof_writer_open_path(path, &options, &writer), path);
}

static void end(void)
{
	expect(mprof_writer_close(writer), "close");
	expect(mprof_writer_destroy(writer), "destroy");
}

static void define_class(uint32_t id, const char *name)
{
	mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = id, .name = name, .name_length = strlen(name)};

	expect(mprof_writer_define_class(writer, &definition), name);
}

static void define_method(uint32_t id, uint32_t class_id, const char *name)
{
	mprof_method_definition definition = {.struct_size = sizeof(definition),
					      .id = id,
					      .class_id = class_id,
					      .name = name,
					      .name_length = strlen(name)};

	expect(mprof_writer_define_method(writer, &definition), name);
}

static void begin_events(void)
{
	expect(mprof_writer_begin_events(writer, THREAD, START), "block");
}

static void end_events(void)
{
	expect(mprof_writer_end_events(writer), "end of block");
}

static void add(uint32_t kind, uint32_t id, uint64_t value, uint64_t time)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.counter = START + time;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "event");
}

static void allocate(uint32_t class_id, uint32_t stack, uint64_t time)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .stack = stack};
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = MPROF_EVENT_ALLOCATION;
	event.id = class_id;
	event.value = 32;
	event.counter = START + time;
	event.more.detail = &detail;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "allocation");
}

static mprof_record stacks[RECORDS];
static size_t stack_count;

static void write_stacks(void)
{
	if (stack_count > 0)
		expect(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), stack_count),
		       "stacks");
	stack_count = 0;
}

static void define_stack(uint32_t id, uint32_t caller, uint32_t method)
{
	if (stack_count == RECORDS)
		write_stacks();
	stacks[stack_count++] =
		(mprof_record){.kind = MPROF_RECORD_STACK, .id = id, .as.stack = {.caller = caller, .target = method}};
}

static mprof_event samples[RECORDS];
static size_t sample_count;

static void write_samples(void)
{
	if (sample_count > 0)
		expect(mprof_writer_write_samples(writer, THREAD, START, samples, sample_count), "samples");
	sample_count = 0;
}

static void hit(uint32_t stack, uint64_t time)
{
	if (sample_count == RECORDS)
		write_samples();
	memset(&samples[sample_count], 0, sizeof(samples[0]));
	samples[sample_count].kind = MPROF_EVENT_SAMPLE;
	samples[sample_count].value = stack;
	samples[sample_count++].counter = START + time;
}

static void write_names(void)
{
	define_class(1, "Truth.G\303\251n\303\251rique`2<int, System.Collections.Generic.List`1<string>>");
	define_class(2, "System.Collections.Generic.Dictionary`2/Entry<string, System.Collections.Generic.List`1<"
			"System.Tuple`2<string, string>>>[]");
	define_method(
		1, 1,
		"A\303\261adir (System.Collections.Generic.Dictionary`2<string, int[]>,System.Collections.Generic."
		"IEnumerable`1<System.Func`2<int, string>>,int&,long&)");
	define_method(2, 1, ".ctor (System.Collections.Generic.IEnumerable`1<System.Tuple`2<int, string>>)");
	define_stack(1, 0, 1);
	define_stack(2, 1, 2);
	write_stacks();
	begin_events();
	add(MPROF_EVENT_METHOD_ENTER, 1, 0, 0);
	add(MPROF_EVENT_METHOD_ENTER, 2, 0, 10);
	allocate(2, 2, 20);
	add(MPROF_EVENT_METHOD_LEAVE, 2, 0, 500);
	add(MPROF_EVENT_METHOD_LEAVE, 1, 0, 1000);
	end_events();
	hit(2, 100);
	write_samples();
}

static void write_hostile(void)
{
	static const char *const names[] = {
		"<script>alert(1)</script> ()",
		"\"' onload=\"alert(1) ()",
		"]]><!--&amp;&#60;--> ()",
		"\033[31mred\001\t\r\n\177 ()",
		"\200\377\303( ()",
		"\342\200\256gnp.\327\220\342\201\246 ()",
		"\346\226\271\346\263\225\360\237\230\200 ()",
		"<![CDATA[ ;{}%s%n ()",
	};
	const uint32_t count = sizeof(names) / sizeof(names[0]);

	define_class(1, "</title><script>alert(2)</script>");
	define_class(2, "\"><svg onload='alert(3)'>");
	for (uint32_t i = 1; i <= count; i++) {
		define_method(i, 1, names[i - 1]);
		define_stack(i, i - 1, i);
	}
	write_stacks();
	begin_events();
	for (uint32_t i = 1; i <= count; i++)
		add(MPROF_EVENT_METHOD_ENTER, i, 0, i);
	allocate(2, count, 50);
	for (uint32_t i = count; i > 0; i--)
		add(MPROF_EVENT_METHOD_LEAVE, i, 0, 1000 - i);
	end_events();
	hit(count, 100);
	hit(1, 200);
	write_samples();
}

static void write_shares(void)
{
	static const uint64_t parts[] = {243, 3, 2};
	uint64_t time = 0;

	define_class(1, "Shares");
	define_method(1, 1, "Root ()");
	define_method(2, 1, "Most ()");
	define_method(3, 1, "Above ()");
	define_method(4, 1, "Below ()");
	define_stack(1, 0, 1);
	for (uint32_t i = 0; i < 3; i++)
		define_stack(2 + i, 1, 2 + i);
	write_stacks();
	begin_events();
	add(MPROF_EVENT_METHOD_ENTER, 1, 0, 0);
	for (uint32_t i = 0; i < 3; i++) {
		add(MPROF_EVENT_METHOD_ENTER, 2 + i, 0, time);
		time += parts[i];
		add(MPROF_EVENT_METHOD_LEAVE, 2 + i, 0, time);
	}
	add(MPROF_EVENT_METHOD_LEAVE, 1, 0, time);
	end_events();
	for (uint32_t i = 0; i < 3; i++) {
		for (uint64_t j = 0; j < parts[i]; j++)
			hit(2 + i, j);
	}
	write_samples();
}

static void define_branch_methods(void)
{
	char name[120];

	define_class(1, "Company.Product.Component.With.A.Name.That.Is.Long.TypeOfTheBranches");
	define_class(2, "System.String");
	for (uint32_t i = 1; i <= BRANCH_METHODS; i++) {
		snprintf(name, sizeof(name), "Branch%u (System.Collections.Generic.List`1<string>,int,object)", i);
		define_method(i, 1, name);
	}
}

/* Records a call tree without equal paths: the two calls that each method makes are to different methods. */
static void call_branch(uint64_t level, uint32_t side, uint64_t *time)
{
	uint32_t method = (uint32_t)(level % (BRANCH_METHODS / 2)) * 2 + side + 1;

	add(MPROF_EVENT_METHOD_ENTER, method, 0, ++*time);
	if (level > 1) {
		call_branch(level - 1, 0, time);
		call_branch(level - 1, 1, time);
	}
	add(MPROF_EVENT_METHOD_LEAVE, method, 0, ++*time);
}

static void write_branches(uint64_t levels)
{
	uint64_t time = 0;

	define_branch_methods();
	begin_events();
	call_branch(levels, 0, &time);
	end_events();
}

#define COMMON_FRAMES 31

/* Defines stacks that differ only in their innermost frames. */
static void define_places(uint64_t count)
{
	define_branch_methods();
	for (uint32_t i = 1; i <= COMMON_FRAMES; i++)
		define_stack(i, i - 1, i);
	for (uint32_t i = 0; i < count; i++)
		define_stack(COMMON_FRAMES + 1 + i, COMMON_FRAMES - i % 8, i / 8 % BRANCH_METHODS + 1);
	write_stacks();
}

static void write_places(uint64_t count)
{
	define_places(count);
	begin_events();
	for (uint32_t i = 0; i < count; i++)
		allocate(2, COMMON_FRAMES + 1 + i, i);
	end_events();
}

/* Recorders measure the processor time of each thread, whatever the log is of. */
static void measure(void)
{
	const mprof_record records[] = {
		{.kind = MPROF_RECORD_METRIC,
		 .id = 1,
		 .as.metric = {.flags = MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD,
			       .section = "thread",
			       .name = "cpu time",
			       .thread = OTHER_THREAD}},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value.value = 1000000}};

	expect(mprof_writer_write_records(writer, MPROF_BLOCK_METRICS, 0, records, sizeof(records[0]), 2), "metrics");
}

static void write_memory(uint64_t count)
{
	define_places(count);
	measure();
	begin_events();
	for (uint32_t i = 0; i < count; i++) {
		mprof_event_detail detail = {
			.struct_size = sizeof(detail), .size = UINT64_C(1) << i % 40, .stack = COMMON_FRAMES + 1 + i};
		mprof_event event = {.kind = MPROF_EVENT_MEMORY_ALLOCATED,
				     .counter = START + i,
				     .value = 0x1000 + 16 * (uint64_t)i,
				     .more.detail = &detail};

		expect(mprof_writer_write_events(writer, &event, 1, NULL), "native memory");
	}
	end_events();
	expect(mprof_writer_begin_events(writer, OTHER_THREAD, START), "block");
	for (uint64_t i = 0; i < count; i += 2)
		add(MPROF_EVENT_MEMORY_FREED, 0, 0x1000 + 16 * i, count + i);
	end_events();
}

static void write_chain(uint64_t length)
{
	define_branch_methods();
	for (uint32_t i = 1; i <= length; i++)
		define_stack(i, i - 1, i % BRANCH_METHODS + 1);
	write_stacks();
	for (uint32_t i = 1; i <= length; i++)
		hit(i, i);
	write_samples();
}

static void write_objects(void)
{
	static const uint64_t references[] = {0x2000, 0x3000};
	const mprof_event_detail first = {
		.struct_size = sizeof(first), .object = 0x1000, .reference_count = 2, .references = references};
	const mprof_event_detail second = {
		.struct_size = sizeof(second), .object = 0x2000, .reference_count = 1, .references = references};
	const mprof_event_detail more = {.struct_size = sizeof(more), .reference_count = 2, .references = references};
	const mprof_event shot[] = {
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 32, .more.detail = &first},
		{.kind = MPROF_EVENT_HEAP_REFERENCES, .more.detail = &more},
		{.kind = MPROF_EVENT_HEAP_REFERENCES, .more.detail = &more},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 32, .more.detail = &second},
		{.kind = MPROF_EVENT_HEAP_REFERENCES, .more.detail = &more},
	};

	define_class(1, "Object");
	expect(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, START, shot,
				       sizeof(shot) / sizeof(shot[0])),
	       "shot");
}

/* A static field, a dictionary, the array of its entries, and the value of the second entry. */
static void write_path(void)
{
	static const uint64_t references[] = {0x2000, 0x3000};
	static const uint64_t offsets[] = {16, 72};
	static const uint64_t unknown = 8;
	const mprof_record root = {.kind = MPROF_RECORD_ROOT,
				   .id = 1,
				   .as.root = {.kind = MPROF_ROOT_STATIC,
					       .class_id = 4,
					       .address = 0x9000,
					       .size = 8,
					       .name = "OrderCache.cache"}};
	const mprof_record fields[] = {
		{.kind = MPROF_RECORD_FIELD, .id = 1, .as.field = {.offset = 16, .name = "entries"}},
		{.kind = MPROF_RECORD_FIELD, .id = 2, .as.field = {.offset = 40, .stride = 24, .name = "[].key"}},
		{.kind = MPROF_RECORD_FIELD, .id = 2, .as.field = {.offset = 48, .stride = 24, .name = "[].value"}}};
	const mprof_event_detail details[] = {
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x1000,
		 .reference_count = 1,
		 .references = references,
		 .offsets = offsets},
		{.struct_size = sizeof(mprof_event_detail), .object = 0x2000},
		{.struct_size = sizeof(mprof_event_detail),
		 .reference_count = 1,
		 .references = references + 1,
		 .offsets = offsets + 1},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 0x3000,
		 .reference_count = 1,
		 .references = references,
		 .offsets = &unknown},
	};
	const mprof_event shot[] = {
		{.kind = MPROF_EVENT_HEAP_ROOT, .id = 1, .value = MPROF_ROOT_STATIC, .more.detail = &details[0]},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 32, .more.detail = &details[0]},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 2, .value = 80, .more.detail = &details[1]},
		{.kind = MPROF_EVENT_HEAP_REFERENCES, .more.detail = &details[2]},
		{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 24, .more.detail = &details[3]},
	};

	define_class(1, "Dictionary");
	define_class(2, "Entry[]");
	define_class(3, "Payload");
	define_class(4, "OrderCache");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_ROOTS, 0, &root, sizeof(root), 1), "root");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_FIELDS, 0, fields, sizeof(fields[0]), 3), "fields");
	expect(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, START, shot,
				       sizeof(shot) / sizeof(shot[0])),
	       "shot");
}

#define MAX_ORDERS 100

static void write_orders(uint32_t number, uint32_t flags, uint32_t count)
{
	static const uint64_t array[] = {0x2000};
	static const uint64_t items_offset[] = {16};
	static mprof_event_detail details[MAX_ORDERS + 3];
	static mprof_event events[MAX_ORDERS + 3];
	uint64_t orders[MAX_ORDERS];
	uint64_t offsets[MAX_ORDERS];

	for (uint32_t i = 0; i < count + 3; i++) {
		details[i] = (mprof_event_detail){.struct_size = sizeof(details[i]), .object = 0x10000 + i * 0x40};
		events[i] = (mprof_event){.kind = MPROF_EVENT_HEAP_OBJECT, .id = 3, .value = 40};
		events[i].more.detail = &details[i];
		if (i < count) {
			orders[i] = details[i].object;
			offsets[i] = 32 + i * 8;
		}
	}
	events[count].id = 2;
	details[count].object = array[0];
	details[count].references = orders;
	details[count].offsets = offsets;
	details[count].reference_count = count;
	events[count + 1].id = 1;
	details[count + 1].object = 0x1000;
	details[count + 1].references = array;
	details[count + 1].offsets = items_offset;
	details[count + 1].reference_count = 1;
	events[count + 2] = (mprof_event){.kind = MPROF_EVENT_HEAP_ROOT, .id = 1, .value = MPROF_ROOT_STATIC};
	events[count + 2].more.detail = &details[count + 2];
	details[count + 2].object = 0x1000;
	expect(mprof_writer_write_heap(writer, number, flags, START + number, events, count + 3), "shot");
}

static void write_growing(uint64_t size, int is_ending)
{
	const uint32_t whole = MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST;
	const mprof_record root = {
		.kind = MPROF_RECORD_ROOT,
		.id = 1,
		.as.root = {
			.kind = MPROF_ROOT_STATIC, .class_id = 4, .address = 0x9000, .size = 8, .name = "Shop.orders"}};
	const mprof_record fields[] = {
		{.kind = MPROF_RECORD_FIELD, .id = 1, .as.field = {.offset = 16, .name = "items"}},
		{.kind = MPROF_RECORD_FIELD, .id = 2, .as.field = {.offset = 32, .stride = 8, .name = "[]"}}};

	define_class(1, "List");
	define_class(2, "Order[]");
	define_class(3, "Order");
	define_class(4, "Shop");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_ROOTS, 0, &root, sizeof(root), 1), "root");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_FIELDS, 0, fields, sizeof(fields[0]), 2), "fields");
	for (uint32_t i = 1; i <= size && i < MAX_ORDERS; i++)
		write_orders(i, whole, i);
	if (is_ending)
		write_orders((uint32_t)size + 1, whole, (uint32_t)size);
	else
		write_orders((uint32_t)size + 1, whole | MPROF_HEAP_FLAG_INCOMPLETE, 1);
}

static void allocate_object(uint32_t stack, uint64_t address)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = address, .stack = stack};
	mprof_event event = {.kind = MPROF_EVENT_ALLOCATION, .id = 1, .counter = START, .value = 40};

	event.more.detail = &detail;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "allocation");
}

static void collect(uint32_t number)
{
	const mprof_event event = {.kind = MPROF_EVENT_GC_START, .id = number, .counter = START + number};

	expect(mprof_writer_write_events(writer, &event, 1, NULL), "collection");
}

/* A HEAP_DATA block with an event of a kind for each address; moves go from the address to the value. */
static void write_heap(uint32_t number, uint32_t counter, uint32_t kind, const uint64_t *addresses, size_t count)
{
	mprof_event_detail details[4] = {{0}};
	mprof_event events[4] = {{0}};

	for (size_t i = 0; i < count; i++) {
		details[i].struct_size = sizeof(details[i]);
		details[i].object = addresses[i];
		events[i].kind = (uint8_t)kind;
		events[i].id = kind == MPROF_EVENT_HEAP_MOVE ? 0 : 1;
		events[i].counter = START + counter;
		events[i].value = kind == MPROF_EVENT_HEAP_MOVE ? addresses[count] : 40;
		events[i].more.detail = &details[i];
	}
	expect(mprof_writer_write_heap(writer, number, number != 0 ? MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST : 0,
				       START + counter, events, count),
	       "heap");
}

/* The first object moves twice, the second one dies, and the third one gets the address where the first one was. */
static void write_origins(void)
{
	define_class(1, "Order");
	define_class(2, "Shop");
	define_method(1, 2, "Main ()");
	define_method(2, 2, "create (int)");
	define_stack(1, 0, 1);
	define_stack(2, 1, 2);
	write_stacks();
	begin_events();
	allocate_object(2, 0x100);
	allocate_object(1, 0x200);
	collect(1);
	expect(mprof_writer_end_events(writer), "end of block");
	write_heap(0, 2, MPROF_EVENT_HEAP_MOVE, (const uint64_t[]){0x100, 0x1000}, 1);
	write_heap(1, 3, MPROF_EVENT_HEAP_OBJECT, (const uint64_t[]){0x200, 0x1000, 0x5000}, 3);
	expect(mprof_writer_begin_events(writer, THREAD, START + 4), "block");
	allocate_object(2, 0x100);
	collect(5);
	expect(mprof_writer_end_events(writer), "end of block");
	write_heap(0, 6, MPROF_EVENT_HEAP_MOVE, (const uint64_t[]){0x1000, 0x2000}, 1);
	write_heap(2, 7, MPROF_EVENT_HEAP_OBJECT, (const uint64_t[]){0x100, 0x2000, 0x5000}, 3);
}

/*
 * A dictionary with two named references, and a weak one to itself; and a synthetic group of roots, which holds a text.
 * One root is of a kind that is not defined.
 */
static void write_labels(void)
{
	static const uint64_t values[] = {0x1040, 0x1060};
	static const uint64_t held[] = {0x1080};
	const mprof_record texts[] = {{.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "PATH"},
				      {.kind = MPROF_RECORD_TEXT, .id = 2, .as.text.text = "HOME"}};
	const mprof_record labels[] = {
		{.kind = MPROF_RECORD_LABEL, .as.label = {0x1000, "dict of module os"}},
		{.kind = MPROF_RECORD_LABEL, .as.label = {0x2000, "(Handle scope)"}},
		{.kind = MPROF_RECORD_LABEL, .as.label = {0x9000, "nobody"}},
		{.kind = MPROF_RECORD_OBJECT_FLAGS, .id = MPROF_OBJECT_FLAG_SYNTHETIC, .as.object_flags = {0x2000}},
	};
	const mprof_record names[] = {
		{.kind = MPROF_RECORD_REFERENCE_NAME, .id = 1, .as.reference_name = {0x1000, 0, 0}},
		{.kind = MPROF_RECORD_REFERENCE_NAME, .id = 2, .as.reference_name = {0x1000, 1, 0}},
		{.kind = MPROF_RECORD_WEAK_REFERENCE, .id = 2, .as.weak_reference = {0x1060, 0x1000}},
	};
	static const uint64_t addresses[] = {0x1000, 0x1040, 0x1060, 0x1080, 0x2000, 0x1000, 0x1040};
	mprof_event_detail details[7] = {{0}};
	mprof_event events[7] = {{0}};

	define_class(1, "dict");
	define_class(2, "str");
	for (size_t i = 0; i < 7; i++) {
		details[i].struct_size = sizeof(details[i]);
		details[i].object = addresses[i];
		events[i].kind = i < 5 ? MPROF_EVENT_HEAP_OBJECT : MPROF_EVENT_HEAP_ROOT;
		events[i].id = i < 5 ? (i == 0 ? 1 : 2) : 0;
		events[i].value = i < 4 ? 32 : i == 5 ? MPROF_ROOT_NATIVE : i == 6 ? 99 : 0;
		events[i].more.detail = &details[i];
	}
	details[0].references = values;
	details[0].reference_count = 2;
	details[4].references = held;
	details[4].reference_count = 1;
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_TEXTS, 0, texts, sizeof(texts[0]), 2), "texts");
	expect(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, START, events, 7), "shot");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_OBJECT_LABELS, 1, labels, sizeof(labels[0]), 4),
	       "labels");
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_REFERENCE_NAMES, 1, names, sizeof(names[0]), 3), "names");
	expect(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_LAST, START, NULL, 0), "end of shot");
}

int main(int argc, char **argv)
{
	const char *kind = argc >= 3 ? argv[1] : "";
	uint64_t size = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;

	if (argc < 3)
		return fprintf(stderr, "usage: make_trees KIND FILE [SIZE]\n"), 2;
	begin(argv[2], strcmp(kind, "origins") == 0 ? MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) : 0);
	if (strcmp(kind, "names") == 0)
		write_names();
	else if (strcmp(kind, "hostile") == 0)
		write_hostile();
	else if (strcmp(kind, "shares") == 0)
		write_shares();
	else if (strcmp(kind, "branches") == 0)
		write_branches(size);
	else if (strcmp(kind, "places") == 0)
		write_places(size);
	else if (strcmp(kind, "memory") == 0)
		write_memory(size);
	else if (strcmp(kind, "chain") == 0)
		write_chain(size);
	else if (strcmp(kind, "objects") == 0)
		write_objects();
	else if (strcmp(kind, "growing") == 0)
		write_growing(size, 0);
	else if (strcmp(kind, "ending") == 0)
		write_growing(size, 1);
	else if (strcmp(kind, "origins") == 0)
		write_origins();
	else if (strcmp(kind, "labels") == 0)
		write_labels();
	else if (strcmp(kind, "path") == 0)
		write_path();
	else
		return fprintf(stderr, "make_trees: unknown kind %s\n", kind), 2;
	end();
	return 0;
}
