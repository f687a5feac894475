/* SPDX-License-Identifier: MIT */
/* Reads a log from a file, a descriptor or memory. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/source.h"

#include "io/descriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct descriptor_source {
	mprof_allocator allocator;
	int fd;
	int is_owned;
	off_t start; /* Offset of the log in the file. */
} descriptor_source;

static int descriptor_read(void *user, void *bytes, size_t length, size_t *got)
{
	const descriptor_source *self = user;
	ssize_t result;

	do
		result = read(self->fd, bytes, length < DESCRIPTOR_MAX_LENGTH ? length : DESCRIPTOR_MAX_LENGTH);
	while (result < 0 && errno == EINTR);
	*got = result > 0 ? (size_t)result : 0;
	return result < 0 ? errno : 0;
}

static int descriptor_seek(void *user, uint64_t offset)
{
	const descriptor_source *self = user;

	if (offset > INT64_MAX - (uint64_t)self->start)
		return EOVERFLOW;
	return lseek(self->fd, self->start + (off_t)offset, SEEK_SET) < 0 ? errno : 0;
}

static int descriptor_source_read_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const descriptor_source *self = user;

	*got = 0;
	if (offset > INT64_MAX - (uint64_t)self->start)
		return EOVERFLOW;
	return descriptor_read_at(self->fd, (uint64_t)self->start + offset, bytes, length, got);
}

static void descriptor_close(void *user)
{
	descriptor_source *self = user;
	mprof_allocator allocator = self->allocator;

	if (self->is_owned)
		(void)close(self->fd);
	allocator_release(&allocator, self, sizeof(*self));
}

static int descriptor_open(mprof_source *source, const mprof_allocator *allocator, int fd, int is_owned,
			   uint64_t *length)
{
	descriptor_source *self;
	struct stat about;
	off_t start = 0;
	int can_seek;
	int fault = descriptor_make_binary(fd);

	if (fault != 0)
		return fault;
	if (fstat(fd, &about) != 0)
		return errno;
	if (S_ISDIR(about.st_mode))
		return EISDIR;
	/* The type is checked because lseek() may succeed for a terminal, where it has no effect. */
	can_seek = S_ISREG(about.st_mode) || S_ISBLK(about.st_mode);
	if (can_seek) {
		start = lseek(fd, 0, SEEK_CUR);
		if (start < 0)
			return errno;
	}
	self = allocator_allocate(allocator, sizeof(*self));
	if (self == NULL)
		return ENOMEM;
	self->allocator = *allocator;
	self->fd = fd;
	self->is_owned = is_owned;
	self->start = start;
	*length = S_ISREG(about.st_mode) && about.st_size > start ? (uint64_t)(about.st_size - start) : 0;
	source->read = descriptor_read;
	source->seek = can_seek ? descriptor_seek : NULL;
	source->close = descriptor_close;
	source->user = self;
	source->read_at = can_seek ? descriptor_source_read_at : NULL;
	return 0;
}

int source_open_path(mprof_source *source, const mprof_allocator *allocator, const char *path, uint64_t *length)
{
	int fd;
	int fault = descriptor_open_to_read(path, &fd);

	if (fault != 0)
		return fault;
	fault = descriptor_open(source, allocator, fd, 1, length);
	if (fault != 0)
		(void)close(fd);
	return fault;
}

int source_open_fd(mprof_source *source, const mprof_allocator *allocator, int fd, uint64_t *length)
{
	return descriptor_open(source, allocator, fd, 0, length);
}

typedef struct memory_source {
	mprof_allocator allocator;
	const uint8_t *bytes;
	size_t length;
	size_t position;
} memory_source;

static int memory_read(void *user, void *bytes, size_t length, size_t *got)
{
	memory_source *self = user;
	size_t left = self->length - self->position;

	*got = length < left ? length : left;
	if (*got > 0)
		memcpy(bytes, self->bytes + self->position, *got);
	self->position += *got;
	return 0;
}

static int memory_seek(void *user, uint64_t offset)
{
	memory_source *self = user;

	/* As in a file, there is nothing to read after the end. */
	self->position = offset < self->length ? (size_t)offset : self->length;
	return 0;
}

static int memory_read_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const memory_source *self = user;
	const size_t left = offset < self->length ? self->length - (size_t)offset : 0;

	*got = length < left ? length : left;
	if (*got > 0)
		memcpy(bytes, self->bytes + offset, *got);
	return 0;
}

static void memory_source_close(void *user)
{
	memory_source *self = user;
	mprof_allocator allocator = self->allocator;

	allocator_release(&allocator, self, sizeof(*self));
}

int source_open_memory(mprof_source *source, const mprof_allocator *allocator, const void *bytes, size_t length)
{
	memory_source *self = allocator_allocate(allocator, sizeof(*self));

	if (self == NULL)
		return ENOMEM;
	self->allocator = *allocator;
	self->bytes = bytes;
	self->length = length;
	self->position = 0;
	source->read = memory_read;
	source->read_at = memory_read_at;
	source->seek = memory_seek;
	source->close = memory_source_close;
	source->user = self;
	return 0;
}
