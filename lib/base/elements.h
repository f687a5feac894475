/* SPDX-License-Identifier: MIT */
/**
 * \file base/elements.h
 * \brief Arrays of a caller that may have been compiled for smaller or larger elements than this library has.
 *
 * Such an array comes with the size of its elements. Fields that smaller elements lack are read as 0 and not returned.
 * Fields that larger elements have in addition must be 0, and are returned as 0.
 */
#ifndef BASE_ELEMENTS_H
#define BASE_ELEMENTS_H

#include <mprof/base.h>

#include "base/allocator.h"

#include <string.h>

/** The size of a struct when this field was its last one: the smallest that callers may have been compiled with. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/** Stores an element of the library at an index of the caller's array. */
static inline void element_put(void *elements, size_t element_size, size_t index, const void *copy, size_t copy_size)
{
	unsigned char *element = (unsigned char *)elements + index * element_size;

	if (element_size == copy_size) {
		memcpy(element, copy, copy_size);
	} else if (element_size < copy_size) {
		memcpy(element, copy, element_size);
	} else {
		memcpy(element, copy, copy_size);
		memset(element + copy_size, 0, element_size - copy_size);
	}
}

/** A caller's array, with elements as the library has them. */
typedef struct element_list {
	const void *elements;
	void *copied;       /**< The converted copy; NULL if elements is the caller's own array. */
	size_t copied_size; /**< In bytes. */
} element_list;

/**
 * Converts an array of a caller; \p least is the size of an element in the first release. Returns #MPROF_OK;
 * #MPROF_ERR_ARGUMENT if elements are smaller than that, a field unknown to the library is not 0, or the array is NULL
 * although it has elements; #MPROF_ERR_MEMORY. The caller must release the list even after an error.
 */
mprof_status element_list_convert(element_list *list, const mprof_allocator *allocator, const void *input,
				  size_t input_size, size_t count, size_t least, size_t copy_size);

/** Frees the copy, if there is one. */
void element_list_release(element_list *list, const mprof_allocator *allocator);

#endif
