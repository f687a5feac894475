/* SPDX-License-Identifier: MIT */
/* The inner loop: what each event does to the profile. */
#include "model/profile_internal.h"

static int has_time(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
	case MPROF_EVENT_STACK_SECTION:
		return 0;
	case MPROF_EVENT_GC_RESIZE:
		return event->id == 0;
	default:
		return 1;
	}
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

/* Where nothing is known of the place, the class says all. */
static int add_allocation_site(mprof_profile *profile, uint32_t top, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t stack = detail != NULL ? detail->stack : 0;
	uint32_t caller = detail != NULL ? detail->caller : 0;
	uint32_t call = profile->has_call_sites && stack == 0 ? top : CALL_TREE_ROOT;
	site_key key = {.class_id = event->id, .stack = stack, .call = call, .detail = caller};
	site_record *record;
	size_t site;

	if (stack == 0 && caller == 0 && call == CALL_TREE_ROOT)
		return 1;
	key.other = event->kind == MPROF_EVENT_ALLOCATION_AT_JIT ? MPROF_EVENT_COMPILING : 0;
	site = site_table_get(&profile->allocations, &key);
	if (site == SITE_TABLE_NONE)
		return 0;
	record = &profile->allocations.records[site];
	record->count++;
	record->value += event->value;
	return 1;
}

/*
 * The profilers of Mono 2.6 wrote a load of a class that failed as an allocation, with the time since the event before
 * for its size, which may be any number. No object is that large.
 */
#define MAX_OBJECT_SIZE (UINT64_C(1) << 40)

/* \p top is the node of the method that allocates. Returns 0 if there is no memory, and changes no figure. */
static int add_allocation(mprof_profile *profile, uint32_t top, const mprof_event *event)
{
	call_node *node = &profile->calls.tree.nodes[top];
	int has_place = event->more.detail != NULL || profile->has_call_sites;
	class_record *record;

	if (event->value > MAX_OBJECT_SIZE) {
		profile->totals.refused_allocations++;
		return 1;
	}
	record = record_table_get(&profile->classes, event->id);
	if (record == NULL || (has_place && !add_allocation_site(profile, top, event)))
		return 0;
	record->allocations++;
	record->bytes += event->value;
	profile->totals.allocated_bytes += event->value;
	node->allocations++;
	node->bytes += event->value;
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

static int begin_compilation(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	if (profile->has_compilations && !call_stack_begin_compilation(&profile->calls, &thread->stack, event->id))
		return 0;
	return begin_interval(profile, thread, &thread->compilations, event);
}

/* Of a wrapper the begin has the wrapper's ID and the end that of what it wraps: what counts is how they nest. */
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
	if (!ended.is_repeated)
		record->jit += ended.duration;
	if (profile->has_compilations)
		call_stack_end_compilation(&profile->calls, &thread->stack, ended.id);
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

static void forget_intervals(thread_record *thread)
{
	thread->compilations.count = 0;
	thread->class_loads.count = 0;
	thread->wait.is_waiting = 0;
	finalizers_clear_state(&thread->finalizers);
}

/*
 * A thread that begins or ends has an empty stack. Only its own word is taken: what another thread says of it stands in
 * a block of that thread, and may be from before or after what stands in this one.
 */
static void reset_thread(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	if (event->value != thread->id)
		return;
	profile->calls.unclosed_frames += call_stack_clear(&profile->calls, &thread->stack);
	forget_intervals(thread);
}

/* What was open when recording was stopped ends there. The time from then on passes with an empty stack: nobody's. */
static void resume_thread(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	pass_time(&profile->calls, thread, event->counter - event->value);
	profile->calls.interrupted_frames += call_stack_clear(&profile->calls, &thread->stack);
	forget_intervals(thread);
	pass_time(&profile->calls, thread, event->counter);
}

/* Events that are rare beside calls and allocations. */
static int add_rare(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_JIT_START:
		return begin_compilation(profile, thread, event);
	case MPROF_EVENT_METHOD_JIT_END:
		return end_compilation(profile, thread, event);
	case MPROF_EVENT_CLASS_LOAD_START:
		return begin_interval(profile, thread, &thread->class_loads, event);
	case MPROF_EVENT_CLASS_LOAD_END:
		return end_class_load(profile, thread, event);
	case MPROF_EVENT_EXCEPTION:
		return add_exception(profile, event);
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
		reset_thread(profile, thread, event);
		return 1;
	case MPROF_EVENT_MONITOR:
		return monitors_add(&profile->monitors, &thread->wait, event,
				    profile->has_call_sites ? thread->stack.top : CALL_TREE_ROOT, thread->last_counter);
	case MPROF_EVENT_HANDLE_CREATED:
	case MPROF_EVENT_HANDLE_DELETED:
		return handles_add(&profile->handles, event);
	case MPROF_EVENT_FINALIZER_START:
	case MPROF_EVENT_FINALIZER_END:
	case MPROF_EVENT_FINALIZATION_START:
	case MPROF_EVENT_FINALIZATION_END:
		return finalizers_add(&profile->finalizers, &thread->finalizers, event, thread->last_counter);
	default:
		if (event->kind >= MPROF_EVENT_GC_START && event->kind <= MPROF_EVENT_GC_START_WORLD_END)
			return collections_add(&profile->collections, event, thread->last_counter);
		return 1;
	}
}

/* Any event. */
static int add_carefully(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	/* Before time passes: it passed in two ways. */
	if (event->kind == MPROF_EVENT_RECORDING_RESUMED) {
		resume_thread(profile, thread, event);
		return 1;
	}
	pass_time(&profile->calls, thread, event->counter);
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return call_stack_enter_carefully(&profile->calls, &thread->stack, event->id);
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		call_stack_leave_carefully(&profile->calls, &thread->stack, event->id);
		return 1;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		call_stack_leave_top_carefully(&profile->calls, &thread->stack);
		return 1;
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		return add_allocation(profile, thread->stack.top, event);
	default:
		return add_rare(profile, thread, event);
	}
}

static inline void count_event(mprof_profile *profile, const mprof_event *event)
{
	if (event->kind < sizeof(profile->totals.event_counts) / sizeof(profile->totals.event_counts[0]))
		profile->totals.event_counts[event->kind]++;
}

/* The top of the stack after an event if that is simple to tell, and there are no other changes but those of time. */
static inline uint32_t top_after(call_model *calls, const call_stack *stack, uint32_t top, const mprof_event *event)
{
	/* Compared one by one, which the processor guesses better than the place where a table leads. */
	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		return call_stack_after_enter(calls, top, event->id);
	if (event->kind == MPROF_EVENT_METHOD_LEAVE)
		return call_stack_after_leave(calls, stack, top, event->id);
	if (event->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
		return call_stack_after_leave_top(calls, stack, top);
	return CALL_STACK_CAREFULLY;
}

/*
 * Adds events until there is one that needs care. What each event has to wait for, the top of the stack and the counter
 * before, is held in variables of its own. Returns how many were added; has_failed is set if there was no memory for
 * the next one.
 */
static size_t add_simple(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count,
			 int *has_failed)
{
	call_model *calls = &profile->calls;
	call_node *nodes = calls->tree.nodes;
	uint32_t top = thread->stack.top;
	uint64_t counter = thread->last_counter;
	size_t done;

	for (done = 0; done < count; done++) {
		const mprof_event *event = &events[done];
		int64_t passed = (int64_t)(event->counter - counter);
		uint32_t next = top;

		if (__builtin_expect(passed < 0, 0))
			break;
		if (event->kind == MPROF_EVENT_ALLOCATION) {
			*has_failed = !add_allocation(profile, top, event);
			if (*has_failed)
				break;
		} else {
			next = top_after(calls, &thread->stack, top, event);
			if (__builtin_expect(next == CALL_STACK_CAREFULLY, 0))
				break;
		}
		nodes[top].self += (uint64_t)passed;
		counter = event->counter;
		top = next;
		count_event(profile, event);
	}
	thread->stack.top = top;
	thread->last_counter = counter;
	return done;
}

int profile_add_events(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count)
{
	uint64_t counter_before = thread->last_counter;
	uint64_t idle_before = profile->calls.tree.nodes[CALL_TREE_ROOT].self;
	uint64_t idle;
	size_t done = 0;
	int has_failed = 0;

	for (;;) {
		done += add_simple(profile, thread, events + done, count - done, &has_failed);
		if (done == count || has_failed || !add_carefully(profile, thread, &events[done]))
			break;
		count_event(profile, &events[done++]);
	}
	thread->events += done;
	profile->totals.events += done;
	/* All time that passed went to some method, but that with an empty stack, which went to the root. */
	idle = profile->calls.tree.nodes[CALL_TREE_ROOT].self - idle_before;
	thread->self += thread->last_counter - counter_before - idle;
	return done == count;
}

static int add_sample(mprof_profile *profile, const mprof_reader *reader, const mprof_event *event, uint64_t samples)
{
	if (event->value != 0)
		return samples_add_stack(&profile->samples, reader, (uint32_t)event->value, samples);
	if (event->flags & MPROF_EVENT_NATIVE)
		return samples_add_place(&profile->samples, MPROF_SAMPLE_LOCATION, 0, samples);
	return samples_add_place(&profile->samples, MPROF_SAMPLE_METHOD, event->id, samples);
}

int profile_add_samples(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
			const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t samples = events[i].more.detail != NULL ? events[i].more.detail->samples : 1;

		if (!add_sample(profile, reader, &events[i], samples))
			return 0;
		if (thread != NULL)
			thread->samples += samples;
		profile->totals.samples += samples;
		profile->totals.events++;
		count_event(profile, &events[i]);
	}
	return 1;
}

int profile_add_heap_events(mprof_profile *profile, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if ((events[i].kind == MPROF_EVENT_HEAP_FREE && !add_heap_free(profile, &events[i])) ||
		    !heap_shots_add(&profile->heap_shots, &events[i]))
			return 0;
		profile->totals.events++;
		count_event(profile, &events[i]);
	}
	return 1;
}
