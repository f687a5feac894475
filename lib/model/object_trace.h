/* SPDX-License-Identifier: MIT */
/**
 * \file model/object_trace.h
 * \brief The addresses that one object of the managed heap had.
 */
#ifndef MODEL_OBJECT_TRACE_H
#define MODEL_OBJECT_TRACE_H

#include "model/live_objects.h"

#include "base/memory_budget.h"

typedef struct traced_address {
	uint64_t address;
	uint64_t counter;
	uint32_t age; /**< Collections since the allocation. */
} traced_address;

typedef struct object_trace {
	memory_budget *budget;
	uint64_t identity; /**< Of the object; 0: none is traced. */
	traced_address *addresses;
	size_t count;
	size_t capacity;
	int is_incomplete; /**< max_memory was reached. */
} object_trace;

/** \p budget must outlive the trace. */
void object_trace_init(object_trace *trace, memory_budget *budget);
void object_trace_destroy(object_trace *trace);

/** An object was allocated: also if it was processed provisionally before. Returns 0 if the allocator refused. */
int object_trace_start(object_trace *trace, const live_object *object, uint64_t counter);

/** An object is moved. \p epoch: number of collections that had begun. Returns 0 if the allocator refused. */
int object_trace_move(object_trace *trace, const live_object *object, uint32_t epoch, uint64_t counter, uint64_t to);

#endif
