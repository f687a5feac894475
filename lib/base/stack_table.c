/* SPDX-License-Identifier: MIT */
/* Finds the state of call stacks by their number. */
#include "base/stack_table.h"

#include <string.h>

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
