/* SPDX-License-Identifier: MIT */
/* Sources of bytes. */
#include "io/source.h"

#include "base/checked.h"
#include "io/system.h"

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
	size_t remaining = self->length - self->position;

	*got = length < remaining ? length : remaining;
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
	const size_t remaining = offset < self->length ? self->length - (size_t)offset : 0;

	*got = length < remaining ? length : remaining;
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

void source_files_init(source_files *files, const mprof_allocator *allocator)
{
	memset(files, 0, sizeof(*files));
	hash_map_init(&files->by_hash, allocator);
}

void source_files_destroy(source_files *files)
{
	const mprof_allocator *allocator = &files->by_hash.index.allocator;

	for (size_t i = 0; i < files->count; i++)
		allocator_release(allocator, files->files[i].path, files->files[i].length + 1);
	allocator_release(allocator, files->files, files->capacity * sizeof(*files->files));
	hash_map_destroy(&files->by_hash);
}

static uint64_t hash_path(const source_files *files, const char *path, size_t length)
{
	uint64_t hash = files->by_hash.index.seed;

	for (size_t i = 0; i < length; i++)
		hash = hash_mix(hash, (unsigned char)path[i]);
	return hash;
}

static uint32_t find_path(const source_files *files, uint32_t first, const char *path, size_t length)
{
	uint32_t number = first;

	while (number != 0) {
		const source_file *file = &files->files[number - 1];

		if (file->length == length && memcmp(file->path, path, length) == 0)
			return number;
		number = file->next;
	}
	return 0;
}

static uint32_t add_path(source_files *files, uint64_t hash, uint32_t next, const char *path, size_t length)
{
	const mprof_allocator *allocator = &files->by_hash.index.allocator;
	void *grown = files->files;
	char *copy;

	if (files->count == UINT32_MAX ||
	    !array_reserve(allocator, &grown, &files->capacity, files->count + 1, sizeof(*files->files)))
		return 0;
	files->files = grown;
	copy = allocator_allocate(allocator, length + 1);
	if (copy == NULL)
		return 0;
	if (!hash_map_put(&files->by_hash, hash, files->count + 1)) {
		allocator_release(allocator, copy, length + 1);
		return 0;
	}
	memcpy(copy, path, length);
	copy[length] = '\0';
	files->files[files->count++] = (source_file){copy, length, next};
	return (uint32_t)files->count;
}

uint32_t source_files_number(source_files *files, const char *path, size_t length, int *is_new)
{
	const uint64_t hash = hash_path(files, path, length);
	const uint64_t *first = hash_map_get(&files->by_hash, hash);
	const uint32_t newest = first != NULL ? (uint32_t)*first : 0;
	const uint32_t known = find_path(files, newest, path, length);

	*is_new = known == 0;
	return known != 0 ? known : add_path(files, hash, newest, path, length);
}

void source_files_undo_add(source_files *files)
{
	const source_file *file = &files->files[--files->count];
	const uint64_t hash = hash_path(files, file->path, file->length);

	if (file->next != 0)
		(void)hash_map_put(&files->by_hash, hash, file->next);
	else
		hash_map_remove(&files->by_hash, hash);
	allocator_release(&files->by_hash.index.allocator, file->path, file->length + 1);
}
