/* SPDX-License-Identifier: MIT */
/**
 * \file base/memory_budget.h
 * \brief An allocator that passes requests on to another one up to a limit. After a refusal it reports whether the
 * limit was reached or the other allocator refused. Memory that is being moved counts once, although the old and the
 * new block may both exist for a while.
 */
#ifndef BASE_MEMORY_BUDGET_H
#define BASE_MEMORY_BUDGET_H

#include "base/allocator.h"
#include "base/hash_map.h"
#include "base/id_map.h"
#include "base/thread_map.h"

typedef struct memory_budget {
	mprof_allocator allocator; /**< May use the whole limit. For data that is required. */
	mprof_allocator
		paths; /**< Refuses beyond three quarters of the limit. For optional call paths and call sites. */
	mprof_allocator source; /**< The allocator that requests are passed on to. */
	uint64_t limit;         /**< In bytes. */
	uint64_t used;          /**< In bytes, by both allocators. */
	int exceeded;           /**< The latest refusal was because of the limit. */
} memory_budget;

/**
 * The budget must not move afterwards, since its allocators point to it. Memory from one of them may be released with
 * the other.
 */
void memory_budget_init(memory_budget *budget, const mprof_allocator *source, uint64_t limit);

/** After a refusal: the reason of the latest one, #MPROF_ERR_LIMIT or #MPROF_ERR_MEMORY. */
mprof_status memory_budget_status(const memory_budget *budget);

/** After a refusal: whether the latest one was because of the limit. 0 if \p budget is NULL: there is no limit. */
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

/** Sets the number of an ID in a map that allocates from \p budget, as memory_budget_map_put(). */
mprof_status memory_budget_id_put(memory_budget *budget, id_map *map, uint32_t id, uint32_t number);

/**
 * As thread_map_add(), for a map that allocates from \p budget. Returns #MPROF_OK; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status memory_budget_thread_add(memory_budget *budget, thread_map *map, uint64_t thread, void **elements,
				      size_t *capacity, size_t count, size_t element_size);

#endif
