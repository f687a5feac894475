/* SPDX-License-Identifier: MIT */
/**
 * \file base/allocator.h
 * \brief The allocator that a caller passed, or malloc().
 */
#ifndef BASE_ALLOCATOR_H
#define BASE_ALLOCATOR_H

#include <mprof/base.h>

/** Copies \p input, or uses malloc() if it is NULL. Returns 0 if a function is missing or struct_size is invalid. */
int allocator_init(mprof_allocator *allocator, const mprof_allocator *input);

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
void *allocator_allocate_zeroed(const mprof_allocator *allocator, size_t size);

#endif
