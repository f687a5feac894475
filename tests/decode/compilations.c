/* SPDX-License-Identifier: MIT */
/* Compilation time by method. */
#include "oracle.h"

#include <stdio.h>

static void add_time(oracle *all, uint32_t method, uint64_t start, uint64_t end)
{
	uint64_t *first = &names_get(&all->methods, method)->compilation_start;

	names_get(&all->methods, method)->compiling +=
		end - (has_fault(all, FAULT_NESTED_COMPILATIONS) ? *first : start);
}

void compilations_start(oracle *all, thread_state *thread, uint32_t method)
{
	frame_stack *open = &thread->compilations;

	open->frames = room_for(open->frames, open->count + 1, &open->capacity, sizeof(*open->frames));
	open->frames[open->count].method = method;
	open->frames[open->count++].start = thread->now;
	names_get(&all->methods, method)->compilation_start = thread->now;
	stacks_enter_compilation(all, thread, method);
}

/* Whether a compilation is nested in one of the same method, whose time already includes it. */
static int is_inner(const oracle *all, const frame_stack *open, uint32_t method)
{
	for (size_t i = 0; i < open->count && !has_fault(all, FAULT_NESTED_COMPILATIONS); i++) {
		if (open->frames[i].method == method)
			return 1;
	}
	return 0;
}

/*
 * The index of the compilation that an event ends: the innermost one of the method, or else the latest one, since the
 * compilation of a wrapper ends with the ID of the wrapped method.
 */
static size_t find_open(const frame_stack *open, uint32_t method)
{
	size_t position = open->count;

	while (position > 0 && open->frames[position - 1].method != method)
		position--;
	return position > 0 ? position - 1 : open->count - 1;
}

void compilations_end(oracle *all, thread_state *thread, uint32_t method)
{
	frame_stack *open = &thread->compilations;
	size_t position = open->count > 0 ? find_open(open, method) : 0;
	int is_pair = open->count > 0 && (open->frames[position].method == method);
	uint64_t start;

	if (!is_pair && has_fault(all, FAULT_COMPILATION_NAMES)) {
		start = names_get(&all->methods, method)->compilation_start;
		add_time(all, method, start, thread->now);
		stacks_leave_compilation(all, thread, method);
		return;
	}
	if (open->count == 0)
		return;
	method = open->frames[position].method;
	start = open->frames[position].start;
	open->count = position;
	if (!is_inner(all, open, method))
		add_time(all, method, start, thread->now);
	stacks_leave_compilation(all, thread, method);
}

static int by_time(const void *left, const void *right)
{
	return order_numbers(((const named *)left)->compiling, ((const named *)right)->compiling);
}

void compilations_print(oracle *all)
{
	name_table *methods = &all->methods;
	uint64_t clicks = 0;

	for (size_t i = 0; i < methods->defined; i++)
		clicks += methods->sorted[i]->compiling;
	if (!has_section(all, MPROF_INTRO_FLAG_JIT, clicks))
		return;
	if (clicks == 0) {
		printf("No jit time reported (on %zu methods)\n", methods->defined);
		return;
	}
	print_separator();
	printf("Reporting jit time (on %zu methods)\n", methods->defined);
	/* Starts from the order in which they were printed before. */
	sort_items(all, methods->sorted, methods->defined, by_time, 1, order_ids);
	for (size_t i = 0; i < methods->defined && methods->sorted[i]->compiling > 0; i++) {
		print_percent((double)methods->sorted[i]->compiling, (double)clicks);
		fputs(" (", stdout);
		print_number(clicks_to_seconds(all, methods->sorted[i]->compiling) * 1000.0, 3);
		fputs("ms) ", stdout);
		print_method(all, methods->sorted[i]->id);
		putchar('\n');
	}
}
