/* SPDX-License-Identifier: MIT */
/* Writes the file of an export, and compresses streams. */
#include "export/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE 65536

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

static const char *open_whole(export_file *file, unsigned int flags, unsigned int mode)
{
	if (strcmp(file->path, "-") != 0)
		return whole_file_open(&file->whole, file->path, mode);
	file->whole.fd = STDOUT_FILENO;
	if ((flags & EXPORT_FILE_TEXT) == 0 && isatty(STDOUT_FILENO))
		return "this format is not written to a terminal; give a file name with -o";
	return NULL;
}

static int is_compressed(const export_file *file, unsigned int flags)
{
	const size_t length = strlen(file->path);

	if ((flags & EXPORT_FILE_GZIP) != 0)
		return gzip_stream_is_supported();
	return length > 3 && strcmp(file->path + length - 3, ".gz") == 0;
}

/* The stream has a descriptor of its own, because closing the whole file closes its descriptor. */
static const char *open_streams(export_file *file, unsigned int flags)
{
	int fd = fcntl(file->whole.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	file->target = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file->target == NULL) {
		const char *problem = strerror(errno);

		if (fd >= 0)
			close(fd);
		return problem;
	}
	setvbuf(file->target, NULL, _IOFBF, BUFFER_SIZE);
	file->stream = file->target;
	if (!is_compressed(file, flags))
		return NULL;
	file->stream = gzip_stream_open(file->target, &file->content_size);
	if (file->stream == NULL)
		return strerror(errno);
	setvbuf(file->stream, NULL, _IOFBF, BUFFER_SIZE);
	return NULL;
}

const char *export_file_open(export_file *file, const char *path, unsigned int flags, unsigned int mode)
{
	const char *problem;

	memset(file, 0, sizeof(*file));
	file->path = path;
	problem = open_whole(file, flags, mode);
	if (problem == NULL)
		problem = open_streams(file, flags);
	if (problem != NULL) {
		if (file->target != NULL)
			fclose(file->target);
		whole_file_close(&file->whole, 0);
	}
	return problem;
}

int export_file_has_failed(const export_file *file)
{
	return ferror(file->stream) || ferror(file->target);
}

/* Closes a stream. Returns NULL, or a message if data was lost. */
static const char *close_stream(FILE *stream)
{
	int has_failed = ferror(stream);

	errno = 0;
	if (fclose(stream) != 0)
		return strerror(errno != 0 ? errno : EIO);
	return has_failed ? strerror(EIO) : NULL;
}

static uint64_t size_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

const char *export_file_close(export_file *file, int is_whole)
{
	const char *problem = NULL;
	const char *other;

	if (file->stream != file->target)
		problem = close_stream(file->stream);
	other = close_stream(file->target);
	problem = other != NULL ? other : problem;
	file->size = size_of(file->whole.fd);
	if (file->stream == file->target)
		file->content_size = file->size;
	other = whole_file_close(&file->whole, is_whole && problem == NULL);
	return problem != NULL ? problem : other;
}
