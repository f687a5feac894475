/* SPDX-License-Identifier: MIT */
/* Finds the threads of a log, and the state of call stacks that they switch between. */
#include "base/thread_map.h"

#include "base/allocator.h"

#include <string.h>

void thread_map_init(thread_map *map, const mprof_allocator *allocator)
{
	hash_map_init(&map->positions, allocator);
	map->latest = 0;
	map->latest_position = THREAD_MAP_NONE;
}

void thread_map_destroy(thread_map *map)
{
	hash_map_destroy(&map->positions);
	map->latest_position = THREAD_MAP_NONE;
}

int thread_map_add(thread_map *map, uint64_t thread, void **elements, size_t *capacity, size_t count,
		   size_t element_size)
{
	if (!array_reserve(thread_map_allocator(map), elements, capacity, count + 1, element_size) ||
	    !hash_map_put(&map->positions, thread, count))
		return 0;
	memset((char *)*elements + count * element_size, 0, element_size);
	map->latest = thread;
	map->latest_position = count;
	return 1;
}

/*
 * The call stacks that threads switch between, by number (doc/format.md, 4.8): which thread each one is on.
 *
 * The user of the table extends stack_state: its struct begins with one. States do not move until they are removed. A
 * thread's own stack is not in the table.
 */

void stack_table_init(stack_table *table, const mprof_allocator *allocator, size_t state_size)
{
	memset(table, 0, sizeof(*table));
	hash_map_init(&table->states, allocator);
	table->state_size = state_size;
}

void stack_table_destroy(stack_table *table, void (*release)(stack_state *state, const mprof_allocator *allocator))
{
	const mprof_allocator *allocator = &table->states.index.allocator;

	const hash_map_entry *entry;

	for (size_t slot = 0; (entry = hash_map_next(&table->states, &slot)) != NULL;) {
		stack_state *state = (stack_state *)(uintptr_t)entry->value;

		if (release != NULL)
			release(state, allocator);
		allocator_release(allocator, state, table->state_size);
	}
	hash_map_destroy(&table->states);
}

stack_state *stack_table_add(stack_table *table, uint64_t number, uint64_t counter)
{
	const mprof_allocator *allocator = &table->states.index.allocator;
	stack_state *state = allocator_allocate_zeroed(allocator, table->state_size);

	if (state == NULL)
		return NULL;
	if (!hash_map_put(&table->states, number, (uint64_t)(uintptr_t)state)) {
		allocator_release(allocator, state, table->state_size);
		return NULL;
	}
	state->number = number;
	state->left_at = counter;
	return state;
}

void stack_table_remove(stack_table *table, stack_state *state)
{
	hash_map_remove(&table->states, state->number);
	allocator_release(&table->states.index.allocator, state, table->state_size);
}
