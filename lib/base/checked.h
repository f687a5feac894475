/* SPDX-License-Identifier: MIT */
/**
 * \file base/checked.h
 * \brief Arithmetic that reports overflow.
 */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include "base/allocator.h"

#include <stddef.h>
#include <stdint.h>

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
