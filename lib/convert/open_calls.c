/* SPDX-License-Identifier: MIT */
/* Follows the open calls of a stack, to convert implicit leaves to leaves with a method, and back. */
#include "convert/open_calls.h"

#include "base/array.h"

/* Bounds the time for a log that was crafted to be slow, with leaves of methods that are not open on deep stacks. */
#define MAX_FAILED_LEAVE_STEPS (UINT64_C(1) << 28)

void open_calls_clear(open_calls *calls, const mprof_allocator *allocator)
{
	allocator_release(allocator, calls->methods, calls->capacity * sizeof(*calls->methods));
	calls->methods = NULL;
	calls->capacity = 0;
	calls->depth = 0;
	calls->is_lost = 0;
}

int open_calls_enter_slow(open_calls *calls, const mprof_allocator *allocator, uint32_t method)
{
	void *methods = calls->methods;

	if (calls->is_lost)
		return 1;
	if (calls->depth >= OPEN_CALLS_MAX) {
		calls->is_lost = 1;
		return 1;
	}
	if (!array_reserve(allocator, &methods, &calls->capacity, calls->depth + 1, sizeof(*calls->methods)))
		return 0;
	calls->methods = methods;
	calls->methods[calls->depth++] = method;
	return 1;
}

void open_calls_leave_slow(open_calls *calls, uint32_t method)
{
	for (size_t depth = calls->depth; depth > 0; depth--) {
		if (calls->methods[depth - 1] == method) {
			calls->depth = depth - 1;
			return;
		}
	}
	calls->failed_leave_steps += calls->depth;
	if (calls->failed_leave_steps > MAX_FAILED_LEAVE_STEPS)
		calls->is_lost = 1;
}
