/* SPDX-License-Identifier: MIT */
/* Walks over the events of a log in the order of their times, and follows the calls of each thread. */
#include "export/event_walk.h"

#include "common/arguments.h"
#include "common/typed.h"
#include "export/span_walk.h"
#include "export/walk_state.h"
#include "report/filters.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Follows the calls of threads by the rules of doc/format.md, 4.3 and 4.8, as the profile does, so that the sums over
 * the calls that a sink receives are the figures of mprof report: tests/exports/test_random_calls.sh compares them.
 */

/* The limits of doc/format.md, 4.3: frames of a stack, and frames that failed searches visit. */
#define MAX_FRAMES ((size_t)1 << 20)
#define MAX_SEARCHED (UINT64_C(1) << 28)

/* An entry of event_walk::stacks. */
typedef struct stack_entry {
	uint64_t number;
	walk_stack *stack;
} stack_entry;

/* Reads what the arguments of a sample state, by the rules of doc/format.md, 3.25, as the profile does. */

/* Whether the type of an event is a kind of samples. */
static int sample_walk_has(const event_walk *walk, const mprof_event *event)
{
	mprof_record type;

	return mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) ==
		       MPROF_OK &&
	       type.as.type.form == MPROF_TYPE_SAMPLE;
}

/* Takes what an argument states. */
static void take_argument(walk_kind_sample *sample, const typed_argument *argument)
{
	const uint64_t number = argument->value.number;
	const uint32_t encoding = argument->definition.encoding;

	switch (argument->definition.role) {
	case MPROF_ROLE_THREAD:
		sample->thread = number;
		break;
	case MPROF_ROLE_STACK:
		sample->stack = number <= UINT32_MAX ? (uint32_t)number : 0;
		break;
	case MPROF_ROLE_WEIGHT:
		sample->weight = number;
		sample->has_weight = encoding == MPROF_ENCODING_UNSIGNED ||
				     (encoding == MPROF_ENCODING_SIGNED && number <= INT64_MAX);
		break;
	case MPROF_ROLE_CPU:
		sample->cpu = number < MPROF_CPU_UNKNOWN ? (uint32_t)number : MPROF_CPU_UNKNOWN;
		break;
	case MPROF_ROLE_MODE:
		sample->mode = number;
		break;
	default:
		break;
	}
}

/* The weight of samples of a kind that state none: each counts once, unless one that is 0 was left out at the end. */
static uint64_t weight_without(const mprof_reader *reader, const mprof_type_record *type)
{
	mprof_record argument;

	for (uint32_t i = 0; i < type->argument_count; i++) {
		if (mprof_reader_lookup_record(reader, MPROF_RECORD_ARGUMENT, type->first_argument + i, &argument,
					       sizeof(argument)) == MPROF_OK &&
		    argument.as.argument.role == MPROF_ROLE_WEIGHT)
			return 0;
	}
	return 1;
}

static int wants_sample(const event_walk *walk, const walk_kind_sample *sample)
{
	return (walk->kind == 0 || walk->kind == sample->type) &&
	       filter_options_want_thread(&walk->job->options, sample->thread);
}

/*
 * Passes on a sample, unless its time is outside of the window, or its thread or its kind is not one that is exported.
 * \p thread is that of the block, which an argument may replace.
 */
static void sample_walk_add(const event_walk *walk, uint64_t thread, const mprof_event *event)
{
	walk_kind_sample sample = {.type = event->id, .thread = thread, .cpu = MPROF_CPU_UNKNOWN, .has_weight = 1};
	typed_arguments arguments;
	typed_argument argument;

	if (walk->sink->kind_sample == NULL || !walk_has_counter(walk, event->counter) ||
	    !typed_begin(&arguments, walk->input.reader, event))
		return;
	sample.weight = weight_without(walk->input.reader, &arguments.type);
	while (typed_next(&arguments, &argument))
		take_argument(&sample, &argument);
	sample.has_weight &= !arguments.is_damaged;
	sample.time = walk_time(walk, event->counter);
	sample.counter = event->counter;
	if (wants_sample(walk, &sample))
		walk->sink->kind_sample(walk->user, &sample);
}

static int is_too_deep(const event_walk *walk, size_t index)
{
	return walk->sink->max_open != 0 && index >= walk->sink->max_open;
}

/* Passes the beginnings of frames up to an index to the sink. It has always received the outermost ones. */
static void pass_enters(const event_walk *walk, const walk_thread *thread, walk_stack *stack, size_t end)
{
	if (end > WALK_MAX_DEPTH)
		end = WALK_MAX_DEPTH;
	if (is_too_deep(walk, end))
		end = walk->sink->max_open;
	for (; stack->passed < end; stack->passed++) {
		const walk_frame *frame = &stack->frames[stack->passed];

		if (walk->sink->enter != NULL)
			walk->sink->enter(walk->user, thread, frame->method, frame->start, (int)frame->is_resumed);
	}
}

/* Ends the innermost frame that is shown, whose index is \p index. A call that is too short is not passed on. */
static void end_frame(event_walk *walk, const walk_thread *thread, walk_stack *stack, size_t index)
{
	const walk_frame *frame = &stack->frames[index];

	const int is_long = thread->time - frame->start >= walk->job->min_duration_ns;

	if (stack->passed <= index && is_long)
		pass_enters(walk, thread, stack, index + 1);
	if (index >= WALK_MAX_DEPTH)
		return;
	if (stack->passed <= index) {
		if (is_long && is_too_deep(walk, index))
			walk->deep_calls += !frame->is_resumed;
		else
			walk->short_calls += !frame->is_resumed;
		return;
	}
	if (walk->sink->leave != NULL)
		walk->sink->leave(walk->user, thread, frame->method, thread->time);
	stack->passed = index;
}

/* Ends all frames for the sink, and keeps them on the stack. */
static void hide_frames(event_walk *walk, const walk_thread *thread)
{
	walk_stack *stack = thread->stack;

	for (size_t i = stack->count; thread->is_shown && i > 0; i--)
		end_frame(walk, thread, stack, i - 1);
}

/* Continues the frames of a stack. */
static void show_frames(event_walk *walk, const walk_thread *thread)
{
	walk_stack *stack = thread->stack;

	if (!thread->is_shown)
		return;
	for (size_t i = 0; i < stack->count; i++) {
		stack->frames[i].is_resumed = 1;
		stack->frames[i].start = thread->time;
	}
	if (walk->job->min_duration_ns == 0)
		pass_enters(walk, thread, stack, stack->count);
}

/* Notes that the time window begins, ends, or both, when the counter of a thread has gone on from \p former. */
static void cross_window(event_walk *walk, walk_thread *thread, uint64_t former)
{
	if (!thread->is_shown && !thread->is_over && thread->counter >= walk->window_start) {
		thread->is_shown = 1;
		thread->time = walk_time(walk, walk_clamp(walk, former));
		show_frames(walk, thread);
	}
	thread->time = walk_time(walk, walk_clamp(walk, thread->counter));
	if (thread->is_shown && thread->counter >= walk->window_end) {
		hide_frames(walk, thread);
		thread->is_shown = 0;
		thread->is_over = 1;
	}
}

static inline void pass_time(event_walk *walk, walk_thread *thread, uint64_t counter)
{
	uint64_t former = thread->counter;

	if ((int64_t)(counter - former) > 0)
		thread->counter = counter;
	if (walk->is_bounded)
		cross_window(walk, thread, former);
	else if (thread->counter != former)
		thread->time = walk_time(walk, thread->counter);
}

/* Begins a row of a thread at a counter; calls that are open continue in it. */
static void walk_begin_row(event_walk *walk, walk_thread *thread, uint64_t counter)
{
	if (thread->row != NULL) {
		hide_frames(walk, thread);
		span_walk_abandon(walk, thread, thread->stack);
		span_walk_release_stack(&thread->base_stack.spans);
	}
	thread->counter = counter;
	thread->has_counter = 1;
	thread->time = walk_time(walk, walk_clamp(walk, counter));
	thread->row_number = ++walk->row_count;
	thread->is_over = 0;
	thread->is_shown = !walk->is_bounded;
	thread->row = walk->sink->begin_row(walk->user, thread);
	if (thread->row == NULL) {
		walk->has_failed = 1;
		return;
	}
	show_frames(walk, thread);
}

/* Ends the calls that are open: they last until the end of the log, or of the thread. */
static void walk_finish_thread(event_walk *walk, walk_thread *thread)
{
	const int is_over = thread->is_reported && (int64_t)(thread->reported_end - thread->counter) >= 0;

	if (thread->stack->count > 0 && !thread->has_ended)
		pass_time(walk, thread, is_over ? thread->reported_end : walk->end);
	hide_frames(walk, thread);
	span_walk_finish_stack(walk, thread, &thread->base_stack);
}

static int reserve_frame(walk_stack *stack)
{
	size_t capacity = 2 * stack->capacity + 64;
	walk_frame *frames;

	if (stack->count < stack->capacity)
		return 1;
	frames = realloc(stack->frames, capacity * sizeof(*frames));
	if (frames == NULL)
		return 0;
	stack->frames = frames;
	stack->capacity = capacity;
	return 1;
}

static void enter(event_walk *walk, const walk_thread *thread, uint32_t method)
{
	walk_stack *stack = thread->stack;
	walk_frame *frame;

	walk->folded_calls += stack->count >= WALK_MAX_DEPTH;
	if (stack->count + 1 >= MAX_FRAMES) {
		stack->folded++;
		return;
	}
	if (!reserve_frame(stack)) {
		walk->has_failed = 1;
		return;
	}
	frame = &stack->frames[stack->count++];
	frame->method = method;
	frame->is_resumed = 0;
	frame->start = thread->time;
	if (thread->is_shown && walk->job->min_duration_ns == 0)
		pass_enters(walk, thread, stack, stack->count);
}

static void leave_top(event_walk *walk, const walk_thread *thread)
{
	walk_stack *stack = thread->stack;

	if (stack->folded > 0) {
		stack->folded--;
		return;
	}
	if (stack->count == 0)
		return;
	if (thread->is_shown)
		end_frame(walk, thread, stack, stack->count - 1);
	stack->count--;
}

static void clear_stack(event_walk *walk, const walk_thread *thread)
{
	thread->stack->folded = 0;
	while (thread->stack->count > 0)
		leave_top(walk, thread);
}

static void leave(event_walk *walk, const walk_thread *thread, uint32_t method)
{
	const walk_stack *stack = thread->stack;
	size_t found = stack->count;

	/* The methods of the innermost frames are not stored: each leave ends one of them. */
	if (stack->folded > 0) {
		leave_top(walk, thread);
		return;
	}
	while (found > 0 && stack->frames[found - 1].method != method)
		found--;
	while (found > 0 && stack->count >= found)
		leave_top(walk, thread);
	if (found > 0)
		return;
	walk->searched += stack->count;
	if (walk->searched > MAX_SEARCHED)
		clear_stack(walk, thread);
}

/* The thread is on another stack from now on. */
static void set_stack(event_walk *walk, walk_thread *thread, walk_stack *stack, uint64_t counter)
{
	hide_frames(walk, thread);
	thread->stack->switch_counter = counter;
	thread->stack->thread = NULL;
	thread->stack = stack;
}

/* Without an event of its own: another thread has switched to the stack, or it ends, or the thread starts. */
static void return_to_base_stack(event_walk *walk, walk_thread *thread, uint64_t counter)
{
	if (thread->stack == &thread->base_stack)
		return;
	set_stack(walk, thread, &thread->base_stack, counter);
	show_frames(walk, thread);
}

static walk_stack *get_stack(event_walk *walk, const walk_thread *thread, uint64_t number)
{
	stack_entry *entry = key_map_put(&walk->stacks, number);

	if (entry == NULL)
		return NULL;
	if (entry->stack == NULL) {
		entry->stack = calloc(1, sizeof(*entry->stack));
		if (entry->stack != NULL) {
			entry->stack->switch_counter = thread->counter;
			entry->stack->number = number;
		}
	}
	return entry->stack;
}

static void switch_stack(event_walk *walk, walk_thread *thread, uint64_t number)
{
	walk_stack *stack = number != 0 ? get_stack(walk, thread, number) : &thread->base_stack;

	if (stack == NULL) {
		walk->has_failed = 1;
		return;
	}
	if (stack == thread->stack)
		return;
	/* A stack is on one thread at a time: the event of leaving the other thread is missing. */
	if (stack->thread != NULL)
		return_to_base_stack(walk, stack->thread, thread->counter);
	set_stack(walk, thread, stack, thread->counter);
	if (number != 0)
		stack->thread = thread;
	if (walk->has_gap && (int64_t)(walk->gap - stack->switch_counter) >= 0) {
		stack->count = 0;
		stack->folded = 0;
		stack->passed = 0;
		span_walk_abandon(walk, thread, stack);
	}
	show_frames(walk, thread);
}

static void end_stack(event_walk *walk, uint64_t number)
{
	stack_entry *entry = key_map_find(&walk->stacks, number);

	if (entry == NULL || entry->stack == NULL)
		return;
	if (entry->stack->thread != NULL)
		return_to_base_stack(walk, entry->stack->thread, entry->stack->switch_counter);
	span_walk_release_stack(&entry->stack->spans);
	free(entry->stack->frames);
	free(entry->stack);
	key_map_remove(&walk->stacks, number);
}

/* Frees the stacks that are not a thread's own. */
static void walk_release_stacks(event_walk *walk)
{
	for (size_t i = 0; walk->stacks.capacity > 0 && i <= walk->stacks.capacity; i++) {
		const stack_entry *entry = key_map_slot(&walk->stacks, i);

		if (entry != NULL && entry->stack != NULL) {
			span_walk_release_stack(&entry->stack->spans);
			free(entry->stack->frames);
			free(entry->stack);
		}
	}
	key_map_clear(&walk->stacks);
}

/* Recording was stopped for a while: calls end when it was, and the time until it resumed belongs to no call. */
static void end_suspension(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	uint64_t stopped = event->counter - event->value;

	pass_time(walk, thread, stopped);
	clear_stack(walk, thread);
	span_walk_abandon(walk, thread, thread->stack);
	if (!walk->has_gap || (int64_t)(stopped - walk->gap) > 0)
		walk->gap = stopped;
	walk->has_gap = 1;
	pass_time(walk, thread, event->counter);
}

static void start(event_walk *walk, walk_thread *thread)
{
	return_to_base_stack(walk, thread, thread->counter);
	clear_stack(walk, thread);
	span_walk_abandon(walk, thread, &thread->base_stack);
}

/*
 * A thread that starts is on its own stack, which is empty. One that ends may still return from calls (doc/format.md,
 * 4.3). Events about other threads do not count.
 */
static void note_life(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	if (event->value != thread->id)
		return;
	thread->has_ended = event->kind == MPROF_EVENT_THREAD_END;
	if (thread->has_ended)
		return;
	start(walk, thread);
}

static void add_rare(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_STACK_SWITCH:
		switch_stack(walk, thread, event->value);
		return;
	case MPROF_EVENT_STACK_END:
		end_stack(walk, event->value);
		return;
	case MPROF_EVENT_TYPED:
		if (sample_walk_has(walk, event))
			sample_walk_add(walk, thread->id, event);
		else
			span_walk_add(walk, thread, event);
		return;
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
		note_life(walk, thread, event);
		break;
	default:
		break;
	}
	if (thread->is_shown && walk->sink->event != NULL)
		walk->sink->event(walk->user, thread, event);
}

/* Adds an event of a thread that has a row. */
static void walk_add_event(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	if (thread->row == NULL)
		return;
	if (event->kind == MPROF_EVENT_RECORDING_RESUMED) {
		end_suspension(walk, thread, event);
		return;
	}
	/* The ID of a thread that has ended is used again: the time since then is not that of its calls. */
	if (thread->has_ended && event->kind == MPROF_EVENT_THREAD_START && event->value == thread->id)
		start(walk, thread);
	pass_time(walk, thread, event->counter);
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		enter(walk, thread, event->id);
		return;
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		leave(walk, thread, event->id);
		return;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		leave_top(walk, thread);
		return;
	default:
		add_rare(walk, thread, event);
	}
}

#define BATCH 2048
#define RECORD_BATCH 256

/* An entry of event_walk::threads. */
typedef struct thread_entry {
	uint64_t id;
	walk_thread *thread;
} thread_entry;

walk_thread *event_walk_thread(const event_walk *walk, uint64_t id)
{
	const thread_entry *entry = key_map_find(&walk->threads, id);

	return entry != NULL ? entry->thread : NULL;
}

static walk_thread *get_thread(event_walk *walk, uint64_t id)
{
	thread_entry *entry = key_map_put(&walk->threads, id);

	if (entry == NULL)
		return NULL;
	if (entry->thread == NULL) {
		entry->thread = calloc(1, sizeof(*entry->thread));
		if (entry->thread == NULL)
			return NULL;
		entry->thread->id = id;
		entry->thread->stack = &entry->thread->base_stack;
		*walk->last_thread = entry->thread;
		walk->last_thread = &entry->thread->next;
	}
	return entry->thread;
}

static int has_time(const mprof_event *event)
{
	mprof_event_info info = {.struct_size = sizeof(info)};

	if (mprof_event_get_info(event->kind, &info) != MPROF_OK)
		return 1;
	return info.time == MPROF_EVENT_TIME_OWN || (info.time == MPROF_EVENT_TIME_UNNUMBERED && event->id == 0);
}

/* The clock of a thread may go back from one block to the next, but not inside a block. */
static void begin_block(event_walk *walk, walk_thread *thread, const mprof_event *events, size_t count)
{
	size_t first = 0;

	while (first < count && !has_time(&events[first]))
		first++;
	if (first == count) {
		/* No event has a time: that of the block is in all of them. */
		if (thread->has_counter || count == 0)
			return;
		first = 0;
	}
	if (!thread->has_counter || (int64_t)(events[first].counter - thread->counter) < 0)
		walk_begin_row(walk, thread, events[first].counter);
}

/* Damage was reported when the log was read first; a failure to read it once more has to be known. */
static void end_fetch(event_walk *walk, mprof_status status)
{
	if (status != MPROF_END && status != MPROF_OK)
		input_fetch_failed(&walk->input);
}

/* An event about another thread. It may be from before or after the events of that thread that have been read. */
static void note_thread_end(const event_walk *walk, const walk_thread *thread, const mprof_event *event)
{
	walk_thread *ended = NULL;

	if (event->kind == MPROF_EVENT_THREAD_END && event->value != thread->id)
		ended = event_walk_thread(walk, event->value);
	if (ended == NULL)
		return;
	ended->is_reported = 1;
	ended->reported_end = event->counter;
}

/* Passes on events of native memory. */
static void pass_memory(const event_walk *walk, const mprof_block *block, const mprof_event *events, size_t count)
{
	for (size_t i = 0; walk->sink->memory != NULL && i < count; i++) {
		if (events[i].kind >= MPROF_EVENT_MEMORY_ALLOCATED && events[i].kind <= MPROF_EVENT_MEMORY_RESIZED)
			walk->sink->memory(walk->user, block->thread, &events[i]);
	}
}

static void walk_events(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	walk_thread *thread = get_thread(walk, block->thread);
	mprof_status status;
	size_t count = 0;
	int is_first = 1;

	if (thread == NULL) {
		walk->has_failed = 1;
		return;
	}
	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		if (is_first)
			begin_block(walk, thread, events, count);
		is_first = 0;
		pass_memory(walk, block, events, count);
		for (size_t i = 0; i < count && !walk->has_failed; i++) {
			note_thread_end(walk, thread, &events[i]);
			walk_add_event(walk, thread, &events[i]);
		}
		if (thread->time > walk->time)
			walk->time = thread->time;
		if ((int64_t)(thread->counter - walk->end) > 0)
			walk->end = thread->counter;
	} while (status == MPROF_OK && !walk->has_failed);
	end_fetch(walk, status);
}

/* What has not ended lasts until the end of the log, whichever threads are exported. */
static void note_end(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		pass_memory(walk, block, events, count);
		if (count > 0 && (int64_t)(events[count - 1].counter - walk->end) > 0)
			walk->end = events[count - 1].counter;
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

static void walk_samples(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	const uint64_t thread = block->kind == MPROF_BLOCK_SAMPLES ? block->thread : 0;
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		for (size_t i = 0; i < count && walk->sink->sample != NULL && walk->kind == 0; i++) {
			if (walk_has_counter(walk, events[i].counter))
				walk->sink->sample(walk->user, thread, &events[i], walk_time(walk, events[i].counter));
		}
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

/* Events of types that are in no order of time: samples of kinds, and others, for which formats have no place. */
static void walk_typed(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			if (sample_walk_has(walk, &events[i]))
				sample_walk_add(walk, block->thread, &events[i]);
			else
				walk->unordered += walk->sink->described != NULL;
		}
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

/* Passes a value on. Buckets of histograms are no values over time. */
static void walk_metric_value(event_walk *walk, const mprof_block *block, const mprof_record *record)
{
	const uint64_t stated = record->as.metric_value.counter;
	const uint64_t counter = stated != 0 ? stated : block->start.counter;
	mprof_record metric;

	if (!walk_has_counter(walk, counter))
		return;
	if (mprof_reader_lookup_record(walk->input.reader, MPROF_RECORD_METRIC, record->id, &metric, sizeof(metric)) ==
		    MPROF_OK &&
	    (metric.as.metric.flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0) {
		if (walk->sink->bucket != NULL)
			walk->sink->bucket(walk->user, record, walk_time(walk, counter));
		else
			walk->buckets++;
		return;
	}
	walk->sink->metric(walk->user, record, walk_time(walk, counter));
}

static void pass_record(event_walk *walk, const mprof_block *block, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_CLOCK_PAIR) {
		if (walk->sink->clock_pair != NULL)
			walk->sink->clock_pair(walk->user, record);
	} else if (walk->sink->metric != NULL && record->kind == MPROF_RECORD_METRIC_VALUE) {
		walk_metric_value(walk, block, record);
	}
}

/* Metrics and their values, and pairs of clocks. */
static void walk_records(event_walk *walk, const mprof_block *block)
{
	static mprof_record records[RECORD_BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_records(walk->input.reader, records, sizeof(*records), RECORD_BATCH, &count);
		for (size_t i = 0; i < count; i++)
			pass_record(walk, block, &records[i]);
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

static void walk_losses(const event_walk *walk, const mprof_block *block)
{
	const walk_thread *thread = block->thread != 0 ? event_walk_thread(walk, block->thread) : NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < block->as.lost.count; i++)
		count += block->as.lost.counts[i];
	if (thread != NULL && thread->row == NULL)
		thread = NULL;
	if (count > 0 && walk->sink->lost != NULL)
		walk->sink->lost(walk->user, thread, count, thread != NULL ? thread->time : walk->time);
}

static int is_wanted(const event_walk *walk, const mprof_block *block)
{
	return filter_options_want_thread(&walk->job->options, block->thread);
}

static void walk_block(event_walk *walk, const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
		if (is_wanted(walk, block))
			walk_events(walk, block);
		else
			note_end(walk, block);
		break;
	case MPROF_BLOCK_STATISTICAL:
		if (filter_options_want_all_threads(&walk->job->options))
			walk_samples(walk, block);
		break;
	case MPROF_BLOCK_SAMPLES:
		if (is_wanted(walk, block))
			walk_samples(walk, block);
		break;
	case MPROF_BLOCK_TYPED:
		walk_typed(walk, block);
		break;
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_CLOCK_PAIRS:
		walk_records(walk, block);
		break;
	case MPROF_BLOCK_LOST:
		walk_losses(walk, block);
		break;
	default:
		break;
	}
}

/* Passes on what is open on stacks that are not a thread's own. */
static void finish_stacks(event_walk *walk)
{
	for (size_t i = 0; walk->stacks.capacity > 0 && i <= walk->stacks.capacity; i++) {
		const stack_entry *entry = key_map_slot(&walk->stacks, i);
		const walk_thread *thread = entry != NULL && entry->stack != NULL ? entry->stack->thread : NULL;

		if (entry != NULL && entry->stack != NULL)
			span_walk_finish_stack(walk, thread != NULL ? thread : walk->first_thread, entry->stack);
	}
}

static void finish_threads(event_walk *walk)
{
	for (walk_thread *thread = walk->first_thread; thread != NULL; thread = thread->next) {
		if (thread->row != NULL)
			walk_finish_thread(walk, thread);
	}
	finish_stacks(walk);
	span_walk_finish(walk);
}

static void set_clock(event_walk *walk, const log_report *report)
{
	const mprof_session *session = &report->summary.session;
	mprof_profile_window window = {.struct_size = sizeof(window)};

	(void)mprof_profile_get_window(report->profile, &window);
	walk->origin = session->start.counter;
	walk->end = session->last.counter;
	walk->nanoseconds_per_count = session->counters_per_second > 0 ? 1e9 / session->counters_per_second : 1;
	walk->is_bounded = report->options.window.is_bounded;
	walk->window_start = window.start_counter;
	walk->window_end = window.end_counter;
}

/* Opens the log, which was read before. Returns 0 after a message. */
static int open_again(event_walk *walk, const log_report *report)
{
	if (input_open_quietly(&walk->input, walk->job->log) == STATUS_OK)
		return 1;
	text_begin_message(report->input.name);
	fputs("cannot read the log once more\n", stderr);
	return 0;
}

static void note_links(event_walk *walk, const mprof_block *block)
{
	static mprof_event events[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(walk->input.reader, events, BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			if (events[i].kind == MPROF_EVENT_TYPED)
				span_walk_note(walk, block->thread, &events[i]);
		}
	} while (status == MPROF_OK);
	end_fetch(walk, status);
}

/*
 * Reads parents and causes, since a span that is one is written before the others are read. Returns 0 after a message.
 */
static int read_links(event_walk *walk, const log_report *report)
{
	mprof_block block;
	int status;

	if (!walk->sink->has_links || !span_walk_has_links(report->input.reader))
		return 1;
	if (!open_again(walk, report))
		return 0;
	while (!walk->has_failed && input_next_block(&walk->input, &block)) {
		if (block.loaded && block.kind == MPROF_BLOCK_EVENTS)
			note_links(walk, &block);
	}
	status = input_check_again(&walk->input);
	input_close(&walk->input);
	memset(&walk->input, 0, sizeof(walk->input));
	return status != STATUS_NOTHING;
}

int event_walk_run(event_walk *walk, const export_job *job, const log_report *report, const walk_sink *sink, void *user)
{
	mprof_sample_kind_stats kind;
	mprof_block block;

	memset(walk, 0, sizeof(*walk));
	walk->threads.value_size = sizeof(walk_thread *);
	walk->stacks.value_size = sizeof(walk_stack *);
	span_walk_init(&walk->spans);
	walk->last_thread = &walk->first_thread;
	walk->job = job;
	walk->sink = sink;
	walk->user = user;
	if (job->value == EXPORT_KIND && export_value_find_kind(report, 0, &kind))
		walk->kind = kind.type;
	set_clock(walk, report);
	if (!read_links(walk, report) || !open_again(walk, report))
		return STATUS_NOTHING;
	if (job->options.compiler_names)
		names_use_symbols(walk->input.names);
	input_learn_code(&walk->input, report->input.reader);
	while (!walk->has_failed && input_next_block(&walk->input, &block)) {
		if (block.loaded)
			walk_block(walk, &block);
	}
	finish_threads(walk);
	if (!walk->has_failed)
		return input_check_again(&walk->input);
	text_begin_message(report->input.name);
	fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	return STATUS_NOTHING;
}

void event_walk_release(event_walk *walk)
{
	while (walk->first_thread != NULL) {
		walk_thread *thread = walk->first_thread;

		walk->first_thread = thread->next;
		span_walk_release_stack(&thread->base_stack.spans);
		free(thread->base_stack.frames);
		free(thread);
	}
	walk_release_stacks(walk);
	key_map_clear(&walk->threads);
	key_map_clear(&walk->spans.numbers);
	free(walk->spans.links);
	input_close(&walk->input);
}

void event_walk_print_left_out(const event_walk *walk)
{
	if (walk->spans.unmatched > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " ends of spans without a start were left out\n",
			walk->spans.unmatched);
	if (walk->spans.undefined > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " events whose type the log does not define were left out\n",
			walk->spans.undefined);
	if (walk->spans.unresolved > 0)
		fprintf(stderr,
			"mprof: export: %" PRIu64 " parents and causes of spans were left out: the log does not have "
			"these spans, or used their numbers again\n",
			walk->spans.unresolved);
	if (walk->unordered > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " events in no order of time were left out\n",
			walk->unordered);
	if (walk->spans.crowded > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " spans inside or across too many others were left out\n",
			walk->spans.crowded);
	if (walk->short_calls > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " shorter calls were left out\n", walk->short_calls);
	if (walk->buckets > 0)
		fprintf(stderr,
			"mprof: export: %" PRIu64
			" buckets of histograms were left out: the format has none; tables have their percentiles\n",
			walk->buckets);
	if (walk->deep_calls > 0)
		fprintf(stderr,
			"mprof: export: %" PRIu64
			" calls deeper than %zu were left out: readers of this format show no "
			"more\n",
			walk->deep_calls, walk->sink->max_open);
	if (walk->folded_calls > 0)
		fprintf(stderr, "mprof: export: %" PRIu64 " calls on stacks of more than %d frames were left out\n",
			walk->folded_calls, WALK_MAX_DEPTH);
}
