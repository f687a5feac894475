/* SPDX-License-Identifier: MIT */
/* Compresses and decompresses pieces of memory with libzstd. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "codec/zstd_codec.h"

#ifdef MPROF_WITH_ZSTD

#include "codec/sized_memory.h"

/* The functions that take an allocator are not in the stable part of zstd.h. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

struct zstd_context {
	mprof_allocator allocator;
	ZSTD_CCtx *packer;   /* NULL in a context that decompresses. */
	ZSTD_DCtx *unpacker; /* NULL in a context that compresses. */
};

int zstd_codec_is_available(void)
{
	return 1;
}

static void *zstd_allocate(void *opaque, size_t size)
{
	return sized_memory_allocate(opaque, size);
}

static void zstd_release(void *opaque, void *memory)
{
	sized_memory_release(opaque, memory);
}

static zstd_context *create_context(const mprof_allocator *allocator, int is_packer)
{
	zstd_context *context = allocator_allocate_zeroed(allocator, sizeof(*context));
	ZSTD_customMem memory = {zstd_allocate, zstd_release, NULL};

	if (context == NULL)
		return NULL;
	context->allocator = *allocator;
	memory.opaque = &context->allocator;
	if (is_packer)
		context->packer = ZSTD_createCCtx_advanced(memory);
	else
		context->unpacker = ZSTD_createDCtx_advanced(memory);
	if (context->packer != NULL || context->unpacker != NULL)
		return context;
	allocator_release(allocator, context, sizeof(*context));
	return NULL;
}

zstd_context *zstd_create_unpacker(const mprof_allocator *allocator)
{
	zstd_context *context = create_context(allocator, 0);

	/* The output of a truncated frame is in the memory of the caller, so no window is allocated. */
	if (context != NULL && ZSTD_isError(ZSTD_DCtx_setParameter(context->unpacker, ZSTD_d_stableOutBuffer, 1))) {
		zstd_context_destroy(context);
		return NULL;
	}
	return context;
}

zstd_context *zstd_create_packer(const mprof_allocator *allocator, int level)
{
	zstd_context *context = create_context(allocator, 1);

	if (context != NULL && ZSTD_isError(ZSTD_CCtx_setParameter(context->packer, ZSTD_c_compressionLevel, level))) {
		zstd_context_destroy(context);
		return NULL;
	}
	return context;
}

void zstd_context_destroy(zstd_context *context)
{
	mprof_allocator allocator;

	if (context == NULL)
		return;
	allocator = context->allocator;
	ZSTD_freeCCtx(context->packer);
	ZSTD_freeDCtx(context->unpacker);
	allocator_release(&allocator, context, sizeof(*context));
}

static mprof_status status_of_error(size_t result)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? MPROF_ERR_MEMORY : MPROF_ERR_MALFORMED;
}

/* Decompresses the blocks of the frame that are whole. */
static mprof_status unpack_truncated(zstd_context *context, const void *input, size_t input_length, void *output,
				     size_t output_length, size_t *produced)
{
	ZSTD_inBuffer in = {input, input_length, 0};
	ZSTD_outBuffer out = {output, output_length, 0};
	size_t result = 0;
	size_t before;

	ZSTD_DCtx_reset(context->unpacker, ZSTD_reset_session_only);
	do {
		before = in.pos + out.pos;
		result = ZSTD_decompressStream(context->unpacker, &out, &in);
	} while (!ZSTD_isError(result) && result != 0 && in.pos + out.pos > before);
	*produced = out.pos;
	return ZSTD_isError(result) ? status_of_error(result) : MPROF_ERR_TRUNCATED;
}

mprof_status zstd_unpack(zstd_context *context, const void *input, size_t input_length, void *output,
			 size_t output_length, size_t *produced)
{
	size_t frame_length = ZSTD_findFrameCompressedSize(input, input_length);
	size_t result;

	*produced = 0;
	if (ZSTD_isError(frame_length) && ZSTD_getErrorCode(frame_length) == ZSTD_error_srcSize_wrong)
		return unpack_truncated(context, input, input_length, output, output_length, produced);
	if (frame_length != input_length)
		return MPROF_ERR_MALFORMED;
	result = ZSTD_decompressDCtx(context->unpacker, output, output_length, input, input_length);
	if (ZSTD_isError(result))
		return status_of_error(result);
	*produced = result;
	return result == output_length ? MPROF_OK : MPROF_ERR_MALFORMED;
}

mprof_status zstd_pack(zstd_context *context, const void *input, size_t input_length, void *output,
		       size_t output_length, size_t *produced)
{
	size_t result = ZSTD_compress2(context->packer, output, output_length, input, input_length);

	*produced = 0;
	if (!ZSTD_isError(result)) {
		*produced = result;
		return MPROF_OK;
	}
	return ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall ? MPROF_ERR_LIMIT : status_of_error(result);
}

#else

int zstd_codec_is_available(void)
{
	return 0;
}

zstd_context *zstd_create_unpacker(const mprof_allocator *allocator)
{
	(void)allocator;
	return NULL;
}

zstd_context *zstd_create_packer(const mprof_allocator *allocator, int level)
{
	(void)allocator;
	(void)level;
	return NULL;
}

void zstd_context_destroy(zstd_context *context)
{
	(void)context;
}

mprof_status zstd_unpack(zstd_context *context, const void *input, size_t input_length, void *output,
			 size_t output_length, size_t *produced)
{
	(void)context;
	(void)input;
	(void)input_length;
	(void)output;
	(void)output_length;
	*produced = 0;
	return MPROF_ERR_UNSUPPORTED;
}

mprof_status zstd_pack(zstd_context *context, const void *input, size_t input_length, void *output,
		       size_t output_length, size_t *produced)
{
	return zstd_unpack(context, input, input_length, output, output_length, produced);
}

#endif
