/* SPDX-License-Identifier: MIT */
#include "base/caller_structs.h"
#include "recorder/threads/switches.h"

#include <criterion/criterion.h>

/* Keys differ from IDs, so that a mix-up shows. */
#define KEY(method) ((uint64_t)(method) + 1000)

static mprof_allocator allocator;

static void init(void)
{
	cr_assert(allocator_init(&allocator, NULL));
}

static void enter(shadow_stack *stack, uint32_t method)
{
	shadow_stack_enter(stack, &allocator, KEY(method), method);
}

TestSuite(shadow_stack, .init = init);

Test(shadow_stack, the_method_on_top_returns)
{
	shadow_stack stack = {0};

	enter(&stack, 1);
	enter(&stack, 2);
	cr_assert_not(shadow_stack_returns(&stack, KEY(1)));
	cr_assert(shadow_stack_returns(&stack, KEY(2)));
	cr_assert(shadow_stack_returns(&stack, KEY(1)));
	cr_assert_not(shadow_stack_returns(&stack, KEY(1)));
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, a_leave_further_down_ends_the_frames_above)
{
	shadow_stack stack = {0};

	enter(&stack, 1);
	enter(&stack, 2);
	enter(&stack, 3);
	shadow_stack_leave(&stack, 2);
	cr_assert_not(shadow_stack_returns(&stack, KEY(3)));
	cr_assert(shadow_stack_returns(&stack, KEY(1)));
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, a_leave_without_a_frame_ends_nothing)
{
	shadow_stack stack = {0};

	enter(&stack, 1);
	shadow_stack_leave(&stack, 9);
	cr_assert(shadow_stack_returns(&stack, KEY(1)));
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, of_a_recursive_method_the_innermost_frame_ends)
{
	shadow_stack stack = {0};

	enter(&stack, 1);
	enter(&stack, 1);
	enter(&stack, 2);
	shadow_stack_leave(&stack, 1);
	cr_assert(shadow_stack_returns(&stack, KEY(1)));
	cr_assert_eq(stack.calls.depth, 0);
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, a_starting_thread_begins_with_nothing)
{
	shadow_stack stack = {0};

	enter(&stack, 1);
	call_frames_clear(&stack.calls, CALL_BASE_EMPTY);
	cr_assert_not(shadow_stack_returns(&stack, KEY(1)));
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, frames_of_forgotten_keys_end_only_by_their_method)
{
	const mprof_key_range ranges[] = {{KEY(1), KEY(2)}, {KEY(4), KEY(4)}};
	shadow_stack stack = {0};

	for (uint32_t method = 1; method <= 5; method++)
		enter(&stack, method);
	shadow_stack_forget(&stack, ranges, 2);
	cr_assert(shadow_stack_returns(&stack, KEY(5)));
	cr_assert_not(shadow_stack_returns(&stack, KEY(4)));
	shadow_stack_leave(&stack, 4);
	cr_assert(shadow_stack_returns(&stack, KEY(3)));
	cr_assert_not(shadow_stack_returns(&stack, KEY(2)));
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, of_too_deep_a_stack_the_outer_frames_are_not_known)
{
	shadow_stack stack = {0};

	for (size_t i = 0; i < CALL_FRAMES_MAX_RECORDED; i++)
		enter(&stack, 5);
	cr_assert(shadow_stack_is_unknown(&stack));
	enter(&stack, 6);
	cr_assert(shadow_stack_returns(&stack, KEY(6)));
	cr_assert(shadow_stack_returns(&stack, KEY(5)));
	cr_assert_not(shadow_stack_returns(&stack, KEY(5)));
	shadow_stack_destroy(&stack, &allocator);
}

/* What the recorder does for a program whose leaves match nothing is bounded. */
Test(shadow_stack, a_deep_stack_is_not_searched_for_ever)
{
	shadow_stack stack = {0};
	uint64_t leaves = 0;

	for (size_t i = 1; i < CALL_FRAMES_MAX_RECORDED; i++)
		enter(&stack, 5);
	for (; !shadow_stack_is_unknown(&stack); leaves++)
		shadow_stack_leave(&stack, 6);
	cr_assert_eq(leaves, CALL_FRAMES_MAX_SEARCHED / (CALL_FRAMES_MAX_RECORDED - 1) + 1);
	cr_assert_not(shadow_stack_returns(&stack, KEY(5)));
	shadow_stack_destroy(&stack, &allocator);
}
