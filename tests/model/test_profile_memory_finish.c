/* SPDX-License-Identifier: MIT */
/*
 * If a profile is finished repeatedly while a log grows, its metrics of native memory are those of one finish at that
 * time.
 */
#include "model/memory_fixture.h"

#define FEW_STEPS 2400

static void expect_same_memory(const test_log *one, const test_log *other)
{
	mprof_memory_stats one_stats = totals_of_memory(one);
	mprof_memory_stats other_stats = totals_of_memory(other);

	cr_assert_arr_eq(&one_stats, &other_stats, sizeof(one_stats), "%lu %lu %lu, not %lu %lu %lu",
			 (unsigned long)one_stats.live, (unsigned long)one_stats.late_events,
			 (unsigned long)one_stats.unmatched_frees, (unsigned long)other_stats.live,
			 (unsigned long)other_stats.late_events, (unsigned long)other_stats.unmatched_frees);
	expect_same_rows(MPROF_TABLE_MEMORY_SITES, one, other);
	expect_same_rows(MPROF_TABLE_MEMORY_SIZES, one, other);
}

/* The metrics of the first blocks of a log, finished once. */
static void expect_those_of_one_finish(const test_log *often, const mprof_profile_options *options, size_t blocks)
{
	test_log once = *often;

	log_open(&once, options);
	for (size_t i = 0; i < blocks; i++)
		cr_assert(add_next_block(&once));
	finish(&once);
	expect_same_memory(often, &once);
	log_forget_profile(&once);
}

static void expect_same_however_often(test_log *log, const mprof_profile_options *options)
{
	test_log once = *log;
	size_t blocks = 0;

	log_open(log, options);
	while (add_next_block(log)) {
		finish(log);
		if (++blocks % 16 == 0)
			expect_those_of_one_finish(log, options, blocks);
		if (blocks % 5 == 0)
			finish(log);
	}
	log_read(&once, options);
	expect_same_memory(log, &once);
	log_forget_profile(&once);
	log_forget_profile(log);
}

static void expect_same_of_parts(test_log *log)
{
	const uint64_t threads[] = {1, 3};
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	expect_same_however_often(log, &options);
	options.window_start_ns = (int64_t)(FEW_STEPS * 3);
	options.window_end_ns = (int64_t)(FEW_STEPS * 8);
	expect_same_however_often(log, &options);
	options.threads = threads;
	options.thread_count = 2;
	expect_same_however_often(log, &options);
}

Test(profile_memory_finish, any_program_of_threads)
{
	static program created;
	uint64_t late = 0;
	uint64_t missing = 0;

	for (int flags = 0; flags <= (WITH_WATERMARKS | WITH_FAULTS); flags++) {
		for (uint64_t seed = 1; seed <= 3; seed++) {
			test_log log;

			random_state = seed;
			make_program(&created);
			log_begin(&log);
			define_stacks(&log);
			write_program(&log, &created, FEW_STEPS, flags);
			log_close(&log, 0);
			expect_same_of_parts(&log);
			log_read(&log, NULL);
			cr_expect_eq(totals_of_memory(&log).is_estimate, (flags & WITH_FAULTS) != 0);
			late += totals_of_memory(&log).late_events;
			missing += totals_of_memory(&log).missing_frees;
			log_release(&log);
		}
	}
	cr_expect_gt(late, 0);
	cr_expect_gt(missing, 0);
}

/* A free that seems to be late is searched for among the events that are held back, and is still there afterwards. */
Test(profile_memory_finish, a_free_that_seems_to_come_too_late)
{
	mprof_profile_options options;
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
	begin_block(&log, 9, 150);
	allocate(&log, 150, 0x2000, 10, 3);
	resize(&log, 160, 202, 0x2000, 0x3000, 20, 3);
	end_block(&log);
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	expect_same_however_often(&log, &options);
	log_open(&log, NULL);
	while (add_next_block(&log))
		finish(&log);
	cr_expect_eq(totals_of_memory(&log).missing_frees, 0);
	cr_expect_eq(totals_of_memory(&log).late_events, 0);
	cr_expect_eq(totals_of_memory(&log).live_bytes, 80);
	log_release(&log);
}

/* The results include everything that was read, not only what a watermark covers, even if the log is truncated. */
Test(profile_memory_finish, figures_are_those_of_all_that_was_read)
{
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 100);
	allocate(&log, 100, 0x1000, 100, 1);
	end_block(&log);
	watermark(&log, 150);
	begin_block(&log, 7, 200);
	allocate(&log, 200, 0x2000, 50, 2);
	end_block(&log);
	log_close(&log, 1);
	log_open(&log, NULL);
	cr_expect_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_ERR_TRUNCATED);
	cr_expect_eq(totals_of_memory(&log).live, 2);
	cr_expect_eq(totals_of_memory(&log).is_estimate, 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MEMORY_SITES), 2);
	log_release(&log);
}
