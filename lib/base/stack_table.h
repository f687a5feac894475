/* SPDX-License-Identifier: MIT */
/**
 * \file base/stack_table.h
 * \brief The call stacks that threads switch between, by number (doc/format.md, 4.8): which thread each one is on.
 *
 * The user of the table extends stack_state: its struct begins with one. States do not move until they are removed. A
 * thread's own stack is not in the table.
 */
#ifndef BASE_STACK_TABLE_H
#define BASE_STACK_TABLE_H

#include "base/allocator.h"
#include "base/hash_map.h"

typedef struct stack_state {
	uint64_t number;
	uint64_t left_at; /**< Counter when it was last left; before that, when it was first switched to. */
	uint64_t thread;  /**< The thread that is on it, as the user of the table numbers threads from 1; 0 if none. */
} stack_state;

typedef struct stack_table {
	hash_map states; /**< By number: the address of the state. */
	size_t state_size;
	uint64_t gap; /**< The latest counter at which recording was stopped. Valid if has_gap is set. */
	int has_gap;
} stack_table;

/** Initializes an empty table. \p state_size is the size of the user's struct, in bytes. */
void stack_table_init(stack_table *table, const mprof_allocator *allocator, size_t state_size);

/** Frees the table and all states. Before that, \p release, unless NULL, frees what each state owns. */
void stack_table_destroy(stack_table *table, void (*release)(stack_state *state, const mprof_allocator *allocator));

/** The state of a stack, or NULL if the table does not contain it. */
static inline stack_state *stack_table_find(const stack_table *table, uint64_t number)
{
	const uint64_t *address = hash_map_get(&table->states, number);

	return address != NULL ? (stack_state *)(uintptr_t)*address : NULL;
}

/** Adds a stack that the table does not have: all 0 but number and left. NULL if there is no memory. */
stack_state *stack_table_add(stack_table *table, uint64_t number, uint64_t counter);

/** Removes and frees a state, but not what it owns. */
void stack_table_remove(stack_table *table, stack_state *state);

/** Notes that recording was stopped at a counter, and resumed later: stacks that were left before are unknown now. */
static inline void stack_table_note_gap(stack_table *table, uint64_t start)
{
	if (!table->has_gap || (int64_t)(start - table->gap) > 0)
		table->gap = start;
	table->has_gap = 1;
}

/** Whether a stack that was left at a counter is unknown now. */
static inline int stack_table_is_stale(const stack_table *table, uint64_t left_at)
{
	return table->has_gap && (int64_t)(table->gap - left_at) >= 0;
}

#endif
