/* SPDX-License-Identifier: MIT */
/**
 * \file model/test_profile_descriptions.c
 * \brief Processes, timelines and clocks of a profile: the latest description counts, and of clocks nothing is computed
 * from pairs that go back, from rates of 0, or from numbers beyond all bounds.
 */
#include "profile_fixture.h"

#define CLOCK(number, ...)                                                                                             \
	(mprof_record)                                                                                                 \
	{                                                                                                              \
		.kind = MPROF_RECORD_CLOCK, .id = number, .as.clock = { __VA_ARGS__ }                                  \
	}
#define PAIR(number, ...)                                                                                              \
	(mprof_record)                                                                                                 \
	{                                                                                                              \
		.kind = MPROF_RECORD_CLOCK_PAIR, .id = number, .as.clock_pair = { __VA_ARGS__ }                        \
	}
#define TIMELINE(number, ...)                                                                                          \
	(mprof_record)                                                                                                 \
	{                                                                                                              \
		.kind = MPROF_RECORD_TIMELINE, .id = number, .as.timeline = { __VA_ARGS__ }                            \
	}
#define PROCESS(number, ...)                                                                                           \
	(mprof_record)                                                                                                 \
	{                                                                                                              \
		.kind = MPROF_RECORD_PROCESS, .id = number, .as.process = { __VA_ARGS__ }                              \
	}

static mprof_clock_stats clock_at(const test_log *log, size_t index)
{
	mprof_clock_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_CLOCKS, index, &stats), MPROF_OK);
	return stats;
}

static mprof_timeline_stats timeline_at(const test_log *log, size_t index)
{
	mprof_timeline_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_TIMELINES, index, &stats), MPROF_OK);
	return stats;
}

static mprof_process_stats process_at(const test_log *log, size_t index)
{
	mprof_process_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_PROCESSES, index, &stats), MPROF_OK);
	return stats;
}

/* The log has a counter for each nanosecond. */
Test(profile_descriptions, rates_of_clocks)
{
	mprof_clock_stats stats;
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_CLOCKS, 0, CLOCK(1, 0, 0, MPROF_CLOCK_MACHINE, 0, "ticks"),
		      CLOCK(2, 2000000, 2, MPROF_CLOCK_DEVICE, 0, "device"), CLOCK(3, 7, 3, 99, 0, "one pair"));
	/* 1001 ticks in a millisecond; the third pair is 2000 off the line of its neighbours. */
	WRITE_RECORDS(&log, MPROF_BLOCK_CLOCK_PAIRS, 0, PAIR(2, 0, SESSION_START, 10),
		      PAIR(2, 1001, SESSION_START + 1000000, 30), PAIR(3, 5, 5, 5));
	WRITE_RECORDS(&log, MPROF_BLOCK_CLOCK_PAIRS, 0, PAIR(2, 2002, SESSION_START + 2002000, 20),
		      PAIR(2, 3003, SESSION_START + 3000000, 20));
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CLOCKS), 3);
	stats = clock_at(&log, 0);
	cr_expect_eq(stats.id, 1);
	cr_expect_eq(stats.kind, MPROF_CLOCK_MACHINE);
	cr_expect_eq(stats.stated_millihertz, 0);
	cr_expect_eq(stats.measured_millihertz, UINT64_C(1000000000000));
	cr_expect_eq(stats.has_drift, 0);
	stats = clock_at(&log, 1);
	cr_expect_str_eq(stats.name, "device");
	cr_expect_eq(stats.stated_millihertz, 1000000000);
	cr_expect_eq(stats.measured_millihertz, 1001000000);
	cr_expect_eq(stats.has_drift, 1);
	cr_expect(stats.drift_ppb >= 999999 && stats.drift_ppb <= 1000001);
	cr_expect_eq(stats.pairs, 4);
	cr_expect_eq(stats.backward, 0);
	cr_expect_eq(stats.has_residual, 1);
	cr_expect_eq(stats.residual_ns, 2000);
	cr_expect_eq(stats.uncertainty_ns, 30);
	stats = clock_at(&log, 2);
	cr_expect_eq(stats.kind, 99);
	cr_expect_eq(stats.stated_millihertz, 2333);
	cr_expect_eq(stats.measured_millihertz, 0);
	cr_expect_eq(stats.has_drift, 0);
	cr_expect_eq(stats.has_residual, 0);
	log_release(&log);
}

Test(profile_descriptions, hostile_clocks)
{
	const uint64_t most = UINT64_MAX;
	mprof_clock_stats stats;
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_CLOCKS, 0, CLOCK(1, 0, 0, 0, 0, "log"), CLOCK(2, most, 1, 0, 0, "fast"),
		      CLOCK(3, 1, most, 0, 0, "slow"), CLOCK(4, 0, 5, 0, 0, "none"), CLOCK(5, 5, 0, 0, 0, "none"),
		      CLOCK(6, 1000000, 1, 0, 0, "set"));
	WRITE_RECORDS(&log, MPROF_BLOCK_CLOCK_PAIRS, 0, PAIR(2, 0, 0, most), PAIR(2, most, most, most),
		      PAIR(2, most, most, 0), PAIR(3, 0, 0, 0), PAIR(3, most, 1, 0), PAIR(4, 1, 1, 0), PAIR(4, 1, 2, 0),
		      PAIR(5, 1, 1, 0), PAIR(5, 2, 1, 0));
	/* A clock that was set: only the pairs since count. */
	WRITE_RECORDS(&log, MPROF_BLOCK_CLOCK_PAIRS, 0, PAIR(6, 5000, 1000, 0), PAIR(6, 6000, 2000, 0),
		      PAIR(6, 100, 3000, 0), PAIR(6, 200, 103000, 0), PAIR(6, 300, 203000, 0), PAIR(6, 301, 202999, 0));
	log_profile(&log);
	stats = clock_at(&log, 1);
	cr_expect_eq(stats.stated_millihertz, 0, "it has more than 64 bits");
	cr_expect_eq(stats.measured_millihertz, UINT64_C(1000000000000));
	cr_expect_eq(stats.has_drift, 0);
	stats = clock_at(&log, 2);
	cr_expect_eq(stats.stated_millihertz, 0);
	cr_expect_eq(stats.measured_millihertz, 0);
	cr_expect_eq(stats.has_drift, 0);
	for (size_t i = 3; i <= 4; i++) {
		stats = clock_at(&log, i);
		cr_expect_eq(stats.stated_millihertz, 0);
		cr_expect_eq(stats.measured_millihertz, 0);
		cr_expect_eq(stats.has_drift, 0);
	}
	stats = clock_at(&log, 5);
	cr_expect_eq(stats.pairs, 6);
	cr_expect_eq(stats.backward, 2);
	cr_expect_eq(stats.residual_ns, 0);
	cr_expect_eq(stats.measured_millihertz, 0, "there is one pair since");
	log_release(&log);
}

Test(profile_descriptions, the_latest_description_counts)
{
	mprof_thread_stats thread = {.struct_size = sizeof(thread)};
	mprof_timeline_stats timeline;
	mprof_process_stats process;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_ENTER, 1, 10);
	end_block(&log);
	cr_assert_eq(mprof_writer_write_thread_name(log.writer, 7, "worker", 6), MPROF_OK);
	WRITE_RECORDS(&log, MPROF_BLOCK_TIMELINES, 0, TIMELINE(1, .thread = 7, .process = 3, .kind = 2, .name = "x"),
		      TIMELINE(2, .thread = 8, .process = 3, .parent = 9), TIMELINE(3, .thread = 9, .parent = 8));
	WRITE_RECORDS(&log, MPROF_BLOCK_PROCESSES, 0, PROCESS(1, 3, 44, 4, SESSION_START + 5, 0, "one", "one -v"),
		      PROCESS(2, 4, 45, 3, 0, 0, "other", NULL), PROCESS(3, 0, 1, 0, 0, 0, "no number", NULL));
	WRITE_RECORDS(&log, MPROF_BLOCK_PROCESSES, 0,
		      PROCESS(4, 3, 44, 4, SESSION_START + 5, SESSION_START + 9, "two", NULL));
	WRITE_RECORDS(&log, MPROF_BLOCK_TIMELINES, 0,
		      TIMELINE(4, .thread = 7, .process = 4, .kind = 77, .rank = 5, .flags = 1));
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PROCESSES), 2);
	process = process_at(&log, 0);
	cr_expect_str_eq(process.name, "two");
	cr_expect_str_eq(process.command, "");
	cr_expect_eq(process.system_id, 44);
	cr_expect_eq(process.parent, 4);
	cr_expect_eq(process.threads, 1);
	cr_expect(process.has_start && process.has_end);
	cr_expect_eq(process.start_ns, 5);
	cr_expect_eq(process.end_ns, 9);
	process = process_at(&log, 1);
	cr_expect_eq(process.threads, 1);
	cr_expect(!process.has_start && !process.has_end);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_TIMELINES), 3);
	timeline = timeline_at(&log, 0);
	cr_expect_str_eq(timeline.name, "worker", "without a name of its own");
	cr_expect_eq(timeline.kind, 77);
	cr_expect_eq(timeline.process, 4);
	cr_expect_eq(timeline.rank, 5);
	cr_expect_eq(timeline.is_ended, 1);
	cr_expect_eq(timeline.clock, MPROF_CLOCK_LOG);
	cr_expect_eq(timeline.events, 1);
	cr_expect_eq(timeline_at(&log, 1).parent, 9);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_THREADS, 0, &thread), MPROF_OK);
	cr_expect_eq(thread.process, 4);
	cr_expect_eq(thread.kind, 77);
	cr_expect_str_eq(thread.name, "worker");
	log_release(&log);
}
