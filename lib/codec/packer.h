/* SPDX-License-Identifier: MIT */
/**
 * \file codec/packer.h
 * \brief Compresses pieces of memory with the codecs of COMPRESSED blocks (doc/format.md, 3.23).
 *
 * The contexts are created when they are needed and used again for each block. A packer belongs to one thread at a
 * time.
 */
#ifndef CODEC_PACKER_H
#define CODEC_PACKER_H

#include "codec/codec.h"

/** A codec that compresses. */
typedef struct codec_packer {
	mprof_allocator allocator;
	uint32_t codec; /**< An #mprof_codec_number; #MPROF_CODEC_NONE: nothing is compressed. */
	int level;
	void *contexts[CODEC_COUNT]; /**< NULL until a block needs them. */
} codec_packer;

/** The largest level of a codec; 0 if there is no such codec in this build. */
uint32_t codec_max_level(uint32_t codec);

/** Whether the number is that of a codec that the format defines. */
int codec_is_defined(uint32_t codec);

/** Prepares for a codec of this build. \p level 0 means the default level. */
void codec_packer_init(codec_packer *packer, const mprof_allocator *allocator, uint32_t codec, uint32_t level);
void codec_packer_destroy(codec_packer *packer);

/**
 * Compresses into at most \p output_length bytes; \p produced receives how many. Both lengths fit 32 bits. Returns:
 * - #MPROF_OK.
 * - #MPROF_ERR_LIMIT if the output is too small.
 * - #MPROF_ERR_UNSUPPORTED if there is no such codec in this build.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status codec_pack(codec_packer *packer, const void *input, size_t input_length, void *output,
			size_t output_length, size_t *produced);

#endif
