/* SPDX-License-Identifier: MIT */
/* Events that the log describes: counts, and durations of spans. */
#include "profile_fixture.h"

#include <stdio.h>

/* Types; the arguments of those that have any are the ones that their names state. */
enum {
	INSTANT = 1,
	BEGIN,
	END,
	SPAN,
	OUTER_BEGIN,
	OUTER_END,
	ANY_END,
	ASYNC_BEGIN,
	ASYNC_END,
	NAMED_SPAN,
	LATER_FORM,
	TYPES = LATER_FORM
};

enum { FIRST_TEXT = 3, TEXTS = 5 };

#define ARGUMENT(number, of_kind, of_encoding, of_role)                                                                \
	{                                                                                                              \
		.kind = MPROF_RECORD_ARGUMENT, .id = number, .as.argument = {                                          \
			of_kind,                                                                                       \
			of_encoding,                                                                                   \
			of_role,                                                                                       \
			0,                                                                                             \
			"argument",                                                                                    \
			""                                                                                             \
		}                                                                                                      \
	}
#define TYPE(number, ...)                                                                                              \
	{                                                                                                              \
		.kind = MPROF_RECORD_TYPE, .id = number, .as.type = { __VA_ARGS__ }                                    \
	}
#define TEXT(number, of_text)                                                                                          \
	{                                                                                                              \
		.kind = MPROF_RECORD_TEXT, .id = number, .as.text.text = of_text                                       \
	}

static void begin_log(test_log *log, int has_columns)
{
	log_begin_in(log, MPROF_DIALECT_MPROF2, 1000, has_columns);
	WRITE_RECORDS(log, MPROF_BLOCK_TEXTS, 0, TEXT(1, "io"), TEXT(2, "net"), TEXT(3, "GET /a"), TEXT(4, "GET /b"),
		      TEXT(5, "GET /c"));
	WRITE_RECORDS(log, MPROF_BLOCK_TYPES, 0,
		      ARGUMENT(1, MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION),
		      ARGUMENT(2, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_STATUS),
		      ARGUMENT(3, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_SPAN),
		      ARGUMENT(4, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_STATUS),
		      ARGUMENT(5, MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION),
		      ARGUMENT(6, MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME),
		      ARGUMENT(7, MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, MPROF_ROLE_NAME),
		      TYPE(INSTANT, MPROF_TYPE_INSTANT, 0, 1, 7, 1, 0, "tick"),
		      TYPE(BEGIN, MPROF_TYPE_BEGIN, 0, 0, 0, 0, 0, "work"),
		      TYPE(END, MPROF_TYPE_END, BEGIN, 0, 2, 1, 0, "work done"),
		      TYPE(SPAN, MPROF_TYPE_SPAN, 0, 2, 1, 2, 0, "read"),
		      TYPE(OUTER_BEGIN, MPROF_TYPE_BEGIN, 0, 0, 0, 0, 0, "outer"),
		      TYPE(OUTER_END, MPROF_TYPE_END, OUTER_BEGIN, 0, 0, 0, 0, "outer done"),
		      TYPE(ANY_END, MPROF_TYPE_END, 0, 0, 0, 0, 0, "done"),
		      TYPE(ASYNC_BEGIN, MPROF_TYPE_ASYNC_BEGIN, 0, 0, 3, 1, 0, "task"),
		      TYPE(ASYNC_END, MPROF_TYPE_ASYNC_END, 0, 0, 3, 2, 0, "task done"),
		      TYPE(NAMED_SPAN, MPROF_TYPE_SPAN, 0, 0, 5, 2, 0, "request"),
		      TYPE(LATER_FORM, 77, 0, 0, 0, 0, 0, "later"));
}

/* An event whose arguments are up to two numbers. */
static void add_numbers(test_log *log, uint32_t type, uint64_t counter, size_t count, uint64_t first, uint64_t second)
{
	const mprof_argument_value values[2] = {{first, NULL, 0}, {second, NULL, 0}};
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	uint8_t bytes[32];

	for (size_t i = 0; i < count; i++)
		detail.argument_size +=
			mprof_argument_encode(&values[i], MPROF_ENCODING_UNSIGNED, bytes + detail.argument_size,
					      sizeof(bytes) - detail.argument_size);
	detail.arguments = bytes;
	add_detailed(log, MPROF_EVENT_TYPED, type, counter, 0, &detail);
}

static void add_type(test_log *log, uint32_t type, uint64_t counter)
{
	add_numbers(log, type, counter, 0, 0, 0);
}

static void add_text(test_log *log, uint32_t type, uint64_t counter, const char *text, size_t length)
{
	const mprof_argument_value value = {0, (const uint8_t *)text, length};
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	static uint8_t bytes[8192];

	detail.argument_size = mprof_argument_encode(&value, MPROF_ENCODING_BYTES, bytes, sizeof(bytes));
	detail.arguments = bytes;
	add_detailed(log, MPROF_EVENT_TYPED, type, counter, 0, &detail);
}

static mprof_event_type_stats row_at(const test_log *log, size_t index)
{
	mprof_event_type_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_EVENT_TYPES, index, &stats), MPROF_OK);
	return stats;
}

/* The row with a name; NULL: that of types that are not defined. */
static mprof_event_type_stats row_named(const test_log *log, const char *name)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_EVENT_TYPES); i++) {
		const mprof_event_type_stats stats = row_at(log, i);

		if (name == NULL ? stats.name == NULL : stats.name != NULL && strcmp(stats.name, name) == 0)
			return stats;
	}
	cr_assert_fail("no row named %s", name != NULL ? name : "(none)");
	return row_at(log, 0);
}

static size_t row_count(const test_log *log)
{
	return mprof_profile_get_row_count(log->profile, MPROF_TABLE_EVENT_TYPES);
}

static void expect_spans(const test_log *log, const char *name, uint64_t count, uint64_t spans, uint64_t total,
			 uint64_t self)
{
	const mprof_event_type_stats stats = row_named(log, name);

	cr_expect_eq(stats.count, count, "%s: %u events", name, (unsigned)stats.count);
	cr_expect_eq(stats.spans, spans, "%s: %u spans", name, (unsigned)stats.spans);
	cr_expect_eq(stats.total_ns, total, "%s: total %u", name, (unsigned)stats.total_ns);
	cr_expect_eq(stats.self_ns, self, "%s: self %u", name, (unsigned)stats.self_ns);
	cr_expect_eq(stats.unfinished, count - spans, "%s: %u unfinished", name, (unsigned)stats.unfinished);
}

static void write_nested(test_log *log)
{
	begin_block(log, 7, 0);
	add_type(log, OUTER_BEGIN, 100);
	add_type(log, BEGIN, 200);
	enter(log, 1, 210);
	add_numbers(log, SPAN, 250, 2, 20, 0);
	add_numbers(log, END, 300, 1, 0, 0);
	add_type(log, BEGIN, 400);
	add_numbers(log, END, 450, 1, 5, 0);
	leave(log, 1, 460);
	add_type(log, OUTER_END, 1100);
	add_type(log, INSTANT, 1200);
	end_block(log);
}

static void expect_nested(const test_log *log)
{
	mprof_event_type_stats stats;

	cr_expect_eq(row_count(log), 6);
	expect_spans(log, "outer", 1, 1, 1000, 850);
	expect_spans(log, "work", 2, 2, 150, 130);
	expect_spans(log, "read", 1, 1, 20, 20);
	stats = row_named(log, "work");
	cr_expect_eq(stats.type, BEGIN);
	cr_expect_eq(stats.form, MPROF_TYPE_BEGIN);
	cr_expect_eq(stats.errors, 1);
	cr_expect_eq(stats.min_ns, 50);
	cr_expect_eq(stats.max_ns, 100);
	cr_expect_eq(stats.p50_ns, 50);
	cr_expect_eq(stats.p99_ns, 100);
	cr_expect_eq(stats.without_self, 0);
	cr_expect_str_eq(row_named(log, "read").category, "net");
	stats = row_named(log, "work done");
	cr_expect_eq(stats.count, 2);
	cr_expect_eq(stats.unmatched, 0);
	cr_expect_eq(stats.spans, 0);
	cr_expect_eq(row_named(log, "tick").count, 1);
	cr_expect_str_eq(row_named(log, "tick").category, "io");
}

Test(profile_event_types, nested_spans)
{
	for (int has_columns = 0; has_columns < 2; has_columns++) {
		test_log log;

		begin_log(&log, has_columns);
		write_nested(&log);
		log_profile(&log);
		expect_nested(&log);
		/* Methods do not end spans, and spans do not end methods. */
		cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
		cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_TYPED], 8);
		log_release(&log);
	}
}

Test(profile_event_types, whole_spans_are_nested_by_time)
{
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_numbers(&log, SPAN, 300, 2, 100, 0);
	add_numbers(&log, NAMED_SPAN, 500, 2, 400, 3);
	/* It overlaps the one before, and is in none. */
	add_numbers(&log, SPAN, 600, 2, 300, 0);
	/* It contains all of these. */
	add_numbers(&log, NAMED_SPAN, 1000, 2, 1000, 4);
	end_block(&log);
	log_profile(&log);
	expect_spans(&log, "GET /a", 1, 1, 400, 300);
	expect_spans(&log, "read", 2, 2, 400, 400);
	expect_spans(&log, "GET /b", 1, 1, 1000, 300);
	log_release(&log);
}

Test(profile_event_types, an_end_ends_the_spans_inside)
{
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_type(&log, OUTER_END, 50);
	add_type(&log, OUTER_BEGIN, 100);
	add_type(&log, BEGIN, 200);
	add_type(&log, OUTER_END, 300);
	add_numbers(&log, END, 400, 1, 0, 0);
	add_type(&log, BEGIN, 500);
	add_type(&log, ANY_END, 600);
	add_type(&log, ANY_END, 700);
	add_type(&log, OUTER_BEGIN, 800);
	end_block(&log);
	log_profile(&log);
	expect_spans(&log, "outer", 2, 1, 200, 200);
	expect_spans(&log, "work", 2, 1, 100, 100);
	cr_expect_eq(row_named(&log, "outer done").unmatched, 1);
	cr_expect_eq(row_named(&log, "work done").unmatched, 1);
	cr_expect_eq(row_named(&log, "done").unmatched, 1);
	log_release(&log);
}

/* Each stack has spans of its own; a gap makes those of all stacks unknown. */
Test(profile_event_types, spans_of_call_stacks)
{
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_type(&log, BEGIN, 100);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 5, 200);
	add_type(&log, BEGIN, 250);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 0, 300);
	add_numbers(&log, END, 400, 1, 0, 0);
	end_block(&log);
	begin_block(&log, 8, 0);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 5, 500);
	add_numbers(&log, END, 650, 1, 0, 0);
	add_type(&log, BEGIN, 700);
	add_value(&log, MPROF_EVENT_RECORDING_RESUMED, 50, 900);
	add_numbers(&log, END, 950, 1, 0, 0);
	end_block(&log);
	log_profile(&log);
	expect_spans(&log, "work", 3, 2, 700, 700);
	cr_expect_eq(row_named(&log, "work done").unmatched, 1);
	log_release(&log);
}

Test(profile_event_types, spans_across_threads)
{
	test_log log;

	begin_log(&log, 0);
	/* The ends are read first. The number 1 is used twice. */
	begin_block(&log, 8, 0);
	add_numbers(&log, ASYNC_END, 300, 2, 1, 0);
	add_numbers(&log, ASYNC_END, 600, 2, 1, 9);
	add_numbers(&log, ASYNC_END, 700, 2, 44, 0);
	end_block(&log);
	begin_block(&log, 7, 0);
	add_numbers(&log, ASYNC_BEGIN, 100, 1, 1, 0);
	add_numbers(&log, ASYNC_BEGIN, 500, 1, 1, 0);
	add_numbers(&log, ASYNC_BEGIN, 650, 1, 2, 0);
	add_numbers(&log, ASYNC_BEGIN, 660, 1, 3, 0);
	/* Later than the end with its number. */
	add_numbers(&log, ASYNC_BEGIN, 750, 1, 44, 0);
	end_block(&log);
	begin_block(&log, 9, 0);
	add_numbers(&log, ASYNC_END, 850, 2, 2, 0);
	end_block(&log);
	log_profile(&log);
	expect_spans(&log, "task", 5, 3, 500, 0);
	cr_expect_eq(row_named(&log, "task").without_self, 3);
	cr_expect_eq(row_named(&log, "task").errors, 1);
	cr_expect_eq(row_named(&log, "task done").count, 4);
	cr_expect_eq(row_named(&log, "task done").unmatched, 1);
	log_release(&log);
}

/* Rows of MPROF_TABLE_SPANS, as "name thread/stack start+duration"; those that are unfinished end with the log. */
static void expect_list(const test_log *log, const char *wanted)
{
	char list[1024] = "";
	size_t length = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_SPANS); i++) {
		mprof_span span = {.struct_size = sizeof(span)};
		char duration[32];

		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_SPANS, i, &span), MPROF_OK);
		snprintf(duration, sizeof(duration), "%u", (unsigned)span.duration_ns);
		if (span.unfinished)
			cr_expect_eq((uint64_t)span.start_ns + span.duration_ns, 1000000000);
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s %u/%u %d+%s", i > 0 ? ", " : "",
					   span.name, (unsigned)span.thread, (unsigned)span.stack_number,
					   (int)span.start_ns, span.unfinished ? "?" : duration);
	}
	cr_expect_str_eq(list, wanted);
}

static void profile_spans(test_log *log, uint32_t max_spans)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.max_spans = max_spans;
	log_profile_with(log, &options);
}

/* What contains another span comes before it. */
static void write_listed(test_log *log)
{
	begin_block(log, 7, 0);
	add_numbers(log, ASYNC_BEGIN, 50, 1, 9, 0);
	add_numbers(log, ASYNC_BEGIN, 60, 1, 8, 0);
	add_type(log, OUTER_BEGIN, 100);
	add_type(log, BEGIN, 100);
	add_numbers(log, END, 300, 1, 0, 0);
	add_type(log, OUTER_END, 1100);
	add_value(log, MPROF_EVENT_STACK_SWITCH, 5, 1200);
	add_type(log, BEGIN, 1300);
	add_value(log, MPROF_EVENT_STACK_SWITCH, 0, 1400);
	add_type(log, BEGIN, 1450);
	end_block(log);
	begin_block(log, 8, 0);
	add_numbers(log, SPAN, 700, 2, 500, 0);
	add_numbers(log, ASYNC_END, 800, 2, 9, 0);
	add_numbers(log, SPAN, 1500, 2, 10, 0);
	end_block(log);
}

Test(profile_event_types, single_spans)
{
	test_log log;

	begin_log(&log, 0);
	write_listed(&log);
	profile_spans(&log, 100);
	expect_list(&log, "task 7/0 50+750, task 7/0 60+?, outer 7/0 100+1000, work 7/0 100+200, "
			  "read 8/0 200+500, work 7/5 1300+?, work 7/0 1450+?, read 8/0 1490+10");
	cr_expect_eq(totals_of(&log).left_out_spans, 0);
	log_release(&log);
}

Test(profile_event_types, the_longest_spans_are_kept)
{
	static const char *const lists[] = {
		"task 7/0 60+?, outer 7/0 100+1000, work 7/5 1300+?, work 7/0 1450+?",
		"task 7/0 50+750, task 7/0 60+?, outer 7/0 100+1000, work 7/5 1300+?, work 7/0 1450+?",
		"task 7/0 50+750, task 7/0 60+?, outer 7/0 100+1000, read 8/0 200+500, work 7/5 1300+?, "
		"work 7/0 1450+?",
	};

	for (uint32_t max = 1; max <= 3; max++) {
		test_log log;

		begin_log(&log, 0);
		write_listed(&log);
		profile_spans(&log, max);
		expect_list(&log, lists[max - 1]);
		cr_expect_eq(totals_of(&log).left_out_spans, 5 - max);
		log_release(&log);
	}
}

Test(profile_event_types, no_single_spans_by_default)
{
	test_log log;

	begin_log(&log, 0);
	write_listed(&log);
	log_profile(&log);
	expect_list(&log, "");
	cr_expect_eq(totals_of(&log).left_out_spans, 0);
	log_release(&log);
}

Test(profile_event_types, names_of_events)
{
	static char text[2000];
	char cut[1024];
	test_log log;

	memset(text, 'x', sizeof(text));
	/* A character of two bytes at the place of the cut. */
	memcpy(text + 1022, "\xc3\xa9", 2);
	memset(cut, 'x', 1022);
	cut[1022] = '\0';
	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_text(&log, INSTANT, 100, "one", 3);
	add_text(&log, INSTANT, 200, "two", 3);
	add_text(&log, INSTANT, 300, "one", 3);
	add_text(&log, INSTANT, 400, "", 0);
	add_text(&log, INSTANT, 500, text, sizeof(text));
	add_numbers(&log, NAMED_SPAN, 600, 2, 10, 3);
	add_numbers(&log, NAMED_SPAN, 700, 2, 30, 4);
	add_numbers(&log, NAMED_SPAN, 800, 2, 20, 3);
	/* A text that is not defined, and no name. */
	add_numbers(&log, NAMED_SPAN, 900, 2, 5, 99);
	add_numbers(&log, NAMED_SPAN, 950, 1, 6, 0);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(row_named(&log, "one").count, 2);
	cr_expect_eq(row_named(&log, "two").count, 1);
	cr_expect_eq(row_named(&log, "").count, 1);
	cr_expect_eq(row_named(&log, cut).count, 1);
	expect_spans(&log, "GET /a", 2, 2, 30, 30);
	expect_spans(&log, "GET /b", 1, 1, 30, 30);
	expect_spans(&log, "request", 2, 2, 11, 11);
	log_release(&log);
}

/* Changes a byte of a text, so that the checksum of its block is wrong. */
static void damage_text(test_log *log, const char *text)
{
	const size_t length = strlen(text);

	for (size_t i = 0; i + length <= log->length; i++) {
		if (memcmp(log->bytes + i, text, length) == 0) {
			log->bytes[i] ^= 1;
			return;
		}
	}
	cr_assert_fail("the log does not have \"%s\"", text);
}

Test(profile_event_types, types_that_are_not_known)
{
	test_log log;

	begin_log(&log, 0);
	WRITE_RECORDS(&log, MPROF_BLOCK_TYPES, 0, TYPE(TYPES + 1, MPROF_TYPE_SPAN, 0, 0, 1, 2, 0, "first lost"),
		      TYPE(TYPES + 2, MPROF_TYPE_BEGIN, 0, 0, 0, 0, 0, "second lost"));
	begin_block(&log, 7, 0);
	add_numbers(&log, TYPES + 1, 100, 2, 50, 0);
	add_type(&log, TYPES + 2, 200);
	add_type(&log, LATER_FORM, 300);
	/* The bytes do not contain the arguments. */
	add_text(&log, SPAN, 400, "\xff\xff", 2);
	end_block(&log);
	log_close(&log, 0);
	damage_text(&log, "first lost");
	log_open(&log, NULL);
	cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_ERR_CHECKSUM);
	cr_expect_eq(row_count(&log), 3);
	cr_expect_eq(row_named(&log, NULL).count, 2);
	cr_expect_eq(row_named(&log, NULL).type, 0);
	cr_expect_null(row_named(&log, NULL).category);
	cr_expect_eq(row_named(&log, "later").form, MPROF_TYPE_INSTANT);
	cr_expect_eq(row_named(&log, "read").count, 1);
	log_release(&log);
}

Test(profile_event_types, a_window_has_the_spans_that_end_in_it)
{
	mprof_profile_options options;
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_type(&log, OUTER_BEGIN, 100);
	for (uint64_t i = 0; i < 10; i++) {
		add_type(&log, BEGIN, 200 + 100 * i);
		add_numbers(&log, END, 250 + 100 * i, 1, 0, 0);
	}
	add_type(&log, BEGIN, 1290);
	add_type(&log, OUTER_END, 2000);
	end_block(&log);
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = 225;
	options.window_end_ns = 630;
	log_read(&log, &options);
	/* The first one began before, the last one has not ended; "outer" neither began nor ended in it. */
	cr_expect_eq(row_named(&log, "work").count, 4);
	cr_expect_eq(row_named(&log, "work").spans, 4);
	cr_expect_eq(row_named(&log, "work").unfinished, 1);
	cr_expect_eq(row_named(&log, "outer").count, 0);
	cr_expect_eq(row_named(&log, "outer").spans, 0);
	log_release(&log);
}

/* More spans than are kept to find out what one contains: the sum is unknown, and stated. */
Test(profile_event_types, spans_with_many_inside)
{
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_type(&log, OUTER_BEGIN, 100);
	for (uint64_t i = 0; i < 3000; i++)
		add_numbers(&log, SPAN, 1000 + 100 * i, 2, 50, 0);
	add_type(&log, OUTER_END, 400000);
	add_type(&log, OUTER_BEGIN, 400100);
	for (uint64_t i = 0; i < 500; i++)
		add_numbers(&log, SPAN, 401000 + 100 * i, 2, 50, 0);
	add_type(&log, OUTER_END, 500100);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(row_named(&log, "outer").spans, 2);
	cr_expect_eq(row_named(&log, "outer").total_ns, 499900);
	cr_expect_eq(row_named(&log, "outer").without_self, 1);
	expect_spans(&log, "read", 3500, 3500, 3500 * 50, 3500 * 50);
	log_release(&log);
}

/* Spans deeper than any program has are left without an end; those outside them are right. */
Test(profile_event_types, spans_that_never_end)
{
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_type(&log, OUTER_BEGIN, 100);
	for (uint64_t i = 0; i < 5000; i++)
		add_type(&log, BEGIN, 200 + i);
	for (uint64_t i = 0; i < 5000; i++)
		add_numbers(&log, END, 10000 + i, 1, 0, 0);
	add_type(&log, OUTER_END, 20100);
	for (uint64_t i = 0; i < 5000; i++)
		add_numbers(&log, END, 30000 + i, 1, 0, 0);
	end_block(&log);
	log_profile(&log);
	expect_spans(&log, "outer", 1, 1, 20000, row_named(&log, "outer").self_ns);
	cr_expect_eq(row_named(&log, "work").count, 5000);
	cr_expect_eq(row_named(&log, "work").spans, 1023);
	cr_expect_eq(row_named(&log, "work done").unmatched, 5000);
	log_release(&log);
}

/* A duration that is longer than the counter at the end is damaged: nothing is known but that there was a span. */
Test(profile_event_types, a_span_cannot_begin_before_all_time)
{
	test_log log;
	mprof_event_type_stats stats;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	add_numbers(&log, SPAN, 300, 2, 300, 0);
	add_numbers(&log, SPAN, 400, 2, SESSION_START + 401, 0);
	add_numbers(&log, SPAN, 500, 2, UINT64_MAX, 0);
	end_block(&log);
	log_profile(&log);
	stats = row_named(&log, "read");
	cr_expect_eq(stats.count, 3);
	cr_expect_eq(stats.spans, 1);
	cr_expect_eq(stats.total_ns, 300);
	cr_expect_eq(stats.unmatched, 2);
	cr_expect_eq(stats.unfinished, 0);
	log_release(&log);
}

static void *refuse_after(void *user, size_t size)
{
	size_t *remaining = user;

	if (*remaining == 0)
		return NULL;
	--*remaining;
	return malloc(size);
}

static void *reallocate_after(void *user, void *memory, size_t old_size, size_t size)
{
	size_t *remaining = user;

	(void)old_size;
	if (*remaining == 0)
		return NULL;
	--*remaining;
	return realloc(memory, size);
}

static void release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

/* Refused memory is an error, wherever it is refused. */
Test(profile_event_types, refused_memory)
{
	size_t allowed = 0;
	test_log log;

	begin_log(&log, 0);
	write_nested(&log);
	begin_block(&log, 8, 0);
	add_numbers(&log, ASYNC_BEGIN, 100, 1, 1, 0);
	add_numbers(&log, NAMED_SPAN, 600, 2, 10, 3);
	end_block(&log);
	log_close(&log, 0);
	for (mprof_status status = MPROF_ERR_MEMORY; status != MPROF_OK; allowed++) {
		size_t remaining = allowed;
		mprof_allocator allocator = {.struct_size = sizeof(allocator),
					     .user = &remaining,
					     .allocate = refuse_after,
					     .reallocate = reallocate_after,
					     .release = release};
		mprof_profile_options options;

		mprof_profile_options_init(&options, sizeof(options));
		options.allocator = &allocator;
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
		status = mprof_profile_create(&options, &log.profile);
		if (status == MPROF_OK)
			status = mprof_profile_read(log.profile, log.reader, NULL, NULL);
		cr_assert(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		if (status == MPROF_OK)
			expect_spans(&log, "outer", 1, 1, 1000, 850);
		log_forget_profile(&log);
	}
	cr_expect_gt(allowed, 10);
	free(log.bytes);
}

/* Names for which there is no memory are counted under the name of the type. */
Test(profile_event_types, names_above_the_memory_limit)
{
	mprof_profile_options options;
	uint64_t count = 0;
	char name[16];
	test_log log;

	begin_log(&log, 0);
	begin_block(&log, 7, 0);
	for (uint64_t i = 0; i < 20000; i++)
		add_text(&log, INSTANT, i, name, (size_t)snprintf(name, sizeof(name), "name %u", (unsigned)i));
	end_block(&log);
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.max_memory = 1500000;
	log_read(&log, &options);
	for (size_t i = 0; i < row_count(&log); i++)
		count += row_at(&log, i).count;
	cr_expect_eq(count, 20000);
	cr_expect_gt(row_named(&log, "tick").count, 1);
	cr_expect_eq(totals_of(&log).limited, 1);
	cr_expect_gt(totals_of(&log).folded_sites, 0);
	log_release(&log);
}
