/* SPDX-License-Identifier: MIT */
/**
 * \file codec/zstd_memory.h
 * \brief Lets libzstd allocate from an #mprof_allocator, and states what its errors mean.
 */
#ifndef CODEC_ZSTD_MEMORY_H
#define CODEC_ZSTD_MEMORY_H

#include <mprof/base.h>

#include "codec/sized_memory.h"

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
