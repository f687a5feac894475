/* SPDX-License-Identifier: MIT */
/**
 * \file base/elements.h
 * \brief Arrays of a caller that may have been compiled for smaller or larger elements than this library has.
 *
 * Such an array comes with the size of an element. What a smaller one lacks is left off or counts as 0; what a larger
 * one has in addition is set to 0, and must be 0 where it is given.
 */
#ifndef BASE_ELEMENTS_H
#define BASE_ELEMENTS_H

#include <mprof/status.h>

#include "base/allocator.h"

#include <string.h>

/** The size that a struct had when this field was its last: the least that callers may have been compiled for. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/** Stores one of our elements as that of a place in the caller's array. */
static inline void element_put(void *elements, size_t element_size, size_t place, const void *own, size_t own_size)
{
	unsigned char *element = (unsigned char *)elements + place * element_size;

	if (element_size == own_size) {
		memcpy(element, own, own_size);
	} else if (element_size < own_size) {
		memcpy(element, own, element_size);
	} else {
		memcpy(element, own, own_size);
		memset(element + own_size, 0, element_size - own_size);
	}
}

/** An array of a caller as one of our elements. */
typedef struct element_list {
	const void *elements;
	void *copied; /**< NULL if it is the caller's own. */
	size_t copied_size;
} element_list;

/**
 * Takes in an array of a caller; \p least is the size of an element in the first release. Returns #MPROF_OK;
 * #MPROF_ERR_ARGUMENT for a smaller size, for elements that have more than ours and it is not 0, and for no array where
 * there are elements; #MPROF_ERR_MEMORY. Give it back, whatever it returns.
 */
mprof_status element_list_take(element_list *list, const mprof_allocator *allocator, const void *given,
			       size_t given_size, size_t count, size_t least, size_t own_size);

void element_list_release(element_list *list, const mprof_allocator *allocator);

#endif
