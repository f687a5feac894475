/* SPDX-License-Identifier: MIT */
/* Finalizers and their times. */
#include "model/records/finalizers.h"

#include "base/allocator.h"

#include <string.h>

/*
 * Maximum number of intervals that are searched for the start of the one that ends. Bounds the time for logs with many
 * starts and no ends.
 */
#define SEARCH_DEPTH 64

#define NONE SIZE_MAX

int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter)
{
	void *intervals = stack->intervals;

	if (!array_reserve(allocator, &intervals, &stack->capacity, stack->count + 1, sizeof(*stack->intervals)))
		return 0;
	stack->intervals = intervals;
	stack->intervals[stack->count++] = (interval){.start = counter, .id = id};
	return 1;
}

/* The index of the innermost interval of \p id; NONE if none. */
static size_t find_interval(const interval_stack *stack, uint32_t id)
{
	for (size_t i = stack->count; i > 0 && stack->count - i < SEARCH_DEPTH; i--) {
		if (stack->intervals[i - 1].id == id)
			return i - 1;
	}
	return NONE;
}

void interval_stack_set_result(interval_stack *stack, uint32_t id, size_t result)
{
	size_t found = find_interval(stack, id);

	if (found != NONE)
		stack->intervals[found].result = result;
}

int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended)
{
	size_t found = find_interval(stack, id);
	const interval *last;
	int64_t duration;

	if (stack->count == 0)
		return 0;
	stack->count = found != NONE ? found : stack->count - 1;
	last = &stack->intervals[stack->count];
	duration = (int64_t)(counter - last->start);
	ended->duration = duration > 0 ? (uint64_t)duration : 0;
	ended->self = ended->duration > last->nested ? ended->duration - last->nested : 0;
	ended->result = last->result;
	ended->id = last->id;
	if (stack->count > 0)
		stack->intervals[stack->count - 1].nested += ended->duration;
	ended->is_outermost = stack->count == 0;
	ended->is_repeated = find_interval(stack, ended->id) != NONE;
	return 1;
}

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->intervals, stack->capacity * sizeof(*stack->intervals));
	stack->intervals = NULL;
	stack->count = 0;
	stack->capacity = 0;
}

void finalizers_init(finalizer_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	record_table_init(&all->records, allocator, sizeof(finalizer_record));
}

void finalizers_destroy(finalizer_list *all)
{
	record_table_destroy(&all->records);
}

static int begin_finalizer(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint32_t counts,
			   uint64_t counter)
{
	finalizer_record *record = record_table_get(&all->records, event->id);

	if (record == NULL ||
	    !interval_stack_begin(&state->finalizers, id_map_allocator(&all->records.positions), event->id, counter))
		return 0;
	record->count += counts;
	all->count += counts;
	return 1;
}

static int end_finalizer(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint64_t counter)
{
	ended_interval ended;
	finalizer_record *record;

	if (!interval_stack_end(&state->finalizers, event->id, counter, &ended))
		return 1;
	record = record_table_get(&all->records, ended.id);
	if (record == NULL)
		return 0;
	record->time += ended.duration;
	if (ended.is_outermost)
		all->time += ended.duration;
	return 1;
}

static void end_run(finalizer_list *all, finalizer_state *state, uint64_t counter)
{
	int64_t duration = (int64_t)(counter - state->run_start);

	if (state->is_running && duration > 0)
		all->run_time += (uint64_t)duration;
	state->is_running = 0;
}

int finalizers_add(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint32_t counts,
		   uint64_t counter)
{
	switch (event->kind) {
	case MPROF_EVENT_FINALIZER_START:
		return begin_finalizer(all, state, event, counts, counter);
	case MPROF_EVENT_FINALIZER_END:
		return end_finalizer(all, state, event, counter);
	case MPROF_EVENT_FINALIZATION_START:
		all->runs += counts;
		state->is_running = 1;
		state->run_start = counter;
		return 1;
	case MPROF_EVENT_FINALIZATION_END:
		end_run(all, state, counter);
		return 1;
	default:
		return 1;
	}
}

void finalizers_clear_state(finalizer_state *state)
{
	state->finalizers.count = 0;
	state->is_running = 0;
}
