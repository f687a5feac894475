/* SPDX-License-Identifier: MIT */
#include "io/sink.h"

#include "io/descriptor.h"
#include "io/log_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes back the part of a block that a full disk let through, so that the file ends with a whole block. */
static void cut_back(log_sink *self, size_t written)
{
	off_t whole = (off_t)(self->fd_start + self->taken);
	struct stat status;

	if (!self->fd_may_be_cut || written == 0 || fstat(self->fd, &status) != 0)
		return;
	/* Others may have appended in the meantime: theirs is not ours to cut. */
	if (status.st_size != whole + (off_t)written)
		return;
	while (ftruncate(self->fd, whole) != 0 && errno == EINTR)
		;
	lseek(self->fd, whole, SEEK_SET);
}

static int descriptor_write(log_sink *self, const void *bytes, size_t length)
{
	int saved_errno = errno;
	size_t written = 0;
	int error = descriptor_write_all(self->fd, self->fd_may_raise, bytes, length, &written);

	if (error != 0)
		cut_back(self, written);
	errno = saved_errno;
	return error;
}

static int descriptor_close(log_sink *self)
{
	int saved_errno = errno;
	int error = 0;

	if (self->fd_is_locked)
		log_file_unlock(self->fd);
	/* Linux has closed the descriptor even where it reports EINTR. */
	if (self->fd_is_owned && close(self->fd) != 0 && errno != EINTR)
		error = errno;
	errno = saved_errno;
	return error;
}

static const sink_operations descriptor_operations = {descriptor_write, NULL, NULL, NULL, descriptor_close};

static int descriptor_open(log_sink *self, const mprof_allocator *allocator, int fd, int fd_is_owned)
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
	/* Of what can be written to, pipes and sockets raise SIGPIPE. */
	self->fd_may_raise = !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode);
	start = S_ISREG(status.st_mode) && !appends ? lseek(fd, 0, SEEK_CUR) : -1;
	if (start >= 0) {
		self->fd_start = (uint64_t)start;
		self->fd_may_be_cut = start == status.st_size;
	}
	return 0;
}

int sink_open_fd(log_sink *self, const mprof_allocator *allocator, int fd)
{
	int saved_errno = errno;
	int error = descriptor_open(self, allocator, fd, 0);

	errno = saved_errno;
	return error;
}

void sink_give_up(log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	if (self->operations == &descriptor_operations && self->fd_is_owned)
		close(self->fd);
	self->fd_is_owned = 0;
}

int sink_adopt_fd(log_sink *self, const mprof_allocator *allocator, int fd)
{
	int saved_errno = errno;
	int error = descriptor_open(self, allocator, fd, 1);

	if (error != 0)
		close(fd);
	errno = saved_errno;
	return error;
}

int sink_open_path(log_sink *self, const mprof_allocator *allocator, const char *path, uint32_t mode)
{
	int saved_errno = errno;
	int is_locked;
	int fd;
	int error = log_file_open(path, mode, &fd, &is_locked);

	memset(self, 0, sizeof(*self));
	if (error == 0)
		error = sink_adopt_fd(self, allocator, fd);
	if (error == 0)
		self->fd_is_locked = is_locked;
	errno = saved_errno;
	return error;
}
