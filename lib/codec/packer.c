/* SPDX-License-Identifier: MIT */
/* Compresses with the codecs of the library, chosen when it is built. */
#include "codec/packer.h"

#include "codec/library_memory.h"

#include <string.h>

#ifdef MPROF_WITH_ZLIB

/* The state of zlib, used for one piece after the other. */
typedef struct deflate_context {
	mprof_allocator allocator;
	z_stream stream;
} deflate_context;

static void *deflate_create(const mprof_allocator *allocator, int level)
{
	deflate_context *context = allocator_allocate_zeroed(allocator, sizeof(*context));

	if (context == NULL)
		return NULL;
	context->allocator = *allocator;
	zlib_memory_use(&context->stream, &context->allocator);
	if (deflateInit(&context->stream, level) == Z_OK)
		return context;
	allocator_release(allocator, context, sizeof(*context));
	return NULL;
}

static void deflate_destroy(void *state)
{
	deflate_context *context = state;
	mprof_allocator allocator = context->allocator;

	deflateEnd(&context->stream);
	allocator_release(&allocator, context, sizeof(*context));
}

static mprof_status deflate_pack(void *state, const void *input, size_t input_length, void *output,
				 size_t output_length, size_t *produced)
{
	z_stream *stream = &((deflate_context *)state)->stream;

	*produced = 0;
	if (deflateReset(stream) != Z_OK)
		return MPROF_ERR_MEMORY;
	zlib_memory_set(stream, input, input_length, output, output_length);
	if (deflate(stream, Z_FINISH) != Z_STREAM_END)
		return MPROF_ERR_LIMIT;
	*produced = output_length - stream->avail_out;
	return MPROF_OK;
}

#endif

#ifdef MPROF_WITH_ZSTD

/* The state of libzstd, used for one piece after the other. */
typedef struct zstd_context {
	mprof_allocator allocator;
	ZSTD_CCtx *packer;
} zstd_context;

static void zstd_destroy(void *state)
{
	zstd_context *context = state;
	mprof_allocator allocator = context->allocator;

	ZSTD_freeCCtx(context->packer);
	allocator_release(&allocator, context, sizeof(*context));
}

static void *zstd_create(const mprof_allocator *allocator, int level)
{
	zstd_context *context = allocator_allocate_zeroed(allocator, sizeof(*context));

	if (context == NULL)
		return NULL;
	context->allocator = *allocator;
	context->packer = ZSTD_createCCtx_advanced(zstd_memory_of(&context->allocator));
	if (context->packer != NULL &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(context->packer, ZSTD_c_compressionLevel, level)))
		return context;
	zstd_destroy(context);
	return NULL;
}

static mprof_status zstd_pack(void *state, const void *input, size_t input_length, void *output, size_t output_length,
			      size_t *produced)
{
	zstd_context *context = state;
	size_t result = ZSTD_compress2(context->packer, output, output_length, input, input_length);

	*produced = 0;
	if (!ZSTD_isError(result)) {
		*produced = result;
		return MPROF_OK;
	}
	return ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall ? MPROF_ERR_LIMIT : zstd_memory_status(result);
}

#endif

/* A codec of the library. Contexts are used for one piece after the other; they keep a copy of the allocator. */
typedef struct codec_functions {
	uint32_t number; /* An #mprof_codec_number. */
	int max_level;
	int default_level;
	void *(*create)(const mprof_allocator *allocator, int level);
	void (*destroy)(void *context);
	mprof_status (*pack)(void *context, const void *input, size_t input_length, void *output, size_t output_length,
			     size_t *produced);
} codec_functions;

/* By their place in codec_packer::contexts. A codec that the library was built without has no functions. */
static const codec_functions codecs[CODEC_COUNT] = {
#ifdef MPROF_WITH_ZLIB
	[CODEC_PLACE_DEFLATE] = {MPROF_CODEC_DEFLATE, 9, 1, deflate_create, deflate_destroy, deflate_pack},
#endif
#ifdef MPROF_WITH_ZSTD
	/* Higher levels take far more memory for a few per cent. */
	[CODEC_PLACE_ZSTD] = {MPROF_CODEC_ZSTD, 19, 3, zstd_create, zstd_destroy, zstd_pack},
#endif
};

/* The place of a codec of this build; CODEC_COUNT if there is none. */
static size_t find_codec(uint64_t number)
{
	size_t index = 0;

	while (index < CODEC_COUNT && (codecs[index].number == MPROF_CODEC_NONE || codecs[index].number != number))
		index++;
	return index;
}

int codec_is_defined(uint32_t codec)
{
	return codec == MPROF_CODEC_DEFLATE || codec == MPROF_CODEC_ZSTD;
}

uint32_t codec_max_level(uint32_t codec)
{
	const size_t index = find_codec(codec);

	return index < CODEC_COUNT ? (uint32_t)codecs[index].max_level : 0;
}

void codec_packer_init(codec_packer *packer, const mprof_allocator *allocator, uint32_t codec, uint32_t level)
{
	const size_t index = find_codec(codec);

	memset(packer, 0, sizeof(*packer));
	packer->allocator = *allocator;
	packer->codec = codec;
	packer->level = (int)level;
	if (level == 0 && index < CODEC_COUNT)
		packer->level = codecs[index].default_level;
}

void codec_packer_destroy(codec_packer *packer)
{
	for (size_t index = 0; index < CODEC_COUNT; index++) {
		if (packer->contexts[index] != NULL)
			codecs[index].destroy(packer->contexts[index]);
		packer->contexts[index] = NULL;
	}
}

mprof_status codec_pack(codec_packer *packer, const void *input, size_t input_length, void *output,
			size_t output_length, size_t *produced)
{
	const size_t index = find_codec(packer->codec);

	*produced = 0;
	if (index == CODEC_COUNT)
		return MPROF_ERR_UNSUPPORTED;
	if (packer->contexts[index] == NULL)
		packer->contexts[index] = codecs[index].create(&packer->allocator, packer->level);
	if (packer->contexts[index] == NULL)
		return MPROF_ERR_MEMORY;
	return codecs[index].pack(packer->contexts[index], input, input_length, output, output_length, produced);
}
