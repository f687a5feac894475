/* SPDX-License-Identifier: MIT */
/**
 * \file codec/library_memory.h
 * \brief Lets zlib and libzstd allocate from an #mprof_allocator, and states what errors of libzstd mean.
 *
 * These libraries do not pass the size of memory that they free, so each allocation is preceded by a header with its
 * size.
 */
#ifndef CODEC_LIBRARY_MEMORY_H
#define CODEC_LIBRARY_MEMORY_H

#include "base/allocator.h"

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

#ifdef MPROF_WITH_ZLIB

#include <string.h>
#include <zlib.h>

/** For z_stream::zalloc; \p opaque is the #mprof_allocator. */
static inline voidpf zlib_memory_allocate(voidpf opaque, uInt items, uInt size)
{
	size_t total;

	return checked_multiply(items, size, &total) ? sized_memory_allocate(opaque, total) : Z_NULL;
}

/** For z_stream::zfree. */
static inline void zlib_memory_release(voidpf opaque, voidpf memory)
{
	sized_memory_release(opaque, memory);
}

/** Lets a stream allocate; \p allocator must outlive it. */
static inline void zlib_memory_use(z_stream *stream, mprof_allocator *allocator)
{
	stream->zalloc = zlib_memory_allocate;
	stream->zfree = zlib_memory_release;
	stream->opaque = allocator;
}

/** Sets what a stream reads and writes next. */
static inline void zlib_memory_set(z_stream *stream, const void *input, size_t input_length, void *output,
				   size_t output_length)
{
	/* zlib declares the pointer without const but does not write through it. */
	memcpy(&stream->next_in, &input, sizeof(input));
	stream->avail_in = (uInt)input_length;
	stream->next_out = output;
	stream->avail_out = (uInt)output_length;
}

#endif

#ifdef MPROF_WITH_ZSTD

/* The functions that take an allocator are not in the stable part of zstd.h. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

static inline void *zstd_memory_allocate(void *opaque, size_t size)
{
	return sized_memory_allocate(opaque, size);
}

static inline void zstd_memory_release(void *opaque, void *memory)
{
	sized_memory_release(opaque, memory);
}

/** For the functions that create contexts; \p allocator must outlive the context. */
static inline ZSTD_customMem zstd_memory_of(mprof_allocator *allocator)
{
	return (ZSTD_customMem){zstd_memory_allocate, zstd_memory_release, allocator};
}

/** The status of a result that is an error. */
static inline mprof_status zstd_memory_status(size_t result)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? MPROF_ERR_MEMORY : MPROF_ERR_MALFORMED;
}

#endif

#endif
