/* SPDX-License-Identifier: MIT */
/* Calls of one thread. The metrics of methods must be the same with and without a call tree. */
#include "profile_fixture.h"

/* Runs the checks on a profile with the call tree and on one without it. */
static void profile_both(test_log *log, void (*check)(const test_log *log))
{
	mprof_profile_options options;

	log_close(log, 0);
	for (uint32_t without = 0; without <= 1; without++) {
		mprof_profile_options_init(&options, sizeof(options));
		options.without_call_tree = without;
		log_open(log, &options);
		cr_assert_eq(mprof_profile_read(log->profile, log->reader, NULL, NULL), MPROF_OK);
		cr_expect_eq(mprof_profile_get_row_count(log->profile, MPROF_TABLE_CALLS) == 0, without);
		check(log);
		log_forget_profile(log);
	}
	log_release(log);
}

static void check_nested(const test_log *log)
{
	mprof_profile_totals totals = totals_of(log);

	EXPECT_METHOD(log, 1, 1, 100, 55);
	EXPECT_METHOD(log, 2, 2, 45, 35);
	EXPECT_METHOD(log, 3, 1, 10, 10);
	cr_expect_eq(totals.calls, 4);
	cr_expect_eq(totals.method_ns, 100);
	cr_expect_eq(totals.unmatched_leaves, 0);
	cr_expect_eq(totals.unclosed_frames, 0);
	cr_expect_eq(totals.events, 8);
	cr_expect_eq(totals.event_counts[MPROF_EVENT_METHOD_ENTER], 4);
	cr_expect_eq(totals.wall_ns, 1000000000);
	cr_expect_eq(totals.block_counts[MPROF_BLOCK_EVENTS], 1);
	cr_expect_eq(totals.block_counts[MPROF_BLOCK_INTRO], 1);
	cr_expect_eq(totals.block_counts[MPROF_BLOCK_END], 1);
}

Test(profile_calls, times_of_nested_calls)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 10);
	enter(&log, 2, 20);
	enter(&log, 3, 30);
	leave(&log, 3, 40);
	leave(&log, 2, 55);
	enter(&log, 2, 80);
	leave(&log, 2, 90);
	leave(&log, 1, 110);
	end_block(&log);
	profile_both(&log, check_nested);
}

Test(profile_calls, call_tree_keeps_paths_apart)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	leave(&log, 2, 30);
	enter(&log, 3, 30);
	enter(&log, 2, 40);
	leave(&log, 2, 45);
	leave(&log, 3, 50);
	leave(&log, 1, 60);
	enter(&log, 2, 70);
	leave(&log, 2, 71);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS), 6);
	EXPECT_CALL(CALL(&log, 1), 1, 60, 20);
	EXPECT_CALL(CALL(&log, 1, 2), 1, 20, 20);
	EXPECT_CALL(CALL(&log, 1, 3), 1, 20, 15);
	EXPECT_CALL(CALL(&log, 1, 3, 2), 1, 5, 5);
	EXPECT_CALL(CALL(&log, 2), 1, 1, 1);
	EXPECT_CALL(call_at(&log, MPROF_CALL_ROOT), 0, 61, 0);
	cr_expect_eq(call_at(&log, CALL(&log, 1, 3, 2).parent).method, 3);
	EXPECT_METHOD(&log, 2, 3, 26, 26);
	log_release(&log);
}

static void check_recursion(const test_log *log)
{
	EXPECT_METHOD(log, 1, 3, 100, 80);
	EXPECT_METHOD(log, 2, 1, 20, 20);
}

Test(profile_calls, direct_recursion_counts_once)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 1, 10);
	enter(&log, 1, 20);
	enter(&log, 2, 30);
	leave(&log, 2, 50);
	leave(&log, 1, 60);
	leave(&log, 1, 80);
	leave(&log, 1, 100);
	end_block(&log);
	profile_both(&log, check_recursion);
}

static void check_mutual_recursion(const test_log *log)
{
	/* The calls are nested; the outermost call of 1 lasts all the time, that of 2 all but the first ten. */
	EXPECT_METHOD(log, 1, 2, 100, 40);
	EXPECT_METHOD(log, 2, 2, 80, 60);
}

Test(profile_calls, mutual_recursion_counts_once)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	enter(&log, 1, 20);
	enter(&log, 2, 30);
	leave(&log, 2, 70);
	leave(&log, 1, 80);
	leave(&log, 2, 90);
	leave(&log, 1, 100);
	end_block(&log);
	profile_both(&log, check_mutual_recursion);
}

static void check_second_outermost(const test_log *log)
{
	EXPECT_METHOD(log, 1, 4, 50, 50);
	EXPECT_METHOD(log, 2, 2, 60, 10);
}

/* The same method is outermost twice under another one. */
Test(profile_calls, recursion_begins_again)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint64_t start = 0; start < 200; start += 100) {
		enter(&log, 2, start);
		enter(&log, 1, start + 5);
		enter(&log, 1, start + 10);
		leave(&log, 1, start + 20);
		leave(&log, 1, start + 30);
		leave(&log, 2, start + 30);
	}
	end_block(&log);
	profile_both(&log, check_second_outermost);
}

static void check_exception(const test_log *log)
{
	mprof_profile_totals totals = totals_of(log);

	EXPECT_METHOD(log, 1, 1, 100, 50);
	EXPECT_METHOD(log, 2, 1, 50, 20);
	EXPECT_METHOD(log, 3, 1, 30, 30);
	cr_expect_eq(totals.unmatched_leaves, 0);
	cr_expect_eq(totals.unclosed_frames, 0);
	cr_expect_eq(totals.exceptions, 1);
	cr_expect_eq(class_of(log, 4).exceptions, 1);
}

/* A log with events for frames that an exception leaves. */
Test(profile_calls, exception_with_leaves)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	enter(&log, 3, 20);
	add(&log, MPROF_EVENT_EXCEPTION, 4, 45);
	add(&log, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 3, 50);
	add(&log, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 2, 60);
	leave(&log, 1, 100);
	end_block(&log);
	profile_both(&log, check_exception);
}

static void check_exception_without_leaves(const test_log *log)
{
	mprof_profile_totals totals = totals_of(log);

	/* The log has no ends of 2 and 3: they end when 1 does. */
	EXPECT_METHOD(log, 1, 1, 100, 10);
	EXPECT_METHOD(log, 2, 1, 90, 10);
	EXPECT_METHOD(log, 3, 1, 80, 80);
	cr_expect_eq(totals.unmatched_leaves, 0);
	cr_expect_eq(totals.unclosed_frames, 0);
}

/* A log without such events. */
Test(profile_calls, exception_without_leaves)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	enter(&log, 3, 20);
	leave(&log, 1, 100);
	end_block(&log);
	profile_both(&log, check_exception_without_leaves);
}

static void check_tail_call(const test_log *log)
{
	EXPECT_METHOD(log, 1, 1, 60, 30);
	EXPECT_METHOD(log, 2, 1, 10, 10);
	EXPECT_METHOD(log, 3, 1, 20, 20);
	cr_expect_eq(totals_of(log).unmatched_leaves, 0);
}

Test(profile_calls, tail_call)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	add(&log, MPROF_EVENT_METHOD_LEAVE_TAIL, 2, 20);
	enter(&log, 3, 20);
	leave(&log, 3, 40);
	leave(&log, 1, 60);
	end_block(&log);
	profile_both(&log, check_tail_call);
}

static void check_unmatched(const test_log *log)
{
	EXPECT_METHOD(log, 1, 2, 20, 20);
	EXPECT_METHOD(log, 2, 0, 0, 0);
	cr_expect_eq(totals_of(log).unmatched_leaves, 3);
}

Test(profile_calls, leaves_without_a_frame)
{
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MAIL);
	begin_block(&log, 7, 0);
	leave(&log, 2, 5);
	enter(&log, 1, 10);
	leave(&log, 2, 15);
	leave(&log, 1, 20);
	leave(&log, 1, 30);
	enter(&log, 1, 50);
	leave(&log, 1, 60);
	end_block(&log);
	profile_both(&log, check_unmatched);
}

static void check_implicit(const test_log *log)
{
	EXPECT_METHOD(log, 1, 1, 30, 20);
	EXPECT_METHOD(log, 2, 1, 10, 10);
	cr_expect_eq(totals_of(log).unmatched_leaves, 1);
}

Test(profile_calls, implicit_leaves)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 5);
	enter(&log, 1, 10);
	enter(&log, 2, 20);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 30);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 40);
	end_block(&log);
	profile_both(&log, check_implicit);
}

/* The end of the log, as a counter of an event. */
#define LOG_END (SESSION_END - SESSION_START)

static void check_unclosed(const test_log *log)
{
	EXPECT_METHOD(log, 1, 2, LOG_END - 10, 40);
	EXPECT_METHOD(log, 2, 3, LOG_END - 35, LOG_END - 50);
	cr_expect_eq(totals_of(log).unclosed_frames, 2);
	cr_expect_eq(totals_of(log).method_ns, LOG_END - 10);
	cr_expect_eq(thread_of(log, 7).self_ns, LOG_END - 10);
}

/* They last until the end of the log: the method on top is the one in which the program hung when it was killed. */
Test(profile_calls, frames_that_are_never_left)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 10);
	enter(&log, 2, 35);
	enter(&log, 1, 40);
	enter(&log, 2, 55);
	leave(&log, 2, 70);
	add(&log, MPROF_EVENT_EXCEPTION, 4, 70);
	leave(&log, 1, 70);
	enter(&log, 2, 75);
	leave(&log, 2, 75);
	add(&log, MPROF_EVENT_EXCEPTION, 4, 100);
	end_block(&log);
	profile_both(&log, check_unclosed);
}

static void check_open_recursion(const test_log *log)
{
	EXPECT_METHOD(log, 1, 3, LOG_END, 100);
	EXPECT_METHOD(log, 2, 1, LOG_END - 100, LOG_END - 100);
	cr_expect_eq(totals_of(log).unclosed_frames, 4);
}

Test(profile_calls, recursion_that_is_never_left)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 1, 30);
	enter(&log, 1, 60);
	enter(&log, 2, 100);
	end_block(&log);
	profile_both(&log, check_open_recursion);
}

static void check_ended_threads(const test_log *log)
{
	EXPECT_METHOD(log, 1, 1, 40, 40);
	EXPECT_METHOD(log, 2, 1, 190, 190);
	EXPECT_METHOD(log, 3, 1, 40, 40);
	cr_expect_eq(totals_of(log).method_ns, 270);
}

/* Calls last no longer than their thread, and not while recording is stopped. */
Test(profile_calls, frames_that_are_never_left_of_threads_that_end)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 10);
	add_value(&log, MPROF_EVENT_THREAD_END, 7, 50);
	end_block(&log);
	begin_block(&log, 8, 0);
	enter(&log, 2, 10);
	end_block(&log);
	/* The end of thread 8 was recorded by another one. */
	begin_block(&log, 9, 0);
	enter(&log, 3, 10);
	add_value(&log, MPROF_EVENT_RECORDING_RESUMED, 50, 100);
	add_value(&log, MPROF_EVENT_THREAD_END, 8, 200);
	end_block(&log);
	profile_both(&log, check_ended_threads);
}

/* What is added until the end of what was read so far is replaced when more is read. */
Test(profile_calls, open_frames_of_a_growing_log)
{
	for (uint32_t without = 0; without <= 1; without++) {
		mprof_profile_options options;
		test_log log;

		log_begin(&log);
		begin_block(&log, 7, 0);
		enter(&log, 1, 0);
		end_block(&log);
		begin_block(&log, 8, 0);
		enter(&log, 2, 0);
		leave(&log, 2, 500);
		end_block(&log);
		begin_block(&log, 7, 0);
		leave(&log, 1, 200);
		end_block(&log);
		log_close(&log, 0);
		mprof_profile_options_init(&options, sizeof(options));
		options.without_call_tree = without;
		log_open(&log, &options);
		while (totals_of(&log).events < 3)
			cr_assert_eq(add_next_block(&log), 1);
		finish(&log);
		EXPECT_METHOD(&log, 1, 1, 500, 500);
		EXPECT_METHOD(&log, 2, 1, 500, 500);
		cr_expect_eq(thread_of(&log, 7).self_ns, 500);
		while (add_next_block(&log))
			continue;
		finish(&log);
		EXPECT_METHOD(&log, 1, 1, 200, 200);
		cr_expect_eq(thread_of(&log, 7).self_ns, 200);
		cr_expect_eq(totals_of(&log).method_ns, 700);
		log_release(&log);
	}
}

Test(profile_calls, stack_goes_on_in_the_next_block)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 10);
	enter(&log, 2, 20);
	end_block(&log);
	begin_block(&log, 7, 30);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 40);
	leave(&log, 1, 60);
	end_block(&log);
	log_profile(&log);
	EXPECT_CALL(CALL(&log, 1), 1, 50, 30);
	EXPECT_CALL(CALL(&log, 1, 2), 1, 20, 20);
	log_release(&log);
}

/* More blocks may be added after finishing; frames that were open then continue. */
Test(profile_calls, finishing_does_not_close_what_goes_on)
{
	test_log log;
	mprof_block block;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 10);
	enter(&log, 2, 20);
	add(&log, MPROF_EVENT_EXCEPTION, 4, 30);
	end_block(&log);
	begin_block(&log, 7, 30);
	leave(&log, 2, 40);
	leave(&log, 1, 50);
	end_block(&log);
	log_close(&log, 0);
	for (uint32_t without = 0; without <= 1; without++) {
		mprof_profile_options options;

		mprof_profile_options_init(&options, sizeof(options));
		options.without_call_tree = without;
		log_open(&log, &options);
		mprof_block_init(&block, sizeof(block));
		for (int blocks = 0; mprof_reader_next_block(log.reader, &block) == MPROF_OK; blocks++) {
			cr_assert_eq(mprof_profile_add_block(log.profile, log.reader, &block), MPROF_OK);
			cr_assert_eq(mprof_profile_finish(log.profile, log.reader), MPROF_OK);
			if (totals_of(&log).events == 3) {
				EXPECT_METHOD(&log, 1, 1, 20, 10);
				EXPECT_METHOD(&log, 2, 1, 10, 10);
				cr_expect_eq(totals_of(&log).unclosed_frames, 2);
			}
		}
		EXPECT_METHOD(&log, 1, 1, 40, 20);
		EXPECT_METHOD(&log, 2, 1, 20, 20);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		log_forget_profile(&log);
	}
	log_release(&log);
}

static void read_with_depth(test_log *log, uint32_t depth, uint32_t without)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.max_stack_depth = depth;
	options.without_call_tree = without;
	log_open(log, &options);
	cr_assert_eq(mprof_profile_read(log->profile, log->reader, NULL, NULL), MPROF_OK);
}

Test(profile_calls, frames_too_deep_count_as_one)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint32_t i = 1; i <= 5; i++)
		enter(&log, i, 10 * i);
	for (uint32_t i = 5; i >= 1; i--)
		leave(&log, i, 60 + 10 * (5 - i));
	enter(&log, 2, 200);
	leave(&log, 2, 210);
	end_block(&log);
	log_close(&log, 0);
	for (uint32_t without = 0; without <= 1; without++) {
		read_with_depth(&log, 3, without);
		EXPECT_METHOD(&log, 1, 1, 90, 20);
		EXPECT_METHOD(&log, 2, 2, 80, 30);
		EXPECT_METHOD(&log, 3, 1, 50, 50);
		/* They were called, and their time is attributed to method 3. */
		EXPECT_METHOD(&log, 4, 1, 0, 0);
		EXPECT_METHOD(&log, 5, 1, 0, 0);
		cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		log_forget_profile(&log);
	}
	log_release(&log);
}

/* Calls above the maximum depth end by the leaves of their methods, and with the calls below them. */
Test(profile_calls, frames_too_deep_end_by_their_methods)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint32_t i = 1; i <= 5; i++)
		enter(&log, i, 10 * i);
	leave(&log, 9, 60);
	leave(&log, 2, 70);
	leave(&log, 1, 80);
	for (uint32_t i = 1; i <= 5; i++)
		enter(&log, i, 90 + 10 * i);
	leave(&log, 4, 150);
	leave(&log, 3, 160);
	leave(&log, 1, 170);
	end_block(&log);
	log_close(&log, 0);
	for (uint32_t without = 0; without <= 1; without++) {
		read_with_depth(&log, 3, without);
		EXPECT_METHOD(&log, 1, 2, 140, 30);
		EXPECT_METHOD(&log, 2, 2, 110, 30);
		EXPECT_METHOD(&log, 3, 2, 80, 80);
		EXPECT_METHOD(&log, 4, 2, 0, 0);
		EXPECT_METHOD(&log, 5, 2, 0, 0);
		cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		log_forget_profile(&log);
	}
	log_release(&log);
}

/* Deeper than the methods of calls above the maximum depth are stored. */
Test(profile_calls, very_deep_recursion)
{
	const uint64_t depth = 1200000;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint64_t i = 0; i < depth; i++)
		enter(&log, 1, i);
	for (uint64_t i = 0; i < depth; i++)
		leave(&log, 1, depth + i);
	end_block(&log);
	log_close(&log, 0);
	for (uint32_t without = 0; without <= 1; without++) {
		read_with_depth(&log, 0, without);
		EXPECT_METHOD(&log, 1, depth, 2 * depth - 1, 2 * depth - 1);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		log_forget_profile(&log);
	}
	log_release(&log);
}

/* Many callees of one caller, in unpredictable order. */
Test(profile_calls, wide_call_tree)
{
	const uint32_t methods = 5000;
	test_log log;
	uint64_t counter = 0;

	log_begin(&log);
	for (uint32_t id = DEFINED_IDS + 1; id <= methods; id++) {
		mprof_method_definition definition = {
			sizeof(mprof_method_definition), id, 1, 0, 0, "x ()", 4, NULL, 0, 0, 0};

		cr_assert_eq(mprof_writer_define_method(log.writer, &definition), MPROF_OK);
	}
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < methods; i++) {
			enter(&log, i * 1009 % methods + 1, counter++);
			leave(&log, i * 1009 % methods + 1, counter++);
		}
	}
	leave(&log, 1, counter);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS), methods + 2);
	for (uint32_t node = 2; node < methods + 2; node++) {
		cr_assert_eq(call_at(&log, node).calls, 3);
		cr_assert_eq(call_at(&log, node).total_ns, 3);
	}
	log_release(&log);
}

/* A worst case for performance: leaves that match nothing on a deep stack. */
Test(profile_calls, many_leaves_without_a_frame_on_a_deep_stack, .timeout = 60)
{
	test_log log;

	log_begin_with(&log, MPROF_DIALECT_MAIL);
	begin_block(&log, 7, 0);
	for (uint64_t i = 0; i < 60000; i++)
		enter(&log, 1, i);
	for (uint64_t i = 0; i < 200000; i++)
		leave(&log, 2, 60000 + i);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 200000);
	/* The frames are not known any more, as for a reader. */
	cr_expect_eq(totals_of(&log).interrupted_frames, 60000);
	cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	log_release(&log);
}

Test(profile_calls, large_method_numbers)
{
	const uint32_t ids[] = {UINT32_MAX, 1 << 20, (1 << 20) - 1, 1 << 30};
	test_log log;

	log_begin(&log);
	for (size_t i = 0; i < 4; i++) {
		mprof_method_definition definition = {
			sizeof(mprof_method_definition), ids[i], 1, 0, 0, "x ()", 4, NULL, 0, 0, 0};

		cr_assert_eq(mprof_writer_define_method(log.writer, &definition), MPROF_OK);
	}
	begin_block(&log, 7, 0);
	for (size_t i = 0; i < 4; i++)
		enter(&log, ids[i], 10 * i);
	for (size_t i = 4; i-- > 0;)
		leave(&log, ids[i], 40 + 10 * (3 - i));
	end_block(&log);
	log_profile(&log);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(method_of(&log, ids[i]).calls, 1);
	EXPECT_METHOD(&log, UINT32_MAX, 1, 70, 20);
	log_release(&log);
}
