/* SPDX-License-Identifier: MIT */
/* Ages of objects that threads free and resize themselves, as by reference counting. */
#include "model/ages_fixture.h"

#define OBJECTS 1000

static void free_object(test_log *log, uint32_t class_id, uint64_t counter, uint64_t address, uint64_t size)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = address};

	add_detailed(log, MPROF_EVENT_OBJECT_FREED, class_id, counter, size, &detail);
}

static void resize_object(test_log *log, uint32_t class_id, uint64_t counter, uint64_t from, uint64_t to, uint64_t size)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .object = from, .size = size};

	add_detailed(log, MPROF_EVENT_OBJECT_RESIZED, class_id, counter, to, &detail);
}

/* An event with a time. The allocations after it have the same one. */
static void pass(test_log *log, uint64_t counter)
{
	add_full(log, MPROF_EVENT_METHOD_ENTER, 1, counter, 0, 0);
}

static mprof_age_stats close_and_read(test_log *log)
{
	log_close(log, 0);
	log_read_ages(log, 0, 0);
	return ages_of(log);
}

static void expect_no_faults(const mprof_age_stats *all)
{
	cr_expect_eq(all->unmatched_deaths, 0);
	cr_expect_eq(all->missing_deaths, 0);
	cr_expect_eq(all->unmatched_moves, 0);
	cr_expect_eq(all->untracked, 0);
	cr_expect_eq(all->is_estimate, 0);
}

Test(profile_ages_freed, each_object_is_freed_before_its_address_is_used_again)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		const uint64_t address = 0x1000 + i % 4 * 32;

		allocate_object(&log, 1, 100 + i, address, 32, 0);
		free_object(&log, 1, 101 + i, address, 32);
	}
	end_block(&log);
	all = close_and_read(&log);
	cr_expect_eq(all.allocations, OBJECTS);
	cr_expect_eq(all.dead, OBJECTS);
	cr_expect_eq(all.deaths_read, OBJECTS);
	cr_expect_eq(all.live, 0);
	cr_expect_eq(all.live_bytes, 0);
	cr_expect_eq(all.peak_live, 1);
	cr_expect_eq(all.temporaries, OBJECTS);
	expect_no_faults(&all);
	log_release(&log);
}

Test(profile_ages_freed, objects_that_are_not_known)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 32, 0);
	allocate_object(&log, 1, 100, 0x2000, 32, 0);
	free_object(&log, 1, 110, 0x1000, 32);
	free_object(&log, 1, 120, 0x1000, 32); /* Twice. */
	free_object(&log, 1, 130, 0x9000, 32);
	free_object(&log, 1, 140, 0, 32);
	resize_object(&log, 1, 150, 0x9000, 0xa000, 64);
	resize_object(&log, 1, 160, 0x1000, 0x1000, 64);
	end_block(&log);
	all = close_and_read(&log);
	cr_expect_eq(all.deaths_read, 4);
	cr_expect_eq(all.dead, 1);
	cr_expect_eq(all.unmatched_deaths, 3);
	cr_expect_eq(all.unmatched_moves, 2);
	cr_expect_eq(all.live, 1);
	cr_expect_eq(all.live_bytes, 32);
	log_release(&log);
}

/* Thread 8 allocates at the address that thread 7 has freed. Its allocations have the time of the event before them. */
static void expect_address_used_again(uint64_t passed)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	pass(&log, 100);
	allocate_object(&log, 1, 100, 0x1000, 32, 0);
	free_object(&log, 1, 500, 0x1000, 32);
	end_block(&log);
	begin_block(&log, 8, passed);
	pass(&log, passed);
	allocate_object(&log, 2, passed, 0x1000, 8, 0);
	pass(&log, 600);
	end_block(&log);
	all = close_and_read(&log);
	cr_expect_eq(all.dead, 1);
	cr_expect_eq(all.dead_bytes, 32);
	cr_expect_eq(all.live, 1);
	cr_expect_eq(all.live_bytes, 8);
	cr_expect_eq(age_class_of(&log, 2).live, 1);
	cr_expect_eq(age_class_of(&log, 1).live, 0);
	expect_no_faults(&all);
	log_release(&log);
}

Test(profile_ages_freed, address_used_again_by_another_thread)
{
	/* The time of the allocation is after the free, before it, and before the allocation of the first object. */
	expect_address_used_again(510);
	expect_address_used_again(300);
	expect_address_used_again(50);
}

Test(profile_ages_freed, sizes_and_addresses_change)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 32, 0);
	allocate_object(&log, 2, 100, 0x2000, 16, 0);
	resize_object(&log, 1, 110, 0x1000, 0x1000, 64);
	resize_object(&log, 1, 120, 0x1000, 0x3000, 128);
	allocate_object(&log, 1, 120, 0x1000, 8, 0);
	resize_object(&log, 1, 130, 0x3000, 0x3000, 48);
	free_object(&log, 1, 140, 0x3000, 48);
	end_block(&log);
	all = close_and_read(&log);
	cr_expect_eq(all.allocations, 3);
	cr_expect_eq(all.bytes, 48 + 16 + 8);
	cr_expect_eq(all.dead, 1);
	cr_expect_eq(all.dead_bytes, 48);
	cr_expect_eq(all.live, 2);
	cr_expect_eq(all.live_bytes, 16 + 8);
	cr_expect_eq(all.peak_bytes, 128 + 16 + 8);
	expect_no_faults(&all);
	log_release(&log);
}

/* What a thread frees has survived all collections that began. */
Test(profile_ages_freed, ages_in_collections)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 32, 0);
	allocate_object(&log, 1, 100, 0x2000, 32, 0);
	free_object(&log, 1, 110, 0x2000, 32);
	collect(&log, 1, 200);
	free_object(&log, 1, 300, 0x1000, 32);
	end_block(&log);
	all = close_and_read(&log);
	cr_expect_eq(all.dead, 2);
	cr_expect_eq(all.temporaries, 1);
	cr_expect_eq(all.ages, 1);
	expect_no_faults(&all);
	log_release(&log);
}

/* The tables of a log that grows are those of the log as it is. */
Test(profile_ages_freed, figures_of_a_growing_log)
{
	mprof_profile_options options;
	mprof_age_stats all;
	mprof_block block;
	test_log log;

	log_begin_objects(&log);
	for (uint64_t i = 0; i < 100; i++) {
		begin_block(&log, 7 + i % 3, 100 + 10 * i);
		pass(&log, 100 + 10 * i);
		/* Written before the block with the free of the object that was there. */
		allocate_object(&log, 1, 100 + 10 * i, 0x1000 + i % 2 * 32, 32, 0);
		if (i >= 2)
			free_object(&log, 1, 101 + 10 * i, 0x1000 + i % 2 * 32, 32);
		end_block(&log);
	}
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	log_open(&log, &options);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(log.reader, &block) == MPROF_OK) {
		cr_assert_eq(mprof_profile_add_block(log.profile, log.reader, &block), MPROF_OK);
		cr_assert_eq(mprof_profile_finish(log.profile, log.reader), MPROF_OK);
		all = ages_of(&log);
		cr_assert_eq(all.allocations, all.dead + all.live);
	}
	all = ages_of(&log);
	cr_expect_eq(all.allocations, 100);
	cr_expect_eq(all.deaths_read, 98);
	cr_expect_eq(all.dead, 98);
	cr_expect_eq(all.live, 2);
	log_forget_profile(&log);
	log_read_ages(&log, 0, 0);
	all = ages_of(&log);
	cr_expect_eq(all.live, 2);
	cr_expect_eq(all.dead, 98);
	log_release(&log);
}

/* Of a log that is cut, what was read before the cut counts. */
Test(profile_ages_freed, cut_log)
{
	mprof_profile_options options;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	for (uint64_t i = 0; i < 20; i++) {
		allocate_object(&log, 1, 100 + i, 0x1000, 32, 0);
		free_object(&log, 1, 101 + i, 0x1000, 32);
	}
	end_block(&log);
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	for (size_t length = log.length; length > 0; length--) {
		mprof_age_stats all;

		if (mprof_reader_open_memory(log.bytes, length, NULL, &log.reader) == MPROF_OK) {
			cr_assert_eq(mprof_profile_create(&options, &log.profile), MPROF_OK);
			(void)!mprof_profile_read(log.profile, log.reader, NULL, NULL);
			all = ages_of(&log);
			cr_assert_eq(all.allocations, all.dead + all.live);
			cr_assert_leq(all.live, 1);
			cr_assert_eq(all.unmatched_deaths, 0);
			mprof_profile_destroy(log.profile);
		}
		mprof_reader_destroy(log.reader);
		log.profile = NULL;
		log.reader = NULL;
	}
	log_release(&log);
}
