/* SPDX-License-Identifier: MIT */
/**
 * \file writer/compress.h
 * \brief Encodes blocks as COMPRESSED blocks (doc/format.md, 3.23).
 */
#ifndef WRITER_COMPRESS_H
#define WRITER_COMPRESS_H

#include "codec/packer.h"
#include "format/blocks/block_encode.h"

/** A part of a block that is compressed. */
typedef struct packed_middle {
	const uint8_t *bytes;
	size_t length;          /**< 0: there is none. */
	size_t unpacked_length; /**< If the part of the block has another length, this is not used. */
} packed_middle;

/**
 * Encodes \p block, to which block_encode_end() was not applied yet, as a COMPRESSED block in \p out, likewise without
 * its end, and returns 1. Returns 0 if the block may not be compressed, is short, or would not become shorter, and also
 * if out of memory: a block that is not compressed has the same content, and must not be lost. It needs no writer, so
 * several threads with a packer and a buffer each can compress blocks at the same time.
 *
 * \p middle has what is between head and tail of the block, if another thread has compressed that already with the same
 * codec; NULL or empty: \p packer compresses it.
 */
int block_compress(codec_packer *packer, const block_encoding *encoding, const encode_buffer *block,
		   const packed_middle *middle, encode_buffer *out);

#endif
