/* SPDX-License-Identifier: MIT */
/*
 * Writes a log of 100 ms of a small server, which describes its events: make_spans FILE; or, with the argument "deep",
 * one of 2,000 spans inside each other, with "messages", one of messages with and without what they may have, of which
 * the last is that of a queue, with "metrics", one of metrics and histograms, with "links", one of steps that state
 * which other one they are part of and what caused them, with "reused", one of 200 tasks that have the same number, and
 * with "random" and a number, one of random spans of that seed. Times in ms:
 *   thread 0x10  accepts requests 1 to 4 at 10, 20, 30 and 40; each is a flow to the thread that answers it
 *   thread 0x20  answers 1 from 12 to 22 (/a), which it parses from 13 to 15, in m1; 3 from 32 to 52 (/b), which fails
 *   thread 0x21  answers 2 from 22 to 25 (/a) and 4 from 41 to 71 (/a), which it parses from 42 on, and does not end
 *   tasks        number 7 begins at 14 on 0x20 and ends at 60 on 0x10; number 8 begins at 61 on 0x10
 *   messages     "slow" of severity 4 at 53 on 0x20
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START UINT64_C(1000000)
#define MS UINT64_C(1000000)

enum { REQUEST = 1, PARSE, PARSED, ACCEPTED, TASK, TASK_DONE, MESSAGE, LOGGED, STEP, INNER, INNER_DONE, ANY_DONE };

static mprof_writer *writer;
static uint64_t now = START;

/* The arguments of an event. */
static uint8_t bytes[256];
static size_t length;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_spans: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

/* Counters are nanoseconds. */
static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = UINT64_C(1700000000000000) + now / 1000;
}

static void define(mprof_block_kind block, const mprof_record *records, size_t count)
{
	expect(mprof_writer_write_records(writer, block, 0, records, sizeof(*records), count), "records");
}

#define ARGUMENT(number, of_name, of_kind, of_encoding, of_role, of_unit)                                              \
	{                                                                                                              \
		.kind = MPROF_RECORD_ARGUMENT, .id = number, .as.argument = {                                          \
			MPROF_ARGUMENT_##of_kind,                                                                      \
			MPROF_ENCODING_##of_encoding,                                                                  \
			MPROF_ROLE_##of_role,                                                                          \
			MPROF_ARGUMENT_UNIT_##of_unit,                                                                 \
			of_name,                                                                                       \
			""                                                                                             \
		}                                                                                                      \
	}
#define TYPE(number, of_name, form, pair, category, first, count)                                                      \
	{                                                                                                              \
		.kind = MPROF_RECORD_TYPE, .id = number, .as.type = {                                                  \
			MPROF_TYPE_##form,                                                                             \
			pair,                                                                                          \
			category,                                                                                      \
			first,                                                                                         \
			count,                                                                                         \
			0,                                                                                             \
			of_name                                                                                        \
		}                                                                                                      \
	}
#define TEXT(number, of_text)                                                                                          \
	{                                                                                                              \
		.kind = MPROF_RECORD_TEXT, .id = number, .as.text.text = of_text                                       \
	}

static void define_types(void)
{
	static const mprof_record texts[] = {TEXT(1, "http"), TEXT(2, "/a"), TEXT(3, "/b <&>\"")};
	static const mprof_record types[] = {
		ARGUMENT(1, "duration", DURATION, UNSIGNED, DURATION, NONE),
		ARGUMENT(2, "route", TEXT_ID, UNSIGNED, NAME, NONE),
		ARGUMENT(3, "size", NUMBER, UNSIGNED, NONE, BYTES),
		ARGUMENT(4, "offset", NUMBER, SIGNED, NONE, NONE),
		ARGUMENT(5, "load", DOUBLE, FIXED, NONE, RATIO),
		ARGUMENT(6, "flow", NUMBER, UNSIGNED, FLOW_IN, NONE),
		ARGUMENT(7, "status", NUMBER, UNSIGNED, STATUS, NONE),
		ARGUMENT(8, "flow", NUMBER, UNSIGNED, FLOW_OUT, NONE),
		ARGUMENT(9, "client", TEXT, BYTES, NONE, NONE),
		ARGUMENT(10, "secure", BOOLEAN, UNSIGNED, NONE, NONE),
		ARGUMENT(11, "task", NUMBER, UNSIGNED, SPAN, NONE),
		ARGUMENT(12, "parent", NUMBER, UNSIGNED, PARENT, NONE),
		ARGUMENT(13, "severity", NUMBER, UNSIGNED, SEVERITY, NONE),
		ARGUMENT(14, "message", TEXT, BYTES, MESSAGE, NONE),
		ARGUMENT(15, "severity", NUMBER, UNSIGNED, NONE, NONE),
		ARGUMENT(16, "source", TEXT, BYTES, NONE, NONE),
		ARGUMENT(17, "text", TEXT, BYTES, NONE, NONE),
		ARGUMENT(18, "code", NUMBER, UNSIGNED, NONE, NONE),
		ARGUMENT(19, "name", TEXT, BYTES, NAME, NONE),
		ARGUMENT(20, "step", NUMBER, UNSIGNED, SPAN, NONE),
		ARGUMENT(21, "parent", NUMBER, UNSIGNED, PARENT, NONE),
		ARGUMENT(22, "cause", NUMBER, UNSIGNED, CAUSE, NONE),
		TYPE(REQUEST, "request", SPAN, 0, 1, 1, 7),
		TYPE(PARSE, "parse", BEGIN, 0, 1, 0, 0),
		TYPE(PARSED, "parsed", END, PARSE, 1, 0, 0),
		TYPE(ACCEPTED, "accepted", INSTANT, 0, 1, 8, 3),
		TYPE(TASK, "task", ASYNC_BEGIN, 0, 0, 11, 2),
		TYPE(TASK_DONE, "task done", ASYNC_END, 0, 0, 11, 1),
		TYPE(MESSAGE, "log", INSTANT, 0, 0, 13, 2),
		TYPE(LOGGED, "mprof.log", INSTANT, 0, 0, 15, 4),
		TYPE(STEP, "step", ASYNC_BEGIN, 0, 0, 19, 4),
		TYPE(INNER, "inner", BEGIN, 0, 1, 0, 0),
		TYPE(INNER_DONE, "inner done", END, INNER, 1, 0, 0),
		TYPE(ANY_DONE, "any done", END, 0, 1, 0, 0),
	};
	const mprof_class_definition c1 = {.struct_size = sizeof(c1), .id = 1, .name = "C1", .name_length = 2};
	const mprof_method_definition m1 = {
		.struct_size = sizeof(m1), .id = 1, .class_id = 1, .name = "m1 ()", .name_length = 5};

	expect(mprof_writer_define_class(writer, &c1), "class");
	expect(mprof_writer_define_method(writer, &m1), "method");
	define(MPROF_BLOCK_TEXTS, texts, sizeof(texts) / sizeof(texts[0]));
	define(MPROF_BLOCK_TYPES, types, sizeof(types) / sizeof(types[0]));
}

static void put(uint32_t encoding, const mprof_argument_value *value)
{
	length += mprof_argument_encode(value, encoding, bytes + length, sizeof(bytes) - length);
}

static void put_number(uint64_t number)
{
	const mprof_argument_value value = {number, NULL, 0};

	put(MPROF_ENCODING_UNSIGNED, &value);
}

static void put_text(const char *text)
{
	const mprof_argument_value value = {0, (const uint8_t *)text, strlen(text)};

	put(MPROF_ENCODING_BYTES, &value);
}

/* Adds an event with the arguments put before. */
static void add(uint32_t type, uint64_t ms)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .arguments = bytes, .argument_size = length};
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = MPROF_EVENT_TYPED;
	event.id = type;
	event.counter = START + ms * MS;
	event.more.detail = &detail;
	now = event.counter;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "event");
	length = 0;
}

static void call(uint32_t kind, uint64_t ms)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = 1;
	event.counter = START + ms * MS;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "call");
}

static void accept_request(uint64_t flow, uint64_t ms)
{
	put_number(flow);
	put_text("10.0.0.1");
	put_number(flow % 2);
	add(ACCEPTED, ms);
}

static void answer(uint64_t flow, uint32_t route, uint64_t duration, uint64_t status, uint64_t ms)
{
	const mprof_argument_value offset = {(uint64_t) - (int64_t)flow, NULL, 0};
	mprof_argument_value load = {0, NULL, 0};
	const double half = 0.5;

	memcpy(&load.number, &half, sizeof(half));
	put_number(duration * MS);
	put_number(route);
	put_number(1000 * flow);
	put(MPROF_ENCODING_SIGNED, &offset);
	put(MPROF_ENCODING_FIXED, &load);
	put_number(flow);
	put_number(status);
	add(REQUEST, ms);
}

static void begin_task(uint64_t number, uint64_t parent, uint64_t ms)
{
	put_number(number);
	put_number(parent);
	add(TASK, ms);
}

static void begin_thread(uint64_t thread)
{
	expect(mprof_writer_begin_events(writer, thread, START), "block");
}

static void write_events(void)
{
	begin_thread(0x10);
	for (uint64_t i = 1; i <= 4; i++)
		accept_request(i, 10 * i);
	put_number(7);
	add(TASK_DONE, 60);
	begin_task(8, 7, 61);
	expect(mprof_writer_end_events(writer), "block");

	begin_thread(0x20);
	call(MPROF_EVENT_METHOD_ENTER, 11);
	add(PARSE, 13);
	begin_task(7, 0, 14);
	add(PARSED, 15);
	answer(1, 2, 10, 0, 22);
	call(MPROF_EVENT_METHOD_LEAVE, 23);
	answer(3, 3, 20, 500, 52);
	put_number(4);
	put_text("slow");
	add(MESSAGE, 53);
	expect(mprof_writer_end_events(writer), "block");

	begin_thread(0x21);
	answer(2, 2, 3, 0, 25);
	add(PARSE, 42);
	answer(4, 2, 30, 0, 71);
	expect(mprof_writer_end_events(writer), "block");
}

static void write_deep(void)
{
	begin_thread(0x10);
	for (uint64_t i = 0; i < 2000; i++)
		add(PARSE, i);
	for (uint64_t i = 0; i < 2000; i++)
		add(PARSED, 3000 + i);
	expect(mprof_writer_end_events(writer), "block");
	now = START + 6000 * MS;
}

static void log_message(uint64_t severity, const char *source, const char *text, uint64_t ms)
{
	put_number(severity);
	put_text(source);
	put_text(text);
	put_number(ms);
	add(LOGGED, ms);
}

/* Severities of 0 and 7 have no meaning. */
static void write_messages(void)
{
	static const mprof_record queue = {
		.kind = MPROF_RECORD_TIMELINE,
		.id = 1,
		.as.timeline = {.thread = 0x30, .kind = MPROF_TIMELINE_QUEUE, .name = "queue"}};

	define(MPROF_BLOCK_TIMELINES, &queue, 1);
	begin_thread(0x10);
	for (uint64_t severity = 0; severity <= 7; severity++)
		log_message(severity, severity % 2 == 0 ? "net/http" : "db", "text", severity);
	log_message(4, "", "without a source", 10);
	log_message(4, "db", "", 11);
	expect(mprof_writer_end_events(writer), "block");
	begin_thread(0x30);
	log_message(5, "gpu", "of a queue", 20);
	expect(mprof_writer_end_events(writer), "block");
	now = START + 100 * MS;
}

static void begin_step(const char *name, uint64_t number, uint64_t parent, uint64_t cause, uint64_t ms)
{
	put_text(name);
	put_number(number);
	put_number(parent);
	put_number(cause);
	add(STEP, ms);
}

static void end_step(uint64_t number, uint64_t ms)
{
	put_number(number);
	add(TASK_DONE, ms);
}

/* The number 5 is that of two steps, and 99 that of none. */
static void write_links(void)
{
	begin_thread(0x10);
	begin_step("first", 1, 0, 0, 1);
	end_step(1, 10);
	begin_step("late", 3, 0, 1, 20);
	end_step(3, 21);
	begin_step("again", 5, 0, 0, 22);
	end_step(5, 23);
	begin_step("again", 5, 0, 0, 24);
	end_step(5, 25);
	expect(mprof_writer_end_events(writer), "block");
	begin_thread(0x20);
	begin_step("inside", 2, 1, 0, 2);
	begin_step("deeper", 4, 2, 1, 3);
	end_step(4, 4);
	end_step(2, 5);
	begin_step("lost", 6, 99, 0, 30);
	end_step(6, 31);
	begin_step("open", 7, 0, 5, 32);
	expect(mprof_writer_end_events(writer), "block");
	now = START + 100 * MS;
}

/* Blocks of threads are not in the order of time: most ends are read before the starts that they are nearest to. */
static void write_reused(void)
{
	begin_thread(0x10);
	for (uint64_t i = 1; i <= 100; i++)
		begin_task(7, 0, 10 * i);
	for (uint64_t i = 0; i < 100; i++)
		end_step(8, 2000 + 10 * i);
	expect(mprof_writer_end_events(writer), "block");
	begin_thread(0x20);
	for (uint64_t i = 1; i <= 100; i++)
		end_step(7, 10 * i + 5);
	for (uint64_t i = 0; i < 100; i++)
		begin_task(8, 0, 1995 + 10 * i);
	expect(mprof_writer_end_events(writer), "block");
	now = START + 4000 * MS;
}

static uint64_t random_state;

/* A number below a limit. */
static uint64_t draw(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % limit;
}

/* The stack of the thread is cleared. */
static void start_thread(uint64_t thread, uint64_t ms)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = MPROF_EVENT_THREAD_START;
	event.value = thread;
	event.counter = START + ms * MS;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "thread");
}

/* Spans of a thread from a time on; those of any thread have one of a few numbers. Returns the time of the last. */
static uint64_t write_random_thread(uint64_t thread, uint64_t ms)
{
	begin_thread(thread);
	if (draw(3) == 0)
		start_thread(thread, ms);
	for (int i = 0; i < 150; i++, ms += draw(4)) {
		switch (draw(12)) {
		case 0:
		case 1:
			add(PARSE, ms);
			break;
		case 2:
			add(PARSED, ms);
			break;
		case 3:
			add(INNER, ms);
			break;
		case 4:
			add(INNER_DONE, ms);
			break;
		case 5:
			add(ANY_DONE, ms);
			break;
		case 6:
			answer(draw(3), 2 + (uint32_t)draw(2), draw(20), 500 * draw(2), ms);
			break;
		case 7:
			accept_request(draw(3), ms);
			break;
		case 8:
		case 9:
			begin_task(draw(9), draw(9), ms);
			break;
		default:
			end_step(draw(9), ms);
			break;
		}
	}
	expect(mprof_writer_end_events(writer), "block");
	return ms;
}

/* Four blocks of each of three threads: those of a thread follow each other, those of several overlap. */
static void write_random(uint64_t seed)
{
	uint64_t ends[3] = {30, 30, 30};
	uint64_t last = 0;

	random_state = seed;
	for (int i = 0; i < 12; i++) {
		const size_t thread = draw(3);

		ends[thread] = write_random_thread(0x10 + thread, ends[thread]);
		last = ends[thread] > last ? ends[thread] : last;
	}
	now = START + (last + 100) * MS;
}

#define METRIC(number, of_flags, of_section, of_name, ...)                                                             \
	{                                                                                                              \
		.kind = MPROF_RECORD_METRIC, .id = number, .as.metric = {                                              \
			.flags = MPROF_METRIC_##of_flags,                                                              \
			.section = of_section,                                                                         \
			.name = of_name,                                                                               \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}
#define VALUE(number, ...)                                                                                             \
	{                                                                                                              \
		.kind = MPROF_RECORD_METRIC_VALUE, .id = number, .as.metric_value = { __VA_ARGS__ }                    \
	}
#define BUCKET(number, above, most, values)                                                                            \
	VALUE(number, .value = (uint64_t)(most), .lower = (uint64_t)(above), .count = (values))

/* The second histogram has buckets that overlap, some without a bound, and two whose bounds are not known. */
static void write_metrics(void)
{
	const double half = 0.5;
	uint64_t bits;
	mprof_record records[] = {
		METRIC(1, UNIT_BYTES, "memory", "resident", .unit = ""),
		METRIC(2, UNIT_COUNT | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD, "jobs", "done",
		       .thread = 0x10, .unit = ""),
		METRIC(3, UNIT_NAMED | MPROF_METRIC_FLAG_DOUBLE, "", "speed", .unit = "m/s"),
		METRIC(4, UNIT_TIME | MPROF_METRIC_FLAG_HISTOGRAM, "jobs", "delay", .unit = ""),
		METRIC(5, UNIT_RAW | MPROF_METRIC_FLAG_HISTOGRAM, "jobs", "size", .unit = ""),
		METRIC(6, UNIT_PAGES, "memory", "pages", .unit = ""),
		VALUE(1, .value = 4096),
		VALUE(1, .value = 8192, .counter = START + 5 * MS),
		VALUE(2, .value = 3),
		VALUE(3, .value = 0),
		VALUE(6, .value = (uint64_t)-2),
		BUCKET(4, 0, 10, 2),
		BUCKET(4, 10, 20, 3),
		BUCKET(4, 0, 10, 5),
		BUCKET(4, 30, 40, 1),
		BUCKET(5, INT64_MIN, -5, 1),
		BUCKET(5, -5, 10, 2),
		BUCKET(5, 5, 20, 4),
		BUCKET(5, 20, INT64_MAX, 8),
		BUCKET(5, 7, 7, 16),
		BUCKET(5, 9, 3, 32),
	};

	memcpy(&bits, &half, sizeof(bits));
	records[9].as.metric_value.value = bits;
	now = START + 10 * MS;
	define(MPROF_BLOCK_METRICS, records, sizeof(records) / sizeof(records[0]));
	now = START + 100 * MS;
}

typedef struct log_kind {
	const char *name;
	void (*write)(void);
} log_kind;

static void write_usual(void)
{
	write_events();
	now = START + 100 * MS;
}

static const log_kind *find_kind(const char *name)
{
	static const log_kind kinds[] = {{"", write_usual},          {"deep", write_deep},
					 {"links", write_links},     {"messages", write_messages},
					 {"metrics", write_metrics}, {"reused", write_reused}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const log_kind *kind = find_kind(argc == 3 ? argv[2] : "");
	const int is_random = argc == 4 && strcmp(argv[2], "random") == 0;
	mprof_writer_options options;

	if (!is_random && (argc < 2 || argc > 3 || kind == NULL)) {
		fputs("usage: make_spans FILE [deep | links | messages | metrics | random SEED | reused]\n", stderr);
		return 2;
	}
	mprof_writer_options_init(&options, sizeof(options));
	options.clock = read_clock;
	expect(mprof_writer_open_path(argv[1], &options, &writer), argv[1]);
	define_types();
	if (is_random)
		write_random(strtoull(argv[3], NULL, 10));
	else
		kind->write();
	expect(mprof_writer_close(writer), "close");
	mprof_writer_destroy(writer);
	return 0;
}
