/* SPDX-License-Identifier: MIT */
/* The inner loop: what each event does to the profile. */
#include "model/profile_internal.h"

static int has_time(const mprof_event *event)
{
	return event->kind != MPROF_EVENT_ALLOCATION && event->kind != MPROF_EVENT_ALLOCATION_AT_JIT;
}

/*
 * Inside a block a counter that goes back is taken as standing still until it has passed what was reached before. From
 * one block to the next it may really have gone back, if what lies between was damaged or the thread's ID was used
 * again.
 */
void profile_begin_events(thread_record *thread, const mprof_event *events, size_t count)
{
	size_t first = 0;

	while (first < count && !has_time(&events[first]))
		first++;
	if (first == count)
		return;
	if (!thread->has_counter || (int64_t)(events[first].counter - thread->last_counter) < 0)
		thread->last_counter = events[first].counter;
	thread->has_counter = 1;
}

static inline void pass_time(call_model *calls, thread_record *thread, uint64_t counter)
{
	int64_t passed = (int64_t)(counter - thread->last_counter);

	if (passed > 0) {
		call_stack_pass(calls, &thread->stack, (uint64_t)passed);
		thread->last_counter = counter;
	}
}

static int add_allocation(mprof_profile *profile, const mprof_event *event)
{
	class_record *record = record_table_get(&profile->classes, event->id);

	if (record == NULL)
		return 0;
	record->allocations++;
	record->bytes += event->value;
	profile->totals.allocated_bytes += event->value;
	return 1;
}

static int add_exception(mprof_profile *profile, const mprof_event *event)
{
	class_record *record = record_table_get(&profile->classes, event->id);

	if (record != NULL)
		record->exceptions++;
	return record != NULL;
}

static int add_heap_free(mprof_profile *profile, const mprof_event *event)
{
	class_record *record = record_table_get(&profile->classes, event->id);

	if (record == NULL)
		return 0;
	record->freed++;
	record->freed_bytes += event->value;
	return 1;
}

static int begin_interval(mprof_profile *profile, thread_record *thread, interval_stack *stack,
			  const mprof_event *event)
{
	return interval_stack_begin(stack, &profile->budget.allocator, event->id, thread->last_counter);
}

static int end_compilation(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	ended_interval ended;
	method_record *record;

	if (event->flags & MPROF_EVENT_FAILED)
		profile->totals.jit_failures++;
	else
		profile->totals.jit_methods++;
	if (!interval_stack_end(&thread->compilations, event->id, thread->last_counter, &ended))
		return 1;
	record = record_table_get(&profile->methods, ended.id);
	if (record == NULL)
		return 0;
	record->jit += ended.duration;
	if (ended.is_outermost)
		profile->totals.jit_ns += ended.duration;
	return 1;
}

static int end_class_load(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	ended_interval ended;
	class_record *record;

	if (!interval_stack_end(&thread->class_loads, event->id, thread->last_counter, &ended))
		return 1;
	record = record_table_get(&profile->classes, ended.id);
	if (record != NULL)
		record->load += ended.duration;
	return record != NULL;
}

/*
 * A thread that begins or ends has an empty stack. Only its own word is taken: what another thread says of it stands in
 * a block of that thread, and may be from before or after what stands in this one.
 */
static void reset_thread(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	if (event->value != thread->id)
		return;
	call_stack_clear(&profile->calls, &thread->stack);
	thread->compilations.count = 0;
	thread->class_loads.count = 0;
}

/* Events that are rare beside calls and allocations. */
static int add_other(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_JIT_START:
		return begin_interval(profile, thread, &thread->compilations, event);
	case MPROF_EVENT_METHOD_JIT_END:
		return end_compilation(profile, thread, event);
	case MPROF_EVENT_CLASS_LOAD_START:
		return begin_interval(profile, thread, &thread->class_loads, event);
	case MPROF_EVENT_CLASS_LOAD_END:
		return end_class_load(profile, thread, event);
	case MPROF_EVENT_EXCEPTION:
		return add_exception(profile, event);
	case MPROF_EVENT_HEAP_FREE:
		return add_heap_free(profile, event);
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
		reset_thread(profile, thread, event);
		return 1;
	default:
		if (event->kind >= MPROF_EVENT_GC_START && event->kind <= MPROF_EVENT_GC_START_WORLD_END)
			return collections_add(&profile->collections, event, thread->last_counter);
		return 1;
	}
}

static inline int add_event(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	pass_time(&profile->calls, thread, event->counter);
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return call_stack_enter(&profile->calls, &thread->stack, event->id);
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		call_stack_leave(&profile->calls, &thread->stack, event->id);
		return 1;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		call_stack_leave_top(&profile->calls, &thread->stack);
		return 1;
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		return add_allocation(profile, event);
	default:
		return add_other(profile, thread, event);
	}
}

int profile_add_events(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count)
{
	uint64_t counter_before = thread->last_counter;
	uint64_t idle_before = profile->calls.tree.nodes[CALL_TREE_ROOT].self;
	uint64_t idle;
	size_t done = 0;

	while (done < count && add_event(profile, thread, &events[done])) {
		if (events[done].kind < MPROF_EVENT_KIND_COUNT)
			profile->totals.event_counts[events[done].kind]++;
		done++;
	}
	thread->events += done;
	profile->totals.events += done;
	/* All time that passed went to some method, but that with an empty stack, which went to the root. */
	idle = profile->calls.tree.nodes[CALL_TREE_ROOT].self - idle_before;
	thread->self += thread->last_counter - counter_before - idle;
	return done == count;
}

int profile_add_samples(mprof_profile *profile, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!(events[i].flags & MPROF_EVENT_NATIVE)) {
			method_record *record = record_table_get(&profile->methods, events[i].id);

			if (record == NULL)
				return 0;
			record->samples++;
		}
		profile->totals.samples++;
		profile->totals.events++;
		profile->totals.event_counts[MPROF_EVENT_SAMPLE]++;
	}
	return 1;
}
