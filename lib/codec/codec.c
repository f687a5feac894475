/* SPDX-License-Identifier: MIT */
/* The codecs of the library, chosen when it is built, and those of the caller. */
#include "codec/codec.h"

#include "codec/sized_memory.h"

#include <string.h>

#ifdef MPROF_WITH_ZLIB

#include "codec/zlib_memory.h"

/* The state of zlib, used for one piece after the other. */
typedef struct deflate_context {
	mprof_allocator allocator;
	z_stream stream;
	int is_packer;
} deflate_context;

static deflate_context *allocate_deflate(const mprof_allocator *allocator)
{
	deflate_context *context = allocator_allocate_zeroed(allocator, sizeof(*context));

	if (context == NULL)
		return NULL;
	context->allocator = *allocator;
	context->stream.zalloc = zlib_memory_allocate;
	context->stream.zfree = zlib_memory_release;
	context->stream.opaque = &context->allocator;
	return context;
}

static deflate_context *check_deflate(deflate_context *context, int result)
{
	if (result == Z_OK)
		return context;
	allocator_release(&context->allocator, context, sizeof(*context));
	return NULL;
}

static void *deflate_create_unpacker(const mprof_allocator *allocator)
{
	deflate_context *context = allocate_deflate(allocator);

	return context == NULL ? NULL : check_deflate(context, inflateInit(&context->stream));
}

static void *deflate_create_packer(const mprof_allocator *allocator, int level)
{
	deflate_context *context = allocate_deflate(allocator);

	if (context == NULL)
		return NULL;
	context->is_packer = 1;
	return check_deflate(context, deflateInit(&context->stream, level));
}

static void deflate_destroy(void *state)
{
	deflate_context *context = state;
	mprof_allocator allocator = context->allocator;

	if (context->is_packer)
		deflateEnd(&context->stream);
	else
		inflateEnd(&context->stream);
	allocator_release(&allocator, context, sizeof(*context));
}

static void set_buffers(z_stream *stream, const void *input, size_t input_length, void *output, size_t output_length)
{
	/* zlib declares the pointer without const but does not write through it. */
	memcpy(&stream->next_in, &input, sizeof(input));
	stream->avail_in = (uInt)input_length;
	stream->next_out = output;
	stream->avail_out = (uInt)output_length;
}

static mprof_status deflate_unpack(void *state, const void *input, size_t input_length, void *output,
				   size_t output_length, size_t *produced)
{
	z_stream *stream = &((deflate_context *)state)->stream;
	int result;

	*produced = 0;
	if (inflateReset(stream) != Z_OK)
		return MPROF_ERR_MALFORMED;
	set_buffers(stream, input, input_length, output, output_length);
	result = inflate(stream, Z_FINISH);
	*produced = output_length - stream->avail_out;
	if (result == Z_STREAM_END)
		return stream->avail_in == 0 && stream->avail_out == 0 ? MPROF_OK : MPROF_ERR_MALFORMED;
	if (result == Z_MEM_ERROR)
		return MPROF_ERR_MEMORY;
	return result == Z_BUF_ERROR && stream->avail_in == 0 ? MPROF_ERR_TRUNCATED : MPROF_ERR_MALFORMED;
}

static mprof_status deflate_pack(void *state, const void *input, size_t input_length, void *output,
				 size_t output_length, size_t *produced)
{
	z_stream *stream = &((deflate_context *)state)->stream;

	*produced = 0;
	if (deflateReset(stream) != Z_OK)
		return MPROF_ERR_MEMORY;
	set_buffers(stream, input, input_length, output, output_length);
	if (deflate(stream, Z_FINISH) != Z_STREAM_END)
		return MPROF_ERR_LIMIT;
	*produced = output_length - stream->avail_out;
	return MPROF_OK;
}

#endif

#ifdef MPROF_WITH_ZSTD

/* The functions that take an allocator are not in the stable part of zstd.h. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

/* The state of libzstd, used for one piece after the other. */
typedef struct zstd_context {
	mprof_allocator allocator;
	ZSTD_CCtx *packer;   /* NULL in a context that decompresses. */
	ZSTD_DCtx *unpacker; /* NULL in a context that compresses. */
} zstd_context;

static void *zstd_allocate(void *opaque, size_t size)
{
	return sized_memory_allocate(opaque, size);
}

static void zstd_release(void *opaque, void *memory)
{
	sized_memory_release(opaque, memory);
}

static zstd_context *allocate_zstd(const mprof_allocator *allocator, int is_packer)
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

static void zstd_destroy(void *state)
{
	zstd_context *context = state;
	mprof_allocator allocator = context->allocator;

	ZSTD_freeCCtx(context->packer);
	ZSTD_freeDCtx(context->unpacker);
	allocator_release(&allocator, context, sizeof(*context));
}

static void *zstd_create_unpacker(const mprof_allocator *allocator)
{
	zstd_context *context = allocate_zstd(allocator, 0);

	/* The output of a truncated frame is in the memory of the caller, so no window is allocated. */
	if (context != NULL && ZSTD_isError(ZSTD_DCtx_setParameter(context->unpacker, ZSTD_d_stableOutBuffer, 1))) {
		zstd_destroy(context);
		return NULL;
	}
	return context;
}

static void *zstd_create_packer(const mprof_allocator *allocator, int level)
{
	zstd_context *context = allocate_zstd(allocator, 1);

	if (context != NULL && ZSTD_isError(ZSTD_CCtx_setParameter(context->packer, ZSTD_c_compressionLevel, level))) {
		zstd_destroy(context);
		return NULL;
	}
	return context;
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

static mprof_status zstd_unpack(void *state, const void *input, size_t input_length, void *output, size_t output_length,
				size_t *produced)
{
	zstd_context *context = state;
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
	return ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall ? MPROF_ERR_LIMIT : status_of_error(result);
}

#endif

/* A codec of the library. Contexts are used for one piece after the other; they keep a copy of the allocator. */
typedef struct codec_functions {
	uint32_t number; /* An #mprof_codec_number. */
	int max_level;
	int default_level;
	void *(*create_unpacker)(const mprof_allocator *allocator);
	void *(*create_packer)(const mprof_allocator *allocator, int level);
	void (*destroy)(void *context);
	mprof_status (*unpack)(void *context, const void *input, size_t input_length, void *output,
			       size_t output_length, size_t *produced);
	mprof_status (*pack)(void *context, const void *input, size_t input_length, void *output, size_t output_length,
			     size_t *produced);
} codec_functions;

/* By their place in codec_set::contexts. A codec that the library was built without has no functions. */
static const codec_functions codecs[CODEC_COUNT] = {
#ifdef MPROF_WITH_ZLIB
	[CODEC_PLACE_DEFLATE] = {MPROF_CODEC_DEFLATE, 9, 1, deflate_create_unpacker, deflate_create_packer,
				 deflate_destroy, deflate_unpack, deflate_pack},
#endif
#ifdef MPROF_WITH_ZSTD
	/* Higher levels take far more memory for a few per cent. */
	[CODEC_PLACE_ZSTD] = {MPROF_CODEC_ZSTD, 19, 3, zstd_create_unpacker, zstd_create_packer, zstd_destroy,
			      zstd_unpack, zstd_pack},
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

static void destroy_contexts(void **contexts)
{
	for (size_t index = 0; index < CODEC_COUNT; index++) {
		if (contexts[index] != NULL)
			codecs[index].destroy(contexts[index]);
		contexts[index] = NULL;
	}
}

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
	destroy_contexts(set->contexts);
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
	return find_added(set, codec) != NULL || find_codec(codec) < CODEC_COUNT;
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
	const size_t index = find_codec(codec);

	if (index == CODEC_COUNT)
		return 0;
	if (set->contexts[index] == NULL)
		set->contexts[index] = codecs[index].create_unpacker(&set->allocator);
	return set->contexts[index] != NULL;
}

mprof_status codec_unpack(codec_set *set, uint64_t codec, const void *input, size_t input_length, void *output,
			  size_t output_length, size_t *produced)
{
	const mprof_codec *added = find_added(set, codec);
	const size_t index = find_codec(codec);

	*produced = 0;
	if (added != NULL)
		return unpack_added(added, input, input_length, output, output_length, produced);
	if (index == CODEC_COUNT)
		return MPROF_ERR_UNSUPPORTED;
	if (!codec_set_reserve(set, codec))
		return MPROF_ERR_MEMORY;
	return codecs[index].unpack(set->contexts[index], input, input_length, output, output_length, produced);
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
	destroy_contexts(packer->contexts);
}

mprof_status codec_pack(codec_packer *packer, const void *input, size_t input_length, void *output,
			size_t output_length, size_t *produced)
{
	const size_t index = find_codec(packer->codec);

	*produced = 0;
	if (index == CODEC_COUNT)
		return MPROF_ERR_UNSUPPORTED;
	if (packer->contexts[index] == NULL)
		packer->contexts[index] = codecs[index].create_packer(&packer->allocator, packer->level);
	if (packer->contexts[index] == NULL)
		return MPROF_ERR_MEMORY;
	return codecs[index].pack(packer->contexts[index], input, input_length, output, output_length, produced);
}
