/* SPDX-License-Identifier: MIT */
/* Decompresses the content of COMPRESSED blocks into memory that is used again. */
#include "parser/unpack.h"

#include <string.h>

/* Zeros after the content, so that decoders of events can read whole words up to its end. */
#define SLACK 64

void block_unpacker_init(block_unpacker *unpacker, const mprof_allocator *allocator)
{
	memset(unpacker, 0, sizeof(*unpacker));
	codec_set_init(&unpacker->codecs, allocator);
}

void block_unpacker_destroy(block_unpacker *unpacker)
{
	allocator_release(&unpacker->codecs.allocator, unpacker->memory, unpacker->capacity);
	unpacker->memory = NULL;
	unpacker->capacity = 0;
	codec_set_destroy(&unpacker->codecs);
}

int block_unpacker_has_room(const block_unpacker *unpacker, size_t unpacked_length)
{
	return unpacker->capacity >= SLACK && unpacker->capacity - SLACK >= unpacked_length;
}

/* The bytes of earlier blocks are not kept, so they are not copied either. */
static int reserve_content(block_unpacker *unpacker, size_t length)
{
	const mprof_allocator *allocator = &unpacker->codecs.allocator;

	if (block_unpacker_has_room(unpacker, length))
		return 1;
	allocator_release(allocator, unpacker->memory, unpacker->capacity);
	unpacker->capacity = 0;
	unpacker->memory = allocator_allocate(allocator, length + SLACK);
	if (unpacker->memory == NULL)
		return 0;
	unpacker->capacity = length + SLACK;
	return 1;
}

int block_unpacker_reserve(block_unpacker *unpacker, uint64_t codec, size_t unpacked_length)
{
	return codec_set_reserve(&unpacker->codecs, codec) && reserve_content(unpacker, unpacked_length);
}

static void append_part(const block_unpacker *unpacker, unpacked_content *content, const uint8_t *part, size_t length)
{
	if (length > 0)
		memcpy(unpacker->memory + content->length, part, length);
	content->length += length;
}

mprof_status block_unpack(block_unpacker *unpacker, const compressed_block *block, unpacked_content *content)
{
	const int is_truncated = block->tail == NULL;
	const size_t packed_length = block->unpacked_length - block->head_length - block->tail_length;
	size_t produced = 0;
	mprof_status status = MPROF_OK;

	if (!codec_set_has(&unpacker->codecs, block->codec))
		return MPROF_ERR_UNSUPPORTED;
	if (!reserve_content(unpacker, block->unpacked_length))
		return MPROF_ERR_MEMORY;
	content->length = 0;
	append_part(unpacker, content, block->head, block->head_available);
	if (block->packed_available > 0 || !is_truncated)
		status = codec_unpack(&unpacker->codecs, block->codec, block->packed, block->packed_available,
				      unpacker->memory + content->length, packed_length, &produced);
	if (status == MPROF_ERR_MEMORY)
		return status;
	content->length += produced;
	if (!is_truncated) {
		if (status != MPROF_OK)
			return MPROF_ERR_MALFORMED;
		append_part(unpacker, content, block->tail, block->tail_length);
	}
	memset(unpacker->memory + content->length, 0, SLACK);
	content->bytes = unpacker->memory;
	content->readable = content->length + SLACK;
	return MPROF_OK;
}

const char *block_unpack_fault(mprof_status status, uint64_t codec)
{
	switch (status) {
	case MPROF_ERR_MEMORY:
		return "out of memory for decompressing a block";
	case MPROF_ERR_UNSUPPORTED:
		if (codec == MPROF_CODEC_DEFLATE)
			return "the block is compressed with deflate, which this build of libmprof cannot decompress";
		if (codec == MPROF_CODEC_ZSTD)
			return "the block is compressed with zstd, which this build of libmprof cannot decompress";
		return "the block is compressed with an unknown codec: a later version of libmprof may read it";
	default:
		return "the compressed data of the block is damaged";
	}
}
