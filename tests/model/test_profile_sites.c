/* SPDX-License-Identifier: MIT */
/* Allocation sites: by call stack, by method, and by the recorded calls. */
#include "profile_fixture.h"

static mprof_allocation_site site_of(const test_log *log, uint32_t class_id, uint32_t stack, uint32_t caller)
{
	mprof_allocation_site site;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_ALLOCATION_SITES); i++) {
		memset(&site, 0xff, sizeof(site));
		site.struct_size = sizeof(site);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_ALLOCATION_SITES, i, &site), MPROF_OK);
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
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_ALLOCATION_SITES), 5);
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
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_ALLOCATION_SITES), 9 * 300);
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

static void write_interval(test_log *log, const char *value)
{
	const mprof_property property = {"alloc_sample_bytes", value};

	cr_assert_eq(mprof_writer_write_session(log->writer, &property, sizeof(property), 1), MPROF_OK);
}

/* An object of as many bytes as the interval is chosen with the probability 1 - 1/e, so it stands for 1.582 objects. */
Test(profile_sites, samples_are_scaled)
{
	mprof_allocation_site site;
	test_log log;

	log_begin(&log);
	write_interval(&log, "1000");
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2));
	begin_block(&log, 7, 0);
	for (int i = 0; i < 1000; i++)
		allocate(&log, 1, 1000, i % 2 == 0 ? 1 : 0, 0);
	/* Small ones stand for about interval / size objects; of large ones, all are chosen. */
	for (int i = 0; i < 100; i++)
		allocate(&log, 2, 8, 1, 0);
	for (int i = 0; i < 3; i++)
		allocate(&log, 3, 1000000, 2, 0);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_ALLOCATION_SITES), 3);
	site = site_of(&log, 1, 1, 0);
	cr_expect_eq(site.samples, 500);
	cr_expect_eq(site.allocations, 791, "%llu", (unsigned long long)site.allocations);
	cr_expect_eq(site.bytes, 790988, "%llu", (unsigned long long)site.bytes);
	/* sqrt(500 * 1.582 * 0.582) = 21.5 */
	cr_expect_eq(site.allocations_error, 22, "%llu", (unsigned long long)site.allocations_error);
	cr_expect_eq(site.bytes_error, 21456, "%llu", (unsigned long long)site.bytes_error);
	site = site_of(&log, 2, 1, 0);
	cr_expect_eq(site.samples, 100);
	cr_expect_eq(site.allocations, 12550, "%llu", (unsigned long long)site.allocations);
	cr_expect_eq(site.bytes, 100401, "%llu", (unsigned long long)site.bytes);
	site = site_of(&log, 3, 2, 0);
	cr_expect_eq(site.samples, 3);
	cr_expect_eq(site.allocations, 3);
	cr_expect_eq(site.bytes, 3000000);
	cr_expect_eq(site.allocations_error, 0);
	cr_expect_eq(site.bytes_error, 0);
	/* Classes have all objects. */
	cr_expect_eq(class_of(&log, 1).allocations, 1000);
	cr_expect_eq(class_of(&log, 1).bytes, 1000000);
	log_release(&log);
}

/* The log has the chosen objects only: all sums are estimates. */
static void write_chosen(test_log *log)
{
	const mprof_property properties[] = {{"alloc_sample_bytes", "1000"}, {"alloc_sample_kind", "chosen"}};

	cr_assert_eq(mprof_writer_write_session(log->writer, properties, sizeof(properties[0]), 2), MPROF_OK);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2));
	begin_block(log, 7, 0);
	enter(log, 3, 0);
	for (int i = 0; i < 500; i++)
		allocate(log, 1, 1000, i % 2, 0);
	leave(log, 3, 10);
	for (int i = 0; i < 100; i++)
		allocate(log, 2, 8, 1, 0);
	for (int i = 0; i < 3; i++)
		allocate(log, 3, 1000000, 2, 0);
	end_block(log);
}

static void expect_chosen(const test_log *log)
{
	const mprof_profile_totals totals = totals_of(log);
	mprof_class_stats class = class_of(log, 1);

	cr_expect_eq(class.samples, 500);
	cr_expect_eq(class.allocations, 791, "%llu", (unsigned long long)class.allocations);
	cr_expect_eq(class.bytes, 790988, "%llu", (unsigned long long)class.bytes);
	cr_expect_eq(class.allocations_error, 22);
	cr_expect_eq(class.bytes_error, 21456);
	class = class_of(log, 2);
	cr_expect_eq(class.allocations, 12550, "%llu", (unsigned long long)class.allocations);
	cr_expect_eq(class.bytes, 100401, "%llu", (unsigned long long)class.bytes);
	cr_expect_eq(class_of(log, 3).bytes, 3000000);
	cr_expect_eq(class_of(log, 3).bytes_error, 0);
	cr_expect_eq(totals.allocation_samples, 603);
	cr_expect_eq(totals.allocations, 13344, "%llu", (unsigned long long)totals.allocations);
	cr_expect_eq(totals.allocated_bytes, 3891389, "%llu", (unsigned long long)totals.allocated_bytes);
	/* sqrt(22^2 + 100 * 125.5 * 124.5) */
	cr_expect_eq(totals.allocations_error, 1251, "%llu", (unsigned long long)totals.allocations_error);
	cr_expect_eq(totals.event_counts[MPROF_EVENT_ALLOCATION], 603);
	/* The sums of nodes are whole objects: at most one is carried over. */
	cr_expect_eq(CALL(log, 3).allocations, 790, "%llu", (unsigned long long)CALL(log, 3).allocations);
	cr_expect_eq(CALL(log, 3).bytes, 791000, "%llu", (unsigned long long)CALL(log, 3).bytes);
}

Test(profile_sites, chosen_allocations_stand_for_all)
{
	for (int has_columns = 0; has_columns <= 1; has_columns++) {
		test_log log;

		log_begin_in(&log, MPROF_DIALECT_MPROF2, 1000, has_columns);
		write_chosen(&log);
		log_profile(&log);
		expect_chosen(&log);
		log_release(&log);
	}
}

/* Only allocations after the property are samples, and only if its value is a positive number. */
Test(profile_sites, sampling_begins_and_ends)
{
	static const char *const invalid[] = {"0", "", "x", "10x", "-1", " 1000", "18446744073709551616"};
	mprof_allocation_site site;
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1));
	begin_block(&log, 7, 0);
	allocate(&log, 1, 1000, 1, 0);
	end_block(&log);
	write_interval(&log, "1000");
	begin_block(&log, 7, 10);
	allocate(&log, 1, 1000, 1, 0);
	allocate(&log, 1, 1000, 0, 2);
	end_block(&log);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		write_interval(&log, invalid[i]);
		begin_block(&log, 7, 20 + i);
		allocate(&log, 1, 1000, 1, 0);
		end_block(&log);
	}
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_ALLOCATION_SITES), 1);
	site = site_of(&log, 1, 1, 0);
	cr_expect_eq(site.samples, 1);
	cr_expect_eq(site.allocations, 10);
	cr_expect_eq(site.bytes, 9582);
	log_release(&log);
}

/* The largest interval and sizes that no program has make large sums, but no undefined ones. */
Test(profile_sites, extreme_samples)
{
	mprof_allocation_site site;
	test_log log;

	log_begin(&log);
	write_interval(&log, "18446744073709551615");
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 0, 2));
	begin_block(&log, 7, 0);
	allocate(&log, 1, 0, 1, 0);
	allocate(&log, 1, 1, 1, 0);
	allocate(&log, 1, UINT64_C(1) << 39, 2, 0);
	end_block(&log);
	log_profile(&log);
	site = site_of(&log, 1, 1, 0);
	cr_expect_eq(site.samples, 2);
	cr_expect_eq(site.allocations, UINT64_MAX);
	cr_expect_eq(site.bytes, UINT64_MAX);
	cr_expect_gt(site.bytes_error, UINT64_C(1) << 62);
	site = site_of(&log, 1, 2, 0);
	/* Half an object more than the interval divided by the size. */
	cr_expect_eq(site.allocations, (UINT64_C(1) << 25) + 1, "%llu", (unsigned long long)site.allocations);
	log_release(&log);
}
