/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/compressed_block.h
 * \brief The fields of COMPRESSED blocks (doc/format.md, 3.23), and the parts of other blocks that stay uncompressed.
 */
#ifndef FORMAT_BLOCKS_COMPRESSED_BLOCK_H
#define FORMAT_BLOCKS_COMPRESSED_BLOCK_H

#include "format/values/content_cursor.h"
#include "format/values/dialect.h"
#include "format/values/encode_buffer.h"

/** The fields before the head have at most this length, in bytes. */
#define COMPRESSED_FIELDS_LENGTH ((size_t)5 * MPROF_VARINT_MAX_LENGTH)

/** The content of a COMPRESSED block. The pointers are into the content. */
typedef struct compressed_block {
	uint32_t code;            /**< Code of the block that is stored. */
	uint64_t codec;           /**< An #mprof_codec_number, or a number that a later version defines. */
	uint32_t unpacked_length; /**< Length of the content of the stored block, without checksum, in bytes. */
	uint32_t head_length;     /**< As in the block; less may be available if it is truncated. */
	uint32_t tail_length;
	const uint8_t *head;
	size_t head_available;
	const uint8_t *packed;
	size_t packed_available;
	const uint8_t *tail; /**< NULL if the block is truncated before its end. */
} compressed_block;

/** Whether the code of a block in a log of these rules is that of COMPRESSED blocks. */
static inline int block_is_compressed(const dialect_rules *rules, uint32_t code)
{
	return rules->compressed_code != 0 && code == rules->compressed_code;
}

/** Whether a block may be stored in a COMPRESSED block. */
int compressed_block_may_store(const dialect_rules *rules, uint32_t code);

/**
 * Decodes the content of a COMPRESSED block, which has \p stored_length bytes without checksum. The cursor may end
 * earlier if the block is truncated. Returns #MPROF_OK or the error of the cursor. If the cursor ends before the head,
 * content_cursor::ran_out is set.
 */
mprof_status compressed_block_decode(const dialect_rules *rules, content_cursor *cursor, size_t stored_length,
				     compressed_block *block);

/**
 * Returns how many bytes at the start of the content of a block writers leave uncompressed, so that a reader finds the
 * thread and the time of a block without decompressing it.
 */
size_t compressed_block_head_length(const dialect_rules *rules, uint32_t code, const uint8_t *content, size_t length);

#endif
