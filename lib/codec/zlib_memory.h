/* SPDX-License-Identifier: MIT */
/**
 * \file codec/zlib_memory.h
 * \brief Lets zlib allocate from an #mprof_allocator.
 */
#ifndef CODEC_ZLIB_MEMORY_H
#define CODEC_ZLIB_MEMORY_H

#include "codec/sized_memory.h"

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
