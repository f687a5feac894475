/* SPDX-License-Identifier: MIT */
#include "recorder/leave_stack.h"

#include "base/array.h"

void leave_stack_destroy(leave_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->methods, stack->capacity * sizeof(*stack->methods));
	stack->methods = NULL;
}

static void push(leave_stack *stack, const mprof_allocator *allocator, uint32_t method)
{
	void *methods = stack->methods;

	if (stack->depth >= LEAVE_STACK_MAX ||
	    !array_reserve(allocator, &methods, &stack->capacity, stack->depth + 1, sizeof(*stack->methods))) {
		stack->lost = 1;
		return;
	}
	stack->methods = methods;
	stack->methods[stack->depth++] = method;
}

/* An explicit leave ends the frames above its own; one without a frame ends nothing. */
static void pop_to(leave_stack *stack, uint32_t method)
{
	for (size_t depth = stack->depth; depth > 0; depth--) {
		if (stack->methods[depth - 1] == method) {
			stack->depth = depth - 1;
			return;
		}
	}
}

void leave_stack_follow(leave_stack *stack, const mprof_allocator *allocator, mprof_event *events, size_t count)
{
	for (mprof_event *event = events; event < events + count && !stack->lost; event++) {
		switch (event->kind) {
		case MPROF_EVENT_METHOD_ENTER:
			push(stack, allocator, event->id);
			break;
		case MPROF_EVENT_METHOD_LEAVE:
			if (stack->depth > 0 && stack->methods[stack->depth - 1] == event->id) {
				event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
				event->id = 0;
				stack->depth--;
			} else {
				pop_to(stack, event->id);
			}
			break;
		case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
		case MPROF_EVENT_METHOD_LEAVE_TAIL:
			pop_to(stack, event->id);
			break;
		case MPROF_EVENT_THREAD_START:
			stack->depth = 0;
			break;
		default:
			break;
		}
	}
}
