/* SPDX-License-Identifier: MIT */
/* Collects the addresses that one object of the managed heap had. */
#include "model/object_trace.h"

#include "base/array.h"

#include <string.h>

void object_trace_init(object_trace *trace, memory_budget *budget)
{
	memset(trace, 0, sizeof(*trace));
	trace->budget = budget;
}

void object_trace_destroy(object_trace *trace)
{
	allocator_release(&trace->budget->paths, trace->addresses, trace->capacity * sizeof(*trace->addresses));
}

static int add_address(object_trace *trace, const traced_address *address)
{
	void *addresses = trace->addresses;

	if (!array_reserve(&trace->budget->paths, &addresses, &trace->capacity, trace->count + 1,
			   sizeof(*trace->addresses))) {
		trace->is_incomplete = 1;
		return memory_budget_is_exceeded(trace->budget);
	}
	trace->addresses = addresses;
	trace->addresses[trace->count++] = *address;
	return 1;
}

int object_trace_start(object_trace *trace, const live_object *object, uint64_t counter)
{
	const traced_address address = {object->address, counter, 0};

	if (trace->identity != object->identity)
		return 1;
	/* It may have been added provisionally. */
	trace->count = 0;
	return add_address(trace, &address);
}

int object_trace_move(object_trace *trace, const live_object *object, uint32_t epoch, uint64_t counter, uint64_t to)
{
	const traced_address address = {to, counter, epoch - object->epoch};

	return trace->identity != object->identity || add_address(trace, &address);
}
