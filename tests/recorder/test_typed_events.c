/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_typed_events.c
 * \brief Events of types that a client defines: their arguments come back, among calls and from several threads, and
 * every definition is in the log before its first event.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { METHOD = 0x5000, MAX_SIZE = MPROF_RECORDED_ARGUMENTS_MAX_SIZE };

/* An event with a copy of its arguments. */
typedef struct typed_event {
	uint64_t thread;
	uint32_t kind;
	uint32_t type;
	uint64_t counter;
	uint64_t value;
	size_t size;
	uint8_t arguments[MAX_SIZE];
} typed_event;

/* What a log has, as a reader sees it. The reader stays open, for lookups. */
typedef struct typed_log {
	mprof_reader *reader;
	typed_event *events;
	size_t count;
	size_t capacity;
	uint64_t lost[LOSS_CAUSE_COUNT];
} typed_log;

static void add_events(typed_log *log, uint64_t thread, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		typed_event *added;

		if (log->count == log->capacity) {
			log->capacity = log->capacity * 2 + 64;
			log->events = realloc(log->events, log->capacity * sizeof(*log->events));
			cr_assert_not_null(log->events);
		}
		added = &log->events[log->count++];
		*added = (typed_event){.thread = thread,
				       .kind = events[i].kind,
				       .type = events[i].id,
				       .counter = events[i].counter,
				       .value = events[i].value};
		if (events[i].kind != MPROF_EVENT_TYPED)
			continue;
		/* The definition precedes the event. */
		cr_assert_geq(mprof_reader_get_record_count(log->reader, MPROF_RECORD_TYPE), events[i].id);
		if (events[i].more.detail == NULL)
			continue;
		added->size = events[i].more.detail->argument_size;
		cr_assert_leq(added->size, MAX_SIZE);
		memcpy(added->arguments, events[i].more.detail->arguments, added->size);
	}
}

static void read_log(typed_log *log, const void *bytes, size_t length)
{
	mprof_event events[64];
	mprof_status status;
	mprof_block block;
	size_t count;

	*log = (typed_log){0};
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &log->reader), MPROF_OK);
	while ((status = mprof_reader_next_block(log->reader, &block)) == MPROF_OK) {
		cr_assert_eq(mprof_reader_load(log->reader, &block), MPROF_OK);
		for (size_t i = 0; block.kind == MPROF_BLOCK_LOST && i < LOSS_CAUSE_COUNT; i++)
			log->lost[i] += block.as.lost.counts[i];
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while ((status = mprof_reader_next_events(log->reader, events, 64, &count)) == MPROF_OK)
			add_events(log, block.thread, events, count);
		cr_assert_eq(status, MPROF_END);
	}
	cr_assert_eq(status, MPROF_END);
}

static void release_log(typed_log *log)
{
	mprof_reader_destroy(log->reader);
	free(log->events);
}

static void finish(mprof_recorder *recorder, mprof_thread *thread, const recorded_log *bytes, typed_log *log)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	read_log(log, bytes->bytes, bytes->length);
}

static mprof_thread *attach(mprof_recorder *recorder)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	return thread;
}

static mprof_recorder *open_counting(recorded_log *log)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	return recorded_log_open(log, &options);
}

static uint32_t define_text(mprof_recorder *recorder, const char *text)
{
	uint32_t id = 0;

	cr_assert_eq(mprof_recorder_define_text(recorder, text, strlen(text), &id), MPROF_OK);
	return id;
}

static uint32_t define_type(mprof_recorder *recorder, uint32_t form, const char *name,
			    const mprof_argument_record *arguments, uint32_t count)
{
	mprof_type_record type = {.form = form, .argument_count = count, .name = name};
	uint32_t id = 0;

	if (count > 0)
		cr_assert_eq(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count,
							     &type.first_argument),
			     MPROF_OK);
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_OK);
	return id;
}

/* A type with one argument. */
static uint32_t define_one(mprof_recorder *recorder, uint32_t kind, uint32_t encoding)
{
	const mprof_argument_record argument = {.kind = kind, .encoding = encoding, .name = "value"};

	return define_type(recorder, MPROF_TYPE_INSTANT, "one", &argument, 1);
}

static mprof_argument_value next_value(const typed_event *event, uint32_t encoding, size_t *position)
{
	const mprof_event_detail detail = {
		.struct_size = sizeof(detail), .arguments = event->arguments, .argument_size = event->size};
	mprof_argument_value value;

	cr_assert_eq(mprof_argument_decode(&detail, encoding, position, &value), 1);
	return value;
}

static uint64_t only_number(const typed_event *event, uint32_t encoding)
{
	size_t position = 0;
	const mprof_argument_value value = next_value(event, encoding, &position);

	cr_assert_eq(position, event->size);
	return value.number;
}

static const char *text_of(const typed_log *log, uint32_t id)
{
	mprof_record record;

	cr_assert_eq(mprof_reader_lookup_record(log->reader, MPROF_RECORD_TEXT, id, &record, sizeof(record)), MPROF_OK);
	return record.as.text.text;
}

static mprof_record record_of(const typed_log *log, uint32_t kind, uint32_t id)
{
	mprof_record record;

	cr_assert_eq(mprof_reader_lookup_record(log->reader, kind, id, &record, sizeof(record)), MPROF_OK);
	return record;
}

static const mprof_argument_record of_each_encoding[] = {
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, MPROF_ARGUMENT_UNIT_BYTES, "unsigned", ""},
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, 0, MPROF_ARGUMENT_UNIT_NAMED, "signed", "J"},
	{MPROF_ARGUMENT_DOUBLE, MPROF_ENCODING_FIXED, 0, MPROF_ARGUMENT_UNIT_RATIO, "double", NULL},
	{MPROF_ARGUMENT_BYTES, MPROF_ENCODING_BYTES, 0, 0, "bytes", ""},
	{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, MPROF_ROLE_MESSAGE, 0, NULL, ""},
};

enum { ENCODINGS = sizeof(of_each_encoding) / sizeof(*of_each_encoding) };

/* Numbers of all lengths, and bytes that may contain 0. */
static void values_of(uint64_t i, mprof_argument_value values[ENCODINGS])
{
	static const uint8_t bytes[] = "a\0b\xff\x80";

	memset(values, 0, ENCODINGS * sizeof(*values));
	values[0].number = UINT64_MAX >> (i % 64);
	values[1].number = (i % 2 != 0 ? (uint64_t)1 << 63 : UINT64_MAX) >> (i % 64);
	values[2].number = UINT64_C(0x7ff8000000000000) ^ i;
	values[3].bytes = bytes;
	values[3].length = i % 6;
	values[4].bytes = (const uint8_t *)"text";
	values[4].length = i % 5;
}

static void expect_values(const typed_event *event, uint64_t i, size_t count)
{
	mprof_argument_value wanted[ENCODINGS];
	size_t position = 0;

	values_of(i, wanted);
	for (size_t j = 0; j < count; j++) {
		const mprof_argument_value value = next_value(event, of_each_encoding[j].encoding, &position);

		cr_assert_eq(value.number, wanted[j].number, "event %u, argument %zu", (unsigned)i, j);
		cr_assert_eq(value.length, wanted[j].length);
		cr_assert(value.length == 0 || memcmp(value.bytes, wanted[j].bytes, value.length) == 0);
	}
	cr_assert_eq(position, event->size);
}

static void record_each_encoding(uint32_t event_rows)
{
	enum { EVENTS = 3000 };
	mprof_recorder_options options;
	recorded_log bytes = {0};
	mprof_recorder *recorder;
	mprof_thread *thread;
	typed_log log;
	uint32_t type;

	mprof_recorder_options_init(&options, sizeof(options));
	options.event_rows = event_rows;
	options.buffer_events = 128;
	recorder = recorded_log_open(&bytes, &options);
	thread = attach(recorder);
	type = define_type(recorder, MPROF_TYPE_INSTANT, "each", of_each_encoding, ENCODINGS);
	cr_assert_eq(type, 1);
	for (uint64_t i = 0; i < EVENTS; i++) {
		mprof_argument_value values[ENCODINGS];

		values_of(i, values);
		/* Arguments may be missing at the end. */
		cr_assert_eq(mprof_thread_record_typed(thread, type, i % 6 == 0 ? NULL : values, i % 6), MPROF_OK);
	}
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, EVENTS);
	for (uint64_t i = 0; i < EVENTS; i++) {
		cr_assert_eq(log.events[i].kind, MPROF_EVENT_TYPED);
		cr_assert_eq(log.events[i].type, type);
		cr_assert(i == 0 || log.events[i].counter >= log.events[i - 1].counter);
		expect_values(&log.events[i], i, i % 6);
	}
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, every_encoding_comes_back)
{
	record_each_encoding(0);
	record_each_encoding(1);
}

Test(typed_events, definitions_come_back)
{
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	const uint32_t category = define_text(recorder, "category");
	mprof_type_record end = {MPROF_TYPE_END, 1, category, 2, 2, 0, "end", 0, ""};
	mprof_record record;
	uint32_t id;
	typed_log log;

	cr_assert_eq(category, 1);
	cr_assert_eq(define_type(recorder, MPROF_TYPE_BEGIN, "begin", of_each_encoding, ENCODINGS), 1);
	/* Types share arguments. */
	cr_assert_eq(mprof_recorder_define_type(recorder, &end, sizeof(end), &id), MPROF_OK);
	cr_assert_eq(id, 2);
	cr_assert_eq(define_type(recorder, MPROF_TYPE_INSTANT, NULL, NULL, 0), 3);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_ARGUMENT), ENCODINGS);
	for (uint32_t i = 0; i < ENCODINGS; i++) {
		const mprof_argument_record *wanted = &of_each_encoding[i];

		record = record_of(&log, MPROF_RECORD_ARGUMENT, i + 1);
		cr_assert_eq(record.as.argument.kind, wanted->kind);
		cr_assert_eq(record.as.argument.encoding, wanted->encoding);
		cr_assert_eq(record.as.argument.role, wanted->role);
		cr_assert_eq(record.as.argument.unit, wanted->unit);
		cr_assert_str_eq(record.as.argument.name, wanted->name != NULL ? wanted->name : "");
		cr_assert_str_eq(record.as.argument.unit_name, i == 1 ? "J" : "");
	}
	cr_assert_str_eq(text_of(&log, 1), "category");
	record = record_of(&log, MPROF_RECORD_TYPE, 1);
	cr_assert_eq(record.as.type.form, MPROF_TYPE_BEGIN);
	cr_assert_str_eq(record.as.type.name, "begin");
	record = record_of(&log, MPROF_RECORD_TYPE, 2);
	cr_assert_eq(record.as.type.form, MPROF_TYPE_END);
	cr_assert_eq(record.as.type.pair, 1);
	cr_assert_eq(record.as.type.category, 1);
	cr_assert_eq(record.as.type.first_argument, 2);
	cr_assert_eq(record.as.type.argument_count, 2);
	cr_assert_str_eq(record_of(&log, MPROF_RECORD_TYPE, 3).as.type.name, "");
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, a_log_without_types_declares_no_directive_for_them)
{
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	typed_log log;

	define_text(recorder, "text");
	mprof_thread_enter_method(thread, METHOD);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_TEXT), 1);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_TYPE), 0);
	recorded_log_read(&bytes);
	cr_assert_eq(bytes.blocks[MPROF_BLOCK_DIRECTIVES], 1);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, a_type_may_be_defined_after_other_events)
{
	for (uint32_t rows = 0; rows <= 1; rows++) {
		const mprof_argument_value value = {5, NULL, 0};
		mprof_recorder_options options;
		recorded_log bytes = {0};
		mprof_recorder *recorder;
		mprof_thread *thread;
		uint32_t type;
		typed_log log;

		mprof_recorder_options_init(&options, sizeof(options));
		options.event_rows = rows;
		recorder = recorded_log_open(&bytes, &options);
		thread = attach(recorder);
		mprof_thread_enter_method(thread, METHOD);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		type = define_one(recorder, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED);
		cr_assert_eq(mprof_thread_record_typed(thread, type, &value, 1), MPROF_OK);
		finish(recorder, thread, &bytes, &log);
		cr_assert_eq(log.count, 2);
		cr_assert_eq(log.events[1].type, type);
		cr_assert_eq(only_number(&log.events[1], MPROF_ENCODING_UNSIGNED), 5);
		release_log(&log);
		recorded_log_free(&bytes);
	}
}

Test(typed_events, the_order_among_calls_is_kept_on_each_stack)
{
	static const uint32_t kinds[] = {MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_TYPED,        MPROF_EVENT_METHOD_LEAVE,
					 MPROF_EVENT_STACK_SWITCH, MPROF_EVENT_TYPED,        MPROF_EVENT_METHOD_ENTER,
					 MPROF_EVENT_TYPED,        MPROF_EVENT_STACK_SWITCH, MPROF_EVENT_TYPED};
	const size_t kind_count = sizeof(kinds) / sizeof(*kinds);
	enum { ROUNDS = 500 };
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	const uint32_t type = define_one(recorder, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED);
	uint64_t number = 0;
	typed_log log;

	define_method(recorder, METHOD, 0, "F ()");
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < kind_count; i++) {
			const mprof_argument_value value = {.number = number};

			switch (kinds[i]) {
			case MPROF_EVENT_METHOD_ENTER:
				mprof_thread_enter_method(thread, METHOD);
				break;
			case MPROF_EVENT_METHOD_LEAVE:
				mprof_thread_leave_method(thread, METHOD);
				break;
			case MPROF_EVENT_STACK_SWITCH:
				mprof_thread_switch_stack(thread, i < 5 ? 1000 + round : 0);
				break;
			default:
				cr_assert_eq(mprof_thread_record_typed(thread, type, &value, 1), MPROF_OK);
				number++;
				break;
			}
		}
	}
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, ROUNDS * kind_count);
	number = 0;
	for (size_t i = 0; i < log.count; i++) {
		cr_assert_eq(log.events[i].kind, kinds[i % kind_count], "event %zu", i);
		if (log.events[i].kind == MPROF_EVENT_TYPED)
			cr_assert_eq(only_number(&log.events[i], MPROF_ENCODING_UNSIGNED), number++);
	}
	release_log(&log);
	recorded_log_free(&bytes);
}

static const mprof_argument_record of_span[] = {
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, 0, 0, "first", ""},
	{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
	{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "name", ""},
	{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "text", ""},
};

Test(typed_events, the_recorder_computes_durations_of_spans)
{
	const mprof_argument_value values[] = {{(uint64_t)-5, NULL, 0}, {2, NULL, 0}, {0, (const uint8_t *)"abc", 3}};
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	uint64_t started[8];
	size_t position;
	size_t event = 0;
	typed_log log;

	/* With and without bytes, which take another way. */
	for (uint32_t count = 3; count <= 4; count++) {
		const uint32_t type = define_type(recorder, MPROF_TYPE_SPAN, "span", of_span, count);

		for (size_t input = 0; input < count; input++) {
			started[event++] = mprof_recorder_read_counter(recorder);
			cr_assert_eq(mprof_thread_record_span(thread, type, started[event - 1], values, input),
				     MPROF_OK);
		}
		cr_assert_eq(mprof_thread_record_span(thread, type, UINT64_C(1) << 60, values, 0), MPROF_OK);
	}
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, 3 + 1 + 4 + 1);
	for (size_t i = 0, read = 0; i < log.count; i++) {
		const typed_event *found = &log.events[i];
		const size_t input = i < 3 ? i : i > 3 && i < 8 ? i - 4 : 0;
		const int ends_first = i == 3 || i == 8;

		position = 0;
		cr_assert_eq(next_value(found, MPROF_ENCODING_SIGNED, &position).number, input > 0 ? (uint64_t)-5 : 0);
		cr_assert_eq(next_value(found, MPROF_ENCODING_UNSIGNED, &position).number,
			     ends_first ? 0 : found->counter - started[read]);
		cr_assert(ends_first || found->counter > started[read]);
		if (input > 1)
			cr_assert_eq(next_value(found, MPROF_ENCODING_UNSIGNED, &position).number, 2);
		if (input > 2)
			cr_assert_eq(next_value(found, MPROF_ENCODING_BYTES, &position).length, 3);
		cr_assert_eq(position, found->size);
		read += !ends_first;
	}
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, durations_are_in_counters_of_the_log)
{
	mprof_recorder_options options;
	recorded_log bytes = {0};
	mprof_recorder *recorder;
	mprof_thread *thread;
	uint32_t span;
	uint32_t duration;
	uint32_t difference;
	uint64_t started;
	mprof_argument_value elapsed = {0, NULL, 0};
	size_t position = 0;
	typed_log log;

	mprof_recorder_options_init(&options, sizeof(options));
	options.resolution_ns = 10000;
	recorder = recorded_log_open(&bytes, &options);
	thread = attach(recorder);
	span = define_type(recorder, MPROF_TYPE_SPAN, "span", of_span, 2);
	duration = define_one(recorder, MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED);
	difference = define_one(recorder, MPROF_ARGUMENT_DURATION, MPROF_ENCODING_SIGNED);
	/* The event marks the start. */
	cr_assert_eq(mprof_thread_record_typed(thread, duration, &elapsed, 1), MPROF_OK);
	started = mprof_recorder_read_counter(recorder);
	usleep(20000);
	elapsed.number = mprof_recorder_read_counter(recorder) - started;
	cr_assert_eq(mprof_thread_record_typed(thread, duration, &elapsed, 1), MPROF_OK);
	cr_assert_eq(mprof_thread_record_span(thread, span, started, &elapsed, 0), MPROF_OK);
	elapsed.number = (uint64_t)-1;
	cr_assert_eq(mprof_thread_record_typed(thread, difference, &elapsed, 1), MPROF_OK);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, 4);
	cr_assert_eq(only_number(&log.events[3], MPROF_ENCODING_SIGNED), (uint64_t)-1);
	cr_assert_leq(only_number(&log.events[1], MPROF_ENCODING_UNSIGNED),
		      log.events[1].counter - log.events[0].counter + 1);
	(void)next_value(&log.events[2], MPROF_ENCODING_SIGNED, &position);
	elapsed = next_value(&log.events[2], MPROF_ENCODING_UNSIGNED, &position);
	cr_assert_leq(elapsed.number, log.events[2].counter - log.events[0].counter + 1);
	/* At least 20 ms, in units of up to 10 us. */
	cr_assert_geq(elapsed.number, 2000);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, arguments_have_up_to_240_bytes)
{
	uint8_t content[MAX_SIZE + 1];
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	const uint32_t type = define_one(recorder, MPROF_ARGUMENT_BYTES, MPROF_ENCODING_BYTES);
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	/* Its length takes two bytes. */
	const size_t longest = MAX_SIZE - 2;
	typed_log log;

	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(i * 7);
	for (size_t length = 0; length <= longest; length++) {
		const mprof_argument_value value = {0, content, length};

		cr_assert_eq(mprof_thread_record_typed(thread, type, &value, 1), MPROF_OK);
	}
	for (size_t i = 1; i <= 3; i++) {
		const mprof_argument_value value = {0, content, i < 3 ? longest + i : SIZE_MAX};

		cr_assert_eq(mprof_thread_record_typed(thread, type, &value, 1), MPROF_ERR_LIMIT);
	}
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.lost[MPROF_LOSS_NO_BUFFER], 3);
	cr_assert_eq(stats.cut_texts, 0);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.lost[MPROF_LOSS_NO_BUFFER], 3);
	cr_assert_eq(log.count, longest + 1);
	for (size_t length = 0; length <= longest; length++) {
		size_t position = 0;
		const mprof_argument_value value = next_value(&log.events[length], MPROF_ENCODING_BYTES, &position);

		cr_assert_eq(value.length, length);
		cr_assert(length == 0 || memcmp(value.bytes, content, length) == 0);
	}
	release_log(&log);
	recorded_log_free(&bytes);
}

/* Records two texts, a number and bytes, and expects the lengths that the texts have then. */
static void expect_cut(const char *first, size_t first_length, const char *second, size_t second_length,
		       size_t byte_count, uint64_t cut)
{
	static const mprof_argument_record of_texts[] = {
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "first", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_FIXED, 0, 0, "number", ""},
		{MPROF_ARGUMENT_BYTES, MPROF_ENCODING_BYTES, 0, 0, "bytes", ""},
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "second", ""},
	};
	static const uint8_t content[MAX_SIZE];
	const mprof_argument_value values[] = {{0, (const uint8_t *)first, strlen(first)},
					       {77, NULL, 0},
					       {0, content, byte_count},
					       {0, (const uint8_t *)second, strlen(second)}};
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	const uint32_t type = define_type(recorder, MPROF_TYPE_INSTANT, "texts", of_texts, 4);
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_argument_value value;
	size_t position = 0;
	typed_log log;

	cr_assert_eq(mprof_thread_record_typed(thread, type, values, 4), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.cut_texts, cut, "%u texts cut", (unsigned)stats.cut_texts);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, 1);
	value = next_value(log.events, MPROF_ENCODING_BYTES, &position);
	cr_assert_eq(value.length, first_length, "first of %zu bytes, not %zu", value.length, first_length);
	cr_assert(value.length == 0 || memcmp(value.bytes, first, value.length) == 0);
	cr_assert_eq(next_value(log.events, MPROF_ENCODING_FIXED, &position).number, 77);
	cr_assert_eq(next_value(log.events, MPROF_ENCODING_BYTES, &position).length, byte_count);
	value = next_value(log.events, MPROF_ENCODING_BYTES, &position);
	cr_assert_eq(value.length, second_length, "second of %zu bytes, not %zu", value.length, second_length);
	cr_assert(value.length == 0 || memcmp(value.bytes, second, value.length) == 0);
	cr_assert_eq(position, log.events->size);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, long_texts_end_with_a_whole_character)
{
	char a[600] = "";
	char wide[601] = "";
	char odd[602] = "x";

	memset(a, 'a', sizeof(a) - 1);
	for (size_t i = 0; i < 600; i += 3)
		memcpy(wide + i, "\xe2\x82\xac", 3);
	memcpy(odd + 1, wide, 600);
	/* They fit: 240 bytes are 8 for the number, 1 for no bytes, and the texts with their lengths. */
	a[150] = '\0';
	expect_cut(a, 150, "short", 5, 0, 0);
	a[150] = 'a';
	a[222] = '\0';
	expect_cut(a, 222, "short", 5, 0, 0);
	a[222] = 'a';
	expect_cut(a, 223, "short", 5, 0, 1);
	/* Both are long. */
	expect_cut(a, 114, a, 114, 0, 2);
	expect_cut("", 0, a, 228, 0, 1);
	expect_cut(wide, 222, "short", 5, 0, 1);
	expect_cut(odd, 223, "short", 5, 0, 1);
	expect_cut(wide + 1, 221, "short", 5, 0, 1);
	/* Bytes are never cut, so nothing is left for texts. */
	expect_cut(a, 0, a, 0, 228, 2);
	expect_cut(wide, 0, "", 0, 227, 1);
}

Test(typed_events, refuses_what_the_contract_forbids)
{
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	const uint32_t instant = define_one(recorder, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED);
	const uint32_t text = define_one(recorder, MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES);
	const mprof_argument_value values[2] = {{0, NULL, 0}, {0, NULL, 1}};
	mprof_argument_record argument = {.name = "n"};
	mprof_type_record type = {.name = "t"};
	uint32_t id = 5;
	typed_log log;

	cr_assert_eq(mprof_recorder_define_text(recorder, "a\0b", 3, &id), MPROF_ERR_NAME);
	cr_assert_eq(id, 0);
	cr_assert_eq(mprof_recorder_define_text(recorder, NULL, 0, &id), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 0, &id),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 256, &id),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, 8, 1, &id), MPROF_ERR_ARGUMENT);
	argument.encoding = 4;
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 1, &id),
		     MPROF_ERR_ARGUMENT);
	argument.encoding = MPROF_ENCODING_SIGNED;
	argument.kind = MPROF_ARGUMENT_DOUBLE;
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 1, &id),
		     MPROF_ERR_ARGUMENT);
	argument.kind = MPROF_ARGUMENT_TEXT;
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 1, &id),
		     MPROF_ERR_ARGUMENT);
	type.reserved = 1;
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_ERR_ARGUMENT);
	type.reserved = 0;
	type.pair = 3;
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_ERR_UNDEFINED_ID);
	type.pair = 0;
	type.category = 1;
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_ERR_UNDEFINED_ID);
	type.category = 0;
	type.first_argument = 2;
	type.argument_count = 2;
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_ERR_UNDEFINED_ID);
	type.argument_count = 256;
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_ERR_ARGUMENT);

	cr_assert_eq(mprof_thread_record_typed(NULL, instant, values, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed(thread, instant, values, 2), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed(thread, instant, values, SIZE_MAX), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed(thread, instant, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed(thread, text, &values[1], 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_span(thread, instant, 0, values, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_typed(thread, 0, NULL, 0), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_thread_record_typed(thread, 3, NULL, 0), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_thread_record_typed(thread, UINT32_MAX, NULL, 0), MPROF_ERR_UNDEFINED_ID);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, 0);
	cr_assert_eq(log.lost[MPROF_LOSS_NO_MEMORY], 3);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_TYPE), 2);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, nothing_is_recorded_while_stopped)
{
	const mprof_argument_value value = {1, NULL, 0};
	recorded_log bytes = {0};
	mprof_recorder *recorder = open_counting(&bytes);
	mprof_thread *thread = attach(recorder);
	uint32_t type;
	typed_log log;

	cr_assert_eq(mprof_recorder_set_enabled(recorder, 0), MPROF_OK);
	type = define_one(recorder, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED);
	cr_assert_eq(mprof_thread_record_typed(thread, type, &value, 1), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed(thread, 9, &value, 1), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 1), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed(thread, type, &value, 1), MPROF_OK);
	finish(recorder, thread, &bytes, &log);
	cr_assert_eq(log.count, 2);
	cr_assert_eq(log.events[0].kind, MPROF_EVENT_RECORDING_RESUMED);
	cr_assert_eq(log.events[1].kind, MPROF_EVENT_TYPED);
	cr_assert_eq(log.lost[MPROF_LOSS_NO_MEMORY], 0);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, other_dialects_leave_them_out_if_lossy)
{
	const mprof_argument_record argument = {.name = "n"};
	const mprof_type_record type = {.name = "t", .first_argument = 1, .argument_count = 1};
	const mprof_argument_value value = {1, NULL, 0};
	mprof_writer_stats losses = {.struct_size = sizeof(losses)};
	mprof_recorder_options options;
	mprof_writer_options writer;
	recorded_log bytes = {0};
	mprof_recorder *recorder;
	mprof_thread *thread;
	uint32_t id;

	mprof_recorder_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MONO;
	writer.lossy = 1;
	options.writer = &writer;
	options.counter = counting_counter;
	recorder = recorded_log_open(&bytes, &options);
	thread = attach(recorder);
	cr_assert_eq(mprof_recorder_define_text(recorder, "text", 4, &id), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 1, &id), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed(thread, id, &value, 1), MPROF_OK);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_writer_stats(recorder, &losses), MPROF_OK);
	cr_assert_eq(losses.left_out_events[MPROF_EVENT_TYPED], 1);
	cr_assert_eq(losses.left_out_blocks[MPROF_BLOCK_TEXTS], 1);
	cr_assert_eq(losses.left_out_blocks[MPROF_BLOCK_TYPES], 1);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&bytes);
}

enum { THREADS = 4, TEXTS = 300, ROUNDS = 200 };

/* The IDs that a thread was given. */
typedef struct definer {
	mprof_recorder *recorder;
	uint64_t number;
	uint32_t texts[TEXTS];
	uint32_t types[ROUNDS];
	uint32_t first[ROUNDS];
} definer;

/* Defines the same texts as the others, and types of its own, each just before its first event. */
static void *define_and_record(void *argument)
{
	definer *self = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(self->recorder, self->number, &thread) != MPROF_OK)
		return argument;
	for (uint32_t i = 0; i < TEXTS; i++) {
		char text[32];

		snprintf(text, sizeof(text), "text %u", (unsigned)i);
		if (mprof_recorder_define_text(self->recorder, text, strlen(text), &self->texts[i]) != MPROF_OK)
			return argument;
	}
	for (uint32_t i = 0; i < ROUNDS; i++) {
		const mprof_argument_value values[] = {{self->texts[i], NULL, 0}, {(uint64_t) - (int64_t)i, NULL, 0}};
		const mprof_argument_record arguments[] = {
			{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, 0, 0, "text", ""},
			{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, 0, 0, "number", ""},
		};
		char name[32];
		mprof_type_record type = {.argument_count = 2, .name = name};

		snprintf(name, sizeof(name), "%u:%u", (unsigned)self->number, (unsigned)i);
		if (mprof_recorder_define_arguments(self->recorder, arguments, sizeof(*arguments), 2,
						    &type.first_argument) != MPROF_OK ||
		    mprof_recorder_define_type(self->recorder, &type, sizeof(type), &self->types[i]) != MPROF_OK)
			return argument;
		self->first[i] = type.first_argument;
		for (int j = 0; j < 40; j++) {
			if (mprof_thread_record_typed(thread, self->types[i], values, 2) != MPROF_OK)
				return argument;
		}
	}
	mprof_thread_detach(thread);
	return NULL;
}

static void expect_events_of(const typed_log *log, const definer *self)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < log->count; i++) {
		const uint32_t round = seen / 40;
		size_t position = 0;
		char expected[32];

		if (log->events[i].thread != self->number)
			continue;
		cr_assert_lt(round, ROUNDS);
		cr_assert_eq(log->events[i].type, self->types[round]);
		snprintf(expected, sizeof(expected), "%u:%u", (unsigned)self->number, (unsigned)round);
		cr_assert_str_eq(record_of(log, MPROF_RECORD_TYPE, self->types[round]).as.type.name, expected);
		cr_assert_eq(record_of(log, MPROF_RECORD_TYPE, self->types[round]).as.type.first_argument,
			     self->first[round]);
		cr_assert_str_eq(record_of(log, MPROF_RECORD_ARGUMENT, self->first[round] + 1).as.argument.name,
				 "number");
		snprintf(expected, sizeof(expected), "text %u", (unsigned)round);
		cr_assert_str_eq(
			text_of(log, (uint32_t)next_value(&log->events[i], MPROF_ENCODING_UNSIGNED, &position).number),
			expected);
		cr_assert_eq(next_value(&log->events[i], MPROF_ENCODING_SIGNED, &position).number,
			     (uint64_t) - (int64_t)round);
		seen++;
	}
	cr_assert_eq(seen, ROUNDS * 40);
}

Test(typed_events, several_threads_define_and_record)
{
	static definer definers[THREADS];
	mprof_recorder_options options;
	pthread_t threads[THREADS];
	recorded_log bytes = {0};
	mprof_recorder *recorder;
	typed_log log;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.drain_threads = 2;
	recorder = recorded_log_open(&bytes, &options);
	for (uint64_t i = 0; i < THREADS; i++) {
		definers[i] = (definer){.recorder = recorder, .number = i + 1};
		cr_assert_eq(pthread_create(&threads[i], NULL, define_and_record, &definers[i]), 0);
	}
	for (uint64_t i = 0; i < THREADS; i++) {
		void *failed;

		cr_assert_eq(pthread_join(threads[i], &failed), 0);
		cr_assert_null(failed);
		/* A text has one ID, whichever thread defines it. */
		cr_assert_arr_eq(definers[i].texts, definers[0].texts, sizeof(definers[0].texts));
	}
	finish(recorder, NULL, &bytes, &log);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_TEXT), TEXTS);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_ARGUMENT), THREADS * ROUNDS * 2);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_TYPE), THREADS * ROUNDS);
	cr_assert_eq(log.count, THREADS * ROUNDS * 40);
	for (size_t i = 0; i < THREADS; i++)
		expect_events_of(&log, &definers[i]);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, there_is_a_limit_of_definitions, .timeout = 300)
{
	mprof_argument_record arguments[MPROF_TYPE_MAX_ARGUMENTS] = {{.name = ""}};
	const mprof_type_record type = {.argument_count = MPROF_TYPE_MAX_ARGUMENTS, .first_argument = 1};
	recorded_log bytes = {0};
	mprof_recorder *recorder = recorded_log_open(&bytes, NULL);
	uint32_t last = 0;
	uint32_t id;
	typed_log log;

	while (MPROF_RECORDED_DEFINITIONS_MAX - last > MPROF_TYPE_MAX_ARGUMENTS) {
		cr_assert_eq(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments),
							     MPROF_TYPE_MAX_ARGUMENTS, &id),
			     MPROF_OK);
		cr_assert_eq(id, last + 1);
		last += MPROF_TYPE_MAX_ARGUMENTS;
	}
	cr_assert_eq(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments),
						     MPROF_RECORDED_DEFINITIONS_MAX - last + 1, &id),
		     MPROF_ERR_LIMIT);
	cr_assert_eq(id, 0);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments),
						     MPROF_RECORDED_DEFINITIONS_MAX - last, &id),
		     MPROF_OK);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), 1, &id), MPROF_ERR_LIMIT);
	/* Other definitions have limits of their own. */
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_OK);
	cr_assert_eq(define_text(recorder, ""), 1);
	finish(recorder, NULL, &bytes, &log);
	cr_assert_eq(mprof_reader_get_record_count(log.reader, MPROF_RECORD_ARGUMENT), MPROF_RECORDED_DEFINITIONS_MAX);
	release_log(&log);
	recorded_log_free(&bytes);
}

Test(typed_events, a_closed_recorder_refuses_definitions)
{
	const mprof_argument_record argument = {.name = "n"};
	const mprof_type_record type = {.name = "t"};
	recorded_log bytes = {0};
	mprof_recorder *recorder = recorded_log_open(&bytes, NULL);
	uint32_t id;

	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_text(recorder, "text", 4, &id), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 1, &id), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&bytes);
}

Test(typed_events, a_ring_evicts_events_and_no_definitions)
{
	enum { MANY = 400000 };
	char path[] = "mprof-test-typed-XXXXXX";
	int fd = mkstemp(path);
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_argument_value value = {0, NULL, 0};
	uint8_t *content;
	uint32_t types[2];
	uint32_t first;
	ssize_t length;
	typed_log log;

	cr_assert_geq(fd, 0);
	mprof_recorder_options_init(&options, sizeof(options));
	cr_assert_eq(mprof_recorder_open_ring(1 << 20, &options, &recorder, NULL), MPROF_OK);
	thread = attach(recorder);
	first = define_text(recorder, "defined first");
	for (int i = 0; i < 2; i++)
		types[i] = define_one(recorder, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_FIXED);
	for (uint64_t i = 0; i < MANY; i++) {
		value.number = i;
		cr_assert_eq(mprof_thread_record_typed(thread, types[i % 2], &value, 1), MPROF_OK);
	}
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	content = malloc(4 << 20);
	close(fd);
	{
		FILE *file = fopen(path, "rb");

		cr_assert_not_null(file);
		length = (ssize_t)fread(content, 1, 4 << 20, file);
		fclose(file);
	}
	unlink(path);
	read_log(&log, content, (size_t)length);
	cr_assert_gt(log.count, 10000);
	cr_assert_lt(log.count, MANY / 2);
	cr_assert_str_eq(text_of(&log, first), "defined first");
	for (size_t i = 0; i < log.count; i++) {
		const uint64_t number = MANY - log.count + i;

		cr_assert_eq(log.events[i].type, types[number % 2]);
		cr_assert_eq(only_number(&log.events[i], MPROF_ENCODING_FIXED), number);
		cr_assert_str_eq(record_of(&log, MPROF_RECORD_TYPE, log.events[i].type).as.type.name, "one");
	}
	release_log(&log);
	free(content);
}
