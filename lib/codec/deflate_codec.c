/* SPDX-License-Identifier: MIT */
/* Compresses and decompresses pieces of memory with zlib. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "codec/deflate_codec.h"

#ifdef MPROF_WITH_ZLIB

#include "codec/zlib_memory.h"

#include <string.h>

struct deflate_context {
	mprof_allocator allocator;
	z_stream stream;
	int is_packer;
};

int deflate_codec_is_available(void)
{
	return 1;
}

static deflate_context *create_context(const mprof_allocator *allocator)
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

static deflate_context *check_created(deflate_context *context, int result)
{
	if (result == Z_OK)
		return context;
	allocator_release(&context->allocator, context, sizeof(*context));
	return NULL;
}

deflate_context *deflate_create_unpacker(const mprof_allocator *allocator)
{
	deflate_context *context = create_context(allocator);

	return context == NULL ? NULL : check_created(context, inflateInit(&context->stream));
}

deflate_context *deflate_create_packer(const mprof_allocator *allocator, int level)
{
	deflate_context *context = create_context(allocator);

	if (context == NULL)
		return NULL;
	context->is_packer = 1;
	return check_created(context, deflateInit(&context->stream, level));
}

void deflate_context_destroy(deflate_context *context)
{
	mprof_allocator allocator;

	if (context == NULL)
		return;
	allocator = context->allocator;
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

mprof_status deflate_unpack(deflate_context *context, const void *input, size_t input_length, void *output,
			    size_t output_length, size_t *produced)
{
	z_stream *stream = &context->stream;
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

mprof_status deflate_pack(deflate_context *context, const void *input, size_t input_length, void *output,
			  size_t output_length, size_t *produced)
{
	z_stream *stream = &context->stream;

	*produced = 0;
	if (deflateReset(stream) != Z_OK)
		return MPROF_ERR_MEMORY;
	set_buffers(stream, input, input_length, output, output_length);
	if (deflate(stream, Z_FINISH) != Z_STREAM_END)
		return MPROF_ERR_LIMIT;
	*produced = output_length - stream->avail_out;
	return MPROF_OK;
}

#else

int deflate_codec_is_available(void)
{
	return 0;
}

deflate_context *deflate_create_unpacker(const mprof_allocator *allocator)
{
	(void)allocator;
	return NULL;
}

deflate_context *deflate_create_packer(const mprof_allocator *allocator, int level)
{
	(void)allocator;
	(void)level;
	return NULL;
}

void deflate_context_destroy(deflate_context *context)
{
	(void)context;
}

mprof_status deflate_unpack(deflate_context *context, const void *input, size_t input_length, void *output,
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

mprof_status deflate_pack(deflate_context *context, const void *input, size_t input_length, void *output,
			  size_t output_length, size_t *produced)
{
	return deflate_unpack(context, input, input_length, output, output_length, produced);
}

#endif
