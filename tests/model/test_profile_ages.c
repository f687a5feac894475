/* SPDX-License-Identifier: MIT */
/* Ages of objects: what lives and dies when, at which call site, and the history of the heap. */
#include "model/ages_fixture.h"

static void define_recursion(test_log *log)
{
	/* 1: m1, 2: m1 m2, 3: m1 m2 m2, 4: m1 m2 m2 m3, 5: m1 m2 m3, 6: m1 m2 m1 m2 m3 */
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_METHOD(3, 2, 2), STACK_OF_METHOD(4, 3, 3), STACK_OF_METHOD(5, 2, 3),
		      STACK_OF_METHOD(6, 2, 1), STACK_OF_METHOD(7, 6, 2), STACK_OF_METHOD(8, 7, 3));
}

/* A program whose figures are known. */
static void profile_known_program(test_log *log)
{
	log_begin_objects(log);
	define_recursion(log);
	begin_block(log, 7, 100);
	allocate_object(log, 1, 100, 0x1000, 16, 1); /* Temporary. */
	allocate_object(log, 1, 100, 0x2000, 32, 1); /* Dies at the third collection: age 2. */
	allocate_object(log, 2, 100, 0x3000, 64, 2); /* Alive: age 3. */
	collect(log, 1, 200);
	add_full(log, MPROF_EVENT_GC_RESIZE, 0, 220, 1 << 19, 0);
	end_block(log);
	write_death(log, 250, 1, 0x1000, 16);
	begin_block(log, 7, 300);
	allocate_object(log, 1, 300, 0x1000, 8, 2); /* Alive: age 2. */
	collect(log, 2, 400);
	add_full(log, MPROF_EVENT_GC_RESIZE, 0, 450, 1 << 20, 0);
	end_block(log);
	write_move(log, 460, 0x2000, 0x8000);
	begin_block(log, 7, 500);
	collect(log, 3, 500);
	end_block(log);
	write_death(log, 550, 1, 0x8000, 32);
	write_death(log, 551, 3, 0x9000, 24); /* Not allocated in the log. */
	log_close(log, 0);
	log_read_ages(log, 0, 0);
}

Test(profile_ages, known_totals)
{
	mprof_age_stats all;
	test_log log;

	profile_known_program(&log);
	all = ages_of(&log);
	cr_expect_eq(all.allocations, 4);
	cr_expect_eq(all.bytes, 120);
	cr_expect_eq(all.dead, 2);
	cr_expect_eq(all.dead_bytes, 48);
	cr_expect_eq(all.live, 2);
	cr_expect_eq(all.live_bytes, 72);
	cr_expect_eq(all.peak_live, 3);
	cr_expect_eq(all.peak_bytes, 112);
	cr_expect_eq(all.peak_ns, 100);
	cr_expect_eq(all.temporaries, 1);
	cr_expect_eq(all.temporary_bytes, 16);
	cr_expect_eq(all.ages, 0 + 2 + 3 + 2);
	cr_expect_eq(all.collections, 3);
	cr_expect_eq(all.deaths_read, 3);
	cr_expect_eq(all.unmatched_deaths, 1);
	cr_expect_eq(all.missing_deaths, 0);
	cr_expect_eq(all.unmatched_moves, 0);
	cr_expect_eq(all.is_estimate, 0);
	log_release(&log);
}

Test(profile_ages, known_classes_and_sites)
{
	mprof_age_class row;
	mprof_age_site site;
	test_log log;

	profile_known_program(&log);
	row = age_class_of(&log, 1);
	cr_expect_eq(row.sites, 2);
	cr_expect_eq(row.allocations, 3);
	cr_expect_eq(row.bytes, 56);
	cr_expect_eq(row.ages, 4);
	cr_expect_eq(row.peak_bytes, 48);
	cr_expect_eq(row.live_bytes, 8);
	site = age_site_of(&log, 1, 1);
	cr_expect_eq(site.allocations, 2);
	cr_expect_eq(site.temporaries, 1);
	cr_expect_eq(site.ages, 2);
	cr_expect_eq(site.live, 0);
	cr_expect_eq(site.peak_bytes, 48);
	site = age_site_of(&log, 1, 2);
	cr_expect_eq(site.live_bytes, 8);
	cr_expect_eq(site.peak_bytes, 0);
	log_release(&log);
}

Test(profile_ages, known_history)
{
	mprof_heap_change_entry entry;
	test_log log;

	profile_known_program(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_CHANGES), 7);
	entry = heap_change_at(&log, 0);
	cr_expect_eq(entry.kind, MPROF_HEAP_CHANGE_START);
	cr_expect_eq(entry.bytes_before, 0);
	entry = heap_change_at(&log, 1);
	cr_expect_eq(entry.kind, MPROF_HEAP_CHANGE_COLLECTION);
	cr_expect_eq(entry.number, 1);
	cr_expect_eq(entry.time_ns, 200);
	cr_expect_eq(entry.objects_before, 3);
	cr_expect_eq(entry.bytes_before, 112);
	cr_expect_eq(entry.collected_objects, 1);
	cr_expect_eq(entry.collected_bytes, 16);
	/* The log has the deaths of the first collection after the resize, which is without them nevertheless. */
	entry = heap_change_at(&log, 2);
	cr_expect_eq(entry.kind, MPROF_HEAP_CHANGE_RESIZE);
	cr_expect_eq(entry.heap_bytes, 1 << 19);
	cr_expect_eq(entry.objects_before, 2);
	cr_expect_eq(entry.bytes_before, 96);
	cr_expect_eq(entry.collected_bytes, 0);
	entry = heap_change_at(&log, 4);
	cr_expect_eq(entry.kind, MPROF_HEAP_CHANGE_RESIZE);
	cr_expect_eq(entry.heap_bytes, 1 << 20);
	entry = heap_change_at(&log, 5);
	cr_expect_eq(entry.collected_objects, 2);
	cr_expect_eq(entry.collected_bytes, 56);
	entry = heap_change_at(&log, 6);
	cr_expect_eq(entry.kind, MPROF_HEAP_CHANGE_END);
	cr_expect_eq(entry.time_ns, 1000000000);
	log_release(&log);
}

Test(profile_ages, nothing_without_the_option)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 16, 0);
	end_block(&log);
	log_profile(&log);
	all = ages_of(&log);
	cr_expect_eq(all.allocations, 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_AGE_CLASSES), 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_CHANGES), 0);
	log_release(&log);
}

Test(profile_ages, recursion_is_one_site)
{
	mprof_stack_frame frames[4];
	size_t count;
	test_log log;

	log_begin_objects(&log);
	define_recursion(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 16, 5);
	allocate_object(&log, 1, 100, 0x2000, 16, 4);
	allocate_object(&log, 1, 100, 0x3000, 16, 8);
	allocate_object(&log, 1, 100, 0x4000, 16, 2);
	end_block(&log);
	log_close(&log, 0);
	log_read_ages(&log, 0, 0);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_AGE_SITES), 2);
	cr_expect_eq(age_site_of(&log, 1, 5).allocations, 3);
	cr_expect_eq(age_site_of(&log, 1, 2).allocations, 1);
	cr_assert_eq(mprof_profile_get_age_site_frames(log.profile, 0, frames, sizeof(frames[0]), 2, &count), MPROF_OK);
	cr_expect_eq(count, 3);
	cr_expect_eq(frames[0].id, 3);
	cr_expect_eq(frames[1].id, 2);
	cr_expect_eq(mprof_profile_get_age_site_frames(log.profile, 2, frames, sizeof(frames[0]), 2, &count),
		     MPROF_ERR_ARGUMENT);
	log_release(&log);
}

/* The recorder writes the death of an object whose address was used again after the new object's allocation. */
Test(profile_ages, address_used_again)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 16, 0);
	allocate_object(&log, 1, 100, 0x2000, 16, 0);
	collect(&log, 1, 200);
	allocate_object(&log, 2, 200, 0x1000, 40, 0);
	end_block(&log);
	write_death(&log, 250, 1, 0x1000, 16);
	/* An object is moved to the address of a dead one. */
	begin_block(&log, 7, 300);
	collect(&log, 2, 300);
	end_block(&log);
	write_move(&log, 350, 0x1000, 0x2000);
	write_death(&log, 351, 1, 0x2000, 16);
	log_close(&log, 0);
	log_read_ages(&log, 0, 0);
	all = ages_of(&log);
	cr_expect_eq(all.live, 1);
	cr_expect_eq(all.live_bytes, 40);
	cr_expect_eq(all.dead, 2);
	cr_expect_eq(all.missing_deaths, 0);
	cr_expect_eq(all.unmatched_deaths, 0);
	cr_expect_eq(all.temporaries, 1);
	cr_expect_eq(all.is_estimate, 0);
	log_release(&log);
}

Test(profile_ages, missing_deaths_and_moves_are_stated)
{
	mprof_age_stats all;
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 16, 0);
	collect(&log, 1, 200);
	allocate_object(&log, 1, 200, 0x1000, 16, 0);
	allocate_object(&log, 1, 200, 0, 16, 0);
	end_block(&log);
	write_move(&log, 250, 0x7000, 0x7100);
	log_close(&log, 0);
	log_read_ages(&log, 0, 0);
	all = ages_of(&log);
	cr_expect_eq(all.missing_deaths, 1);
	cr_expect_eq(all.unmatched_moves, 1);
	cr_expect_eq(all.without_address, 1);
	cr_expect_eq(all.live, 1);
	cr_expect_eq(all.is_estimate, 1);
	log_release(&log);
}

/* What was alive at a time is what lives at the end of a window that ends then. */
Test(profile_ages, alive_at_a_time)
{
	mprof_profile_options options;
	mprof_profile_totals totals = {.struct_size = sizeof(totals)};
	test_log log;

	log_begin_objects(&log);
	begin_block(&log, 7, 100);
	allocate_object(&log, 1, 100, 0x1000, 16, 0);
	collect(&log, 1, 200);
	end_block(&log);
	write_death(&log, 250, 1, 0x1000, 16);
	begin_block(&log, 7, 300);
	allocate_object(&log, 2, 300, 0x2000, 32, 0);
	end_block(&log);
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.alive_at_ns = 250;
	log_read(&log, &options);
	cr_expect_eq(ages_of(&log).live, 1);
	cr_expect_eq(ages_of(&log).live_bytes, 16);
	cr_expect_eq(heap_change_at(&log, 2).time_ns, 250);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_TOTALS, 0, &totals), MPROF_OK);
	cr_expect_eq(totals.allocations, 2);
	log_forget_profile(&log);
	options.alive_at_ns = 0;
	options.window_start_ns = 300;
	log_read(&log, &options);
	cr_expect_eq(ages_of(&log).allocations, 1);
	cr_expect_eq(ages_of(&log).live_bytes, 32);
	cr_expect_eq(heap_change_at(&log, 0).time_ns, 300);
	log_release(&log);
}
