/* SPDX-License-Identifier: MIT */
/* Waits for monitors, and finalizers. */
#include "profile_fixture.h"

static mprof_monitor_stats monitors_of(const test_log *log, uint32_t class_id)
{
	mprof_monitor_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_MONITORS); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MONITORS, i, &stats), MPROF_OK);
		if (stats.class_id == class_id)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

static mprof_monitor_site site_of(const test_log *log, uint32_t class_id, uint32_t stack)
{
	mprof_monitor_site site;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_MONITOR_SITES); i++) {
		memset(&site, 0xff, sizeof(site));
		site.struct_size = sizeof(site);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MONITOR_SITES, i, &site), MPROF_OK);
		if (site.class_id == class_id && site.stack == stack)
			return site;
	}
	memset(&site, 0, sizeof(site));
	return site;
}

static mprof_finalizer_stats finalizers_of(const test_log *log, uint32_t class_id)
{
	mprof_finalizer_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_FINALIZERS); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_FINALIZERS, i, &stats), MPROF_OK);
		if (stats.class_id == class_id)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

static void monitor(test_log *log, mprof_monitor_state state, uint32_t class_id, uint64_t object, uint64_t counter,
		    uint32_t stack)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = object, .stack = stack};

	add_detailed(log, MPROF_EVENT_MONITOR, class_id, counter, state, &detail);
}

static void define_stacks(test_log *log)
{
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2));
}

Test(profile_waits, monitors_by_class_and_place)
{
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	begin_block(&log, 7, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x100, 10, 1);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x100, 50, 1);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x200, 60, 2);
	monitor(&log, MPROF_MONITOR_FAILED, 1, 0x200, 65, 0);
	/* Acquired at once, so there was no wait. */
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x100, 80, 1);
	end_block(&log);
	begin_block(&log, 8, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 2, 0x300, 0, 2);
	end_block(&log);
	begin_block(&log, 7, 100);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x100, 100, 1);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x100, 101, 1);
	end_block(&log);
	begin_block(&log, 8, 0);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 2, 0x300, 1000, 2);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MONITORS), 2);
	cr_expect_eq(monitors_of(&log, 1).contentions, 3);
	cr_expect_eq(monitors_of(&log, 1).acquired, 3);
	cr_expect_eq(monitors_of(&log, 1).failures, 1);
	cr_expect_eq(monitors_of(&log, 1).contended_ns, 46);
	cr_expect_eq(monitors_of(&log, 2).contentions, 1);
	cr_expect_eq(monitors_of(&log, 2).contended_ns, 1000);
	cr_expect_eq(site_of(&log, 1, 1).contentions, 2);
	cr_expect_eq(site_of(&log, 1, 1).contended_ns, 41);
	cr_expect_eq(site_of(&log, 1, 2).contended_ns, 5);
	cr_expect_eq(totals_of(&log).contentions, 4);
	cr_expect_eq(totals_of(&log).contended_ns, 1046);
	log_release(&log);
}

static mprof_monitor_holder holder_of(const test_log *log, uint32_t class_id, uint64_t thread)
{
	mprof_monitor_holder holder;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_MONITOR_HOLDERS); i++) {
		memset(&holder, 0xff, sizeof(holder));
		holder.struct_size = sizeof(holder);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_MONITOR_HOLDERS, i, &holder), MPROF_OK);
		if (holder.class_id == class_id && holder.thread == thread)
			return holder;
	}
	memset(&holder, 0, sizeof(holder));
	return holder;
}

static void held(test_log *log, uint32_t class_id, uint64_t object, uint64_t counter, uint64_t thread)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = object};

	add_detailed(log, MPROF_EVENT_MONITOR_HOLDER, class_id, counter, thread, &detail);
}

Test(profile_waits, monitors_by_class_and_holder)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x100, 10, 0);
	held(&log, 1, 0x100, 11, 8);
	/* Only the first holder of a wait counts. */
	held(&log, 1, 0x100, 12, 9);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x100, 50, 0);
	/* No wait, so no holder. */
	held(&log, 1, 0x100, 51, 8);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x200, 60, 0);
	held(&log, 1, 0x200, 60, 8);
	monitor(&log, MPROF_MONITOR_FAILED, 1, 0x200, 65, 0);
	/* The holder of this one is not known, and the event after it is about another object. */
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x200, 70, 0);
	held(&log, 1, 0x300, 71, 9);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x200, 80, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 2, 0x400, 90, 0);
	held(&log, 2, 0x400, 90, 8);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 2, 0x400, 97, 0);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MONITOR_HOLDERS), 2);
	cr_expect_eq(holder_of(&log, 1, 8).contentions, 2);
	cr_expect_eq(holder_of(&log, 1, 8).contended_ns, 45);
	cr_expect_eq(holder_of(&log, 2, 8).contentions, 1);
	cr_expect_eq(holder_of(&log, 2, 8).contended_ns, 7);
	cr_expect_eq(monitors_of(&log, 1).contentions, 3);
	cr_expect_eq(monitors_of(&log, 1).contended_ns, 55);
	log_release(&log);
}

/* A wait that does not end, one for an unknown object, and an end that belongs to another object. */
Test(profile_waits, waits_that_lack_something)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 0, 0, 10, 0);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 0, 0, 30, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x100, 40, 0);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x200, 50, 0);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 1, 0x100, 60, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x100, 70, 0);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(monitors_of(&log, 0).contended_ns, 20);
	cr_expect_eq(monitors_of(&log, 1).contentions, 2);
	cr_expect_eq(monitors_of(&log, 1).acquired, 2);
	cr_expect_eq(monitors_of(&log, 1).contended_ns, 20 + SESSION_END - SESSION_START - 70);
	cr_expect_eq(monitors_of(&log, 1).unfinished, 1);
	cr_expect_eq(monitors_of(&log, 0).unfinished, 0);
	log_release(&log);
}

/* Two threads wait for each other, and the log ends. */
static void write_deadlock(test_log *log)
{
	log_begin(log);
	define_stacks(log);
	begin_block(log, 7, 0);
	monitor(log, MPROF_MONITOR_CONTENDED, 1, 0x100, 100, 1);
	held(log, 1, 0x100, 100, 8);
	end_block(log);
	begin_block(log, 8, 0);
	monitor(log, MPROF_MONITOR_CONTENDED, 2, 0x200, 300, 2);
	held(log, 2, 0x200, 300, 7);
	end_block(log);
}

Test(profile_waits, a_deadlock_lasts_until_the_end_of_the_log)
{
	const uint64_t end = SESSION_END - SESSION_START;
	test_log log;

	write_deadlock(&log);
	log_profile(&log);
	cr_expect_eq(totals_of(&log).contended_ns, 2 * end - 400);
	cr_expect_eq(totals_of(&log).unfinished_waits, 2);
	cr_expect_eq(monitors_of(&log, 1).contended_ns, end - 100);
	cr_expect_eq(monitors_of(&log, 2).contended_ns, end - 300);
	cr_expect_eq(site_of(&log, 1, 1).contended_ns, end - 100);
	cr_expect_eq(site_of(&log, 1, 1).unfinished, 1);
	cr_expect_eq(holder_of(&log, 2, 7).contended_ns, end - 300);
	cr_expect_eq(holder_of(&log, 2, 7).unfinished, 1);
	log_release(&log);
}

/* A wait belongs to every window that it overlaps, with its time there. */
Test(profile_waits, a_deadlock_in_windows)
{
	test_log log;

	write_deadlock(&log);
	log_close(&log, 0);
	for (uint64_t start = 0; start < 1000; start += 200) {
		const uint64_t waited = start == 0 ? 100 : start == 200 ? 300 : 400;
		mprof_profile_options options;

		mprof_profile_options_init(&options, sizeof(options));
		options.window_start_ns = (int64_t)start;
		options.window_end_ns = (int64_t)(start + 200);
		log_open(&log, &options);
		cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
		cr_expect_eq(totals_of(&log).contended_ns, waited, "%u", (unsigned)start);
		cr_expect_eq(totals_of(&log).contentions, start <= 200, "%u", (unsigned)start);
		cr_expect_eq(totals_of(&log).unfinished_waits, start == 0 ? 1 : 2, "%u", (unsigned)start);
		log_forget_profile(&log);
	}
	log_release(&log);
}

/* The outcome of these waits is not in the log: the thread ended, or recording was stopped and continued. */
Test(profile_waits, waits_of_which_the_end_was_not_recorded)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 1, 0x100, 10, 0);
	add_value(&log, MPROF_EVENT_THREAD_END, 7, 50);
	end_block(&log);
	begin_block(&log, 8, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 2, 0x200, 10, 0);
	add_value(&log, MPROF_EVENT_RECORDING_RESUMED, 70, 100);
	monitor(&log, MPROF_MONITOR_ACQUIRED, 2, 0x200, 130, 0);
	end_block(&log);
	/* Its end is in a block of another thread. */
	begin_block(&log, 9, 0);
	monitor(&log, MPROF_MONITOR_CONTENDED, 3, 0x300, 10, 0);
	end_block(&log);
	begin_block(&log, 8, 200);
	add_value(&log, MPROF_EVENT_THREAD_END, 9, 210);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(monitors_of(&log, 1).contended_ns, 40);
	cr_expect_eq(monitors_of(&log, 1).unfinished, 1);
	cr_expect_eq(monitors_of(&log, 2).contended_ns, 20);
	cr_expect_eq(monitors_of(&log, 2).unfinished, 1);
	cr_expect_eq(monitors_of(&log, 3).contended_ns, 200);
	cr_expect_eq(monitors_of(&log, 3).unfinished, 1);
	log_release(&log);
}

Test(profile_waits, finalizers)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x100};
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_FINALIZATION_START, 0, 0);
	add_detailed(&log, MPROF_EVENT_FINALIZER_START, 1, 10, 0, &detail);
	add_detailed(&log, MPROF_EVENT_FINALIZER_END, 1, 30, 0, &detail);
	add_detailed(&log, MPROF_EVENT_FINALIZER_START, 2, 30, 0, &detail);
	/* A finalizer that waits for others runs them itself. */
	add_detailed(&log, MPROF_EVENT_FINALIZER_START, 1, 40, 0, &detail);
	add_detailed(&log, MPROF_EVENT_FINALIZER_END, 1, 45, 0, &detail);
	add_detailed(&log, MPROF_EVENT_FINALIZER_END, 2, 100, 0, &detail);
	add_value(&log, MPROF_EVENT_FINALIZATION_END, 0, 110);
	add_value(&log, MPROF_EVENT_FINALIZATION_START, 0, 200);
	add_detailed(&log, MPROF_EVENT_FINALIZER_START, 0, 210, 0, &detail);
	add_detailed(&log, MPROF_EVENT_FINALIZER_END, 0, 211, 0, &detail);
	add_value(&log, MPROF_EVENT_FINALIZATION_END, 0, 220);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_FINALIZERS), 3);
	cr_expect_eq(finalizers_of(&log, 1).count, 2);
	cr_expect_eq(finalizers_of(&log, 1).total_ns, 25);
	cr_expect_eq(finalizers_of(&log, 2).count, 1);
	cr_expect_eq(finalizers_of(&log, 2).total_ns, 70);
	cr_expect_eq(finalizers_of(&log, 0).total_ns, 1);
	cr_expect_eq(totals_of(&log).finalizers, 4);
	cr_expect_eq(totals_of(&log).finalizer_ns, 91);
	cr_expect_eq(totals_of(&log).finalizations, 2);
	cr_expect_eq(totals_of(&log).finalization_ns, 130);
	log_release(&log);
}
