/* SPDX-License-Identifier: MIT */
/* Handles: which were created, which are alive, and their call sites. */
#include "profile_fixture.h"

static mprof_handle_stats handles_of(const test_log *log, uint32_t class_id, uint32_t type)
{
	mprof_handle_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_HANDLES); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_HANDLES, i, &stats), MPROF_OK);
		if (stats.class_id == class_id && stats.type == type)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

#define EXPECT_HANDLES(log, class_id, type, expected_created, expected_alive)                                          \
	do {                                                                                                           \
		mprof_handle_stats found_handles = handles_of(log, class_id, type);                                    \
                                                                                                                       \
		cr_expect_eq(found_handles.created, expected_created, "class %u: %lu created", class_id,               \
			     (unsigned long)found_handles.created);                                                    \
		cr_expect_eq(found_handles.alive, expected_alive, "class %u: %lu alive", class_id,                     \
			     (unsigned long)found_handles.alive);                                                      \
		cr_expect_eq(found_handles.deleted, (expected_created) - (expected_alive));                            \
	} while (0)

/* Alive handles that a call stack created. */
static uint64_t alive_of(const test_log *log, uint32_t class_id, uint32_t stack)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_HANDLE_SITES); i++) {
		mprof_handle_site site = {.struct_size = sizeof(site)};

		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_HANDLE_SITES, i, &site), MPROF_OK);
		if (site.class_id == class_id && site.stack == stack)
			return site.alive;
	}
	return UINT64_MAX;
}

static void create_handle(test_log *log, uint64_t counter, uint64_t handle, mprof_handle_type type, uint32_t class_id,
			  uint32_t stack)
{
	mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = 0x1000, .stack = stack, .handle_type = type};

	add_detailed(log, MPROF_EVENT_HANDLE_CREATED, class_id, counter, handle, &detail);
}

static void delete_handle(test_log *log, uint64_t counter, uint64_t handle, mprof_handle_type type)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .handle_type = type};

	add_detailed(log, MPROF_EVENT_HANDLE_DELETED, 0, counter, handle, &detail);
}

static void define_stacks(test_log *log)
{
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_METHOD(3, 0, 3));
}

Test(profile_handles, alive_by_class_type_and_maker)
{
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 0);
	for (uint64_t i = 0; i < 218; i++)
		create_handle(&log, i, 100 + i, MPROF_HANDLE_NORMAL, 1, i < 200 ? 1 : 2);
	create_handle(&log, 300, 1, MPROF_HANDLE_WEAK, 1, 3);
	create_handle(&log, 301, 2, MPROF_HANDLE_PINNED, 2, 3);
	delete_handle(&log, 302, 2, MPROF_HANDLE_PINNED);
	delete_handle(&log, 303, 217, MPROF_HANDLE_NORMAL);
	delete_handle(&log, 304, 317, MPROF_HANDLE_NORMAL);
	create_handle(&log, 305, 3, MPROF_HANDLE_WEAK_TRACK, 0, 0);
	end_block(&log);
	log_profile(&log);
	EXPECT_HANDLES(&log, 1, MPROF_HANDLE_NORMAL, 218, 216);
	EXPECT_HANDLES(&log, 1, MPROF_HANDLE_WEAK, 1, 1);
	EXPECT_HANDLES(&log, 2, MPROF_HANDLE_PINNED, 1, 0);
	EXPECT_HANDLES(&log, 0, MPROF_HANDLE_WEAK_TRACK, 1, 1);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HANDLES), 4);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HANDLE_SITES), 5);
	cr_expect_eq(alive_of(&log, 1, 1), 199);
	cr_expect_eq(alive_of(&log, 1, 2), 17);
	cr_expect_eq(alive_of(&log, 1, 3), 1);
	cr_expect_eq(alive_of(&log, 2, 3), 0);
	cr_expect_eq(totals_of(&log).handles_alive, 218);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_HANDLE_CREATED], 221);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_HANDLE_DELETED], 3);
	log_release(&log);
}

/* The same number with another type is another handle. */
Test(profile_handles, numbers_are_apart_by_type)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	create_handle(&log, 0, 5, MPROF_HANDLE_NORMAL, 1, 0);
	create_handle(&log, 1, 5, MPROF_HANDLE_PINNED, 1, 0);
	delete_handle(&log, 2, 5, MPROF_HANDLE_PINNED);
	end_block(&log);
	log_profile(&log);
	EXPECT_HANDLES(&log, 1, MPROF_HANDLE_NORMAL, 1, 1);
	EXPECT_HANDLES(&log, 1, MPROF_HANDLE_PINNED, 1, 0);
	log_release(&log);
}

/* A number is used three times, and is free most of the time; its class is that of the latest use. */
Test(profile_handles, numbers_that_are_used_again)
{
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 0);
	create_handle(&log, 0, 5, MPROF_HANDLE_NORMAL, 1, 1);
	delete_handle(&log, 10, 5, MPROF_HANDLE_NORMAL);
	create_handle(&log, 20, 5, MPROF_HANDLE_NORMAL, 2, 2);
	delete_handle(&log, 30, 5, MPROF_HANDLE_NORMAL);
	create_handle(&log, 40, 5, MPROF_HANDLE_NORMAL, 3, 3);
	end_block(&log);
	log_profile(&log);
	EXPECT_HANDLES(&log, 1, MPROF_HANDLE_NORMAL, 1, 0);
	EXPECT_HANDLES(&log, 2, MPROF_HANDLE_NORMAL, 1, 0);
	EXPECT_HANDLES(&log, 3, MPROF_HANDLE_NORMAL, 1, 1);
	log_release(&log);
}

/*
 * One thread creates handles that another one deletes, with the same numbers. The blocks of the two threads are in
 * either order.
 */
Test(profile_handles, blocks_out_of_order)
{
	for (int deletes_first = 0; deletes_first <= 1; deletes_first++) {
		test_log log;

		log_begin(&log);
		for (int step = 0; step < 2; step++) {
			int is_deleting = step != deletes_first;

			begin_block(&log, is_deleting ? 8 : 7, 0);
			for (uint64_t i = 0; i < 10; i++) {
				if (is_deleting)
					delete_handle(&log, 20 * i + 10, 5, MPROF_HANDLE_NORMAL);
				else
					create_handle(&log, 20 * i, 5, MPROF_HANDLE_NORMAL, 1 + (uint32_t)i % 2, 0);
			}
			if (!is_deleting)
				create_handle(&log, 1000, 5, MPROF_HANDLE_NORMAL, 3, 0);
			end_block(&log);
		}
		log_profile(&log);
		EXPECT_HANDLES(&log, 1, MPROF_HANDLE_NORMAL, 5, 0);
		EXPECT_HANDLES(&log, 2, MPROF_HANDLE_NORMAL, 5, 0);
		EXPECT_HANDLES(&log, 3, MPROF_HANDLE_NORMAL, 1, 1);
		cr_expect_eq(totals_of(&log).handles_alive, 1);
		log_release(&log);
	}
}

/* Recording started late, or a deletion was lost: a handle that is created over another one replaces it. */
Test(profile_handles, events_that_are_missing)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	delete_handle(&log, 0, 5, MPROF_HANDLE_NORMAL);
	create_handle(&log, 10, 5, MPROF_HANDLE_NORMAL, 1, 0);
	create_handle(&log, 20, 6, MPROF_HANDLE_NORMAL, 1, 0);
	create_handle(&log, 30, 6, MPROF_HANDLE_NORMAL, 2, 0);
	delete_handle(&log, 40, 7, MPROF_HANDLE_NORMAL);
	end_block(&log);
	log_profile(&log);
	EXPECT_HANDLES(&log, 1, MPROF_HANDLE_NORMAL, 2, 1);
	EXPECT_HANDLES(&log, 2, MPROF_HANDLE_NORMAL, 1, 1);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HANDLES), 2);
	log_release(&log);
}
