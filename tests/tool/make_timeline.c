/* SPDX-License-Identifier: MIT */
/*
 * Writes a log of 100 ms for tests of times: make_timeline FILE. Times in ms:
 *   thread 0x10  in m1 from 0 to 80, waits from 20 to 30 for a monitor that 0x11 holds; processor time 30 up to 50, and
 *                60 up to 100; 8 bytes allocated at 16, 26, 36, ... 76
 *   thread 0x11  in m2 from 10 to 90, stops the world from 40 to 45, collects from 41 to 44
 *   thread 0x12  in m3 from 50 on, waits from 60 on
 *   markers      frame at 15, frame at 55, a-b at 70
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START UINT64_C(1000000)
#define MS UINT64_C(1000000)

static mprof_writer *writer;
static uint64_t now = START;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_timeline: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

/* Counters are nanoseconds. */
static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = UINT64_C(1700000000000000) + now / 1000;
}

static void begin(const char *path)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = read_clock;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS);
	expect(mprof_writer_open_path(path, &options, &writer), path);
}

static void define_names(void)
{
	for (uint32_t id = 1; id <= 3; id++) {
		char class_name[] = {'C', (char)('0' + id), '\0'};
		char method_name[] = {'m', (char)('0' + id), ' ', '(', ')', '\0'};
		mprof_class_definition class_definition = {.struct_size = sizeof(class_definition),
							   .id = id,
							   .name = class_name,
							   .name_length = strlen(class_name)};
		mprof_method_definition method_definition = {.struct_size = sizeof(method_definition),
							     .id = id,
							     .class_id = id,
							     .name = method_name,
							     .name_length = strlen(method_name)};

		expect(mprof_writer_define_class(writer, &class_definition), "class");
		expect(mprof_writer_define_method(writer, &method_definition), "method");
	}
}

static void add(uint32_t kind, uint32_t id, uint64_t value, uint64_t ms)
{
	const mprof_event_detail object = {.struct_size = sizeof(object), .object = 0x1000};
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.counter = START + ms * MS;
	if (kind == MPROF_EVENT_MONITOR || kind == MPROF_EVENT_MONITOR_HOLDER)
		event.more.detail = &object;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "event");
}

static void begin_events(uint64_t thread)
{
	expect(mprof_writer_begin_events(writer, thread, START), "block");
}

static void write_events(void)
{
	begin_events(0x10);
	add(MPROF_EVENT_METHOD_ENTER, 1, 0, 0);
	for (uint64_t ms = 16; ms <= 76; ms += 10) {
		if (ms == 26)
			add(MPROF_EVENT_MONITOR, 1, MPROF_MONITOR_CONTENDED, 20);
		if (ms == 26)
			add(MPROF_EVENT_MONITOR_HOLDER, 1, 0x11, 20);
		if (ms == 36)
			add(MPROF_EVENT_MONITOR, 1, MPROF_MONITOR_ACQUIRED, 30);
		/* A call gives the allocation its time. */
		add(MPROF_EVENT_METHOD_ENTER, 2, 0, ms);
		add(MPROF_EVENT_ALLOCATION, 1, 8, ms);
		add(MPROF_EVENT_METHOD_LEAVE, 2, 0, ms);
	}
	add(MPROF_EVENT_METHOD_LEAVE, 1, 0, 80);
	expect(mprof_writer_end_events(writer), "end of block");
	begin_events(0x11);
	add(MPROF_EVENT_METHOD_ENTER, 2, 0, 10);
	add(MPROF_EVENT_GC_STOP_WORLD_START, 1, 0, 40);
	add(MPROF_EVENT_GC_START, 1, 0, 41);
	add(MPROF_EVENT_GC_END, 1, 0, 44);
	add(MPROF_EVENT_GC_START_WORLD_END, 1, 0, 45);
	add(MPROF_EVENT_METHOD_LEAVE, 2, 0, 90);
	expect(mprof_writer_end_events(writer), "end of block");
	begin_events(0x12);
	add(MPROF_EVENT_METHOD_ENTER, 3, 0, 50);
	add(MPROF_EVENT_MONITOR, 2, MPROF_MONITOR_CONTENDED, 60);
	expect(mprof_writer_end_events(writer), "end of block");
}

static void mark(uint64_t ms, const char *text)
{
	expect(mprof_writer_write_mark(writer, 0x10, START + ms * MS, text, strlen(text)), text);
}

static mprof_record metric(uint32_t id, const char *name)
{
	return (mprof_record){
		.kind = MPROF_RECORD_METRIC,
		.id = id,
		.as.metric = {.flags = MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD,
			      .section = "thread",
			      .name = name,
			      .thread = 0x10}};
}

static void define_metrics(void)
{
	const mprof_record metrics[] = {metric(1, "cpu time"), metric(2, "wall time")};

	expect(mprof_writer_write_records(writer, MPROF_BLOCK_METRICS, 0, metrics, sizeof(metrics[0]), 2), "metrics");
}

static void measure(uint64_t ms, uint64_t cpu_ms)
{
	const mprof_record values[] = {
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value.value = cpu_ms * MS},
		{.kind = MPROF_RECORD_METRIC_VALUE, .id = 2, .as.metric_value.value = ms * MS}};

	now = START + ms * MS;
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_METRICS, 0, values, sizeof(values[0]), 2), "values");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fprintf(stderr, "usage: make_timeline FILE\n"), 2;
	begin(argv[1]);
	define_names();
	define_metrics();
	write_events();
	mark(15, "frame");
	mark(55, "frame");
	mark(70, "a-b");
	measure(50, 30);
	measure(100, 60);
	expect(mprof_writer_close(writer), "close");
	expect(mprof_writer_destroy(writer), "destroy");
	return 0;
}
