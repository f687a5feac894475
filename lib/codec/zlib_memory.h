/* SPDX-License-Identifier: MIT */
/**
 * \file codec/zlib_memory.h
 * \brief Lets zlib allocate from an #mprof_allocator.
 */
#ifndef CODEC_ZLIB_MEMORY_H
#define CODEC_ZLIB_MEMORY_H

#include "codec/sized_memory.h"

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

#endif
