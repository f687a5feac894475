/* SPDX-License-Identifier: MIT */
/* Walks stacks by frame pointers. */
#include "frame_pointers.h"

/*
 * A frame starts with the address of the caller's frame and the return address. Frames of callers are at higher
 * addresses.
 */
size_t frame_pointers_walk(const uint64_t registers[REGISTER_COUNT], const sampled_stack *stack, mprof_frame *frames,
			   size_t limit)
{
	uintptr_t lowest = (uintptr_t)registers[REGISTER_STACK];
	uintptr_t frame = (uintptr_t)registers[REGISTER_FRAME];
	size_t count = 0;

	frames[count++] = mprof_frame_make_native(registers[REGISTER_ADDRESS]);
	/* On a stack that is not that of the thread, nothing is known about the memory. */
	if (lowest < stack->start || lowest >= stack->end)
		lowest = stack->end;
	while (frame >= lowest && frame < stack->end && stack->end - frame >= 2 * sizeof(uintptr_t) &&
	       frame % sizeof(uintptr_t) == 0) {
		const uintptr_t *saved = (const uintptr_t *)frame; // NOLINT(performance-no-int-to-ptr)

		/* The return address leads to this module. */
		if (saved[0] == stack->outermost && stack->outermost != 0)
			return count;
		if (saved[1] == 0 || count == limit)
			break;
		frames[count++] = mprof_frame_make_return(saved[1]);
		lowest = frame + 2 * sizeof(uintptr_t);
		frame = saved[0];
	}
	frames[count++] = MPROF_FRAME_TRUNCATED;
	return count;
}
