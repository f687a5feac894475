/* SPDX-License-Identifier: MIT */
#include "convert/open_calls.h"

#include "base/array.h"

/* A log made to be slow to convert has leaves of methods that are not open on stacks that are deep. */
#define MOST_FRUITLESS_STEPS (UINT64_C(1) << 28)

void open_calls_clear(open_calls *calls, const mprof_allocator *allocator)
{
	allocator_release(allocator, calls->methods, calls->capacity * sizeof(*calls->methods));
	calls->methods = NULL;
	calls->capacity = 0;
	calls->depth = 0;
	calls->is_lost = 0;
}

int open_calls_enter_deeper(open_calls *calls, const mprof_allocator *allocator, uint32_t method)
{
	void *methods = calls->methods;

	if (calls->is_lost)
		return 1;
	if (calls->depth >= OPEN_CALLS_MOST) {
		calls->is_lost = 1;
		return 1;
	}
	if (!array_reserve(allocator, &methods, &calls->capacity, calls->depth + 1, sizeof(*calls->methods)))
		return 0;
	calls->methods = methods;
	calls->methods[calls->depth++] = method;
	return 1;
}

void open_calls_leave_deeper(open_calls *calls, uint32_t method)
{
	for (size_t depth = calls->depth; depth > 0; depth--) {
		if (calls->methods[depth - 1] == method) {
			calls->depth = depth - 1;
			return;
		}
	}
	calls->fruitless_steps += calls->depth;
	if (calls->fruitless_steps > MOST_FRUITLESS_STEPS)
		calls->is_lost = 1;
}
