/* SPDX-License-Identifier: MIT */
/* Reads the bytes of a file to import. */
#include "import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_ZLIB
#include <zlib.h>
#endif

enum { BUFFER_SIZE = IMPORT_SOURCE_PEEK };

#ifdef WITH_ZLIB

/* zlib passes on what is not compressed. */
static const char *open_compressed(import_source *source)
{
	const int copy = dup(source->fd);

	source->compressed = copy >= 0 ? gzdopen(copy, "rb") : NULL;
	if (source->compressed != NULL)
		return NULL;
	if (copy >= 0)
		close(copy);
	return strerror(copy < 0 ? errno : ENOMEM);
}

static ssize_t read_some(import_source *source, uint8_t *bytes, size_t size)
{
	int number = Z_OK;
	int count = gzread(source->compressed, bytes, (unsigned int)size);

	if (count == 0 && !gzdirect(source->compressed))
		gzerror(source->compressed, &number);
	if (count > 0 || (count == 0 && number == Z_OK))
		return count;
	gzerror(source->compressed, &number);
	source->problem = number == Z_ERRNO ? strerror(errno) : "the compressed data is damaged or truncated";
	return -1;
}

static void close_compressed(import_source *source)
{
	if (source->compressed != NULL)
		gzclose(source->compressed);
}

#else

static const char *open_compressed(import_source *source)
{
	(void)source;
	return NULL;
}

static ssize_t read_some(import_source *source, uint8_t *bytes, size_t size)
{
	ssize_t count;

	do
		count = read(source->fd, bytes, size);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		source->problem = strerror(errno);
	return count;
}

static void close_compressed(import_source *source)
{
	(void)source;
}

#endif

static int open_file(const char *path)
{
	int fd;

	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	return fd;
}

const char *import_source_open(import_source *source, const char *path)
{
	struct stat status;
	const int is_stdin = strcmp(path, "-") == 0;

	memset(source, 0, sizeof(*source));
	source->fd = is_stdin ? dup(STDIN_FILENO) : open_file(path);
	if (source->fd < 0 || fstat(source->fd, &status) != 0)
		return strerror(errno);
	if (S_ISDIR(status.st_mode))
		return strerror(EISDIR);
	source->file_time = (uint64_t)(S_ISREG(status.st_mode) ? status.st_mtime : time(NULL)) * 1000000;
	source->buffer = malloc(BUFFER_SIZE);
	return source->buffer != NULL ? open_compressed(source) : strerror(ENOMEM);
}

/* Adds bytes after those of the buffer. */
static int read_more(import_source *source)
{
	ssize_t count;

	if (source->problem != NULL || source->length == BUFFER_SIZE)
		return 0;
	count = read_some(source, source->buffer + source->length, BUFFER_SIZE - source->length);
	source->length += count > 0 ? (size_t)count : 0;
	return count > 0;
}

size_t import_source_peek(import_source *source, const uint8_t **bytes)
{
	while (read_more(source))
		;
	*bytes = source->buffer;
	return source->length;
}

int import_source_fill(import_source *source)
{
	source->offset += source->length;
	source->length = source->position = 0;
	return read_more(source);
}

size_t import_source_take(import_source *source, void *bytes, size_t size)
{
	size_t taken = 0;

	while (taken < size) {
		size_t count = source->length - source->position;

		if (count == 0 && !import_source_fill(source))
			break;
		count = source->length - source->position;
		count = count < size - taken ? count : size - taken;
		memcpy((uint8_t *)bytes + taken, source->buffer + source->position, count);
		source->position += count;
		taken += count;
	}
	return taken;
}

uint64_t import_source_skip(import_source *source, uint64_t size)
{
	uint64_t skipped = 0;

	while (skipped < size) {
		size_t count = source->length - source->position;

		if (count == 0 && !import_source_fill(source))
			break;
		count = source->length - source->position;
		count = count < size - skipped ? count : (size_t)(size - skipped);
		source->position += count;
		skipped += count;
	}
	return skipped;
}

void import_source_close(import_source *source)
{
	close_compressed(source);
	free(source->buffer);
	if (source->fd >= 0)
		close(source->fd);
	memset(source, 0, sizeof(*source));
	source->fd = -1;
}
