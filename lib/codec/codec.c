/* SPDX-License-Identifier: MIT */
/* Decompresses with the codecs of the library, chosen when it is built, and those of the caller. */
#include "codec/codec.h"

#include "codec/library_memory.h"

#include <string.h>

#ifdef MPROF_WITH_ZLIB

/* The state of zlib, used for one piece after the other. */
typedef struct deflate_context {
	mprof_allocator allocator;
	z_stream stream;
} deflate_context;

static void *deflate_create(const mprof_allocator *allocator)
{
	deflate_context *context = allocator_allocate_zeroed(allocator, sizeof(*context));

	if (context == NULL)
		return NULL;
	context->allocator = *allocator;
	zlib_memory_use(&context->stream, &context->allocator);
	if (inflateInit(&context->stream) == Z_OK)
		return context;
	allocator_release(allocator, context, sizeof(*context));
	return NULL;
}

static void deflate_destroy(void *state)
{
	deflate_context *context = state;
	mprof_allocator allocator = context->allocator;

	inflateEnd(&context->stream);
	allocator_release(&allocator, context, sizeof(*context));
}

static mprof_status deflate_unpack(void *state, const void *input, size_t input_length, void *output,
				   size_t output_length, size_t *produced)
{
	z_stream *stream = &((deflate_context *)state)->stream;
	int result;

	*produced = 0;
	if (inflateReset(stream) != Z_OK)
		return MPROF_ERR_MALFORMED;
	zlib_memory_set(stream, input, input_length, output, output_length);
	result = inflate(stream, Z_FINISH);
	*produced = output_length - stream->avail_out;
	if (result == Z_STREAM_END)
		return stream->avail_in == 0 && stream->avail_out == 0 ? MPROF_OK : MPROF_ERR_MALFORMED;
	if (result == Z_MEM_ERROR)
		return MPROF_ERR_MEMORY;
	return result == Z_BUF_ERROR && stream->avail_in == 0 ? MPROF_ERR_TRUNCATED : MPROF_ERR_MALFORMED;
}

#endif

#ifdef MPROF_WITH_ZSTD

/* The state of libzstd, used for one piece after the other. */
typedef struct zstd_context {
	mprof_allocator allocator;
	ZSTD_DCtx *unpacker;
} zstd_context;

static void zstd_destroy(void *state)
{
	zstd_context *context = state;
	mprof_allocator allocator = context->allocator;

	ZSTD_freeDCtx(context->unpacker);
	allocator_release(&allocator, context, sizeof(*context));
}

static void *zstd_create(const mprof_allocator *allocator)
{
	zstd_context *context = allocator_allocate_zeroed(allocator, sizeof(*context));

	if (context == NULL)
		return NULL;
	context->allocator = *allocator;
	context->unpacker = ZSTD_createDCtx_advanced(zstd_memory_of(&context->allocator));
	/* The output of a truncated frame is in the memory of the caller, so no window is allocated. */
	if (context->unpacker != NULL &&
	    !ZSTD_isError(ZSTD_DCtx_setParameter(context->unpacker, ZSTD_d_stableOutBuffer, 1)))
		return context;
	zstd_destroy(context);
	return NULL;
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
	return ZSTD_isError(result) ? zstd_memory_status(result) : MPROF_ERR_TRUNCATED;
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
		return zstd_memory_status(result);
	*produced = result;
	return result == output_length ? MPROF_OK : MPROF_ERR_MALFORMED;
}

#endif

/* A codec of the library. Contexts are used for one piece after the other; they keep a copy of the allocator. */
typedef struct codec_functions {
	uint32_t number; /* An #mprof_codec_number. */
	void *(*create)(const mprof_allocator *allocator);
	void (*destroy)(void *context);
	mprof_status (*unpack)(void *context, const void *input, size_t input_length, void *output,
			       size_t output_length, size_t *produced);
} codec_functions;

/*
 * By their place in codec_set::contexts. A codec that the library was built without has no functions. Those that
 * compress are in another table, so that a program that only reads does not contain them.
 */
static const codec_functions codecs[CODEC_COUNT] = {
#ifdef MPROF_WITH_ZLIB
	[CODEC_PLACE_DEFLATE] = {MPROF_CODEC_DEFLATE, deflate_create, deflate_destroy, deflate_unpack},
#endif
#ifdef MPROF_WITH_ZSTD
	[CODEC_PLACE_ZSTD] = {MPROF_CODEC_ZSTD, zstd_create, zstd_destroy, zstd_unpack},
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
	for (size_t index = 0; index < CODEC_COUNT; index++) {
		if (set->contexts[index] != NULL)
			codecs[index].destroy(set->contexts[index]);
		set->contexts[index] = NULL;
	}
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
		set->contexts[index] = codecs[index].create(&set->allocator);
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
