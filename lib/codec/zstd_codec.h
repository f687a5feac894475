/* SPDX-License-Identifier: MIT */
/**
 * \file codec/zstd_codec.h
 * \brief Compresses and decompresses pieces of memory as single zstd frames (RFC 8878).
 *
 * Without libzstd the contexts cannot be created.
 */
#ifndef CODEC_ZSTD_CODEC_H
#define CODEC_ZSTD_CODEC_H

#include "base/allocator.h"

/** The state of libzstd, used for one piece after the other. */
typedef struct zstd_context zstd_context;

/** Whether the library was built with libzstd. */
int zstd_codec_is_available(void);

/** Returns a context that decompresses, or NULL if out of memory. \p allocator must outlive it. */
zstd_context *zstd_create_unpacker(const mprof_allocator *allocator);

/** Returns a context that compresses at \p level, 1 to 19, or NULL if out of memory. \p allocator must outlive it. */
zstd_context *zstd_create_packer(const mprof_allocator *allocator, int level);

/** Frees a context. \p context may be NULL. */
void zstd_context_destroy(zstd_context *context);

/** As codec_unpack(). */
mprof_status zstd_unpack(zstd_context *context, const void *input, size_t input_length, void *output,
			 size_t output_length, size_t *produced);

/** As codec_pack(). */
mprof_status zstd_pack(zstd_context *context, const void *input, size_t input_length, void *output,
		       size_t output_length, size_t *produced);

#endif
