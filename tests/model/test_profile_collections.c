/* SPDX-License-Identifier: MIT */
/* Collections of several threads, whose events are paired by number, generation and thread. */
#include "profile_fixture.h"

static mprof_collection collection_at(const test_log *log, size_t index)
{
	mprof_collection collection = {.struct_size = sizeof(collection)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_COLLECTIONS, index, &collection), MPROF_OK);
	return collection;
}

static void add_numbered(test_log *log, uint32_t kind, uint32_t number, uint64_t counter)
{
	add_full(log, kind, number, counter, 0, 0);
}

#define EXPECT_TIMES(log, index, expected_start, expected_duration, expected_mark, expected_sweep, expected_pause)     \
	do {                                                                                                           \
		mprof_collection found = collection_at(log, index);                                                    \
                                                                                                                       \
		cr_expect_eq(found.unfinished, 0);                                                                     \
		cr_expect_eq(found.start_ns, expected_start);                                                          \
		cr_expect_eq(found.duration_ns, expected_duration);                                                    \
		cr_expect_eq(found.mark_ns, expected_mark);                                                            \
		cr_expect_eq(found.sweep_ns, expected_sweep);                                                          \
		cr_expect_eq(found.pause_ns, expected_pause);                                                          \
	} while (0)

/* A collection that waits while a collection of another thread starts and ends; their phases overlap as well. */
static void add_two_collections(test_log *log, uint32_t first, uint32_t second)
{
	begin_block(log, 7, 0);
	add_numbered(log, MPROF_EVENT_GC_START, first, 100);
	add_numbered(log, MPROF_EVENT_GC_STOP_WORLD_START, first, 110);
	add_numbered(log, MPROF_EVENT_GC_STOP_WORLD_END, first, 600);
	add_numbered(log, MPROF_EVENT_GC_MARK_START, first, 610);
	add_numbered(log, MPROF_EVENT_GC_MARK_END, first, 670);
	add_numbered(log, MPROF_EVENT_GC_START_WORLD_START, first, 675);
	add_numbered(log, MPROF_EVENT_GC_START_WORLD_END, first, 680);
	add_numbered(log, MPROF_EVENT_GC_SWEEP_START, first, 690);
	add_numbered(log, MPROF_EVENT_GC_SWEEP_END, first, 720);
	add_numbered(log, MPROF_EVENT_GC_END, first, 800);
	end_block(log);
	begin_block(log, 8, 0);
	add_numbered(log, MPROF_EVENT_GC_START, second, 400);
	add_numbered(log, MPROF_EVENT_GC_STOP_WORLD_START, second, 410);
	add_numbered(log, MPROF_EVENT_GC_STOP_WORLD_END, second, 430);
	add_numbered(log, MPROF_EVENT_GC_MARK_START, second, 600);
	add_numbered(log, MPROF_EVENT_GC_MARK_END, second, 700);
	add_numbered(log, MPROF_EVENT_GC_START_WORLD_START, second, 705);
	add_numbered(log, MPROF_EVENT_GC_START_WORLD_END, second, 710);
	add_numbered(log, MPROF_EVENT_GC_SWEEP_START, second, 712);
	add_numbered(log, MPROF_EVENT_GC_SWEEP_END, second, 737);
	add_numbered(log, MPROF_EVENT_GC_END, second, 750);
	end_block(log);
}

Test(profile_collections, two_threads_with_numbers)
{
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MONO);
	add_two_collections(&log, 4, 5);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 2);
	cr_expect_eq(collection_at(&log, 0).number, 4);
	cr_expect_eq(collection_at(&log, 1).number, 5);
	EXPECT_TIMES(&log, 0, 100, 700, 60, 30, 570);
	EXPECT_TIMES(&log, 1, 400, 350, 100, 25, 300);
	cr_expect_eq(totals_of(&log).gc_ns, 700);
	log_release(&log);
}

Test(profile_collections, two_threads_without_numbers)
{
	test_log log;

	log_begin(&log);
	add_two_collections(&log, 0, 0);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 2);
	EXPECT_TIMES(&log, 0, 100, 700, 60, 30, 570);
	EXPECT_TIMES(&log, 1, 400, 350, 100, 25, 300);
	log_release(&log);
}

/* A concurrent collection that another thread ends; only the number is the same. */
Test(profile_collections, a_number_joins_threads)
{
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MONO);
	begin_block(&log, 7, 0);
	add_numbered(&log, MPROF_EVENT_GC_START, 1, 100);
	add_numbered(&log, MPROF_EVENT_GC_START, 2, 200);
	add_numbered(&log, MPROF_EVENT_GC_END, 2, 250);
	end_block(&log);
	begin_block(&log, 8, 0);
	add_numbered(&log, MPROF_EVENT_GC_START, 3, 300);
	add_numbered(&log, MPROF_EVENT_GC_END, 1, 400);
	add_numbered(&log, MPROF_EVENT_GC_END, 3, 450);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 3);
	EXPECT_TIMES(&log, 0, 100, 300, 0, 0, 0);
	EXPECT_TIMES(&log, 1, 200, 50, 0, 0, 0);
	EXPECT_TIMES(&log, 2, 300, 150, 0, 0, 0);
	log_release(&log);
}

/* If ends are lost, their collections stay unfinished, however many there are, and get no ends of others. */
Test(profile_collections, lost_ends)
{
	const uint32_t lost = 200;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint32_t i = 0; i < lost; i++)
		add_numbered(&log, MPROF_EVENT_GC_START, 0, 100 + i);
	add_numbered(&log, MPROF_EVENT_GC_END, 0, 1000);
	add_numbered(&log, MPROF_EVENT_GC_END, 0, 1001);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), lost);
	for (uint32_t i = 0; i < lost - 1; i++)
		cr_expect_eq(collection_at(&log, i).unfinished, 1);
	EXPECT_TIMES(&log, lost - 1, 100 + lost - 1, 1000 - (100 + lost - 1), 0, 0, 0);
	log_release(&log);
}

#define ARGUMENT(number, of_kind, of_encoding, of_role, of_name)                                                       \
	{                                                                                                              \
		.kind = MPROF_RECORD_ARGUMENT, .id = number, .as.argument = {                                          \
			of_kind,                                                                                       \
			of_encoding,                                                                                   \
			of_role,                                                                                       \
			0,                                                                                             \
			of_name,                                                                                       \
			""                                                                                             \
		}                                                                                                      \
	}
#define TYPE(number, ...)                                                                                              \
	{                                                                                                              \
		.kind = MPROF_RECORD_TYPE, .id = number, .as.type = { __VA_ARGS__ }                                    \
	}

enum { COLLECTION = 1, PHASE = 2, OTHER = 3 };

/* The types of a client that records for a JVM. */
static void write_types(test_log *log)
{
	const mprof_record text = {.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "G1 Young"};

	WRITE_RECORDS(log, MPROF_BLOCK_TEXTS, 0, text);
	WRITE_RECORDS(log, MPROF_BLOCK_TYPES, 0,
		      ARGUMENT(1, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, "collection"),
		      ARGUMENT(2, MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, 0, "collector"),
		      ARGUMENT(3, MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, "cause"),
		      ARGUMENT(4, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, "collection"),
		      ARGUMENT(5, MPROF_ARGUMENT_BOOLEAN, MPROF_ENCODING_UNSIGNED, 0, "is_pause"),
		      ARGUMENT(6, MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, "time"),
		      TYPE(COLLECTION, MPROF_TYPE_INSTANT, 0, 0, 1, 3, 0, "mprof.gc"),
		      TYPE(PHASE, MPROF_TYPE_SPAN, 0, 0, 4, 3, 0, "mprof.gc.phase"),
		      TYPE(OTHER, MPROF_TYPE_SPAN, 0, 0, 4, 3, 0, "another"));
}

/* An event with three arguments, the last one a text if it is not NULL. */
static void add_typed(test_log *log, uint32_t type, uint64_t counter, uint64_t first, uint64_t second, uint64_t third,
		      const char *text)
{
	const mprof_argument_value values[3] = {
		{first, NULL, 0}, {second, NULL, 0}, {third, (const uint8_t *)text, text != NULL ? strlen(text) : 0}};
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	uint8_t bytes[64];
	mprof_event event = {
		.kind = MPROF_EVENT_TYPED, .id = type, .counter = SESSION_START + counter, .more = {&detail}};

	for (size_t i = 0; i < 3; i++)
		detail.argument_size += mprof_argument_encode(
			&values[i], i == 2 && text != NULL ? MPROF_ENCODING_BYTES : MPROF_ENCODING_UNSIGNED,
			bytes + detail.argument_size, sizeof(bytes) - detail.argument_size);
	detail.arguments = bytes;
	cr_assert_eq(mprof_writer_write_events(log->writer, &event, 1, NULL), MPROF_OK);
}

/* Collections with a pause, a concurrent one, one of which nothing is known, and one whose stops are measured. */
Test(profile_collections, have_causes_and_phases)
{
	test_log log;

	log_begin_in(&log, MPROF_DIALECT_MPROF2, 1000, 0);
	write_types(&log);
	begin_block(&log, 7, 0);
	add_numbered(&log, MPROF_EVENT_GC_START, 1, 100);
	add_typed(&log, COLLECTION, 100, 1, 1, 0, "allocation failure");
	add_typed(&log, COLLECTION, 100, 1, 0, 0, "another cause");
	add_typed(&log, PHASE, 140, 1, 1, 40, NULL);
	add_typed(&log, OTHER, 140, 1, 1, 1000, NULL);
	add_numbered(&log, MPROF_EVENT_GC_END, 1, 150);
	add_numbered(&log, MPROF_EVENT_GC_START, 2, 200);
	add_typed(&log, PHASE, 290, 2, 0, 90, NULL);
	add_typed(&log, PHASE, 295, 2, 1, 5, NULL);
	add_numbered(&log, MPROF_EVENT_GC_END, 2, 300);
	add_numbered(&log, MPROF_EVENT_GC_START, 3, 400);
	add_typed(&log, COLLECTION, 400, 3, 77, 0, "System.gc()");
	add_numbered(&log, MPROF_EVENT_GC_END, 3, 500);
	add_numbered(&log, MPROF_EVENT_GC_START, 4, 600);
	add_numbered(&log, MPROF_EVENT_GC_STOP_WORLD_START, 4, 610);
	add_numbered(&log, MPROF_EVENT_GC_STOP_WORLD_END, 4, 620);
	add_typed(&log, PHASE, 640, 4, 1, 33, NULL);
	add_numbered(&log, MPROF_EVENT_GC_START_WORLD_START, 4, 690);
	add_numbered(&log, MPROF_EVENT_GC_START_WORLD_END, 4, 695);
	add_numbered(&log, MPROF_EVENT_GC_END, 4, 700);
	/* Of no collection, and of one that is not in the log. */
	add_typed(&log, PHASE, 710, 0, 1, 10, NULL);
	add_typed(&log, PHASE, 710, 99, 1, 10, NULL);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 4);
	cr_expect_str_eq(collection_at(&log, 0).name, "G1 Young");
	cr_expect_str_eq(collection_at(&log, 0).cause, "allocation failure");
	cr_expect_eq(collection_at(&log, 0).has_pause, 1);
	EXPECT_TIMES(&log, 0, 100, 50, 0, 0, 40);
	cr_expect_null(collection_at(&log, 1).name);
	cr_expect_null(collection_at(&log, 1).cause);
	cr_expect_eq(collection_at(&log, 1).has_pause, 1);
	EXPECT_TIMES(&log, 1, 200, 100, 0, 0, 5);
	cr_expect_null(collection_at(&log, 2).name, "its text is not defined");
	cr_expect_str_eq(collection_at(&log, 2).cause, "System.gc()");
	cr_expect_eq(collection_at(&log, 2).has_pause, 0);
	EXPECT_TIMES(&log, 2, 400, 100, 0, 0, 0);
	cr_expect_eq(collection_at(&log, 3).has_pause, 1);
	EXPECT_TIMES(&log, 3, 600, 100, 0, 0, 85);
	log_release(&log);
}
