/* SPDX-License-Identifier: MIT */
/**
 * \file io/zlib_memory.h
 * \brief Lets zlib allocate from an #mprof_allocator.
 *
 * zlib does not pass the size of memory that it frees, so each allocation is preceded by a header with its size.
 */
#ifndef IO_ZLIB_MEMORY_H
#define IO_ZLIB_MEMORY_H

#include "base/allocator.h"
#include "base/checked.h"

#include <stddef.h>
#include <zlib.h>

typedef union zlib_memory_header {
	size_t size;
	max_align_t alignment;
} zlib_memory_header;

/** For z_stream::zalloc; \p opaque is the #mprof_allocator. */
static inline voidpf zlib_memory_allocate(voidpf opaque, uInt items, uInt size)
{
	const mprof_allocator *allocator = opaque;
	zlib_memory_header *header;
	size_t total;

	if (!checked_multiply(items, size, &total) || !checked_add(total, sizeof(*header), &total))
		return Z_NULL;
	header = allocator_allocate(allocator, total);
	if (header == NULL)
		return Z_NULL;
	header->size = total;
	return header + 1;
}

/** For z_stream::zfree. */
static inline void zlib_memory_release(voidpf opaque, voidpf memory)
{
	const mprof_allocator *allocator = opaque;
	zlib_memory_header *header = (zlib_memory_header *)memory - 1;

	allocator_release(allocator, header, header->size);
}

#endif
