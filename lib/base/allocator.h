/* SPDX-License-Identifier: MIT */
/**
 * \file base/allocator.h
 * \brief Allocates memory, of sizes that are checked for overflow, and arrays that grow.
 */
#ifndef BASE_ALLOCATOR_H
#define BASE_ALLOCATOR_H

#include <mprof/base.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void *allocator_allocate(const mprof_allocator *allocator, size_t size)
{
	return allocator->allocate(allocator->user, size);
}

static inline void *allocator_reallocate(const mprof_allocator *allocator, void *memory, size_t old_size,
					 size_t new_size)
{
	return allocator->reallocate(allocator->user, memory, old_size, new_size);
}

/** \p memory may be NULL. */
static inline void allocator_release(const mprof_allocator *allocator, void *memory, size_t size)
{
	if (memory != NULL)
		allocator->release(allocator->user, memory, size);
}

/** Like allocator_allocate(), with all bytes 0. */
static inline void *allocator_allocate_zeroed(const mprof_allocator *allocator, size_t size)
{
	void *memory = allocator_allocate(allocator, size);

	if (memory != NULL)
		memset(memory, 0, size);
	return memory;
}

/** Sets \p result to \p a + \p b and returns 1, or returns 0 if it does not fit. */
static inline int checked_add(size_t a, size_t b, size_t *result)
{
	return !__builtin_add_overflow(a, b, result);
}

/** Sets \p result to \p a * \p b and returns 1, or returns 0 if it does not fit. */
static inline int checked_multiply(size_t a, size_t b, size_t *result)
{
	return !__builtin_mul_overflow(a, b, result);
}

/**
 * Makes room for \p needed elements of \p element_size bytes in \p *elements, which has room for \p *capacity. Grows by
 * doubling, so that appending is cheap. Returns 0, changing nothing, if there is no memory.
 */
static inline int array_reserve(const mprof_allocator *allocator, void **elements, size_t *capacity, size_t needed,
				size_t element_size)
{
	size_t new_capacity = *capacity < 8 ? 8 : *capacity;
	size_t new_size;
	void *moved;

	if (needed <= *capacity)
		return 1;
	while (new_capacity < needed) {
		if (!checked_multiply(new_capacity, 2, &new_capacity))
			return 0;
	}
	if (!checked_multiply(new_capacity, element_size, &new_size))
		return 0;
	moved = allocator_reallocate(allocator, *elements, *capacity * element_size, new_size);
	if (moved == NULL)
		return 0;
	*elements = moved;
	*capacity = new_capacity;
	return 1;
}

#endif
