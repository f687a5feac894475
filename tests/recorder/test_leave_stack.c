/* SPDX-License-Identifier: MIT */
#include "recorder/leave_stack.h"

#include <criterion/criterion.h>

#define ENTER(method) {.kind = MPROF_EVENT_METHOD_ENTER, .id = (method)}
#define LEAVE(method) {.kind = MPROF_EVENT_METHOD_LEAVE, .id = (method)}
#define BY_EXCEPTION(method) {.kind = MPROF_EVENT_METHOD_LEAVE_EXCEPTION, .id = (method)}

static void follow(leave_stack *stack, mprof_event *events, size_t count)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	leave_stack_follow(stack, &allocator, events, count);
}

static void finish(leave_stack *stack)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	leave_stack_destroy(stack, &allocator);
}

Test(leave_stack, leaves_of_the_top_need_no_method)
{
	leave_stack stack = {0};
	mprof_event events[] = {ENTER(1), ENTER(2), LEAVE(2), LEAVE(1)};

	follow(&stack, events, 4);
	cr_assert_eq(events[2].kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	cr_assert_eq(events[2].id, 0);
	cr_assert_eq(events[3].kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	finish(&stack);
}

Test(leave_stack, goes_on_from_one_call_to_the_next)
{
	leave_stack stack = {0};
	mprof_event first[] = {ENTER(1)};
	mprof_event second[] = {LEAVE(1)};

	follow(&stack, first, 1);
	follow(&stack, second, 1);
	cr_assert_eq(second[0].kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	finish(&stack);
}

Test(leave_stack, a_leave_further_down_ends_the_frames_above)
{
	leave_stack stack = {0};
	mprof_event events[] = {ENTER(1), ENTER(2), ENTER(3), LEAVE(2), LEAVE(3), LEAVE(1)};

	follow(&stack, events, 6);
	cr_assert_eq(events[3].kind, MPROF_EVENT_METHOD_LEAVE);
	cr_assert_eq(events[4].kind, MPROF_EVENT_METHOD_LEAVE);
	cr_assert_eq(events[5].kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	finish(&stack);
}

Test(leave_stack, exceptions_take_their_frame_along)
{
	leave_stack stack = {0};
	mprof_event events[] = {ENTER(1), ENTER(2), BY_EXCEPTION(2), LEAVE(1)};

	follow(&stack, events, 4);
	cr_assert_eq(events[2].kind, MPROF_EVENT_METHOD_LEAVE_EXCEPTION);
	cr_assert_eq(events[3].kind, MPROF_EVENT_METHOD_LEAVE_IMPLICIT);
	finish(&stack);
}

Test(leave_stack, a_starting_thread_begins_with_nothing)
{
	leave_stack stack = {0};
	mprof_event events[] = {ENTER(1), {.kind = MPROF_EVENT_THREAD_START}, LEAVE(1)};

	follow(&stack, events, 3);
	cr_assert_eq(events[2].kind, MPROF_EVENT_METHOD_LEAVE);
	finish(&stack);
}

Test(leave_stack, too_deep_a_stack_names_all_leaves)
{
	leave_stack stack = {0};
	mprof_event enter = ENTER(5);
	mprof_event leave = LEAVE(5);

	for (int i = 0; i <= LEAVE_STACK_MAX; i++)
		follow(&stack, &enter, 1);
	follow(&stack, &leave, 1);
	cr_assert_eq(leave.kind, MPROF_EVENT_METHOD_LEAVE);
	finish(&stack);
}
