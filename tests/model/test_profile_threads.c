/* SPDX-License-Identifier: MIT */
/* Several threads, and clocks that are not monotonic. */
#include "profile_fixture.h"

Test(profile_threads, stacks_are_apart_and_the_tree_is_shared)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	end_block(&log);
	begin_block(&log, 8, 0);
	enter(&log, 1, 5);
	enter(&log, 3, 6);
	leave(&log, 3, 26);
	end_block(&log);
	begin_block(&log, 7, 10);
	leave(&log, 2, 30);
	leave(&log, 1, 100);
	end_block(&log);
	begin_block(&log, 8, 26);
	leave(&log, 1, 55);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 2, 150, 110);
	EXPECT_CALL(CALL(&log, 1), 2, 150, 110);
	EXPECT_CALL(CALL(&log, 1, 2), 1, 20, 20);
	EXPECT_CALL(CALL(&log, 1, 3), 1, 20, 20);
	cr_expect_eq(totals_of(&log).method_ns, 150);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 2);
	cr_expect_eq(thread_of(&log, 7).events, 4);
	cr_expect_eq(thread_of(&log, 7).self_ns, 100);
	cr_expect_eq(thread_of(&log, 8).self_ns, 50);
	cr_expect_null(thread_of(&log, 7).name);
	log_release(&log);
}

/* One thread is inside a method that another one enters: each is outermost. */
Test(profile_threads, recursion_is_by_thread)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	end_block(&log);
	begin_block(&log, 8, 0);
	enter(&log, 1, 0);
	leave(&log, 1, 50);
	end_block(&log);
	begin_block(&log, 7, 0);
	leave(&log, 1, 100);
	end_block(&log);
	log_close(&log, 0);
	for (uint32_t without = 0; without <= 1; without++) {
		mprof_profile_options options;

		mprof_profile_options_init(&options, sizeof(options));
		options.without_call_tree = without;
		log_open(&log, &options);
		cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
		EXPECT_METHOD(&log, 1, 2, 150, 150);
		log_forget_profile(&log);
	}
	log_release(&log);
}

Test(profile_threads, time_with_an_empty_stack_is_nobodys)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_EXCEPTION, 1, 100);
	enter(&log, 1, 200);
	leave(&log, 1, 210);
	add(&log, MPROF_EVENT_EXCEPTION, 1, 300);
	enter(&log, 1, 400);
	leave(&log, 1, 420);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(thread_of(&log, 7).self_ns, 30);
	cr_expect_eq(totals_of(&log).method_ns, 30);
	EXPECT_CALL(call_at(&log, MPROF_CALL_ROOT), 0, 30, 0);
	log_release(&log);
}

Test(profile_threads, an_id_that_is_used_again)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_THREAD_START, 7, 0);
	enter(&log, 1, 10);
	enter(&log, 2, 20);
	add_value(&log, MPROF_EVENT_THREAD_END, 7, 40);
	end_block(&log);
	begin_block(&log, 7, 100);
	add_value(&log, MPROF_EVENT_THREAD_START, 7, 100);
	enter(&log, 2, 110);
	leave(&log, 2, 120);
	/* It matches no frame of this thread. */
	leave(&log, 1, 130);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 30, 10);
	EXPECT_METHOD(&log, 2, 2, 30, 30);
	cr_expect_eq(totals_of(&log).unclosed_frames, 2);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
	EXPECT_CALL(CALL(&log, 2), 1, 10, 10);
	log_release(&log);
}

/* An event of one thread about another one may have any time. */
Test(profile_threads, another_threads_end_does_not_clear_the_stack)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 10);
	add_value(&log, MPROF_EVENT_THREAD_END, 8, 15);
	leave(&log, 1, 20);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 10, 10);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
	log_release(&log);
}

Test(profile_threads, names_and_losses)
{
	const uint64_t first[] = {0, 5, 2, 0, 0, 2};
	const uint64_t second[] = {0, 0, 0, 10};
	test_log log;

	log_begin(&log);
	cr_assert_eq(mprof_writer_write_thread_name(log.writer, 9, "early", 5), MPROF_OK);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	end_block(&log);
	cr_assert_eq(mprof_writer_write_thread_name(log.writer, 7, "first", 5), MPROF_OK);
	cr_assert_eq(mprof_writer_write_thread_name(log.writer, 7, "second", 6), MPROF_OK);
	cr_assert_eq(mprof_writer_write_losses(log.writer, 7, first, 6), MPROF_OK);
	cr_assert_eq(mprof_writer_write_losses(log.writer, 0, second, 4), MPROF_OK);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 2);
	cr_expect_str_eq(thread_of(&log, 7).name, "second");
	cr_expect_str_eq(thread_of(&log, 9).name, "early");
	cr_expect_eq(thread_of(&log, 7).lost, 9);
	cr_expect_eq(totals_of(&log).lost_events, 19);
	cr_expect_eq(totals_of(&log).lost_by_cause[MPROF_LOSS_NO_BUFFER], 5);
	cr_expect_eq(totals_of(&log).lost_by_cause[MPROF_LOSS_NO_MEMORY], 2);
	cr_expect_eq(totals_of(&log).lost_by_cause[MPROF_LOSS_WRITE_FAILED], 10);
	cr_expect_eq(totals_of(&log).lost_by_cause[MPROF_LOSS_NO_SAMPLE_ROOM], 0);
	cr_expect_eq(totals_of(&log).lost_by_cause[MPROF_LOSS_LIMIT], 2);
	log_release(&log);
}

/*
 * Frames end when recording was stopped. The time until it was resumed is attributed to no frame, and the stack is
 * empty then.
 */
Test(profile_threads, recording_that_was_stopped_for_a_while)
{
	for (uint32_t without = 0; without <= 1; without++) {
		mprof_profile_options options;
		test_log log;

		mprof_profile_options_init(&options, sizeof(options));
		options.without_call_tree = without;
		log_begin(&log);
		begin_block(&log, 7, 0);
		enter(&log, 1, 100);
		enter(&log, 2, 110);
		/* From 150 to 1000 nothing was recorded. */
		add_value(&log, MPROF_EVENT_RECORDING_RESUMED, 850, 1000);
		enter(&log, 3, 1010);
		add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 1030);
		leave(&log, 1, 1040);
		enter(&log, 1, 1100);
		leave(&log, 1, 1120);
		end_block(&log);
		log_close(&log, 0);
		log_open(&log, &options);
		cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
		EXPECT_METHOD(&log, 1, 2, 70, 30);
		EXPECT_METHOD(&log, 2, 1, 40, 40);
		EXPECT_METHOD(&log, 3, 1, 20, 20);
		cr_expect_eq(totals_of(&log).method_ns, 90);
		cr_expect_eq(thread_of(&log, 7).self_ns, 90);
		cr_expect_eq(totals_of(&log).interrupted_frames, 2);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		/* The method was entered before. */
		cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
		cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_RECORDING_RESUMED], 1);
		log_release(&log);
	}
}

/* Compilations and waits that started before are not ended by later events. A wait lasts until recording stopped. */
Test(profile_threads, what_was_begun_before_recording_stopped)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x100};
	mprof_monitor_stats monitors = {.struct_size = sizeof(monitors)};
	mprof_finalizer_stats finalizers = {.struct_size = sizeof(finalizers)};
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 10);
	add(&log, MPROF_EVENT_CLASS_LOAD_START, 1, 20);
	add_detailed(&log, MPROF_EVENT_MONITOR, 1, 30, MPROF_MONITOR_CONTENDED, &detail);
	add_detailed(&log, MPROF_EVENT_FINALIZER_START, 1, 40, 0, &detail);
	add_value(&log, MPROF_EVENT_RECORDING_RESUMED, 900, 1000);
	add_detailed(&log, MPROF_EVENT_FINALIZER_END, 1, 1010, 0, &detail);
	add_detailed(&log, MPROF_EVENT_MONITOR, 1, 1020, MPROF_MONITOR_ACQUIRED, &detail);
	add(&log, MPROF_EVENT_CLASS_LOAD_END, 1, 1030);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 1040);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(method_of(&log, 1).jit_ns, 0);
	cr_expect_eq(class_of(&log, 1).load_ns, 0);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MONITORS, 0, &monitors), MPROF_OK);
	cr_expect_eq(monitors.contended_ns, 70);
	cr_expect_eq(monitors.unfinished, 1);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_FINALIZERS, 0, &finalizers), MPROF_OK);
	cr_expect_eq(finalizers.count, 1);
	cr_expect_eq(finalizers.total_ns, 0);
	log_release(&log);
}

/* Inside a block the clock stands still until it reaches its earlier value again. */
Test(profile_threads, clock_that_goes_back_a_little)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 100);
	enter(&log, 2, 90);
	leave(&log, 2, 120);
	leave(&log, 1, 130);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 30, 10);
	EXPECT_METHOD(&log, 2, 1, 20, 20);
	log_release(&log);
}

/* If the clock is far off for one block, it does not stand still for the rest of the log. */
Test(profile_threads, clock_that_jumps_and_comes_back)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 500000000);
	leave(&log, 1, 500000010);
	end_block(&log);
	begin_block(&log, 7, 0);
	enter(&log, 2, 100);
	leave(&log, 2, 140);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 10, 10);
	EXPECT_METHOD(&log, 2, 1, 40, 40);
	log_release(&log);
}

Test(profile_threads, allocations_do_not_move_the_clock)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 50);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	enter(&log, 1, 100);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 16, 0);
	leave(&log, 1, 130);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 30, 30);
	cr_expect_eq(class_of(&log, 1).allocations, 3);
	cr_expect_eq(class_of(&log, 1).bytes, 64);
	log_release(&log);
}

/* 2.5 counters per nanosecond. */
Test(profile_threads, counters_become_nanoseconds)
{
	test_log log;

	log_begin_at_rate(&log, MPROF_DIALECT_MPROF2, 2500);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 250000000);
	leave(&log, 2, 500000000);
	leave(&log, 1, 1000000000);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 400000000, 300000000);
	EXPECT_METHOD(&log, 2, 1, 100000000, 100000000);
	cr_expect_eq(totals_of(&log).wall_ns, 400000000);
	cr_expect_eq(thread_of(&log, 7).self_ns, 400000000);
	log_release(&log);
}

/* A thread that reports its end from within its outermost method returns after that, as the format states (4.3). */
Test(profile_threads, calls_return_after_the_end_of_their_thread)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_THREAD_START, 7, 0);
	enter(&log, 1, 10);
	enter(&log, 2, 20);
	add_value(&log, MPROF_EVENT_THREAD_END, 7, 40);
	leave(&log, 2, 50);
	leave(&log, 1, 60);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 50, 20);
	EXPECT_METHOD(&log, 2, 1, 30, 30);
	cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
	log_release(&log);
}
