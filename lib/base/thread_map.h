/* SPDX-License-Identifier: MIT */
/**
 * \file base/thread_map.h
 * \brief The threads of a log, and the call stacks that they switch between, by number.
 *
 * Thread IDs are arbitrary 64-bit numbers, often addresses, so they are hashed to positions in an array of the owner.
 * Consecutive blocks often belong to the same thread, which the map finds without a search.
 */
#ifndef BASE_THREAD_MAP_H
#define BASE_THREAD_MAP_H

#include "base/allocator.h"
#include "base/hash_map.h"

#define THREAD_MAP_NONE SIZE_MAX

typedef struct thread_map {
	hash_map positions;
	uint64_t latest;        /**< The thread that was added, or found by thread_map_find(), last. */
	size_t latest_position; /**< Its position; #THREAD_MAP_NONE if none. */
} thread_map;

void thread_map_init(thread_map *map, const mprof_allocator *allocator);

/** Frees the memory and removes all threads; the map can be used again. The array remains the owner's. */
void thread_map_destroy(thread_map *map);

static inline const mprof_allocator *thread_map_allocator(const thread_map *map)
{
	return &map->positions.index.allocator;
}

/** The position of a thread, or #THREAD_MAP_NONE. Leaves the map unchanged. */
static inline size_t thread_map_get(const thread_map *map, uint64_t thread)
{
	const uint64_t *position;

	if (thread == map->latest && map->latest_position != THREAD_MAP_NONE)
		return map->latest_position;
	position = hash_map_get(&map->positions, thread);
	return position != NULL ? (size_t)*position : THREAD_MAP_NONE;
}

/** The position of a thread, which becomes the latest one, or #THREAD_MAP_NONE. */
static inline size_t thread_map_find(thread_map *map, uint64_t thread)
{
	size_t position = thread_map_get(map, thread);

	if (position != THREAD_MAP_NONE) {
		map->latest = thread;
		map->latest_position = position;
	}
	return position;
}

/**
 * Adds a thread that the map does not have, with a new element at position \p count, the number of elements. The caller
 * then increments that number. The element's bytes are 0. The array must be allocated from the map's allocator. Returns
 * 0 if there is no memory; no thread is added then, but the array may have been moved and its capacity may have grown.
 */
int thread_map_add(thread_map *map, uint64_t thread, void **elements, size_t *capacity, size_t count,
		   size_t element_size);

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
