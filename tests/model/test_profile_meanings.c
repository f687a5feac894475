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

static void begin(recorded *log)
{
	const mprof_sink sink = {.struct_size = sizeof(sink), .write = store, .user = log};

	if (!mprof_version_has_feature(MPROF_FEATURE_RECORDER))
		cr_skip_test("built without the recorder");
	cr_assert_eq(mprof_recorder_open_sink(&sink, NULL, &log->recorder, NULL), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(log->recorder, 7, &log->thread), MPROF_OK);
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
