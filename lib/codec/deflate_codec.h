/* SPDX-License-Identifier: MIT */
/**
 * \file codec/deflate_codec.h
 * \brief Compresses and decompresses pieces of memory as zlib streams (RFC 1950).
 *
 * Without zlib the contexts cannot be created.
 */
#ifndef CODEC_DEFLATE_CODEC_H
#define CODEC_DEFLATE_CODEC_H

#include "base/allocator.h"

/** The state of zlib, used for one piece after the other. */
typedef struct deflate_context deflate_context;

/** Whether the library was built with zlib. */
int deflate_codec_is_available(void);

/** Returns a context that decompresses, or NULL if out of memory. \p allocator must outlive it. */
deflate_context *deflate_create_unpacker(const mprof_allocator *allocator);

/** Returns a context that compresses at \p level, 1 to 9, or NULL if out of memory. \p allocator must outlive it. */
deflate_context *deflate_create_packer(const mprof_allocator *allocator, int level);

/** Frees a context. \p context may be NULL. */
void deflate_context_destroy(deflate_context *context);

/** As codec_unpack(). Both lengths fit 32 bits. */
mprof_status deflate_unpack(deflate_context *context, const void *input, size_t input_length, void *output,
			    size_t output_length, size_t *produced);

/** As codec_pack(). Both lengths fit 32 bits. */
mprof_status deflate_pack(deflate_context *context, const void *input, size_t input_length, void *output,
			  size_t output_length, size_t *produced);

#endif
