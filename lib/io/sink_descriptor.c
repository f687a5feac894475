/* SPDX-License-Identifier: MIT */
/* Writes a log to a file or a descriptor. */
#include "io/sink_descriptor.h"

#include "io/descriptor.h"
#include "io/log_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int sink_descriptor_write(log_sink *self, const void *bytes, size_t length)
{
	int saved_errno = errno;
	size_t written = 0;
	int error = descriptor_write_all(self->fd, self->fd_may_raise, bytes, length, &written);

	if (error != 0)
		cut_back(self, written);
	errno = saved_errno;
	return error;
}

static int sink_descriptor_close(log_sink *self)
{
	int saved_errno = errno;
	int error = 0;

	if (self->fd_is_locked)
		log_file_unlock(self->fd);
	/* Linux closes the descriptor even if it returns EINTR. */
	if (self->fd_is_owned && close(self->fd) != 0 && errno != EINTR)
		error = errno;
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
	/* Writing to a pipe or a socket may raise SIGPIPE. */
	self->fd_may_raise = !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode);
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
	if (self->operations == &descriptor_operations && self->fd_is_owned)
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

int sink_descriptor_open_path(log_sink *self, const mprof_allocator *allocator, const char *path, uint32_t mode)
{
	int saved_errno = errno;
	int is_locked;
	int fd;
	int error = log_file_open(path, mode, &fd, &is_locked);

	memset(self, 0, sizeof(*self));
	if (error == 0)
		error = sink_descriptor_adopt(self, allocator, fd);
	if (error == 0)
		self->fd_is_locked = is_locked;
	errno = saved_errno;
	return error;
}
