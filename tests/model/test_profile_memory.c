/* SPDX-License-Identifier: MIT */
/* Native memory: totals, leaks, peak, temporaries and lifetimes, including blocks of threads that are out of order. */
#include "model/memory_fixture.h"

Test(profile_memory, known_figures_of_one_thread)
{
	mprof_memory_stats all;
	mprof_memory_site site;
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 0);
	allocate(&log, 100, 0x1000, 100, 1);
	allocate(&log, 200, 0x2000, 50, 2);
	release(&log, 250, 0x2000); /* Temporary. */
	allocate(&log, 300, 0x3000, 400, 2);
	allocate(&log, 400, 0x4000, 0, 3); /* The peak: 500 bytes in three blocks. */
	release(&log, 500, 0x3000);        /* Not temporary: there was another allocation in between. */
	release(&log, 600, 0x1000);
	allocate(&log, 700, 0x3000, 499, 1);
	release(&log, 800, 0x9000); /* Not allocated in the log. */
	end_block(&log);
	log_profile(&log);

	all = totals_of_memory(&log);
	cr_expect_eq(all.allocations, 5);
	cr_expect_eq(all.bytes, 1049);
	cr_expect_eq(all.frees, 3);
	cr_expect_eq(all.resizes, 0);
	cr_expect_eq(all.live, 2);
	cr_expect_eq(all.live_bytes, 499);
	cr_expect_eq(all.peak_bytes, 500);
	cr_expect_eq(all.peak_live, 2);
	cr_expect_eq(all.peak_ns, 300);
	cr_expect_eq(all.temporaries, 1);
	cr_expect_eq(all.unmatched_frees, 1);
	cr_expect_eq(all.missing_frees, 0);
	cr_expect_eq(all.late_events, 0);
	cr_expect_eq(all.is_estimate, 0);

	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MEMORY_SITES), 3);
	site = site_of(&log, 1);
	cr_expect_eq(site.allocations, 2);
	cr_expect_eq(site.bytes, 599);
	cr_expect_eq(site.frees, 1);
	cr_expect_eq(site.live, 1);
	cr_expect_eq(site.live_bytes, 499);
	cr_expect_eq(site.peak_live, 1);
	cr_expect_eq(site.peak_bytes, 100);
	cr_expect_eq(site.temporaries, 0);
	cr_expect_eq(site.lifetime_ns, 500);
	site = site_of(&log, 2);
	cr_expect_eq(site.live, 0);
	cr_expect_eq(site.peak_live, 1);
	cr_expect_eq(site.peak_bytes, 400);
	cr_expect_eq(site.temporaries, 1);
	cr_expect_eq(site.lifetime_ns, 250);
	cr_expect_eq(site.shortest_ns, 50);
	cr_expect_eq(site.longest_ns, 200);
	site = site_of(&log, 3);
	cr_expect_eq(site.live, 1);
	cr_expect_eq(site.peak_live, 0);
	log_release(&log);
}

Test(profile_memory, sizes_by_powers_of_two)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 4, 7, 8, UINT64_C(1) << 40};
	static const uint64_t expected[] = {1, 1, 2, 2, 1};
	mprof_memory_size size = {.struct_size = sizeof(size)};
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		allocate(&log, i, 16 * i, sizes[i], 0);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MEMORY_SIZES), 42);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY_SIZES, i, &size), MPROF_OK);
		cr_expect_eq(size.allocations, expected[i]);
	}
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY_SIZES, 3, &size), MPROF_OK);
	cr_expect_eq(size.smallest, 4);
	cr_expect_eq(size.largest, 7);
	cr_expect_eq(size.bytes, 11);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY_SIZES, 41, &size), MPROF_OK);
	cr_expect_eq(size.smallest, UINT64_C(1) << 40);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY_SIZES, 42, &size), MPROF_ERR_ARGUMENT);
	log_release(&log);
}

/* The frees of one thread precede the allocations of another one, as when its buffer was drained first. */
static void write_blocks_out_of_order(test_log *log, int with_watermarks)
{
	log_begin(log);
	define_stacks(log);
	begin_block(log, 8, 150);
	release(log, 150, 0x1000);
	allocate(log, 160, 0x1000, 30, 2);
	release(log, 350, 0x2000);
	end_block(log);
	begin_block(log, 7, 100);
	allocate(log, 100, 0x1000, 100, 1);
	allocate(log, 200, 0x2000, 80, 1);
	end_block(log);
	if (with_watermarks)
		watermark(log, 300);
	begin_block(log, 7, 340);
	allocate(log, 340, 0x3000, 5, 3);
	end_block(log);
	if (with_watermarks)
		watermark(log, 400);
}

Test(profile_memory, blocks_of_threads_are_put_in_order)
{
	for (int with_watermarks = 0; with_watermarks < 2; with_watermarks++) {
		mprof_memory_stats all;
		test_log log;

		write_blocks_out_of_order(&log, with_watermarks);
		log_profile(&log);
		all = totals_of_memory(&log);
		cr_expect_eq(all.allocations, 4);
		cr_expect_eq(all.frees, 2);
		cr_expect_eq(all.live, 2);
		cr_expect_eq(all.live_bytes, 35);
		cr_expect_eq(all.peak_bytes, 115);
		cr_expect_eq(all.peak_live, 3);
		cr_expect_eq(all.peak_ns, 340);
		cr_expect_eq(all.unmatched_frees, 0);
		cr_expect_eq(all.missing_frees, 0);
		cr_expect_eq(all.temporaries, 0);
		cr_expect_eq(all.is_estimate, 0);
		cr_expect_eq(site_of(&log, 1).peak_bytes, 80);
		cr_expect_eq(site_of(&log, 1).lifetime_ns, 50 + 150);
		cr_expect_eq(site_of(&log, 2).peak_bytes, 30);
		cr_expect_eq(site_of(&log, 3).peak_bytes, 5);
		log_release(&log);
	}
}

Test(profile_memory, events_older_than_a_watermark_before_them_are_counted)
{
	mprof_memory_stats all;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 100);
	allocate(&log, 100, 0x1000, 100, 0);
	allocate(&log, 300, 0x2000, 50, 0);
	end_block(&log);
	watermark(&log, 1000);
	begin_block(&log, 8, 200);
	release(&log, 200, 0x1000);
	end_block(&log);
	log_profile(&log);
	all = totals_of_memory(&log);
	cr_expect_eq(all.late_events, 1);
	/* Which blocks exist is known; only how many existed at a time is not. */
	cr_expect_eq(all.is_estimate, 0);
	cr_expect_eq(all.is_peak_estimate, 1);
	cr_expect_eq(all.live, 1);
	cr_expect_eq(all.frees, 1);
	log_release(&log);
}

Test(profile_memory, an_address_given_out_again_ends_the_block_before)
{
	mprof_memory_stats all;
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 100);
	allocate(&log, 100, 0x1000, 100, 1);
	allocate(&log, 200, 0x1000, 60, 2);
	release(&log, 300, 0x1000);
	end_block(&log);
	log_profile(&log);
	all = totals_of_memory(&log);
	cr_expect_eq(all.missing_frees, 1);
	cr_expect_eq(all.is_estimate, 1);
	cr_expect_eq(all.frees, 1);
	cr_expect_eq(all.live, 0);
	cr_expect_eq(all.live_bytes, 0);
	cr_expect_eq(all.peak_bytes, 100);
	cr_expect_eq(site_of(&log, 1).frees, 0);
	cr_expect_eq(site_of(&log, 1).live, 0);
	log_release(&log);
}

/* The counters of two processors differ slightly. */
Test(profile_memory, a_free_that_seems_to_come_too_late_is_found)
{
	mprof_memory_stats all;
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 100);
	allocate(&log, 100, 0x1000, 100, 1);
	release(&log, 203, 0x1000);
	end_block(&log);
	begin_block(&log, 8, 201);
	allocate(&log, 201, 0x1000, 60, 2);
	end_block(&log);
	log_profile(&log);
	all = totals_of_memory(&log);
	cr_expect_eq(all.missing_frees, 0);
	cr_expect_eq(all.is_estimate, 0);
	cr_expect_eq(all.live_bytes, 60);
	cr_expect_eq(all.peak_bytes, 100);
	cr_expect_eq(site_of(&log, 1).frees, 1);
	log_release(&log);
}

Test(profile_memory, resizes)
{
	mprof_memory_stats all;
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 100);
	allocate(&log, 100, 0x1000, 100, 1);
	resize(&log, 110, 120, 0x1000, 0x1000, 150, 2); /* At the same address; the old block was temporary. */
	resize(&log, 200, 260, 0x1000, 0x5000, 300, 2); /* Another thread gets the address meanwhile. */
	release(&log, 400, 0x5000);
	resize(&log, 410, 420, 0x7000, 0x8000, 10, 3); /* Allocated before recording started. */
	end_block(&log);
	begin_block(&log, 8, 230);
	allocate(&log, 230, 0x1000, 40, 1);
	release(&log, 240, 0x1000);
	allocate(&log, 250, 0x1000, 41, 1);
	end_block(&log);
	log_profile(&log);
	all = totals_of_memory(&log);
	cr_expect_eq(all.allocations, 6);
	cr_expect_eq(all.resizes, 3);
	cr_expect_eq(all.frees, 4);
	cr_expect_eq(all.live, 2);
	cr_expect_eq(all.live_bytes, 41 + 10);
	cr_expect_eq(all.peak_bytes, 300 + 41);
	cr_expect_eq(all.peak_ns, 260);
	/* The first, the second and the third block of the same thread; and that of the other thread. */
	cr_expect_eq(all.temporaries, 4);
	cr_expect_eq(all.unmatched_frees, 1);
	cr_expect_eq(all.missing_frees, 0);
	cr_expect_eq(all.late_events, 0);
	log_release(&log);
}

/* Two threads that free each other's memory before, in and after the window 300 to 600. */
static void write_for_windows(test_log *log)
{
	log_begin(log);
	define_stacks(log);
	begin_block(log, 7, 100);
	allocate(log, 100, 0x1000, 1000, 1); /* Freed in the window. */
	allocate(log, 110, 0x2000, 2000, 1); /* Resized in the window. */
	allocate(log, 120, 0x3000, 3000, 1); /* Freed after. */
	release(log, 130, 0xf000);           /* Unknown, before. */
	allocate(log, 300, 0x4000, 40, 1);   /* Freed in the window by thread 8. */
	release(log, 310, 0x1000);
	resize(log, 320, 330, 0x2000, 0x5000, 50, 2); /* Freed after. */
	allocate(log, 590, 0x6000, 60, 3);            /* Resized at the end of the window. */
	resize(log, 598, 600, 0x6000, 0x7000, 7000, 3);
	release(log, 700, 0x3000);
	release(log, 710, 0x5000);
	release(log, 720, 0x7000);
	end_block(log);
	begin_block(log, 8, 350);
	allocate(log, 350, 0x8000, 80, 3);
	release(log, 355, 0x8000);
	release(log, 360, 0xe000); /* Unknown. */
	release(log, 400, 0x4000);
	allocate(log, 650, 0x9000, 90, 3);
	end_block(log);
	log_close(log, 0);
}

static void read_part(test_log *log, uint64_t start, uint64_t end, uint64_t thread)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = (int64_t)start;
	options.window_end_ns = (int64_t)end;
	options.threads = &thread;
	options.thread_count = thread != 0;
	log_read(log, &options);
}

Test(profile_memory, a_window_counts_what_was_allocated_inside)
{
	mprof_memory_stats all;
	test_log log;

	write_for_windows(&log);
	read_part(&log, 300, 600, 0);
	all = totals_of_memory(&log);
	cr_expect_eq(all.allocations, 4);
	cr_expect_eq(all.bytes, 40 + 50 + 60 + 80);
	cr_expect_eq(all.resizes, 1);
	cr_expect_eq(all.frees, 2);
	cr_expect_eq(all.live, 2);
	cr_expect_eq(all.live_bytes, 50 + 60);
	cr_expect_eq(all.peak_bytes, 40 + 50 + 80);
	cr_expect_eq(all.peak_live, 3);
	cr_expect_eq(all.peak_ns, 350);
	cr_expect_eq(all.temporaries, 1);
	cr_expect_eq(all.unmatched_frees, 1);
	cr_expect_eq(all.missing_frees, 0);
	cr_expect_eq(all.is_estimate, 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MEMORY_SITES), 3);
	cr_expect_eq(site_of(&log, 1).lifetime_ns, 100);
	cr_expect_eq(site_of(&log, 3).live_bytes, 60);
	log_release(&log);
}

Test(profile_memory, some_threads_count_what_they_allocated)
{
	mprof_memory_stats all;
	test_log log;

	write_for_windows(&log);
	read_part(&log, 0, 0, 8);
	all = totals_of_memory(&log);
	cr_expect_eq(all.allocations, 2);
	cr_expect_eq(all.frees, 1);
	cr_expect_eq(all.live_bytes, 90);
	cr_expect_eq(all.unmatched_frees, 1);
	cr_expect_eq(all.peak_bytes, 90);
	log_forget_profile(&log);
	read_part(&log, 300, 600, 7);
	all = totals_of_memory(&log);
	cr_expect_eq(all.allocations, 3);
	cr_expect_eq(all.frees, 1, "thread 8 frees what thread 7 allocated");
	cr_expect_eq(all.live_bytes, 50 + 60);
	cr_expect_eq(all.peak_bytes, 50 + 60);
	cr_expect_eq(all.unmatched_frees, 0);
	log_release(&log);
}

/* The allocations of consecutive windows add up to those of the log, wherever the windows are divided. */
Test(profile_memory, allocations_of_windows_add_up)
{
	test_log log;

	write_for_windows(&log);
	for (uint64_t cut = 90; cut < 730; cut += 5) {
		mprof_memory_stats first;
		mprof_memory_stats second;

		read_part(&log, 0, cut, 0);
		first = totals_of_memory(&log);
		log_forget_profile(&log);
		read_part(&log, cut, 0, 0);
		second = totals_of_memory(&log);
		log_forget_profile(&log);
		cr_expect_eq(first.allocations + second.allocations, 9);
		cr_expect_eq(first.resizes + second.resizes, 2);
		cr_expect_eq(first.unmatched_frees + second.unmatched_frees, 2);
		cr_expect_eq(first.live + first.frees, first.allocations);
		cr_expect_eq(second.live + second.frees, second.allocations);
	}
	free(log.bytes);
}

Test(profile_memory, losses_make_an_estimate)
{
	const uint64_t lost[] = {0, 3};
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 100);
	allocate(&log, 100, 0x1000, 100, 0);
	end_block(&log);
	cr_assert_eq(mprof_writer_write_losses(log.writer, 7, lost, 2), MPROF_OK);
	log_profile(&log);
	cr_expect_eq(totals_of_memory(&log).is_estimate, 1);
	cr_expect_eq(totals_of_memory(&log).live, 1);
	log_release(&log);
}

Test(profile_memory, refuses_wrong_arguments)
{
	mprof_memory_stats stats = {.struct_size = sizeof(stats)};
	mprof_memory_site site = {.struct_size = sizeof(site)};
	mprof_memory_size size = {.struct_size = sizeof(size)};
	test_log log;

	log_begin(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row(NULL, MPROF_TABLE_MEMORY, 0, &stats), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY, 0, NULL), MPROF_ERR_ARGUMENT);
	stats.struct_size = 0;
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY, 0, &stats), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY_SITES, 0, &site), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(NULL, MPROF_TABLE_MEMORY_SITES, 0, &site), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MEMORY_SIZES, 0, &size), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(NULL, MPROF_TABLE_MEMORY_SIZES, 0, &size), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row_count(NULL, MPROF_TABLE_MEMORY_SITES), 0);
	cr_expect_eq(mprof_profile_get_row_count(NULL, MPROF_TABLE_MEMORY_SIZES), 0);
	cr_expect_eq(totals_of_memory(&log).is_estimate, 0);
	log_release(&log);
}

Test(profile_memory, any_program_of_threads)
{
	static program created;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		mprof_memory_stats all;
		test_log log;

		random_state = seed;
		make_program(&created);
		log_begin(&log);
		define_stacks(&log);
		write_program(&log, &created, STEPS, seed % 2 == 0 ? WITH_WATERMARKS : 0);
		log_profile(&log);
		all = totals_of_memory(&log);
		cr_expect_eq(all.allocations, created.all.allocations);
		cr_expect_eq(all.bytes, created.all.bytes);
		cr_expect_eq(all.frees, created.all.frees);
		cr_expect_eq(all.resizes, created.all.resizes);
		cr_expect_eq(all.live, created.all.live);
		cr_expect_eq(all.live_bytes, created.all.live_bytes);
		cr_expect_eq(all.peak_bytes, created.all.peak_bytes);
		cr_expect_eq(all.peak_live, created.all.peak_live);
		cr_expect_eq(all.temporaries, created.all.temporaries);
		cr_expect_eq(all.unmatched_frees, 0);
		cr_expect_eq(all.is_estimate, 0);
		for (uint32_t stack = 0; stack <= SITES; stack++) {
			cr_expect_eq(site_of(&log, stack).live_bytes, created.site_live[stack]);
			cr_expect_eq(site_of(&log, stack).peak_bytes, created.site_peak[stack]);
		}
		log_release(&log);
	}
}
