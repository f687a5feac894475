/* SPDX-License-Identifier: MIT */
#include "recorder/shadow_stack.h"

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
	cr_assert_eq(stack.depth, 0);
	shadow_stack_destroy(&stack, &allocator);
}

Test(shadow_stack, a_starting_thread_begins_with_nothing)
{
	shadow_stack stack = {0};

	enter(&stack, 1);
	shadow_stack_restart(&stack);
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

Test(shadow_stack, too_deep_a_stack_names_all_leaves)
{
	shadow_stack stack = {0};

	for (int i = 0; i <= SHADOW_STACK_MAX; i++)
		enter(&stack, 5);
	cr_assert_not(shadow_stack_returns(&stack, KEY(5)));
	shadow_stack_destroy(&stack, &allocator);
}
