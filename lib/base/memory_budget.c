/* SPDX-License-Identifier: MIT */
/* Counts the memory of an allocator, and refuses more than a limit. */
#include "base/memory_budget.h"

#include "base/allocator.h"

/*
 * Checks a request, and notes if it is refused. A granted request does not clear the reason of the latest refusal, so a
 * caller may make several requests before it asks for the reason.
 */
static int is_within(memory_budget *budget, uint64_t limit, uint64_t additional)
{
	if (budget->used <= limit && additional <= limit - budget->used)
		return 1;
	budget->exceeded = 1;
	return 0;
}

static uint64_t limit_of_paths(const memory_budget *budget)
{
	return budget->limit - budget->limit / 4;
}

static void *budget_allocate(void *user, size_t size)
{
	memory_budget *budget = user;
	void *memory;

	if (!is_within(budget, budget->limit, size))
		return NULL;
	memory = allocator_allocate(&budget->source, size);
	if (memory != NULL)
		budget->used += size;
	else
		budget->exceeded = 0;
	return memory;
}

static void *budget_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	memory_budget *budget = user;
	void *moved;

	if (new_size > old_size && !is_within(budget, budget->limit, new_size - old_size))
		return NULL;
	moved = allocator_reallocate(&budget->source, memory, old_size, new_size);
	if (moved != NULL)
		budget->used = budget->used - old_size + new_size;
	else
		budget->exceeded = 0;
	return moved;
}

static void *paths_allocate(void *user, size_t size)
{
	memory_budget *budget = user;

	return is_within(budget, limit_of_paths(budget), size) ? budget_allocate(user, size) : NULL;
}

static void *paths_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	memory_budget *budget = user;

	if (new_size > old_size && !is_within(budget, limit_of_paths(budget), new_size - old_size))
		return NULL;
	return budget_reallocate(user, memory, old_size, new_size);
}

static void budget_release(void *user, void *memory, size_t size)
{
	memory_budget *budget = user;

	budget->used -= size;
	allocator_release(&budget->source, memory, size);
}

void memory_budget_init(memory_budget *budget, const mprof_allocator *source, uint64_t limit)
{
	budget->allocator.allocate = budget_allocate;
	budget->allocator.reallocate = budget_reallocate;
	budget->allocator.release = budget_release;
	budget->allocator.user = budget;
	budget->paths = budget->allocator;
	budget->paths.allocate = paths_allocate;
	budget->paths.reallocate = paths_reallocate;
	budget->source = *source;
	budget->limit = limit;
	budget->used = 0;
	budget->exceeded = 0;
}

mprof_status memory_budget_status(const memory_budget *budget)
{
	return budget->exceeded ? MPROF_ERR_LIMIT : MPROF_ERR_MEMORY;
}

mprof_status memory_budget_reserve(memory_budget *budget, void **elements, size_t *capacity, size_t needed,
				   size_t element_size)
{
	if (needed <= *capacity)
		return MPROF_OK;
	/* A size that overflows is refused without a request. */
	budget->exceeded = 0;
	return array_reserve(&budget->allocator, elements, capacity, needed, element_size)
		       ? MPROF_OK
		       : memory_budget_status(budget);
}

mprof_status memory_budget_map_put(memory_budget *budget, hash_map *map, uint64_t key, uint64_t value)
{
	budget->exceeded = 0;
	return hash_map_put(map, key, value) ? MPROF_OK : memory_budget_status(budget);
}

mprof_status memory_budget_id_put(memory_budget *budget, id_map *map, uint32_t id, uint32_t number)
{
	budget->exceeded = 0;
	return id_map_put(map, id, number) ? MPROF_OK : memory_budget_status(budget);
}

mprof_status memory_budget_thread_add(memory_budget *budget, thread_map *map, uint64_t thread, void **elements,
				      size_t *capacity, size_t count, size_t element_size)
{
	/* A size that overflows is refused without a request. */
	budget->exceeded = 0;
	return thread_map_add(map, thread, elements, capacity, count, element_size) ? MPROF_OK
										    : memory_budget_status(budget);
}
