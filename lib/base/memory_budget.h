/* SPDX-License-Identifier: MIT */
/**
 * \file base/memory_budget.h
 * \brief An allocator that passes requests on up to a limit. It distinguishes a limit that was reached from memory
 * that was refused. Memory that is being moved counts once, although the old and the new block may both exist for a
 * while.
 */
#ifndef BASE_MEMORY_BUDGET_H
#define BASE_MEMORY_BUDGET_H

#include "base/allocator.h"
#include "base/hash_map.h"
#include "base/id_map.h"
#include "base/thread_map.h"

typedef struct memory_budget {
	mprof_allocator allocator; /**< The allocator for the owner's parts. */
	mprof_allocator paths;  /**< For call paths and call sites, which are optional: takes up to three quarters. */
	mprof_allocator source; /**< Where the memory comes from. */
	uint64_t limit;
	uint64_t used;
	int exceeded; /**< The latest refusal was for the limit. */
} memory_budget;

/**
 * The budget must not move afterwards, since its allocators point to it. Memory from one of them may be released with
 * the other.
 */
void memory_budget_init(memory_budget *budget, const mprof_allocator *source, uint64_t limit);

/** After a refusal: why the latest one was, #MPROF_ERR_LIMIT or #MPROF_ERR_MEMORY. */
mprof_status memory_budget_status(const memory_budget *budget);

/** After a refusal: whether the latest one was for the limit. \p budget may be NULL: there is none. */
static inline int memory_budget_is_exceeded(const memory_budget *budget)
{
	return budget != NULL && budget->exceeded;
}

/**
 * Makes room for \p needed elements, as array_reserve(). Returns #MPROF_OK; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY. After
 * an error nothing has changed.
 */
mprof_status memory_budget_reserve(memory_budget *budget, void **elements, size_t *capacity, size_t needed,
				   size_t element_size);

/**
 * Sets the value of a key in a map that allocates from \p budget. Returns #MPROF_OK; #MPROF_ERR_LIMIT;
 * #MPROF_ERR_MEMORY. After an error nothing has changed.
 */
mprof_status memory_budget_map_put(memory_budget *budget, hash_map *map, uint64_t key, uint64_t value);

/** The same for a map by ID. */
mprof_status memory_budget_id_put(memory_budget *budget, id_map *map, uint32_t id, uint32_t number);

/**
 * As thread_map_add(), for a map that allocates from \p budget. Returns #MPROF_OK; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status memory_budget_thread_add(memory_budget *budget, thread_map *map, uint64_t thread, void **elements,
				      size_t *capacity, size_t count, size_t element_size);

#endif
