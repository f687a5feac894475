/* SPDX-License-Identifier: MIT */
/**
 * \file codec/sized_memory.h
 * \brief Lets libraries allocate from an #mprof_allocator that do not pass the size of memory that they free.
 *
 * Each allocation is preceded by a header with its size.
 */
#ifndef CODEC_SIZED_MEMORY_H
#define CODEC_SIZED_MEMORY_H

#include "base/allocator.h"
#include "base/checked.h"

#include <stddef.h>

typedef union sized_memory_header {
	size_t size;
	max_align_t alignment;
} sized_memory_header;

/** Returns \p size bytes, or NULL if the allocator refused. */
static inline void *sized_memory_allocate(const mprof_allocator *allocator, size_t size)
{
	sized_memory_header *header;
	size_t total;

	if (!checked_add(size, sizeof(*header), &total))
		return NULL;
	header = allocator_allocate(allocator, total);
	if (header == NULL)
		return NULL;
	header->size = total;
	return header + 1;
}

/** \p memory may be NULL. */
static inline void sized_memory_release(const mprof_allocator *allocator, void *memory)
{
	sized_memory_header *header = memory;

	if (header != NULL)
		allocator_release(allocator, header - 1, (header - 1)->size);
}

#endif
