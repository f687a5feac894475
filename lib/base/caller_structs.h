/* SPDX-License-Identifier: MIT */
/**
 * \file base/caller_structs.h
 * \brief What a caller passes: structs and arrays, which may be shorter or longer than those of the library, and its
 * allocator.
 *
 * Structs grow between releases at their end. One that is passed alone begins with struct_size; an array comes with the
 * size of its elements. Fields that shorter structs lack are read as 0 and not returned. Fields that longer structs
 * have in addition must be 0, and are returned as 0.
 */
#ifndef BASE_CALLER_STRUCTS_H
#define BASE_CALLER_STRUCTS_H

#include <mprof/base.h>

#include <string.h>

/** The size of a struct when this field was its last one: the smallest that callers may have been compiled with. */
#define SIZE_UP_TO(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/**
 * Sets a struct of a caller to 0, and then its first field, struct_size. For the mprof_..._init() functions. Does
 * nothing if \p input is NULL or \p struct_size has no room for itself.
 */
void struct_init(void *input, size_t struct_size);

/**
 * Copies options of a caller that may be older (shorter struct: the rest is 0) or newer (longer: refused unless the
 * unknown tail is all 0). \p input may be NULL: all 0. \p copy and \p input begin with a size_t struct_size.
 * Returns #MPROF_OK or #MPROF_ERR_ARGUMENT.
 */
mprof_status struct_copy_in(void *copy, const void *input, size_t copy_size);

/**
 * Fills a struct of a caller that may be older or newer: copies the fields within its struct_size, which is kept, and
 * sets fields unknown to this library to 0. Returns #MPROF_OK, or #MPROF_ERR_ARGUMENT if \p output is NULL or its
 * struct_size has no room for itself.
 */
mprof_status struct_copy_out(void *output, const void *copy, size_t copy_size);

/** Copies \p input, or uses malloc() if it is NULL. Returns 0 if a function is missing or struct_size is invalid. */
int allocator_init(mprof_allocator *allocator, const mprof_allocator *input);

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
