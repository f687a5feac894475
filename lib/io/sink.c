/* SPDX-License-Identifier: MIT */
/* Writes to memory, to functions of the caller, and to files and descriptors. */
#include "io/sink.h"

#include "base/checked.h"
#include "base/options.h"
#include "io/system.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int memory_write(log_sink *self, const void *bytes, size_t length)
{
	void *memory = self->memory;
	size_t needed;

	if (!checked_add(self->memory_length, length, &needed) ||
	    !array_reserve(&self->allocator, &memory, &self->memory_capacity, needed, 1))
		return ENOMEM;
	self->memory = memory;
	memcpy(self->memory + self->memory_length, bytes, length);
	self->memory_length = needed;
	return 0;
}

static int memory_sink_close(log_sink *self)
{
	allocator_release(&self->allocator, self->memory, self->memory_capacity);
	return 0;
}

static const sink_operations memory_operations = {memory_write, NULL, NULL, NULL, memory_sink_close};

void sink_open_memory(log_sink *self, const mprof_allocator *allocator)
{
	memset(self, 0, sizeof(*self));
	self->operations = &memory_operations;
	self->allocator = *allocator;
}

static int functions_write(log_sink *self, const void *bytes, size_t length)
{
	return self->functions.write(self->functions.user, bytes, length);
}

static int functions_flush(log_sink *self)
{
	return self->functions.flush != NULL ? self->functions.flush(self->functions.user) : 0;
}

static int functions_close(log_sink *self)
{
	return self->functions.close != NULL ? self->functions.close(self->functions.user) : 0;
}

static const sink_operations functions_operations = {functions_write, functions_flush, NULL, NULL, functions_close};

void sink_open_functions(log_sink *self, const mprof_allocator *allocator, const mprof_sink *functions)
{
	memset(self, 0, sizeof(*self));
	self->operations = &functions_operations;
	self->allocator = *allocator;
	self->functions = *functions;
}

void sink_refuse_functions(const mprof_sink *functions)
{
	mprof_sink copy;

	if (functions != NULL && struct_copy_in(&copy, functions, sizeof(copy)) == MPROF_OK && copy.close != NULL)
		copy.close(copy.user);
}

int sink_write(log_sink *self, const void *bytes, size_t length)
{
	int error = self->operations->write(self, bytes, length);

	if (error != 0)
		return error;
	self->taken += length;
	if (self->observer != NULL)
		self->observer(self->observer_user, bytes, length);
	return 0;
}

int sink_flush(log_sink *self)
{
	return self->operations->flush != NULL ? self->operations->flush(self) : 0;
}

int sink_finish(log_sink *self)
{
	return self->operations->finish != NULL ? self->operations->finish(self) : 0;
}

uint64_t sink_bound(const log_sink *self, uint64_t more)
{
	return self->operations->bound != NULL ? self->operations->bound(self, more) : self->taken + more;
}

void sink_detach(log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	self->functions.close = NULL;
}

int sink_close(log_sink *self)
{
	int error = 0;

	if (self->operations != NULL && self->operations->close != NULL)
		error = self->operations->close(self);
	memset(self, 0, sizeof(*self));
	return error;
}

const log_sink *sink_bottom(const log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	return self;
}

int sink_is_memory(const log_sink *self)
{
	return sink_bottom(self)->operations == &memory_operations;
}

/*
 * Programs that close all descriptors, as daemons do, close that of the log as well. Its number may then be that of
 * another file.
 */
static int is_own_file(const log_sink *self, int fd)
{
	struct stat status;

	if (self->fd_inode == 0)
		return 1;
	return fstat(fd, &status) == 0 && (uint64_t)status.st_dev == self->fd_device &&
	       (uint64_t)status.st_ino == self->fd_inode;
}

/* Opens the file again if its descriptor was closed. Returns 0 or an errno value. */
static int restore_descriptor(log_sink *self)
{
	int fd;

	if (is_own_file(self, self->fd))
		return 0;
	/* The descriptor is not the sink's any more. */
	self->fd_is_owned = 0;
	self->fd_is_locked = 0;
	if (self->path == NULL || !self->fd_may_be_cut || log_file_open_again(self->path, &fd) != 0)
		return EBADF;
	if (!is_own_file(self, fd) || lseek(fd, (off_t)(self->fd_start + self->taken), SEEK_SET) < 0) {
		close(fd);
		return EBADF;
	}
	self->fd = fd;
	self->fd_is_owned = 1;
	self->fd_is_locked = 1;
	return 0;
}

/*
 * Removes a block that was written in part, for example because the disk is full, so that the file ends with a whole
 * block.
 */
static void cut_back(log_sink *self, size_t written)
{
	off_t whole = (off_t)(self->fd_start + self->taken);
	struct stat status;

	if (!self->fd_may_be_cut || written == 0 || fstat(self->fd, &status) != 0)
		return;
	/* If the length differs, another process has appended data, which must not be removed. */
	if (status.st_size != whole + (off_t)written)
		return;
	while (ftruncate(self->fd, whole) != 0 && errno == EINTR)
		;
	lseek(self->fd, whole, SEEK_SET);
}

int sink_descriptor_cut(log_sink *self, uint64_t length)
{
	const off_t end = (off_t)(self->fd_start + length);
	struct stat status;
	int error = restore_descriptor(self);

	if (error != 0)
		return error;
	/* If the length differs, another process has appended data, which must not be removed. */
	if (fstat(self->fd, &status) != 0 || status.st_size != (off_t)(self->fd_start + self->taken))
		return EBUSY;
	if (ftruncate(self->fd, end) != 0 || lseek(self->fd, end, SEEK_SET) < 0)
		return errno;
	self->taken = length;
	return 0;
}

static int sink_descriptor_write(log_sink *self, const void *bytes, size_t length)
{
	int saved_errno = errno;
	size_t written = 0;
	int error = restore_descriptor(self);

	if (error == 0)
		error = descriptor_write_all(self->fd, self->fd_raises_sigpipe, bytes, length, &written);
	if (error != 0)
		cut_back(self, written);
	errno = saved_errno;
	return error;
}

static int sink_descriptor_close(log_sink *self)
{
	int saved_errno = errno;
	const int is_open = is_own_file(self, self->fd);
	int error = 0;

	if (self->fd_is_locked && is_open)
		log_file_unlock(self->fd);
	/* Linux closes the descriptor even if it returns EINTR. */
	if (self->fd_is_owned && is_open && close(self->fd) != 0 && errno != EINTR)
		error = errno;
	allocator_release(&self->allocator, self->path, self->path != NULL ? strlen(self->path) + 1 : 0);
	self->path = NULL;
	errno = saved_errno;
	return error;
}

static const sink_operations descriptor_operations = {sink_descriptor_write, NULL, NULL, NULL, sink_descriptor_close};

static int init_descriptor_sink(log_sink *self, const mprof_allocator *allocator, int fd, int fd_is_owned)
{
	struct stat status;
	off_t start;
	int appends = 0;
	int error;

	memset(self, 0, sizeof(*self));
	error = descriptor_look_at_mode(fd, &appends);
	if (error == 0)
		error = descriptor_make_binary(fd);
	if (error != 0)
		return error;
	if (fstat(fd, &status) != 0)
		return errno;
	self->operations = &descriptor_operations;
	self->allocator = *allocator;
	self->fd = fd;
	self->fd_is_owned = fd_is_owned;
	self->fd_device = (uint64_t)status.st_dev;
	self->fd_inode = (uint64_t)status.st_ino;
	/* Writing to a pipe or a socket may raise SIGPIPE. */
	self->fd_raises_sigpipe = !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode);
	start = S_ISREG(status.st_mode) && !appends ? lseek(fd, 0, SEEK_CUR) : -1;
	if (start >= 0) {
		self->fd_start = (uint64_t)start;
		self->fd_may_be_cut = start == status.st_size;
	}
	return 0;
}

int sink_descriptor_open(log_sink *self, const mprof_allocator *allocator, int fd)
{
	int saved_errno = errno;
	int error = init_descriptor_sink(self, allocator, fd, 0);

	errno = saved_errno;
	return error;
}

void sink_descriptor_abandon(log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	if (self->operations == &descriptor_operations && self->fd_is_owned && is_own_file(self, self->fd))
		close(self->fd);
	self->fd_is_owned = 0;
}

int sink_descriptor_adopt(log_sink *self, const mprof_allocator *allocator, int fd)
{
	int saved_errno = errno;
	int error = init_descriptor_sink(self, allocator, fd, 1);

	if (error != 0)
		close(fd);
	errno = saved_errno;
	return error;
}

/* Returns 0 or an errno value. A path that cannot be resolved is left out: the file cannot be opened again then. */
static int remember_path(log_sink *self, const char *path)
{
	char absolute[PATH_MAX];
	size_t size;

	if (!descriptor_resolve_path(path, absolute, sizeof(absolute)))
		return 0;
	size = strlen(absolute) + 1;
	self->path = allocator_allocate(&self->allocator, size);
	if (self->path == NULL)
		return ENOMEM;
	memcpy(self->path, absolute, size);
	return 0;
}

int sink_descriptor_open_path(log_sink *self, const mprof_allocator *allocator, const char *path, uint32_t mode)
{
	int saved_errno = errno;
	int is_locked;
	int fd;
	int error = log_file_open(path, mode, &fd, &is_locked);

	memset(self, 0, sizeof(*self));
	if (error == 0)
		error = sink_descriptor_adopt(self, allocator, fd);
	if (error == 0) {
		self->fd_is_locked = is_locked;
		error = remember_path(self, path);
		if (error != 0)
			(void)sink_close(self);
	}
	errno = saved_errno;
	return error;
}
