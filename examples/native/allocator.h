/* SPDX-License-Identifier: MIT */
/**
 * \file allocator.h
 * \brief The allocation functions that this module interposes, as defined by the next library.
 */
#ifndef NATIVE_ALLOCATOR_H
#define NATIVE_ALLOCATOR_H

#include <stddef.h>

typedef struct allocator_functions {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *memory, size_t size);
	void (*free)(void *memory);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	int (*posix_memalign)(void **memory, size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
} allocator_functions;

/**
 * Returns the functions. Looking them up may allocate: meanwhile the table contains functions that allocate from a
 * small static area, which is never freed.
 */
const allocator_functions *allocator_get(void);

/** The number of bytes from \p memory to the end of the static area; 0 if it is not in that area. */
size_t allocator_early_room(const void *memory);

#endif
