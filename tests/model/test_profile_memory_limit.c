/* SPDX-License-Identifier: MIT */
/* With too little memory to track native memory, allocations are counted exactly and the rest is an estimate. */
#define SLOTS 2500
#define SITES 1000

#include "model/memory_fixture.h"

#define FEW_STEPS 8000
#define MAX_LIMIT (UINT64_C(16) << 20)

typedef void (*read_function)(test_log *log, const mprof_profile_options *options);

/* How often a limit had an effect. */
typedef struct limit_counts {
	size_t folded;
	size_t untracked;
	size_t late;
	size_t same;
} limit_counts;

static void write_log(test_log *log)
{
	static program created;
	static mprof_record stacks[SITES];

	random_state = 1;
	make_program(&created);
	for (uint32_t i = 0; i < SITES; i++)
		stacks[i] = (mprof_record)STACK_OF_METHOD(i + 1, i, 1 + i % DEFINED_IDS);
	log_begin(log);
	write_records(log, MPROF_BLOCK_STACKS, 0, stacks, SITES);
	write_program(log, &created, FEW_STEPS, WITH_WATERMARKS);
	log_close(log, 0);
}

static void read_often(test_log *log, const mprof_profile_options *options)
{
	log_open(log, options);
	while (add_next_block(log))
		finish(log);
}

static void expect_same_allocations(const test_log *all, const test_log *limited)
{
	mprof_memory_stats wanted = totals_of_memory(all);
	mprof_memory_stats found = totals_of_memory(limited);

	cr_assert_eq(found.allocations, wanted.allocations);
	cr_assert_eq(found.bytes, wanted.bytes);
	cr_assert_eq(found.resizes, wanted.resizes);
	cr_assert_eq(found.frees + found.live + found.missing_frees + found.untracked, found.allocations);
	cr_assert_eq(found.is_estimate,
		     found.untracked + found.missing_frees > 0 || (found.late_events > 0 && found.unmatched_frees > 0));
	cr_assert_eq(found.is_peak_estimate, found.is_estimate || found.late_events > 0);
	/* What is not called an estimate is exact, also if events were late. */
	if (!found.is_estimate) {
		cr_assert_eq(found.frees, wanted.frees);
		cr_assert_eq(found.live, wanted.live);
		cr_assert_eq(found.live_bytes, wanted.live_bytes);
	}
	if (!found.is_peak_estimate)
		cr_assert_eq(found.peak_bytes, wanted.peak_bytes);
	if (found.late_events == 0)
		cr_assert_leq(found.unmatched_frees, wanted.unmatched_frees + found.untracked);
	expect_same_rows(MPROF_TABLE_MEMORY_SIZES, all, limited);
}

/* Sites add up to the totals; those that are not folded have all allocations of their call stack. */
static void expect_sound_sites(const test_log *all, const test_log *limited)
{
	const mprof_memory_stats stats = totals_of_memory(limited);
	size_t count = mprof_profile_get_row_count(limited->profile, MPROF_TABLE_MEMORY_SITES);
	mprof_memory_site site = {.struct_size = sizeof(site)};
	uint64_t allocations = 0;
	uint64_t bytes = 0;
	uint64_t live = 0;
	uint64_t peak = 0;
	uint64_t folded = 0;

	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(mprof_profile_get_row(limited->profile, MPROF_TABLE_MEMORY_SITES, i, &site), MPROF_OK);
		allocations += site.allocations;
		bytes += site.bytes;
		live += site.live_bytes;
		peak += site.peak_bytes;
		if (site.is_folded) {
			cr_assert_eq(i, count - 1);
			cr_assert_eq(site.stack, 0);
			folded = site.allocations;
		} else {
			cr_assert_eq(site.allocations, site_of(all, site.stack).allocations);
			cr_assert_eq(site.bytes, site_of(all, site.stack).bytes);
		}
	}
	cr_assert_eq(allocations, stats.allocations);
	cr_assert_eq(bytes, stats.bytes);
	cr_assert_eq(live, stats.live_bytes);
	cr_assert_eq(peak, stats.peak_bytes);
	cr_assert_eq(folded, stats.folded_sites);
	cr_assert_eq(mprof_profile_get_row(limited->profile, MPROF_TABLE_MEMORY_SITES, count, &site),
		     MPROF_ERR_ARGUMENT);
}

static limit_counts compare_at_all_limits(read_function read)
{
	mprof_profile_options options;
	limit_counts counts = {0};
	test_log all;
	test_log limited;

	write_log(&all);
	mprof_profile_options_init(&options, sizeof(options));
	limited = all;
	log_read(&all, &options);
	for (uint64_t limit = 12288; counts.same < 3 && limit < MAX_LIMIT; limit += limit / 16) {
		mprof_profile_totals totals;
		mprof_memory_stats stats;

		options.max_memory = limit;
		read(&limited, &options);
		totals = totals_of(&limited);
		stats = totals_of_memory(&limited);
		cr_assert_eq(totals.left_out, 0, "%lu events left out at %lu", (unsigned long)totals.left_out,
			     (unsigned long)limit);
		cr_assert_eq(totals.folded_sites, stats.folded_sites);
		cr_assert_eq(totals.limited, stats.folded_sites + stats.untracked > 0);
		expect_same_allocations(&all, &limited);
		expect_sound_sites(&all, &limited);
		counts.folded += stats.folded_sites > 0;
		counts.untracked += stats.untracked > 0;
		counts.late += stats.late_events > 0;
		counts.same += !stats.is_peak_estimate && stats.folded_sites == 0;
		log_forget_profile(&limited);
	}
	cr_assert_eq(counts.same, 3);
	log_release(&all);
	return counts;
}

Test(profile_memory_limit, allocations_stay_the_same)
{
	const limit_counts counts = compare_at_all_limits(log_read);

	cr_expect_gt(counts.folded, 5);
	cr_expect_gt(counts.untracked, 5);
	cr_expect_gt(counts.late, 0);
}

/* Includes finishes in which undoing provisional results needs memory. */
Test(profile_memory_limit, finished_after_each_block)
{
	const limit_counts counts = compare_at_all_limits(read_often);

	cr_expect_gt(counts.folded, 5);
	cr_expect_gt(counts.untracked, 5);
	cr_expect_gt(counts.late, 0);
}
