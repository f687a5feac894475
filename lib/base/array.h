/* SPDX-License-Identifier: MIT */
/**
 * \file base/array.h
 * \brief Grows arrays that their owner indexes itself.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/allocator.h"
#include "base/checked.h"

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
