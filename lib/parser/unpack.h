/* SPDX-License-Identifier: MIT */
/**
 * \file parser/unpack.h
 * \brief Decompresses the content of COMPRESSED blocks (doc/format.md, 3.23).
 *
 * It needs the bytes of the block and an unpacker, but no parser, so several threads with an unpacker each can
 * decompress blocks at the same time.
 */
#ifndef PARSER_UNPACK_H
#define PARSER_UNPACK_H

#include "codec/codec.h"
#include "format/compressed_block.h"

/** The content of a block that is not in the buffer as it is decoded. */
typedef struct unpacked_content {
	const uint8_t *bytes; /**< NULL: the content is in the buffer. */
	size_t length;
	size_t readable; /**< Bytes that may be read, at least length. */
} unpacked_content;

/** Codecs and the memory for one block. */
typedef struct block_unpacker {
	codec_set codecs;
	uint8_t *memory;
	size_t capacity;
} block_unpacker;

void block_unpacker_init(block_unpacker *unpacker, const mprof_allocator *allocator);
void block_unpacker_destroy(block_unpacker *unpacker);

/**
 * Reserves what block_unpack() needs for a block of a codec of the library and of this unpacked length. If the data is
 * neither damaged nor truncated, it then allocates nothing. Returns 0 if the allocator refused, or there is no such
 * codec.
 */
int block_unpacker_reserve(block_unpacker *unpacker, uint64_t codec, size_t unpacked_length);

/** Whether the memory of the unpacker has room for a content of this length. */
int block_unpacker_has_room(const block_unpacker *unpacker, size_t unpacked_length);

/**
 * Decompresses a block whose fields were decoded. \p content receives it, in the memory of the unpacker; valid until
 * the next call. If the block is truncated (compressed_block::tail is NULL), it receives what could be decompressed.
 * The caller has checked compressed_block::unpacked_length against its limit, since as much is allocated. Returns:
 * - #MPROF_OK, also for a truncated block.
 * - #MPROF_ERR_MALFORMED if the compressed data is damaged or has another length than the block specifies.
 * - #MPROF_ERR_UNSUPPORTED if there is no such codec.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status block_unpack(block_unpacker *unpacker, const compressed_block *block, unpacked_content *content);

/** The message for an error of block_unpack(). Static text. */
const char *block_unpack_fault(mprof_status status, uint64_t codec);

#endif
