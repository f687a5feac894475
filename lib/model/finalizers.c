/* SPDX-License-Identifier: MIT */
/* Counts finalizers and their time by class. */
#include "model/finalizers.h"

#include <string.h>

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
