/* SPDX-License-Identifier: MIT */
/* Compresses what is written to a stream. */
#include "export/gzip_stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef WITH_ZLIB

#include <zlib.h>

#define OUTPUT_SIZE 65536

/* Added to the window size, it selects a gzip header instead of one of zlib. */
#define GZIP_HEADER 16

#define MEMORY_LEVEL 8

typedef struct compressor {
	z_stream zlib;
	FILE *target;
	uint64_t *content_size;
	unsigned char output[OUTPUT_SIZE];
} compressor;

int gzip_stream_is_supported(void)
{
	return 1;
}

/* Compresses the input, and the rest with Z_FINISH. Returns 0 if the target failed. */
static int run_compressor(compressor *state, int flush)
{
	int result;

	do {
		size_t length;

		state->zlib.next_out = state->output;
		state->zlib.avail_out = OUTPUT_SIZE;
		result = deflate(&state->zlib, flush);
		if (result == Z_STREAM_ERROR)
			return 0;
		length = OUTPUT_SIZE - state->zlib.avail_out;
		if (fwrite(state->output, 1, length, state->target) != length)
			return 0;
	} while (state->zlib.avail_out == 0);
	return flush != Z_FINISH || result == Z_STREAM_END;
}

static ssize_t write_compressed(void *user, const char *data, size_t size)
{
	compressor *state = user;

	/* zlib does not change the input; its type lacks const unless ZLIB_CONST is defined. */
	state->zlib.next_in = (unsigned char *)(uintptr_t)data;
	state->zlib.avail_in = (uInt)size;
	if (state->content_size != NULL)
		*state->content_size += size;
	/* A stream with cookie reports an error by 0; a negative result is not allowed. */
	return run_compressor(state, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

static int close_compressed(void *user)
{
	compressor *state = user;
	int is_complete;

	state->zlib.next_in = NULL;
	state->zlib.avail_in = 0;
	is_complete = run_compressor(state, Z_FINISH);
	deflateEnd(&state->zlib);
	free(state);
	if (is_complete)
		return 0;
	errno = errno != 0 ? errno : EIO;
	return EOF;
}

FILE *gzip_stream_open(FILE *target, uint64_t *content_size)
{
	const cookie_io_functions_t functions = {.write = write_compressed, .close = close_compressed};
	compressor *state = calloc(1, sizeof(*state));
	FILE *stream;

	if (state == NULL)
		return NULL;
	state->target = target;
	state->content_size = content_size;
	if (deflateInit2(&state->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(state);
		errno = ENOMEM;
		return NULL;
	}
	stream = fopencookie(state, "w", functions);
	if (stream == NULL) {
		deflateEnd(&state->zlib);
		free(state);
	}
	return stream;
}

#else

int gzip_stream_is_supported(void)
{
	return 0;
}

FILE *gzip_stream_open(FILE *target, uint64_t *content_size)
{
	(void)target;
	(void)content_size;
	errno = ENOTSUP;
	return NULL;
}

#endif
