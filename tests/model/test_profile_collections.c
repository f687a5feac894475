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
