/* SPDX-License-Identifier: MIT */
/* Converts runs of simple calls without branches that depend on which of them are leaves. */
#include "recorder/slots_calls.h"

#include "format/event_columns.h"

_Static_assert(MPROF_EVENT_METHOD_ENTER == 1 && MPROF_EVENT_METHOD_LEAVE == 2 && EVENT_SYMBOL_ENTER == 0 &&
		       EVENT_SYMBOL_LEAVE_IMPLICIT == 1,
	       "slots_add_calls() computes symbols and depths from kinds");

/*
 * Whether a call is an enter or a leave is unpredictable, and a branch that is predicted wrongly takes longer than all
 * else here. So each call does what either of them does: it looks up the method, and stores it at the end of its column
 * and above the top of the stack. Only an enter advances the end of the column, and changes the depth by 1 where a
 * leave changes it by -1. The only branches are those that end the run.
 */
uint32_t slots_add_calls(const event_slot *slots, uint32_t count, key_cache *methods, shadow_stack *stack,
			 column_ends *ends, call_times *times)
{
	shadow_frame *const frames = stack->calls.frames;
	const size_t capacity = stack->calls.capacity;
	call_times now = *times;
	uint64_t *method = ends->method;
	size_t depth = stack->calls.depth;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const uint64_t stamp = slots[i].stamp;
		const mprof_key key = slots[i].subject;
		const cached_key *const known = key_cache_find(methods, key);
		const uint32_t id = known->id;
		const uint32_t kind = (uint32_t)stamp & 0xff;
		const uint32_t is_enter = kind & 1;
		/* Of a leave, the index of the frame on top. If there is none, the result exceeds any depth. */
		const size_t next = depth + 3 - 2 * (size_t)kind;
		uint64_t expected = known->key;

		if (kind - MPROF_EVENT_METHOD_ENTER > 1 || next >= capacity || key == 0)
			break;
		expected ^= (expected ^ frames[next].key) & ((uint64_t)is_enter - 1);
		if (key != expected)
			break;
		frames[depth] = (shadow_frame){id, key};
		depth = next;
		*method = id;
		method += is_enter;
		ends->symbol[i] = (uint8_t)(kind - MPROF_EVENT_METHOD_ENTER);
		ends->time[i] = call_times_next(&now, stamp);
	}
	stack->calls.depth = depth;
	ends->symbol += i;
	ends->time += i;
	ends->method = method;
	*times = now;
	return i;
}
