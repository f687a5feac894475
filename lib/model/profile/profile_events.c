/* SPDX-License-Identifier: MIT */
/* Adds single events to a profile. */
#include "model/profile/profile_events.h"

#include "format/events/event_kinds.h"
#include "model/profile/fast_path.h"
#include "model/profile/profile_internal.h"

int profile_limit_skip_data(mprof_profile *profile)
{
	int is_limited = memory_budget_is_exceeded(&profile->budget);

	profile->totals.left_out += (uint64_t)is_limited;
	return is_limited;
}

int profile_limit_skip_result(mprof_profile *profile)
{
	int is_limited = memory_budget_is_exceeded(&profile->budget);

	profile->is_limited |= is_limited;
	return is_limited;
}

int profile_limit_skip_slice(mprof_profile *profile)
{
	int is_limited = memory_budget_is_exceeded(&profile->budget);

	profile->timeline.left_out += (uint64_t)is_limited;
	profile->is_limited |= is_limited;
	return is_limited;
}

/*
 * Inside a block, a counter that goes backwards is treated as standing still until it exceeds the maximum reached
 * before. From one block to the next it may really have gone backwards, if blocks in between were damaged or the ID of
 * the thread was reused.
 */
void profile_events_begin(thread_record *thread, const mprof_event *events, size_t count)
{
	size_t first = 0;

	/* A thread starts at its first event, which has the base counter of the block if it has no time. */
	if (!thread->has_counter && count > 0) {
		thread->last_counter = events[0].counter;
		thread->has_counter = 1;
		return;
	}
	while (first < count && !event_has_time(&events[first]))
		first++;
	if (first == count)
		return;
	if ((int64_t)(events[first].counter - thread->last_counter) < 0)
		thread->last_counter = events[first].counter;
}

/* The current time of a thread, for durations: only their part inside the window counts. */
static inline uint64_t clamped_time(const mprof_profile *profile, const thread_record *thread)
{
	return window_clamp(&profile->window, thread->last_counter);
}

static inline void pass_time(mprof_profile *profile, thread_record *thread, uint64_t counter)
{
	if ((int64_t)(counter - thread->last_counter) > 0) {
		call_stack_pass(&profile->calls, thread_stack(thread),
				window_clamp(&profile->window, counter) - clamped_time(profile, thread));
		thread_stack(thread)->time += counter - thread->last_counter;
		thread->last_counter = counter;
	}
}

/* Of the value of MPROF_EVENT_METHOD_CODE. */
#define CODE_ORIGIN_BITS 4

int profile_events_add_site(mprof_profile *profile, uint32_t top, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t stack = detail != NULL ? detail->stack : 0;
	uint32_t caller = detail != NULL ? detail->caller : 0;
	uint32_t call = profile->has_call_sites && stack == 0 ? top : CALL_TREE_ROOT;
	site_key key = {.class_id = event->id, .stack = stack, .call = call, .detail = caller};
	int is_sampled = profile->estimates.interval != 0;
	site_record *record;
	size_t site;

	/*
	 * Where only call stacks are sampled, the sums of a site are estimated from the allocations with a call stack.
	 * Where allocations are, each of them was chosen.
	 */
	if (stack == 0 &&
	    ((is_sampled && !profile->estimates.has_chosen_only) || (caller == 0 && call == CALL_TREE_ROOT)))
		return 1;
	key.other = event->kind == MPROF_EVENT_ALLOCATION_AT_JIT ? MPROF_EVENT_FLAG_COMPILING : 0;
	site = site_table_get(&profile->allocations, &key);
	if (site == SITE_TABLE_NONE || (is_sampled && !allocation_estimates_reserve(&profile->estimates, site + 1))) {
		profile->totals.folded_sites++;
		return memory_budget_is_exceeded(&profile->budget);
	}
	if (is_sampled) {
		allocation_estimates_add(&profile->estimates, site, event->value);
		return 1;
	}
	record = &profile->allocations.records[site];
	record->count++;
	record->value += event->value;
	return 1;
}

/* \p top is the node of the method that allocates. Returns 0 if there is no memory, and changes no statistics. */
static inline int add_allocation(mprof_profile *profile, uint32_t top, const mprof_event *event)
{
	int has_site = event->more.detail != NULL || profile->has_call_sites;
	class_record *record = record_table_get(&profile->classes, event->id);

	if (record == NULL || (has_site && !profile_events_add_site(profile, top, event)))
		return 0;
	fast_path_count_allocation(profile, record, top, event->value);
	return 1;
}

/* Like profile_events_add_site(), for an exception that a thread throws. */
static int add_exception_site(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	const uint32_t top = thread_stack(thread)->top;
	site_key key = {.class_id = event->id};
	size_t site;

	key.stack = event->more.detail != NULL ? event->more.detail->stack : 0;
	key.call = profile->has_call_sites && key.stack == 0 ? top : CALL_TREE_ROOT;
	if (key.stack == 0 && key.call == CALL_TREE_ROOT)
		return 1;
	site = site_table_get(&profile->exceptions, &key);
	if (site == SITE_TABLE_NONE) {
		profile->totals.folded_sites++;
		return memory_budget_is_exceeded(&profile->budget);
	}
	profile->exceptions.records[site].count++;
	thread->exception_site = site < UINT32_MAX ? (uint32_t)site + 1 : 0;
	return 1;
}

/* \p top is the node of the method that throws. Returns 0 if there is no memory. */
static int add_exception(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	class_record *record = record_table_get(&profile->classes, event->id);

	thread->has_exception = 1;
	thread->exception_class = event->id;
	thread->exception_site = 0;
	if (record == NULL || !add_exception_site(profile, thread, event))
		return 0;
	record->exceptions++;
	return 1;
}

/* Returns 0 if there is no memory. */
static int add_exception_clause(mprof_profile *profile, const mprof_event *event)
{
	site_key key = {.class_id = event->id, .other = event->value};
	size_t site;

	key.detail = event->more.detail != NULL ? event->more.detail->caller : 0;
	site = site_table_get(&profile->clauses, &key);
	if (site == SITE_TABLE_NONE) {
		profile->totals.folded_sites++;
		return memory_budget_is_exceeded(&profile->budget);
	}
	profile->clauses.records[site].count++;
	return 1;
}

/* Returns 0 if there is no memory. */
static int add_method_code(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	site_key key = {.detail = event->id, .other = event->value & ((1 << CODE_ORIGIN_BITS) - 1)};
	size_t site = site_table_get(&profile->code, &key);

	if (site == SITE_TABLE_NONE) {
		profile->totals.folded_sites++;
		return memory_budget_is_exceeded(&profile->budget);
	}
	profile->code.records[site].count++;
	profile->code.records[site].value += event->value >> CODE_ORIGIN_BITS;
	/* Code of no method is made at any time, also while a method is compiled. */
	if (event->id != 0)
		interval_stack_set_result(&thread->compilations, event->id, site + 1);
	return 1;
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
	return interval_stack_begin(stack, &profile->budget.allocator, event->id, clamped_time(profile, thread));
}

static int begin_compilation(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	if (profile->has_compilations &&
	    !call_stack_begin_compilation(&profile->calls, thread_stack(thread), event->id))
		return 0;
	return begin_interval(profile, thread, &thread->compilations, event);
}

/* For a wrapper, the start has the ID of the wrapper and the end that of the wrapped method, so the nesting decides. */
static int end_compilation(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	ended_interval ended;
	method_record *record;

	if (event->flags & MPROF_EVENT_FLAG_FAILED)
		profile->totals.jit_failures += profile->calls.counts;
	else
		profile->totals.jit_methods += profile->calls.counts;
	if (!interval_stack_end(&thread->compilations, event->id, clamped_time(profile, thread), &ended))
		return 1;
	record = record_table_get(&profile->methods, ended.id);
	if (record == NULL)
		return 0;
	if (!ended.is_repeated) {
		call_model_mark_changed(&profile->calls, record);
		record->jit += ended.duration;
	}
	if (profile->has_compilations)
		call_stack_end_compilation(&profile->calls, thread_stack(thread), ended.id);
	if (ended.is_outermost)
		profile->totals.jit_ns += ended.duration;
	if (ended.result != 0)
		profile->code.records[ended.result - 1].more += ended.self;
	return 1;
}

static int end_class_load(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	ended_interval ended;
	class_record *record;

	if (event->flags & MPROF_EVENT_FLAG_FAILED)
		profile->totals.class_load_failures += profile->calls.counts;
	if (!interval_stack_end(&thread->class_loads, event->id, clamped_time(profile, thread), &ended))
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
	finalizers_clear_state(&thread->finalizers);
}

/* Whether the thread still waits then is not known: it ended, or its events from then on are not in the log. */
static void abandon_wait(mprof_profile *profile, thread_record *thread)
{
	ended_wait *wait = NULL;

	if (thread->wait.is_waiting && profile->timeline.limit != 0) {
		wait = timeline_end_wait(&profile->timeline, &thread->timeline, thread->id, thread->last_counter);
		if (wait != NULL)
			wait->is_unfinished = 1;
		else
			(void)profile_limit_skip_slice(profile);
	}
	monitors_abandon(&profile->monitors, &thread->wait, clamped_time(profile, thread));
}

/* An event about another thread. It may be from before or after the events of that thread that have been read. */
static void note_thread_end(mprof_profile *profile, const mprof_event *event)
{
	size_t position = thread_map_find(&profile->threads.positions, event->value);

	if (position == THREAD_MAP_NONE || event->kind != MPROF_EVENT_THREAD_END)
		return;
	profile->threads.records[position].is_reported = 1;
	profile->threads.records[position].reported_end = event->counter;
}

/* Adds the time in the state that a thread leaves now to the timeline. Returns 0 if there is no memory. */
static int add_time_in_state(mprof_profile *profile, thread_record *thread)
{
	const thread_state *state = &thread->doing;
	const uint64_t now = clamped_time(profile, thread);

	if (profile->timeline.limit == 0 || !state->is_known)
		return 1;
	return (timeline_add(&profile->timeline, &thread->timeline, TIMELINE_IN_STATE, state->since, now) &&
		(!state->is_running ||
		 timeline_add(&profile->timeline, &thread->timeline, TIMELINE_RUNNING, state->since, now))) ||
	       profile_limit_skip_slice(profile);
}

/*
 * A thread that starts has an empty stack. One that ends may still return from calls, as doc/format.md states (4.3).
 * Only the thread's own event counts: one in a block of another thread may be from before or after the events in this
 * block, and only limits how long calls last that are open at the end of the log.
 */
static void note_life(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	if (event->value != thread->id) {
		note_thread_end(profile, event);
		return;
	}
	thread->has_ended = event->kind == MPROF_EVENT_THREAD_END;
	if (thread->has_ended) {
		(void)add_time_in_state(profile, thread);
		meanings_end_state(&profile->meanings, &thread->doing, clamped_time(profile, thread));
		abandon_wait(profile, thread);
		return;
	}
	thread_table_reset(&profile->calls, thread);
	/* When an earlier thread with the ID of one that starts has ended is not known. */
	monitors_abandon(&profile->monitors, &thread->wait, thread->wait.start);
	forget_intervals(thread);
}

/* The ID of a thread that has ended is used again: the time since then is not that of its calls. */
static void end_earlier_thread(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	if (thread->has_ended && event->kind == MPROF_EVENT_THREAD_START && event->value == thread->id)
		thread_table_reset(&profile->calls, thread);
}

/*
 * Frames that were open when recording was stopped end at that time. The time from then on passes with an empty stack
 * and is attributed to no method.
 */
static void end_suspension(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	pass_time(profile, thread, event->counter - event->value);
	profile->calls.interrupted_frames +=
		profile->calls.counts * call_stack_clear(&profile->calls, thread_stack(thread));
	/* Other stacks may have been switched to and left meanwhile: their frames are not known any more. */
	stack_table_note_gap(&profile->threads.stacks, event->counter - event->value);
	span_stack_clear(thread_spans(thread));
	abandon_wait(profile, thread);
	forget_intervals(thread);
	pass_time(profile, thread, event->counter);
}

static void begin_timeline_wait(thread_record *thread, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	thread->timeline.wait = (timeline_wait){.start = thread->last_counter,
						.object = detail != NULL ? detail->object : 0,
						.class_id = event->id,
						.stack = detail != NULL ? detail->stack : 0};
}

static int add_monitor(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	int was_waiting = thread->wait.is_waiting;

	if (!monitors_add(&profile->monitors, &thread->wait, event, profile->calls.counts,
			  profile->has_call_sites ? thread_stack(thread)->top : CALL_TREE_ROOT,
			  clamped_time(profile, thread)))
		return 0;
	if (profile->timeline.limit == 0)
		return 1;
	if (event->value == MPROF_MONITOR_CONTENDED)
		begin_timeline_wait(thread, event);
	else if (was_waiting && !thread->wait.is_waiting)
		return timeline_end_wait(&profile->timeline, &thread->timeline, thread->id, thread->last_counter) !=
			       NULL ||
		       profile_limit_skip_slice(profile);
	return 1;
}

static int add_monitor_holder(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	int is_first = thread->wait.is_waiting && thread->timeline.wait.holder == 0 &&
		       monitors_is_awaited(&thread->wait, event);

	if (is_first)
		thread->timeline.wait.holder = event->value;
	return monitors_add_holder(&profile->monitors, &thread->wait, event, profile->calls.counts);
}

/* Whichever threads are chosen, any thread may stop them. */
static int add_stop(mprof_profile *profile, uint64_t thread, const mprof_event *event, uint64_t counter)
{
	return profile->timeline.limit == 0 || !profile->window.has_threads ||
	       !profile_has_process(profile, profile_process_of(profile, thread)) ||
	       collections_add(&profile->stops, event, thread, counter);
}

/* A sample that was read is counted only inside the window. */
static int count_typed_sample(mprof_profile *profile, uint64_t thread, const mprof_event *event)
{
	int is_counted;

	return sample_kinds_add(&profile->sample_kinds, profile->reading, &profile->window, thread, event,
				&is_counted) ||
	       profile_limit_skip_data(profile);
}

/* Notes at which call site a wait is, if the event begins or contains one. Returns 0 if there is no memory. */
static int find_wait(mprof_profile *profile, thread_record *thread, const meaning_event *known, event_context *context)
{
	const uint32_t call = thread != NULL && profile->has_call_sites ? thread_stack(thread)->top : CALL_TREE_ROOT;

	/* Outside the order of a thread, no end belongs to a begin. */
	if (known->form != MPROF_TYPE_SPAN && known->form != MPROF_TYPE_ASYNC_BEGIN &&
	    (known->form != MPROF_TYPE_BEGIN || thread == NULL))
		return 1;
	context->wait = wait_list_find(&profile->event_types.waits, known, call, context->counts);
	return context->wait != 0;
}

/*
 * Adds the text of an exception: to its class, and to the site where the thread has thrown it. Without a class, it is
 * that of the thread's latest exception. Returns 0 if there is no memory.
 */
static int add_exception_text(mprof_profile *profile, const thread_record *thread, const meaning_event *known,
			      uint64_t counter)
{
	const int is_latest = thread != NULL && thread->has_exception;
	const uint64_t class_id = meaning_event_has(known, MEANING_CLASS) ? known->numbers[MEANING_CLASS]
				  : is_latest                             ? thread->exception_class
									  : 0;
	char text[MEANING_TEXT_ROOM];

	meaning_event_copy(known, MEANING_MESSAGE, text);
	if (text[0] == '\0' || class_id == 0 || class_id > UINT32_MAX)
		return 1;
	if (!exception_texts_add(&profile->meanings.class_texts, (uint32_t)class_id, text, counter))
		return 0;
	return !is_latest || thread->exception_class != class_id || thread->exception_site == 0 ||
	       exception_texts_add(&profile->meanings.site_texts, thread->exception_site, text, counter);
}

/* Outside the order of a thread, for which it is NULL, it is not known how long a state lasted. */
static int change_state(mprof_profile *profile, thread_record *thread, const meaning_event *known, uint32_t counts)
{
	if (thread == NULL)
		return 1;
	/* One that states only a priority leaves the state as it is. */
	if (known->texts[MEANING_STATE] != NULL && !add_time_in_state(profile, thread))
		return 0;
	return meanings_change_state(&profile->meanings, &thread->doing, known, thread->id,
				     clamped_time(profile, thread), counts);
}

/* Adds what an event with a meaning states; \p thread is NULL if it is in no order. Returns 0 if there is no memory. */
static int add_known(mprof_profile *profile, thread_record *thread, const mprof_event *event, event_context *context)
{
	meaning_event known;

	if (!meanings_read(&profile->meanings, profile->reading, event, &known))
		return 0;
	if (known.type == MEANING_NOTHING)
		return 1;
	if (!collection_notes_add(&profile->meanings.collections, &known))
		return 0;
	if (known.type == MEANING_WAIT)
		return find_wait(profile, thread, &known, context);
	if (known.type == MEANING_THREAD_STATE)
		return change_state(profile, thread, &known, context->counts);
	if (known.type == MEANING_EXCEPTION)
		return !context->counts || add_exception_text(profile, thread, &known, context->counter);
	return known.type != MEANING_LOG || !context->counts ||
	       meanings_add_message(&profile->meanings, &known, context->counter, context->thread);
}

static int add_typed(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	event_context context = {.counter = thread->last_counter,
				 .thread = thread->id,
				 .stack = thread->other != NULL ? thread->other->state.number : 0,
				 .counts = profile->calls.counts};
	int added;

	if (!add_known(profile, thread, event, &context))
		return 0;
	added = event_types_add(&profile->event_types, profile->reading, thread_spans(thread), event, &context);
	if (added != EVENT_TYPES_SAMPLE || !profile->calls.counts)
		return added != 0;
	return count_typed_sample(profile, thread->id, event);
}

/* Replaces the addresses of an event by numbers that no other process uses. Returns 0 if there is no memory. */
static int translate_addresses(mprof_profile *profile, uint64_t thread, mprof_event *event, mprof_event_detail *detail)
{
	const uint64_t process = profile_process_of(profile, thread);

	if (!address_spaces_key(&profile->addresses, process, event->value, &event->value))
		return 0;
	if (event->more.detail == NULL)
		return 1;
	*detail = *event->more.detail;
	event->more.detail = detail;
	return event->kind != MPROF_EVENT_MEMORY_RESIZED ||
	       address_spaces_key(&profile->addresses, process, detail->object, &detail->object);
}

static int add_memory(mprof_profile *profile, uint64_t thread, const mprof_event *event)
{
	mprof_event translated = *event;
	mprof_event_detail detail;

	if (!profile->has_processes)
		return memory_add(&profile->memory, thread, event);
	return translate_addresses(profile, thread, &translated, &detail) &&
	       memory_add(&profile->memory, thread, &translated);
}

static int add_handle(mprof_profile *profile, uint64_t thread, const mprof_event *event)
{
	mprof_event translated = *event;

	return address_spaces_key(&profile->handle_spaces, profile_process_of(profile, thread), event->value,
				  &translated.value) &&
	       handles_add(&profile->lists.handles, &translated);
}

/* Events that are rare compared with calls and allocations. */
static int add_rare(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_JIT_START:
		return begin_compilation(profile, thread, event);
	case MPROF_EVENT_METHOD_JIT_END:
		return end_compilation(profile, thread, event);
	case MPROF_EVENT_METHOD_CODE:
		return add_method_code(profile, thread, event);
	case MPROF_EVENT_CLASS_LOAD_START:
		return begin_interval(profile, thread, &thread->class_loads, event);
	case MPROF_EVENT_CLASS_LOAD_END:
		return end_class_load(profile, thread, event);
	case MPROF_EVENT_EXCEPTION:
		return add_exception(profile, thread, event);
	case MPROF_EVENT_EXCEPTION_CLAUSE:
		return add_exception_clause(profile, event);
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
		note_life(profile, thread, event);
		return 1;
	case MPROF_EVENT_STACK_SWITCH:
		return thread_table_switch(&profile->threads, &profile->calls, thread, event->value,
					   thread->last_counter);
	case MPROF_EVENT_STACK_END:
		thread_table_end_stack(&profile->threads, &profile->calls, event->value);
		return 1;
	case MPROF_EVENT_MONITOR:
		return add_monitor(profile, thread, event);
	case MPROF_EVENT_MONITOR_HOLDER:
		return add_monitor_holder(profile, thread, event);
	case MPROF_EVENT_HANDLE_CREATED:
	case MPROF_EVENT_HANDLE_DELETED:
		return add_handle(profile, thread->id, event);
	case MPROF_EVENT_FINALIZER_START:
	case MPROF_EVENT_FINALIZER_END:
	case MPROF_EVENT_FINALIZATION_START:
	case MPROF_EVENT_FINALIZATION_END:
		return finalizers_add(&profile->finalizers, &thread->finalizers, event, profile->calls.counts,
				      clamped_time(profile, thread));
	case MPROF_EVENT_MEMORY_ALLOCATED:
	case MPROF_EVENT_MEMORY_FREED:
	case MPROF_EVENT_MEMORY_RESIZED:
		return add_memory(profile, thread->id, event);
	case MPROF_EVENT_TYPED:
		return add_typed(profile, thread, event);
	default:
		if (event_category(event) == MPROF_EVENT_CATEGORY_COLLECTION)
			return add_stop(profile, thread->id, event, thread->last_counter) &&
			       collections_add(&profile->collections, event, thread->id, thread->last_counter);
		return 1;
	}
}

/* Adds any event. */
static int add_event_slow(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	/* This event adds the time itself: before the gap to the stack, and in the gap to no method. */
	if (event->kind == MPROF_EVENT_RECORDING_RESUMED) {
		end_suspension(profile, thread, event);
		return 1;
	}
	end_earlier_thread(profile, thread, event);
	pass_time(profile, thread, event->counter);
	profile->calls.durations.counter = thread->last_counter;
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return call_stack_enter_slow(&profile->calls, thread_stack(thread), event->id);
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		call_stack_leave_slow(&profile->calls, thread_stack(thread), event->id);
		return 1;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		call_stack_leave_top_slow(&profile->calls, thread_stack(thread));
		return 1;
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		return add_allocation(profile, thread_stack(thread)->top, event);
	default:
		return add_rare(profile, thread, event);
	}
}

/* Whether the reader has resolved an implicit leave. It counts under the kind that it has in the log. */
static inline uint32_t is_implicit(const mprof_event *event)
{
	return event->flags / MPROF_EVENT_FLAG_IMPLICIT & 1;
}

static inline void count_event(mprof_profile *profile, const mprof_event *event)
{
	profile->totals.event_counts[event->kind + is_implicit(event) * (MPROF_EVENT_METHOD_LEAVE_IMPLICIT -
									 MPROF_EVENT_METHOD_LEAVE)]++;
}

/* As add_allocation(), and counts the event. Allocations outside the window change nothing. */
static inline int add_fast_allocation(mprof_profile *profile, uint32_t top, const mprof_event *event, const int mode)
{
	if ((mode & FAST_PATH_COUNTS) == 0)
		return 1;
	if (!add_allocation(profile, top, event))
		return 0;
	profile->totals.event_counts[MPROF_EVENT_ALLOCATION]++;
	return 1;
}

/*
 * Adds events up to the first one that requires the slow path. Returns the number of events added; has_failed is set if
 * there was no memory for the next one.
 */
FAST_PATH_INLINE size_t add_events_inline(mprof_profile *profile, thread_record *thread, const mprof_event *events,
					  size_t count, int *has_failed, const int mode)
{
	const call_stack *stack = thread_stack(thread);
	fast_path path;
	size_t done;

	if (!fast_path_begin(&path, profile, thread, mode))
		return 0;
	for (done = 0; done < count; done++) {
		const mprof_event *event = &events[done];

		if (!fast_path_is_next(&path, event->counter))
			break;
		if (event->kind == MPROF_EVENT_ALLOCATION) {
			*has_failed = !add_fast_allocation(profile, path.top, event, mode);
			if (*has_failed)
				break;
			fast_path_pass(&path, profile, event->counter, mode);
		} else {
			const fast_call call = {event->kind, event->id, event->counter, is_implicit(event)};

			if (!fast_path_call(&path, profile, stack, &call, mode))
				break;
		}
	}
	fast_path_end(&path, thread, mode);
	return done;
}

static size_t add_events_fast(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count,
			      int *has_failed, int counts)
{
	if (profile->calls.durations.is_enabled && counts)
		return add_events_inline(profile, thread, events, count, has_failed,
					 FAST_PATH_COUNTS | FAST_PATH_TIMED);
	if (profile->calls.durations.is_enabled)
		return add_events_inline(profile, thread, events, count, has_failed, FAST_PATH_TIMED);
	if (counts)
		return add_events_inline(profile, thread, events, count, has_failed, FAST_PATH_COUNTS);
	return add_events_inline(profile, thread, events, count, has_failed, 0);
}

/* Whether an event begins and ends nothing, so that it can be ignored outside the window. */
static int is_instant(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
	case MPROF_EVENT_EXCEPTION:
	case MPROF_EVENT_EXCEPTION_CLAUSE:
	case MPROF_EVENT_METHOD_CODE:
	case MPROF_EVENT_HANDLE_CREATED:
	case MPROF_EVENT_HANDLE_DELETED:
	case MPROF_EVENT_OBJECT_FREED:
	case MPROF_EVENT_OBJECT_RESIZED:
		return 1;
	default:
		return 0;
	}
}

/* As profile_events_add_windowed(), but returns 0 also if the memory limit was reached. */
static int add_windowed_event(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	/*
	 * Events without a time have that of the event before them, or at the start of a block the base counter. It
	 * must not depend on the events counted before, or events between two windows would count in neither.
	 */
	uint64_t counter = event->counter;
	int is_added = 1;

	if ((int64_t)(counter - thread->last_counter) < 0)
		counter = thread->last_counter;
	profile->calls.counts = (uint32_t)window_has_counter(&profile->window, counter);
	if (profile->calls.counts || !is_instant(event))
		is_added = add_event_slow(profile, thread, event);
	else
		pass_time(profile, thread, counter);
	if (is_added && profile->calls.counts) {
		count_event(profile, event);
		thread->events++;
		profile->totals.events++;
	}
	profile->calls.counts = 1;
	return is_added;
}

/* Outside the window, calls and durations are tracked, but nothing is counted. */
int profile_events_add_windowed(mprof_profile *profile, thread_record *thread, const mprof_event *event)
{
	return add_windowed_event(profile, thread, event) || profile_limit_skip_data(profile);
}

static window_place place_of(const mprof_profile *profile, const thread_record *thread, const mprof_event *events,
			     size_t count)
{
	uint64_t first = thread->last_counter;
	uint64_t last = first;

	if (!profile->window.is_bounded)
		return WINDOW_INSIDE;
	for (size_t i = 0; i < count; i++) {
		first = events[i].counter < first ? events[i].counter : first;
		last = events[i].counter > last ? events[i].counter : last;
	}
	return window_place_of(&profile->window, thread->last_counter, first, last);
}

static int follow_event(mprof_profile *profile, uint64_t thread, const mprof_event *event)
{
	switch (event_category(event)) {
	case MPROF_EVENT_CATEGORY_MEMORY:
		return add_memory(profile, thread, event);
	case MPROF_EVENT_CATEGORY_COLLECTION:
		return add_stop(profile, thread, event, event->counter);
	default:
		return 1;
	}
}

int profile_events_follow(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!follow_event(profile, thread, &events[i]) && !profile_limit_skip_data(profile))
			return 0;
	}
	return 1;
}

profile_run profile_events_begin_run(mprof_profile *profile, const thread_record *thread)
{
	const profile_run run = {clamped_time(profile, thread), profile->calls.tree.nodes[CALL_TREE_ROOT].self};

	profile->calls.durations.thread = thread->id;
	return run;
}

int profile_events_end_run(mprof_profile *profile, thread_record *thread, const profile_run *run)
{
	uint64_t idle;

	if (profile->calls.durations.is_enabled)
		call_durations_settle(&profile->calls.durations);
	if (profile->event_types.count > 0)
		call_durations_settle(&profile->event_types.durations);
	call_durations_settle(&profile->event_types.waits.durations);
	/* All time that passed went to a method, except that with an empty stack, which went to the root. */
	idle = profile->calls.tree.nodes[CALL_TREE_ROOT].self - run->idle;
	thread->self += clamped_time(profile, thread) - run->time - idle;
	return !profile->calls.durations.has_failed;
}

int profile_events_add_slow(mprof_profile *profile, thread_record *thread, const mprof_event *event, int has_failed)
{
	if ((has_failed || !add_event_slow(profile, thread, event)) && !profile_limit_skip_data(profile))
		return 0;
	count_event(profile, event);
	return 1;
}

/* Returns the number of events before the first one for which there is no memory. */
static size_t add_at(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count,
		     window_place slot)
{
	const int counts = slot == WINDOW_INSIDE;
	size_t done = 0;

	for (;;) {
		int has_failed = 0;
		int is_added;

		if (slot != WINDOW_ACROSS)
			done += add_events_fast(profile, thread, events + done, count - done, &has_failed, counts);
		if (done == count)
			return done;
		is_added = counts ? profile_events_add_slow(profile, thread, &events[done], has_failed)
				  : profile_events_add_windowed(profile, thread, &events[done]);
		if (!is_added)
			return done;
		done++;
	}
}

static int add_run(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count)
{
	const window_place slot = place_of(profile, thread, events, count);
	const profile_run run = profile_events_begin_run(profile, thread);
	const size_t done = add_at(profile, thread, events, count, slot);

	if (slot == WINDOW_INSIDE) {
		thread->events += done;
		profile->totals.events += done;
	}
	return profile_events_end_run(profile, thread, &run) && done == count;
}

/* The number of events that are in the slice of the timeline in which the thread is, and do not change the time. */
static size_t count_in_slice(const mprof_profile *profile, const thread_record *thread, const mprof_event *events,
			     size_t count)
{
	uint64_t end = timeline_slice_end(&profile->timeline, clamped_time(profile, thread));
	size_t inside = 0;

	while (inside < count && window_clamp(&profile->window, events[inside].counter) < end &&
	       events[inside].kind != MPROF_EVENT_RECORDING_RESUMED)
		inside++;
	return inside;
}

/*
 * Adds events, and their time in methods to the timeline. Runs of events within a slice are added together; of an event
 * in another slice, the time until then either belongs to methods from its start on, or not at all.
 */
static int add_slices(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count)
{
	size_t run;

	for (size_t done = 0; done < count; done += run) {
		uint64_t start = clamped_time(profile, thread);
		uint64_t self = thread->self;

		run = count_in_slice(profile, thread, events + done, count - done);
		run += run == 0;
		timeline_note(&thread->timeline, thread->last_counter);
		if (!add_run(profile, thread, events + done, run))
			return 0;
		timeline_note(&thread->timeline, thread->last_counter);
		if (!timeline_add(&profile->timeline, &thread->timeline, TIMELINE_METHODS, start,
				  start + (thread->self - self)) &&
		    !profile_limit_skip_slice(profile))
			return 0;
	}
	return 1;
}

int profile_events_add(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count)
{
	return profile->timeline.limit == 0 ? add_run(profile, thread, events, count)
					    : add_slices(profile, thread, events, count);
}

static int count_sample(mprof_profile *profile, const mprof_reader *reader, const mprof_event *event, uint64_t samples)
{
	if (event->value != 0)
		return samples_add_stack(&profile->samples, reader, (uint32_t)event->value, samples);
	if (event->flags & MPROF_EVENT_FLAG_NATIVE)
		return samples_add_frame(&profile->samples, reader, MPROF_SAMPLE_LOCATION, 0, samples);
	return samples_add_frame(&profile->samples, reader, MPROF_SAMPLE_METHOD, event->id, samples);
}

static int add_timeline_samples(mprof_profile *profile, thread_record *thread, const mprof_event *event,
				uint64_t samples)
{
	int is_waiting = event->value != 0 &&
			 samples_wait_of_stack(&profile->samples, (uint32_t)event->value) != MPROF_WAIT_NONE;

	timeline_note(&thread->timeline, event->counter);
	return timeline_add_samples(&profile->timeline, &thread->timeline, event->counter, samples, is_waiting) ||
	       profile_limit_skip_slice(profile);
}

int profile_events_add_samples(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
			       const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t samples = events[i].more.detail != NULL ? events[i].more.detail->samples : 1;

		if (!window_has_counter(&profile->window, events[i].counter))
			continue;
		samples = sample_weights_count(&profile->weights, samples);
		if (!count_sample(profile, reader, &events[i], samples) && !profile_limit_skip_data(profile))
			return 0;
		if (thread != NULL && profile->timeline.limit != 0 &&
		    !add_timeline_samples(profile, thread, &events[i], samples))
			return 0;
		if (thread != NULL)
			thread->samples += samples;
		profile->totals.samples += samples;
		profile->totals.events++;
		count_event(profile, &events[i]);
	}
	return 1;
}

int profile_events_add_typed(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		event_context context = {.counter = events[i].counter,
					 .thread = thread,
					 .counts = (uint32_t)window_has_thread(&profile->window, thread)};
		int added;

		if (!window_has_counter(&profile->window, context.counter))
			continue;
		if (!add_known(profile, NULL, &events[i], &context))
			return 0;
		added = event_types_add(&profile->event_types, profile->reading, NULL, &events[i], &context);
		if (added == 0 || (added == EVENT_TYPES_SAMPLE && !count_typed_sample(profile, thread, &events[i])))
			return 0;
		profile->totals.events++;
		count_event(profile, &events[i]);
	}
	return 1;
}

int profile_events_add_heap(mprof_profile *profile, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (((events[i].kind == MPROF_EVENT_HEAP_FREE && !add_heap_free(profile, &events[i])) ||
		     !heap_snapshots_add(&profile->heap_snapshots, &events[i])) &&
		    !profile_limit_skip_data(profile))
			return 0;
		profile->totals.events++;
		count_event(profile, &events[i]);
	}
	return 1;
}
