/* SPDX-License-Identifier: MIT */
/* Encodes blocks as COMPRESSED blocks. */
#include "writer/compress.h"

#include "base/bytes.h"
#include "format/blocks/compressed_block.h"

#include <string.h>

/* Shorter contents gain too little for the fields that are added, and for the time. */
#define MIN_LENGTH 128

/* Where the CLOCK at the end of the content begins; the end of the content if there is none after the head. */
static size_t find_tail(const encode_buffer *block, size_t header_length, size_t head_length)
{
	if (block->clock_end != block->length || block->clock_start < header_length + head_length)
		return block->length;
	return block->clock_start;
}

static mprof_status compress_middle(codec_packer *packer, const uint8_t *bytes, size_t length, encode_buffer *out)
{
	size_t produced;
	mprof_status status;

	/* Data that does not become shorter does not fit. */
	if (!encode_buffer_reserve(out, length))
		return out->status;
	status = codec_pack(packer, bytes, length, out->bytes + out->length, length, &produced);
	if (status == MPROF_OK)
		out->length += produced;
	return status;
}

static mprof_status compress_content(codec_packer *packer, const block_encoding *encoding, const encode_buffer *block,
				     const packed_middle *middle, encode_buffer *out)
{
	const size_t header_length = encoding->rules->header_length;
	const uint8_t *content = block->bytes + header_length;
	const size_t length = block->length - header_length;
	const uint32_t code = bytes_load_16(block->bytes);
	const size_t head_length = compressed_block_head_length(encoding->rules, code, content, length);
	const size_t tail = find_tail(block, header_length, head_length) - header_length;
	mprof_status status;

	block_encode_begin_code(out, encoding, encoding->rules->compressed_code);
	encode_varint(out, code);
	encode_varint(out, packer->codec);
	encode_varint(out, length);
	encode_varint(out, head_length);
	encode_varint(out, length - tail);
	encode_bytes(out, content, head_length);
	if (out->status != MPROF_OK)
		return out->status;
	if (middle != NULL && middle->length > 0 && middle->unpacked_length == tail - head_length) {
		encode_bytes(out, middle->bytes, middle->length);
		status = out->status;
	} else {
		status = compress_middle(packer, content + head_length, tail - head_length, out);
	}
	if (status != MPROF_OK)
		return status;
	encode_bytes(out, content + tail, length - tail);
	return out->status;
}

int block_compress(codec_packer *packer, const block_encoding *encoding, const encode_buffer *block,
		   const packed_middle *middle, encode_buffer *out)
{
	const size_t header_length = encoding->rules->header_length;

	if (packer->codec == MPROF_CODEC_NONE || block->status != MPROF_OK ||
	    block->length < header_length + MIN_LENGTH || block->length - header_length > UINT32_MAX ||
	    !compressed_block_may_store(encoding->rules, bytes_load_16(block->bytes)))
		return 0;
	return compress_content(packer, encoding, block, middle, out) == MPROF_OK && out->length < block->length &&
	       encode_buffer_reserve(out, encoding->rules->checksum_length);
}
