/* SPDX-License-Identifier: MIT */
/**
 * \file codec/codec.h
 * \brief Decompresses pieces of memory with the codecs of COMPRESSED blocks (doc/format.md, 3.23).
 *
 * The contexts are created when they are needed and used again for each block. A set belongs to one thread at a
 * time; several threads have one each.
 */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include <mprof/format.h>

#include "base/allocator.h"

/** The codecs that a caller may add. */
#define CODEC_MAX_ADDED 8

/** Places of the library's codecs in arrays: deflate makes zlib streams (RFC 1950), zstd single frames (RFC 8878). */
enum { CODEC_PLACE_DEFLATE, CODEC_PLACE_ZSTD, CODEC_COUNT };

/** The codecs that decompress. */
typedef struct codec_set {
	mprof_allocator allocator;
	mprof_codec added[CODEC_MAX_ADDED]; /**< Those of the caller, which replace those of the library. */
	size_t added_count;
	void *contexts[CODEC_COUNT]; /**< NULL until a block needs them. */
} codec_set;

/** Starts with the codecs of the library. */
void codec_set_init(codec_set *set, const mprof_allocator *allocator);

/** Adds the codecs of the caller. Returns 0 if there are too many, or one of them is invalid. */
int codec_set_add(codec_set *set, const mprof_codec *codecs, size_t count);

/** Frees the contexts. */
void codec_set_destroy(codec_set *set);

/** Whether blocks of a codec can be decompressed. */
int codec_set_has(const codec_set *set, uint64_t codec);

/**
 * Creates the context of a codec, so that codec_unpack() needs no memory for data that is neither damaged nor
 * truncated. Returns 0 if the allocator refused, or there is no such codec in the library.
 */
int codec_set_reserve(codec_set *set, uint64_t codec);

/**
 * Decompresses exactly \p output_length bytes. Both lengths fit 32 bits. \p produced receives the number of bytes that
 * were decompressed before an error. Returns:
 * - #MPROF_OK.
 * - #MPROF_ERR_TRUNCATED if the input ends inside of the compressed data.
 * - #MPROF_ERR_MALFORMED if the data is damaged, or has another length.
 * - #MPROF_ERR_UNSUPPORTED if there is no such codec.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status codec_unpack(codec_set *set, uint64_t codec, const void *input, size_t input_length, void *output,
			  size_t output_length, size_t *produced);

#endif
