/* SPDX-License-Identifier: MIT */
/* Allocation sites: by call stack, by method, and by the recorded calls. */
#include "profile_fixture.h"

static mprof_allocation_site site_of(const test_log *log, uint32_t class_id, uint32_t stack, uint32_t caller)
{
	mprof_allocation_site site;

	for (size_t i = 0; i < mprof_profile_get_allocation_site_count(log->profile); i++) {
		memset(&site, 0xff, sizeof(site));
		site.struct_size = sizeof(site);
		cr_assert_eq(mprof_profile_get_allocation_site(log->profile, i, &site), MPROF_OK);
		if (site.class_id == class_id && site.stack == stack && site.caller == caller)
			return site;
	}
	memset(&site, 0, sizeof(site));
	return site;
}

static void allocate(test_log *log, uint32_t class_id, uint64_t bytes, uint32_t stack, uint32_t caller)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .caller = caller, .stack = stack};

	add_detailed(log, MPROF_EVENT_ALLOCATION, class_id, 0, bytes, &detail);
}

Test(profile_sites, allocations_by_place)
{
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2));
	begin_block(&log, 7, 0);
	for (uint64_t i = 0; i < 10; i++)
		allocate(&log, 1, 16, i % 2 == 0 ? 1 : 2, 0);
	allocate(&log, 2, 100, 2, 0);
	allocate(&log, 2, 50, 0, 3);
	allocate(&log, 2, 50, 2, 3);
	allocate(&log, 2, 1000, 0, 0);
	end_block(&log);
	log_profile(&log);
	/* Allocations without any details are listed by class only. */
	cr_expect_eq(mprof_profile_get_allocation_site_count(log.profile), 5);
	cr_expect_eq(site_of(&log, 1, 1, 0).allocations, 5);
	cr_expect_eq(site_of(&log, 1, 1, 0).bytes, 80);
	cr_expect_eq(site_of(&log, 1, 2, 0).allocations, 5);
	cr_expect_eq(site_of(&log, 2, 2, 0).bytes, 100);
	cr_expect_eq(site_of(&log, 2, 0, 3).bytes, 50);
	cr_expect_eq(site_of(&log, 2, 2, 3).bytes, 50);
	cr_expect_eq(class_of(&log, 2).allocations, 4);
	cr_expect_eq(class_of(&log, 2).bytes, 1200);
	cr_expect_eq(totals_of(&log).allocated_bytes, 1360);
	log_release(&log);
}

/* More sites than the initial capacity of the table. */
Test(profile_sites, many_places)
{
	mprof_record stacks[300];
	uint64_t bytes = 0;
	test_log log;

	memset(stacks, 0, sizeof(stacks));
	for (uint32_t i = 0; i < 300; i++) {
		stacks[i].kind = MPROF_RECORD_STACK;
		stacks[i].id = i + 1;
		stacks[i].as.stack.target = i % 9 + 1;
	}
	log_begin(&log);
	write_records(&log, MPROF_BLOCK_STACKS, 0, stacks, 300);
	begin_block(&log, 7, 0);
	for (uint32_t i = 0; i < 9 * 300 * 2; i++)
		allocate(&log, 1, i, i / 9 % 300 + 1, i % 9 + 1);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_allocation_site_count(log.profile), 9 * 300);
	for (uint32_t i = 0; i < 9 * 300; i++) {
		mprof_allocation_site site = site_of(&log, 1, i / 9 % 300 + 1, i % 9 + 1);

		cr_assert_eq(site.allocations, 2);
		cr_assert_eq(site.bytes, 2 * (uint64_t)i + 9 * 300);
		bytes += site.bytes;
	}
	cr_expect_eq(bytes, totals_of(&log).allocated_bytes);
	log_release(&log);
}

Test(profile_sites, allocations_in_the_call_tree)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 8, 0);
	enter(&log, 1, 10);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 16, 0);
	enter(&log, 2, 20);
	add_full(&log, MPROF_EVENT_ALLOCATION, 2, 0, 32, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 32, 0);
	leave(&log, 2, 30);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 16, 0);
	leave(&log, 1, 40);
	enter(&log, 2, 50);
	add_full(&log, MPROF_EVENT_ALLOCATION, 2, 0, 64, 0);
	leave(&log, 2, 60);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(call_at(&log, MPROF_CALL_ROOT).allocations, 1);
	cr_expect_eq(call_at(&log, MPROF_CALL_ROOT).bytes, 8);
	cr_expect_eq(CALL(&log, 1).allocations, 2);
	cr_expect_eq(CALL(&log, 1).bytes, 32);
	cr_expect_eq(CALL(&log, 1, 2).allocations, 2);
	cr_expect_eq(CALL(&log, 1, 2).bytes, 64);
	cr_expect_eq(CALL(&log, 2).allocations, 1);
	cr_expect_eq(CALL(&log, 2).bytes, 64);
	log_release(&log);
}
