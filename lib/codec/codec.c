/* SPDX-License-Identifier: MIT */
/* Selects the codec of a block, and keeps the contexts of the codecs. */
#include "codec/codec.h"

#include <string.h>

#define MAX_DEFLATE_LEVEL 9
/* Higher levels take far more memory for a few per cent. */
#define MAX_ZSTD_LEVEL 19
#define DEFAULT_DEFLATE_LEVEL 1
#define DEFAULT_ZSTD_LEVEL 3

void codec_set_init(codec_set *set, const mprof_allocator *allocator)
{
	memset(set, 0, sizeof(*set));
	set->allocator = *allocator;
}

int codec_set_add(codec_set *set, const mprof_codec *codecs, size_t count)
{
	if (count > CODEC_MAX_ADDED || (count > 0 && codecs == NULL))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (codecs[i].struct_size != sizeof(*codecs) || codecs[i].number == MPROF_CODEC_NONE ||
		    codecs[i].reserved != 0 || codecs[i].decompress == NULL)
			return 0;
	}
	if (count > 0)
		memcpy(set->added, codecs, count * sizeof(*codecs));
	set->added_count = count;
	return 1;
}

void codec_set_destroy(codec_set *set)
{
	deflate_context_destroy(set->deflate);
	zstd_context_destroy(set->zstd);
	set->deflate = NULL;
	set->zstd = NULL;
}

static const mprof_codec *find_added(const codec_set *set, uint64_t codec)
{
	for (size_t i = 0; i < set->added_count; i++) {
		if (set->added[i].number == codec)
			return &set->added[i];
	}
	return NULL;
}

int codec_set_has(const codec_set *set, uint64_t codec)
{
	if (find_added(set, codec) != NULL)
		return 1;
	return (codec == MPROF_CODEC_DEFLATE && deflate_codec_is_available()) ||
	       (codec == MPROF_CODEC_ZSTD && zstd_codec_is_available());
}

/* What a codec of the caller returns is not trusted. */
static mprof_status unpack_added(const mprof_codec *codec, const void *input, size_t input_length, void *output,
				 size_t output_length, size_t *produced)
{
	mprof_status status = codec->decompress(codec->user, input, input_length, output, output_length, produced);

	if (*produced > output_length)
		*produced = 0;
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_TRUNCATED)
		return status;
	return status == MPROF_OK && *produced == output_length ? MPROF_OK : MPROF_ERR_MALFORMED;
}

int codec_set_reserve(codec_set *set, uint64_t codec)
{
	if (codec == MPROF_CODEC_ZSTD && zstd_codec_is_available()) {
		if (set->zstd == NULL)
			set->zstd = zstd_create_unpacker(&set->allocator);
		return set->zstd != NULL;
	}
	if (codec == MPROF_CODEC_DEFLATE && deflate_codec_is_available()) {
		if (set->deflate == NULL)
			set->deflate = deflate_create_unpacker(&set->allocator);
		return set->deflate != NULL;
	}
	return 0;
}

mprof_status codec_unpack(codec_set *set, uint64_t codec, const void *input, size_t input_length, void *output,
			  size_t output_length, size_t *produced)
{
	const mprof_codec *added = find_added(set, codec);

	*produced = 0;
	if (added != NULL)
		return unpack_added(added, input, input_length, output, output_length, produced);
	if (!codec_set_has(set, codec))
		return MPROF_ERR_UNSUPPORTED;
	if (!codec_set_reserve(set, codec))
		return MPROF_ERR_MEMORY;
	if (codec == MPROF_CODEC_ZSTD)
		return zstd_unpack(set->zstd, input, input_length, output, output_length, produced);
	return deflate_unpack(set->deflate, input, input_length, output, output_length, produced);
}

int codec_is_defined(uint32_t codec)
{
	return codec == MPROF_CODEC_DEFLATE || codec == MPROF_CODEC_ZSTD;
}

uint32_t codec_max_level(uint32_t codec)
{
	if (codec == MPROF_CODEC_DEFLATE)
		return deflate_codec_is_available() ? MAX_DEFLATE_LEVEL : 0;
	if (codec == MPROF_CODEC_ZSTD)
		return zstd_codec_is_available() ? MAX_ZSTD_LEVEL : 0;
	return 0;
}

void codec_packer_init(codec_packer *packer, const mprof_allocator *allocator, uint32_t codec, uint32_t level)
{
	memset(packer, 0, sizeof(*packer));
	packer->allocator = *allocator;
	packer->codec = codec;
	packer->level = (int)level;
	if (level == 0)
		packer->level = codec == MPROF_CODEC_ZSTD ? DEFAULT_ZSTD_LEVEL : DEFAULT_DEFLATE_LEVEL;
}

void codec_packer_destroy(codec_packer *packer)
{
	deflate_context_destroy(packer->deflate);
	zstd_context_destroy(packer->zstd);
	packer->deflate = NULL;
	packer->zstd = NULL;
}

mprof_status codec_pack(codec_packer *packer, const void *input, size_t input_length, void *output,
			size_t output_length, size_t *produced)
{
	*produced = 0;
	if (packer->codec == MPROF_CODEC_ZSTD) {
		if (packer->zstd == NULL)
			packer->zstd = zstd_create_packer(&packer->allocator, packer->level);
		if (packer->zstd == NULL)
			return MPROF_ERR_MEMORY;
		return zstd_pack(packer->zstd, input, input_length, output, output_length, produced);
	}
	if (packer->deflate == NULL)
		packer->deflate = deflate_create_packer(&packer->allocator, packer->level);
	if (packer->deflate == NULL)
		return MPROF_ERR_MEMORY;
	return deflate_pack(packer->deflate, input, input_length, output, output_length, produced);
}
