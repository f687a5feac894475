/* SPDX-License-Identifier: MIT */
/* Events of types with a meaning, as a program records them, and what a hostile log makes of them. */
#include <mprof.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(of_role, of_name)                                                                                       \
	{                                                                                                              \
		MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, of_role, 0, of_name, ""                                \
	}
#define TEXT(of_role, of_name)                                                                                         \
	{                                                                                                              \
		MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, of_role, 0, of_name, ""                                     \
	}
#define STRING(text)                                                                                                   \
	{                                                                                                              \
		.bytes = (const uint8_t *)(text), .length = sizeof(text) - 1                                           \
	}

typedef struct recorded {
	unsigned char *bytes;
	size_t length;
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_profile *profile;
	mprof_reader *reader;
} recorded;

static int store(void *user, const void *bytes, size_t length)
{
	recorded *log = user;
	unsigned char *grown = realloc(log->bytes, log->length + length);

	if (grown == NULL)
		return 12;
	memcpy(grown + log->length, bytes, length);
	log->bytes = grown;
	log->length += length;
	return 0;
}

/* The counter of recorders with a time that tests set, in nanoseconds. */
static uint64_t test_time = 1000;

static uint64_t read_test_time(void *user)
{
	(void)user;
	return test_time;
}

static void begin_with(recorded *log, const mprof_recorder_options *options)
{
	const mprof_sink sink = {.struct_size = sizeof(sink), .write = store, .user = log};

	if (!mprof_version_has_feature(MPROF_FEATURE_RECORDER))
		cr_skip_test("built without the recorder");
	cr_assert_eq(mprof_recorder_open_sink(&sink, options, &log->recorder, NULL), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(log->recorder, 7, &log->thread), MPROF_OK);
}

static void begin(recorded *log)
{
	begin_with(log, NULL);
}

static void begin_in_test_time(recorded *log)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = read_test_time;
	options.counters_per_second = 1e9;
	begin_with(log, &options);
}

static uint32_t define(const recorded *log, const char *name, uint32_t form, const mprof_argument_record *arguments,
		       uint32_t count)
{
	mprof_type_record type = {.form = form, .argument_count = count, .name = name};
	uint32_t id = 0;

	if (count > 0)
		cr_assert_eq(mprof_recorder_define_arguments(log->recorder, arguments, sizeof(*arguments), count,
							     &type.first_argument),
			     MPROF_OK);
	cr_assert_eq(mprof_recorder_define_type(log->recorder, &type, sizeof(type), &id), MPROF_OK);
	return id;
}

static void record(const recorded *log, uint32_t type, const mprof_argument_value *values, size_t count)
{
	cr_assert_eq(mprof_thread_record_typed(log->thread, type, values, count), MPROF_OK);
}

static void finish(recorded *log)
{
	mprof_thread_detach(log->thread);
	cr_assert_eq(mprof_recorder_close(log->recorder), MPROF_OK);
	mprof_recorder_destroy(log->recorder);
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &log->reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(NULL, &log->profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(log->profile, log->reader, NULL, NULL), MPROF_OK);
}

static void release(recorded *log)
{
	mprof_profile_destroy(log->profile);
	mprof_reader_destroy(log->reader);
	free(log->bytes);
}

static size_t count_of(const recorded *log, uint32_t table)
{
	return mprof_profile_get_row_count(log->profile, table);
}

static mprof_message_stats message_at(const recorded *log, size_t index)
{
	mprof_message_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MESSAGES, index, &stats), MPROF_OK);
	return stats;
}

static mprof_wait_stats wait_at(const recorded *log, size_t index)
{
	mprof_wait_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_WAITS, index, &stats), MPROF_OK);
	return stats;
}

static mprof_gc_generation generation_at(const recorded *log, size_t index)
{
	mprof_gc_generation stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_GC_GENERATIONS, index, &stats), MPROF_OK);
	return stats;
}

static const mprof_argument_record log_arguments[] = {NUMBER(MPROF_ROLE_SEVERITY, "level"), TEXT(0, "source"),
						      TEXT(MPROF_ROLE_MESSAGE, "written")};

Test(profile_meanings, messages_by_severity_and_source)
{
	recorded log = {0};
	uint32_t type;

	begin(&log);
	type = define(&log, "mprof.log", MPROF_TYPE_INSTANT, log_arguments, 3);
	for (int i = 0; i < 3; i++)
		record(&log, type, (const mprof_argument_value[]){{.number = 4}, STRING("disk"), STRING("full")}, 3);
	record(&log, type, (const mprof_argument_value[]){{.number = 6}, STRING("disk"), STRING("gone")}, 3);
	record(&log, type, (const mprof_argument_value[]){{.number = 4}, STRING("net"), STRING("slow")}, 3);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_MESSAGES), 3);
	cr_expect_eq(message_at(&log, 0).count, 3);
	cr_expect_eq(message_at(&log, 0).severity, 4);
	cr_expect_str_eq(message_at(&log, 0).source, "disk");
	cr_expect_str_eq(message_at(&log, 0).text, "full");
	cr_expect_eq(message_at(&log, 0).thread, 7);
	cr_expect_leq(message_at(&log, 0).first_ns, message_at(&log, 0).last_ns);
	cr_expect_eq(message_at(&log, 1).severity, 6);
	cr_expect_str_eq(message_at(&log, 2).source, "net");
	release(&log);
}

/* Without arguments, with arguments of other kinds, with an unknown severity, with texts that are too long or unknown. */
Test(profile_meanings, hostile_messages)
{
	static const mprof_argument_record swapped[] = {TEXT(MPROF_ROLE_SEVERITY, "severity"), NUMBER(0, "source"),
							NUMBER(MPROF_ROLE_MESSAGE, "text")};
	static const mprof_argument_record defined[] = {
		NUMBER(MPROF_ROLE_SEVERITY, ""),
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, 0, 0, "source", ""},
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_MESSAGE, 0, "", ""}};
	static char long_text[300];
	recorded log = {0};
	uint32_t bare;
	uint32_t wrong;
	uint32_t named;
	uint32_t type;
	uint32_t text;

	/* 254 bytes fit before a character of two. */
	memset(long_text, 'x', 254);
	memset(long_text + 254, '\xc3', 1);
	memset(long_text + 255, '\xa4', 1);
	memset(long_text + 256, 'y', sizeof(long_text) - 256);
	begin(&log);
	bare = define(&log, "mprof.log", MPROF_TYPE_INSTANT, NULL, 0);
	wrong = define(&log, "mprof.log", MPROF_TYPE_INSTANT, swapped, 3);
	type = define(&log, "mprof.log", MPROF_TYPE_INSTANT, log_arguments, 3);
	named = define(&log, "mprof.log", MPROF_TYPE_INSTANT, defined, 3);
	record(&log, bare, NULL, 0);
	record(&log, wrong, (const mprof_argument_value[]){STRING("4"), {.number = 9}, {.number = 1}}, 3);
	record(&log, type, (const mprof_argument_value[]){{.number = 7}}, 1);
	record(&log, type, (const mprof_argument_value[]){{.number = UINT64_MAX}, STRING("a\0b"), STRING("\0c")}, 3);
	cr_assert_eq(mprof_recorder_define_text(log.recorder, long_text, sizeof(long_text), &text), MPROF_OK);
	record(&log, named, (const mprof_argument_value[]){{.number = 1}, {.number = text}, {.number = text}}, 3);
	record(&log, named, (const mprof_argument_value[]){{.number = 1}, {.number = text + 1}}, 2);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_MESSAGES), 4);
	cr_expect_eq(message_at(&log, 0).count, 3);
	cr_expect_eq(message_at(&log, 0).severity, 0);
	cr_expect_str_eq(message_at(&log, 0).source, "");
	cr_expect_null(message_at(&log, 0).text);
	cr_expect_str_eq(message_at(&log, 1).source, "a");
	cr_expect_eq(message_at(&log, 1).severity, 0);
	cr_expect_eq(strlen(message_at(&log, 2).source), 254);
	cr_expect_eq(strlen(message_at(&log, 2).text), 254);
	/* A text that the log does not define. */
	cr_expect_str_eq(message_at(&log, 3).source, "");
	cr_expect_eq(message_at(&log, 3).severity, 1);
	release(&log);
}

/* More sources than there are rows: the rest is counted in one. */
Test(profile_meanings, messages_of_too_many_sources)
{
	enum { SOURCES = 5000 };
	recorded log = {0};
	uint64_t count = 0;
	size_t rests = 0;
	uint32_t type;

	begin(&log);
	type = define(&log, "mprof.log", MPROF_TYPE_INSTANT, log_arguments, 3);
	for (int i = 0; i < SOURCES; i++) {
		char source[16];
		const int length = snprintf(source, sizeof(source), "s%d", i);

		record(&log, type,
		       (const mprof_argument_value[]){{.number = 3},
						      {.bytes = (const uint8_t *)source, .length = (size_t)length}},
		       2);
	}
	finish(&log);
	for (size_t i = 0; i < count_of(&log, MPROF_TABLE_MESSAGES); i++) {
		const mprof_message_stats stats = message_at(&log, i);

		count += stats.count;
		rests += stats.is_rest;
		cr_expect_eq(stats.is_rest, stats.source == NULL);
	}
	cr_expect_eq(count, SOURCES);
	cr_expect_eq(rests, 1);
	cr_expect_lt(count_of(&log, MPROF_TABLE_MESSAGES), SOURCES);
	release(&log);
}

static const mprof_argument_record wait_arguments[] = {
	TEXT(0, "kind"),
	TEXT(MPROF_ROLE_NAME, "name"),
	{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "time", ""},
};

/* Whole spans, and spans with a begin and an end; one does not end. */
Test(profile_meanings, waits_by_kind_and_name)
{
	recorded log = {0};
	const mprof_argument_value read[] = {STRING("io"), STRING("read")};
	const mprof_argument_value lock[] = {STRING("lock")};
	uint32_t whole;
	uint32_t start;
	uint64_t now;
	mprof_type_record end = {.form = MPROF_TYPE_END, .name = "released"};

	begin(&log);
	whole = define(&log, "mprof.wait", MPROF_TYPE_SPAN, wait_arguments, 3);
	start = define(&log, "mprof.wait", MPROF_TYPE_BEGIN, wait_arguments, 1);
	end.pair = start;
	cr_assert_eq(mprof_recorder_define_type(log.recorder, &end, sizeof(end), &end.category), MPROF_OK);
	now = mprof_recorder_read_counter(log.recorder);
	cr_assert_eq(mprof_thread_record_span_at(log.thread, whole, now - 100, now - 90, read, 2), MPROF_OK);
	cr_assert_eq(mprof_thread_record_span_at(log.thread, whole, now - 80, now - 10, read, 2), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed(log.thread, start, lock, 1), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed(log.thread, end.category, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_thread_record_typed(log.thread, start, lock, 1), MPROF_OK);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_WAITS), 2);
	cr_expect_str_eq(wait_at(&log, 0).kind, "io");
	cr_expect_str_eq(wait_at(&log, 0).name, "read");
	cr_expect_eq(wait_at(&log, 0).count, 2);
	cr_expect_eq(wait_at(&log, 0).unfinished, 0);
	cr_expect_str_eq(wait_at(&log, 1).kind, "lock");
	cr_expect_str_eq(wait_at(&log, 1).name, "");
	cr_expect_eq(wait_at(&log, 1).count, 1);
	cr_expect_eq(wait_at(&log, 1).unfinished, 1);
	release(&log);
}

/* An instant and an end without a begin are no waits, and a duration can be a text. */
Test(profile_meanings, hostile_waits)
{
	static const mprof_argument_record texts[] = {NUMBER(0, "kind"), TEXT(MPROF_ROLE_DURATION, "duration")};
	recorded log = {0};
	uint32_t instant;
	uint32_t whole;
	uint32_t end;

	begin(&log);
	instant = define(&log, "mprof.wait", MPROF_TYPE_INSTANT, wait_arguments, 2);
	whole = define(&log, "mprof.wait", MPROF_TYPE_SPAN, texts, 2);
	end = define(&log, "mprof.wait", MPROF_TYPE_END, wait_arguments, 2);
	record(&log, instant, (const mprof_argument_value[]){STRING("io")}, 1);
	record(&log, end, NULL, 0);
	record(&log, whole, (const mprof_argument_value[]){{.number = 5}, STRING("long")}, 2);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_WAITS), 1);
	cr_expect_str_eq(wait_at(&log, 0).kind, "");
	cr_expect_eq(wait_at(&log, 0).count, 1);
	cr_expect_eq(wait_at(&log, 0).total_ns, 0);
	release(&log);
}

static const mprof_argument_record generation_arguments[] = {
	NUMBER(0, "collection"), TEXT(0, "generation"), NUMBER(0, "before"), NUMBER(0, "after"), NUMBER(0, "capacity")};

/* Numbers of collections that the log does not have, none at all, and negative sizes. */
Test(profile_meanings, generations_and_pinned_objects)
{
	static const mprof_argument_record pinned[] = {NUMBER(0, "collection"), NUMBER(0, "pinned_objects"),
						       NUMBER(0, "pinned_bytes")};
	static const mprof_argument_record negative[] = {
		NUMBER(0, "collection"), {MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, 0, 0, "before", ""}};
	recorded log = {0};
	mprof_collection collection = {.struct_size = sizeof(collection)};
	uint32_t gc;
	uint32_t type;
	uint32_t wrong;

	begin(&log);
	gc = define(&log, "mprof.gc", MPROF_TYPE_INSTANT, pinned, 3);
	type = define(&log, "mprof.gc.generation", MPROF_TYPE_INSTANT, generation_arguments, 5);
	wrong = define(&log, "mprof.gc.generation", MPROF_TYPE_INSTANT, negative, 2);
	mprof_thread_record_event(log.thread, MPROF_EVENT_GC_START, 0, 0);
	record(&log, gc, (const mprof_argument_value[]){{.number = 1}, {.number = 3}, {.number = 96}}, 3);
	record(&log, type,
	       (const mprof_argument_value[]){
		       {.number = 1}, STRING("Eden"), {.number = 1000}, {.number = 10}, {.number = 4096}},
	       5);
	record(&log, type, (const mprof_argument_value[]){{.number = UINT64_MAX}, STRING("Old"), {.number = 5}}, 3);
	record(&log, type, (const mprof_argument_value[]){{.number = 0}, STRING("None")}, 2);
	record(&log, wrong, (const mprof_argument_value[]){{.number = 1}, {.number = (uint64_t)-5}}, 2);
	mprof_thread_record_event(log.thread, MPROF_EVENT_GC_END, 0, 0);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_COLLECTIONS), 1);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_COLLECTIONS, 0, &collection), MPROF_OK);
	cr_expect(collection.pinned_objects == 3 && collection.pinned_bytes == 96);
	cr_assert_eq(count_of(&log, MPROF_TABLE_GC_GENERATIONS), 3);
	cr_expect_str_eq(generation_at(&log, 0).name, "Eden");
	cr_expect_eq(generation_at(&log, 0).after, 10);
	cr_expect_eq(generation_at(&log, 0).has_capacity, 1);
	cr_expect_eq(generation_at(&log, 1).collection, UINT64_MAX);
	cr_expect(generation_at(&log, 1).has_before == 1 && generation_at(&log, 1).has_after == 0);
	cr_expect_null(generation_at(&log, 2).name);
	cr_expect_eq(generation_at(&log, 2).has_before, 0);
	release(&log);
}

static const mprof_argument_record state_arguments[] = {TEXT(0, "state"), NUMBER(0, "priority")};

static mprof_thread_state_stats state_at(const recorded *log, size_t index)
{
	mprof_thread_state_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_THREAD_STATES, index, &stats), MPROF_OK);
	return stats;
}

/* Records a state at a time. */
static void change_state(const recorded *log, uint32_t type, uint64_t time, const char *state, uint64_t priority)
{
	const mprof_argument_value values[] = {{.bytes = (const uint8_t *)state, .length = strlen(state)},
					       {.number = priority}};

	test_time = time;
	record(log, type, values, priority != UINT64_MAX ? 2 : 1);
}

static void expect_state(const recorded *log, size_t index, const char *state, uint64_t count, uint64_t total_ns,
			 uint64_t priority)
{
	const mprof_thread_state_stats stats = state_at(log, index);

	cr_expect_str_eq(stats.state, state);
	cr_expect(stats.thread == 7 && stats.is_rest == 0);
	cr_expect_eq(stats.count, count, "%s", state);
	cr_expect_eq(stats.total_ns, total_ns, "%s: %llu ns", state, (unsigned long long)stats.total_ns);
	cr_expect_eq(stats.has_priority, priority != UINT64_MAX, "%s", state);
	cr_expect_eq(stats.priority, priority != UINT64_MAX ? priority : 0, "%s", state);
}

/* A state lasts until the next one, the last until the thread ends, although the log goes on. */
Test(profile_meanings, states_of_threads)
{
	static const mprof_argument_record priority_only[] = {NUMBER(0, "priority")};
	recorded log = {0};
	uint32_t type;
	uint32_t priority;

	test_time = 1000;
	begin_in_test_time(&log);
	type = define(&log, "mprof.thread.state", MPROF_TYPE_INSTANT, state_arguments, 2);
	priority = define(&log, "mprof.thread.state", MPROF_TYPE_INSTANT, priority_only, 1);
	change_state(&log, type, 2000, "running", UINT64_MAX);
	change_state(&log, type, 2500, "blocked", 3);
	test_time = 2600;
	record(&log, priority, &(mprof_argument_value){.number = 9}, 1);
	change_state(&log, type, 4500, "running", UINT64_MAX);
	change_state(&log, type, 4600, "running", UINT64_MAX);
	change_state(&log, type, 5000, "waiting", 1);
	test_time = 7000;
	mprof_thread_record_event(log.thread, MPROF_EVENT_THREAD_END, 0, 7);
	test_time = 9000;
	cr_assert_eq(mprof_recorder_record_mark(log.recorder, 0, "late", 4), MPROF_OK);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_THREAD_STATES), 3);
	expect_state(&log, 0, "running", 3, 1000, 9);
	expect_state(&log, 1, "blocked", 1, 2000, 9);
	expect_state(&log, 2, "waiting", 1, 2000, 1);
	release(&log);
}

static void expect_slice(const recorded *log, size_t index, uint64_t state_ns, uint64_t running_ns)
{
	mprof_timeline_slice slice = {.struct_size = sizeof(slice)};

	cr_assert_eq(mprof_profile_get_timeline_slice(log->profile, 0, index, &slice), MPROF_OK);
	cr_expect_eq(slice.state_ns, state_ns, "state_ns of slice %zu", index);
	cr_expect_eq(slice.running_ns, running_ns, "running_ns of slice %zu", index);
}

/* Only the part of a state that is inside the window counts; nothing is known of a thread before its first state. */
Test(profile_meanings, states_of_threads_in_a_window)
{
	static const mprof_argument_record priority_only[] = {NUMBER(0, "priority")};
	mprof_profile_options options;
	recorded log = {0};
	uint32_t type;
	uint32_t priority;

	test_time = 1000;
	begin_in_test_time(&log);
	type = define(&log, "mprof.thread.state", MPROF_TYPE_INSTANT, state_arguments, 2);
	priority = define(&log, "mprof.thread.state", MPROF_TYPE_INSTANT, priority_only, 1);
	test_time = 1500;
	record(&log, priority, &(mprof_argument_value){.number = 4}, 1);
	change_state(&log, type, 2000, "running", UINT64_MAX);
	change_state(&log, type, 5000, "blocked", UINT64_MAX);
	change_state(&log, type, 8000, "running", UINT64_MAX);
	test_time = 9000;
	cr_assert_eq(mprof_recorder_record_mark(log.recorder, 0, "late", 4), MPROF_OK);
	finish(&log);
	expect_state(&log, 0, "", 1, 500, 4);
	expect_state(&log, 1, "running", 2, 4000, 4);
	expect_state(&log, 2, "blocked", 1, 3000, 4);
	mprof_profile_destroy(log.profile);
	mprof_reader_destroy(log.reader);
	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = 3000;
	options.window_end_ns = 6000;
	options.timeline_slices = 3;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(&options, &log.profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
	expect_state(&log, 0, "", 0, 0, UINT64_MAX);
	expect_state(&log, 1, "running", 0, 1000, UINT64_MAX);
	expect_state(&log, 2, "blocked", 1, 2000, 4);
	expect_slice(&log, 0, 1000, 1000);
	expect_slice(&log, 1, 1000, 0);
	expect_slice(&log, 2, 1000, 0);
	mprof_profile_destroy(log.profile);
	mprof_reader_destroy(log.reader);
	/* Of the whole log, also the state at its end; before 2000, none is known. */
	mprof_profile_options_init(&options, sizeof(options));
	options.timeline_slices = 8;
	options.window_end_ns = 8000;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(&options, &log.profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
	for (size_t i = 0; i < 8; i++)
		expect_slice(&log, i, i > 0 ? 1000 : 0, i == 0 || (i >= 4 && i < 7) ? 0 : 1000);
	release(&log);
}

static mprof_exception_site site_at(const recorded *log, size_t index)
{
	mprof_exception_site site = {.struct_size = sizeof(site)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_EXCEPTION_SITES, index, &site), MPROF_OK);
	return site;
}

enum { EXCEPTION_A = 1, EXCEPTION_B, THROWS_FIRST, THROWS_LATER };

static void define_name(const recorded *log, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	cr_assert_eq(key <= EXCEPTION_B ? mprof_recorder_define_class(log->recorder, key, &description)
					: mprof_recorder_define_method(log->recorder, key, &description),
		     MPROF_OK);
}

static void throw_at(const recorded *log, mprof_key class_key, mprof_frame method)
{
	mprof_thread_record_exception(log->thread, class_key, &method, 1);
}

/* A text belongs to the exception of the same thread before it, and to its class if it is of another class. */
Test(profile_meanings, texts_of_exceptions)
{
	static const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_CLASS, MPROF_ENCODING_UNSIGNED, 0, 0, "class", ""}, TEXT(0, "text")};
	static const mprof_argument_record text_only[] = {TEXT(0, "text")};
	mprof_recorder_options options;
	recorded log = {0};
	mprof_class_stats class = {.struct_size = sizeof(class)};
	uint32_t type;
	uint32_t unnamed;

	mprof_recorder_options_init(&options, sizeof(options));
	options.exception_stacks = 1;
	begin_with(&log, &options);
	define_name(&log, EXCEPTION_A, "A");
	define_name(&log, EXCEPTION_B, "B");
	define_name(&log, THROWS_FIRST, "first");
	define_name(&log, THROWS_LATER, "later");
	type = define(&log, "mprof.exception", MPROF_TYPE_INSTANT, arguments, 2);
	unnamed = define(&log, "mprof.exception", MPROF_TYPE_INSTANT, text_only, 1);
	record(&log, unnamed, (const mprof_argument_value[]){STRING("of nothing")}, 1);
	throw_at(&log, EXCEPTION_A, THROWS_FIRST);
	record(&log, type, (const mprof_argument_value[]){{.number = EXCEPTION_A}, STRING("one")}, 2);
	throw_at(&log, EXCEPTION_A, THROWS_FIRST);
	record(&log, unnamed, (const mprof_argument_value[]){STRING("two")}, 1);
	throw_at(&log, EXCEPTION_B, THROWS_LATER);
	throw_at(&log, EXCEPTION_A, THROWS_LATER);
	record(&log, type, (const mprof_argument_value[]){{.number = EXCEPTION_B}, STRING("late")}, 2);
	record(&log, type, (const mprof_argument_value[]){{.number = EXCEPTION_A}, STRING("")}, 2);
	finish(&log);
	cr_assert_eq(count_of(&log, MPROF_TABLE_CLASSES), 2);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_CLASSES, 0, &class), MPROF_OK);
	cr_expect(class.exceptions == 3 && class.exception_texts == 2);
	cr_expect_str_eq(class.exception_text, "two");
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_CLASSES, 1, &class), MPROF_OK);
	cr_expect(class.exceptions == 1 && class.exception_texts == 1);
	cr_expect_str_eq(class.exception_text, "late");
	cr_assert_eq(count_of(&log, MPROF_TABLE_EXCEPTION_SITES), 3);
	cr_expect(site_at(&log, 0).exceptions == 2 && site_at(&log, 0).texts == 2);
	cr_expect_str_eq(site_at(&log, 0).text, "two");
	cr_expect(site_at(&log, 1).texts == 0 && site_at(&log, 1).text == NULL);
	cr_expect(site_at(&log, 2).texts == 0 && site_at(&log, 2).text == NULL);
	release(&log);
}
