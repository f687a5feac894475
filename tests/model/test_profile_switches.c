/* SPDX-License-Identifier: MIT */
/*
 * Threads that switch between call stacks: each stack has its own frames, and no time passes on a stack that no thread
 * is on.
 */
#include "profile_fixture.h"

static void switch_to(test_log *log, uint64_t stack, uint64_t counter)
{
	add_value(log, MPROF_EVENT_STACK_SWITCH, stack, counter);
}

static void end_stack(test_log *log, uint64_t stack, uint64_t counter)
{
	add_value(log, MPROF_EVENT_STACK_END, stack, counter);
}

/* Reads a log with a call tree and without one. Returns 0 after both. */
static int read_next(test_log *log, int *pass)
{
	mprof_profile_options options;

	if (*pass > 0)
		log_forget_profile(log);
	if (*pass == 2)
		return 0;
	mprof_profile_options_init(&options, sizeof(options));
	options.without_call_tree = (uint32_t)*pass;
	log_read(log, &options);
	++*pass;
	return 1;
}

Test(profile_switches, time_on_a_stack_that_was_left_is_not_its_methods)
{
	test_log log;
	int pass = 0;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 100);
	switch_to(&log, 5, 110);
	enter(&log, 2, 120);
	enter(&log, 3, 130);
	switch_to(&log, 0, 160);
	enter(&log, 4, 170);
	leave(&log, 4, 1000);
	switch_to(&log, 5, 1010);
	/* Implicit leaves are those of the stack that the thread is on. */
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 1030);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 1040);
	end_stack(&log, 5, 1050);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 1060);
	end_block(&log);
	log_close(&log, 0);
	while (read_next(&log, &pass)) {
		EXPECT_METHOD(&log, 1, 1, 870, 40);
		EXPECT_METHOD(&log, 2, 1, 70, 20);
		EXPECT_METHOD(&log, 3, 1, 50, 50);
		EXPECT_METHOD(&log, 4, 1, 830, 830);
		cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_STACK_SWITCH], 3);
		cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_STACK_END], 1);
	}
	log_release(&log);
}

Test(profile_switches, a_stack_goes_on_on_another_thread)
{
	test_log log;
	int pass = 0;

	log_begin(&log);
	begin_block(&log, 7, 0);
	switch_to(&log, 5, 100);
	enter(&log, 1, 110);
	enter(&log, 1, 120);
	switch_to(&log, 0, 150);
	enter(&log, 2, 150);
	end_block(&log);
	begin_block(&log, 8, 0);
	switch_to(&log, 5, 500);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 510);
	leave(&log, 1, 530);
	end_stack(&log, 5, 540);
	end_block(&log);
	begin_block(&log, 7, 150);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 600);
	end_block(&log);
	log_close(&log, 0);
	while (read_next(&log, &pass)) {
		/* In a recursive method, the outermost call has all the time. */
		EXPECT_METHOD(&log, 1, 2, 70, 70);
		EXPECT_METHOD(&log, 2, 1, 450, 450);
		cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
		cr_expect_eq(thread_of(&log, 7).self_ns, 490);
		cr_expect_eq(thread_of(&log, 8).self_ns, 30);
	}
	log_release(&log);
}

/* The same method on many stacks at once is not recursive. */
Test(profile_switches, recursion_is_that_of_one_stack)
{
	test_log log;
	int pass = 0;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint64_t stack = 1; stack <= 100; stack++) {
		switch_to(&log, stack, stack * 10);
		enter(&log, 1, stack * 10);
	}
	for (uint64_t stack = 1; stack <= 100; stack++) {
		switch_to(&log, stack, 1010 + stack * 10);
		leave(&log, 1, 1010 + stack * 10 + 5);
	}
	end_block(&log);
	log_close(&log, 0);
	while (read_next(&log, &pass)) {
		/* 10 each, 20 for the last one, then 5 each. */
		EXPECT_METHOD(&log, 1, 100, 1510, 1510);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	}
	log_release(&log);
}

Test(profile_switches, frames_of_a_stack_that_ends_are_closed)
{
	test_log log;
	int pass = 0;

	log_begin(&log);
	begin_block(&log, 7, 0);
	switch_to(&log, 5, 100);
	enter(&log, 1, 100);
	enter(&log, 2, 110);
	switch_to(&log, 6, 150);
	enter(&log, 3, 150);
	end_stack(&log, 5, 500);
	/* The number may be reused: another stack, which is empty. */
	switch_to(&log, 5, 510);
	leave(&log, 1, 520);
	enter(&log, 4, 530);
	end_block(&log);
	log_close(&log, 0);
	while (read_next(&log, &pass)) {
		EXPECT_METHOD(&log, 1, 1, 50, 10);
		EXPECT_METHOD(&log, 2, 1, 40, 40);
		EXPECT_METHOD(&log, 3, 1, 360, 360);
		cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
		/* Two that ended with the stack, and one on each of the two remaining stacks. */
		cr_expect_eq(totals_of(&log).unclosed_frames, 4);
	}
	log_release(&log);
}

/* If the switch away from a stack is missing, the stack is still on one thread at a time. */
Test(profile_switches, a_stack_is_taken_from_the_thread_that_had_it)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 100);
	switch_to(&log, 5, 110);
	enter(&log, 2, 120);
	end_block(&log);
	begin_block(&log, 8, 0);
	switch_to(&log, 5, 200);
	leave(&log, 2, 210);
	end_block(&log);
	begin_block(&log, 7, 120);
	leave(&log, 1, 300);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 1, 1, 190, 190);
	EXPECT_METHOD(&log, 2, 1, 10, 10);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
	cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	log_release(&log);
}

/* Events on other stacks meanwhile are not known, so their frames end at the time they were switched from. */
Test(profile_switches, recording_that_was_stopped_for_a_while)
{
	test_log log;
	int pass = 0;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 100);
	switch_to(&log, 5, 110);
	enter(&log, 2, 110);
	switch_to(&log, 6, 120);
	enter(&log, 3, 120);
	/* From 150 to 1000 nothing was recorded. */
	add_value(&log, MPROF_EVENT_RECORDING_RESUMED, 850, 1000);
	switch_to(&log, 7, 1000);
	enter(&log, 4, 1000);
	switch_to(&log, 5, 1010);
	leave(&log, 2, 1020);
	switch_to(&log, 7, 1030);
	leave(&log, 4, 1040);
	switch_to(&log, 0, 1050);
	leave(&log, 1, 1060);
	end_block(&log);
	log_close(&log, 0);
	while (read_next(&log, &pass)) {
		EXPECT_METHOD(&log, 1, 1, 10, 10);
		EXPECT_METHOD(&log, 2, 1, 10, 10);
		EXPECT_METHOD(&log, 3, 1, 30, 30);
		EXPECT_METHOD(&log, 4, 1, 20, 20);
		cr_expect_eq(totals_of(&log).interrupted_frames, 3);
		cr_expect_eq(totals_of(&log).unmatched_leaves, 2);
		cr_expect_eq(totals_of(&log).unclosed_frames, 0);
	}
	log_release(&log);
}

/* A thread that starts is on its own stack, whatever stack an earlier thread with its ID was on. */
Test(profile_switches, a_thread_starts_on_its_own_stack)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 100);
	switch_to(&log, 5, 110);
	enter(&log, 2, 110);
	add_value(&log, MPROF_EVENT_THREAD_START, 7, 120);
	add(&log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 130);
	switch_to(&log, 5, 140);
	leave(&log, 2, 150);
	end_block(&log);
	log_profile(&log);
	EXPECT_METHOD(&log, 2, 1, 20, 20);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 1);
	cr_expect_eq(totals_of(&log).unclosed_frames, 1);
	log_release(&log);
}
