/* SPDX-License-Identifier: MIT */
/* Converts allocations that stand for failed class loads to the events that were meant. */
#include "reader/failed_loads.h"

/*
 * Mono 2.6 wrote the end of a failed class load with the code of an allocation, and the time since the previous event,
 * which may be garbage, in place of the size. Below this limit it cannot be distinguished from an allocation.
 */
#define MAX_OBJECT_SIZE (UINT64_C(1) << 40)

void failed_loads_convert(mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &events[i];

		if (event->kind != MPROF_EVENT_ALLOCATION && event->kind != MPROF_EVENT_ALLOCATION_AT_JIT)
			continue;
		if (event->value <= MAX_OBJECT_SIZE)
			continue;
		event->kind = MPROF_EVENT_CLASS_LOAD_END;
		event->flags = MPROF_EVENT_FLAG_FAILED;
		event->value = 0;
		event->more.detail_bits = 0;
		event->more.detail = NULL;
	}
}
