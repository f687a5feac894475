/* SPDX-License-Identifier: MIT */
/* Finds the record of a thread, and switches its call stack. */
#include "model/records/thread_table.h"

#include "base/allocator.h"
#include "model/records/lists.h"

#include <string.h>

typedef struct frame_count {
	const call_model *model;
	uint64_t frames;
} frame_count;

void thread_table_init(thread_table *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	thread_map_init(&table->positions, allocator);
	stack_table_init(&table->stacks, allocator, sizeof(switched_stack));
}

static void release_stack(stack_state *state, const mprof_allocator *allocator)
{
	call_stack_destroy(&((switched_stack *)state)->calls);
	span_stack_destroy(&((switched_stack *)state)->spans, allocator);
}

void thread_table_destroy(thread_table *table)
{
	const mprof_allocator *allocator = thread_map_allocator(&table->positions);

	for (size_t i = 0; i < table->count; i++) {
		thread_record *thread = &table->records[i];

		text_release(allocator, thread->name);
		text_release(allocator, thread->former_name);
		call_stack_destroy(&thread->own_stack);
		span_stack_destroy(&thread->own_spans, allocator);
		interval_stack_destroy(&thread->compilations, allocator);
		interval_stack_destroy(&thread->class_loads, allocator);
		interval_stack_destroy(&thread->finalizers.finalizers, allocator);
	}
	allocator_release(allocator, table->records, table->capacity * sizeof(*table->records));
	stack_table_destroy(&table->stacks, release_stack);
	table->records = NULL;
	table->count = 0;
	table->capacity = 0;
	thread_map_destroy(&table->positions);
}

thread_record *thread_table_get(thread_table *table, const call_model *model, uint64_t id)
{
	const size_t position = thread_map_find(&table->positions, id);
	void *records = table->records;
	thread_record *thread;
	int is_added;

	if (position != THREAD_MAP_NONE)
		return &table->records[position];
	is_added = thread_map_add(&table->positions, id, &records, &table->capacity, table->count,
				  sizeof(*table->records));
	table->records = records;
	if (!is_added)
		return NULL;
	thread = &table->records[table->count++];
	thread->id = id;
	call_stack_init(&thread->own_stack, model);
	return thread;
}

/* Moves a thread back to its own stack, at \p counter. */
static void return_to_own_stack(thread_record *thread, uint64_t counter)
{
	if (thread->other == NULL)
		return;
	thread->other->state.thread = 0;
	thread->other->state.left_at = counter;
	thread->other->calls.extension = 0;
	thread->other = NULL;
}

static switched_stack *find_or_add(thread_table *table, const call_model *model, uint64_t number, uint64_t counter)
{
	switched_stack *stack = (switched_stack *)stack_table_find(&table->stacks, number);

	if (stack != NULL)
		return stack;
	stack = (switched_stack *)stack_table_add(&table->stacks, number, counter);
	if (stack != NULL)
		call_stack_init(&stack->calls, model);
	return stack;
}

/* A stack is on one thread at a time: if another one still seems to be on it, the event of its leaving is missing. */
static void detach_from_other_threads(thread_table *table, switched_stack *stack, uint64_t counter)
{
	if (stack->state.thread != 0)
		return_to_own_stack(&table->records[stack->state.thread - 1], counter);
}

int thread_table_switch(thread_table *table, call_model *model, thread_record *thread, uint64_t number,
			uint64_t counter)
{
	switched_stack *next = NULL;
	uint64_t left_at;

	if (number != 0) {
		next = find_or_add(table, model, number, counter);
		if (next == NULL)
			return 0;
	}
	if (next == thread->other)
		return 1;
	if (next != NULL)
		detach_from_other_threads(table, next, counter);
	left_at = next != NULL ? next->state.left_at : thread->own_left;
	if (thread->other == NULL)
		thread->own_left = counter;
	return_to_own_stack(thread, counter);
	thread->other = next;
	if (next != NULL)
		next->state.thread = (uint64_t)(thread - table->records) + 1;
	if (stack_table_is_stale(&table->stacks, left_at)) {
		model->interrupted_frames += model->counts * call_stack_clear(model, thread_stack(thread));
		span_stack_clear(thread_spans(thread));
	}
	return 1;
}

void thread_table_end_stack(thread_table *table, call_model *model, uint64_t number)
{
	switched_stack *stack = (switched_stack *)stack_table_find(&table->stacks, number);

	if (stack == NULL)
		return;
	detach_from_other_threads(table, stack, stack->state.left_at);
	model->unclosed_frames += model->counts * call_stack_clear(model, &stack->calls);
	release_stack(&stack->state, thread_map_allocator(&table->positions));
	stack_table_remove(&table->stacks, &stack->state);
}

void thread_table_reset(call_model *model, thread_record *thread)
{
	return_to_own_stack(thread, thread->last_counter);
	model->unclosed_frames += model->counts * call_stack_clear(model, &thread->own_stack);
	span_stack_clear(&thread->own_spans);
}

uint64_t thread_table_latest(const thread_table *table, uint64_t counter)
{
	for (size_t i = 0; i < table->count; i++) {
		const thread_record *thread = &table->records[i];

		if (thread->has_counter && (int64_t)(thread->last_counter - counter) > 0)
			counter = thread->last_counter;
	}
	return counter;
}

uint64_t thread_end(const thread_record *thread, uint64_t end)
{
	/* An event about an earlier thread with the same ID may have been read after the events of this one. */
	const int is_over = thread->is_reported && (int64_t)(thread->reported_end - thread->last_counter) >= 0;

	/* Calls that are open after the thread's own end never return, or have returned by its last event. */
	if (thread->has_ended)
		return thread->last_counter;
	return is_over ? thread->reported_end : end;
}

/* Adds counters, which may be negative, to the time of a node. */
static void add_to_node(call_tree *tree, uint32_t node, uint64_t counters)
{
	if (node == CALL_TREE_ROOT || counters == 0)
		return;
	call_tree_mark_changed(tree, node);
	tree->nodes[node].self += counters;
}

static void extend_call(call_model *model, thread_record *thread, const profile_window *window, uint64_t end)
{
	call_stack *stack = thread_stack(thread);
	const int is_open = stack->top != CALL_TREE_ROOT || stack->frame_count > 0;
	const uint64_t time =
		window_clamp(window, thread_end(thread, end)) - window_clamp(window, thread->last_counter);

	thread->own_stack.extension = 0;
	thread->extension = is_open && thread->has_counter && (int64_t)time > 0 ? time : 0;
	stack->extension = thread->extension;
	/* Without a call tree, nodes come and go: the sums of open frames contain the extension of the stack. */
	thread->extended_node = model->keeps_tree ? stack->top : CALL_TREE_ROOT;
	add_to_node(&model->tree, thread->extended_node, thread->extension);
}

void thread_table_extend_calls(thread_table *table, call_model *model, const profile_window *window, uint64_t end)
{
	for (size_t i = 0; i < table->count; i++) {
		thread_record *thread = &table->records[i];

		add_to_node(&model->tree, thread->extended_node, 0 - thread->extension);
		extend_call(model, thread, window, end);
	}
}

static void add_depth(void *user, const call_stack *stack)
{
	frame_count *count = user;

	count->frames += call_stack_depth(count->model, stack);
}

uint64_t thread_table_open_frames(const thread_table *table, const call_model *model)
{
	frame_count count = {model, 0};

	thread_table_each_stack(table, add_depth, &count);
	return count.frames;
}

void thread_table_each_stack(const thread_table *table, void (*visit)(void *user, const call_stack *stack), void *user)
{
	const hash_map_entry *entry;

	for (size_t i = 0; i < table->count; i++)
		visit(user, &table->records[i].own_stack);
	for (size_t slot = 0; (entry = hash_map_next(&table->stacks.states, &slot)) != NULL;)
		visit(user, &((const switched_stack *)(uintptr_t)entry->value)->calls);
}

int thread_table_show_spans(const thread_table *table, event_types *types, const profile_window *window, uint64_t end)
{
	const hash_map_entry *entry;

	for (size_t i = 0; i < table->count; i++) {
		const thread_record *thread = &table->records[i];

		if (!event_types_show_open(types, &thread->own_spans, window_clamp(window, thread_end(thread, end))))
			return 0;
	}
	for (size_t slot = 0; (entry = hash_map_next(&table->stacks.states, &slot)) != NULL;) {
		const switched_stack *stack = (const switched_stack *)(uintptr_t)entry->value;

		if (!event_types_show_open(types, &stack->spans, window_clamp(window, end)))
			return 0;
	}
	return event_types_show_loose(types, window_clamp(window, end));
}

int thread_table_name(thread_table *table, thread_record *thread, const char *name)
{
	char *copy;

	/* Recorders may state a name again. */
	if (thread->name != NULL && strcmp(thread->name, name) == 0)
		return 1;
	copy = text_copy(thread_map_allocator(&table->positions), name);
	if (copy == NULL)
		return 0;
	text_release(thread_map_allocator(&table->positions), thread->former_name);
	thread->former_name = thread->name;
	thread->name = copy;
	thread->names++;
	return 1;
}
