/* SPDX-License-Identifier: MIT */
/* Converts events to arrays by field. */
#include "format/event_arrays.h"

void event_arrays_point(const event_arrays *arrays, uint32_t wanted, mprof_columns *columns)
{
	columns->symbols = arrays->symbols;
	columns->methods = (wanted & MPROF_COLUMN_METHODS) != 0 ? arrays->methods : NULL;
	columns->times = (wanted & MPROF_COLUMN_TIMES) != 0 ? arrays->times : NULL;
	columns->classes = (wanted & MPROF_COLUMN_CLASSES) != 0 ? arrays->classes : NULL;
	columns->sizes = (wanted & MPROF_COLUMN_SIZES) != 0 ? arrays->sizes : NULL;
	columns->callers = (wanted & MPROF_COLUMN_CALLERS) != 0 ? arrays->callers : NULL;
	columns->stacks = (wanted & MPROF_COLUMN_STACKS) != 0 ? arrays->stacks : NULL;
	columns->objects = (wanted & MPROF_COLUMN_OBJECTS) != 0 ? arrays->objects : NULL;
	columns->rows = arrays->rows;
}

/* Whether the arrays have a place for all fields of the detail of an allocation. */
static int has_only_columns(const mprof_event_detail *detail)
{
	return detail->handle_type == 0 && detail->reference_count == 0 && detail->samples == 0 && detail->size == 0 &&
	       detail->started == 0;
}

static uint8_t symbol_of(const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->flags != 0)
		return MPROF_SYMBOL_ROW;
	if (event->kind == MPROF_EVENT_ALLOCATION)
		return detail == NULL || has_only_columns(detail) ? MPROF_SYMBOL_ALLOCATION : MPROF_SYMBOL_ROW;
	if (detail != NULL || event->value != 0)
		return MPROF_SYMBOL_ROW;
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return MPROF_SYMBOL_ENTER;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		return MPROF_SYMBOL_LEAVE_IMPLICIT;
	case MPROF_EVENT_METHOD_LEAVE:
		return MPROF_SYMBOL_LEAVE;
	default:
		return MPROF_SYMBOL_ROW;
	}
}

static void convert_allocation(event_arrays *arrays, const mprof_event *event, size_t index)
{
	const mprof_event_detail *detail = event->more.detail;

	arrays->classes[index] = event->id;
	arrays->sizes[index] = event->value;
	arrays->callers[index] = detail != NULL ? detail->caller : 0;
	arrays->stacks[index] = detail != NULL ? detail->stack : 0;
	arrays->objects[index] = detail != NULL ? detail->object : 0;
}

void event_arrays_convert(event_arrays *arrays, size_t count, mprof_columns *columns)
{
	size_t methods = 0;
	size_t times = 0;
	size_t allocations = 0;
	size_t rows = 0;

	for (size_t i = 0; i < count; i++) {
		const mprof_event *event = &arrays->rows[i];
		const uint8_t symbol = symbol_of(event);

		arrays->symbols[i] = symbol;
		if (symbol == MPROF_SYMBOL_ALLOCATION) {
			convert_allocation(arrays, event, allocations++);
		} else if (symbol == MPROF_SYMBOL_ROW) {
			arrays->rows[rows++] = *event;
		} else {
			arrays->times[times++] = event->counter;
			arrays->methods[methods] = event->id;
			methods += symbol != MPROF_SYMBOL_LEAVE_IMPLICIT;
		}
	}
	columns->event_count = count;
	columns->method_count = methods;
	columns->time_count = times;
	columns->allocation_count = allocations;
	columns->row_count = rows;
}
