/* SPDX-License-Identifier: MIT */
#include "io/sink.h"

#include "io/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Some systems refuse, or cut, longer writes. */
#define LONGEST_WRITE ((size_t)1 << 30)

/* Waits until a descriptor that does not block takes bytes again. */
static int wait_writable(int fd)
{
	struct pollfd waiting = {fd, POLLOUT, 0};

	while (poll(&waiting, 1, -1) < 0) {
		if (errno != EINTR && errno != EAGAIN)
			return errno;
	}
	return 0;
}

static int write_all(int fd, const uint8_t *bytes, size_t length, size_t *written)
{
	while (*written < length) {
		size_t rest = length - *written;
		ssize_t result = write(fd, bytes + *written, rest < LONGEST_WRITE ? rest : LONGEST_WRITE);
		int error = 0;

		if (result > 0)
			*written += (size_t)result;
		else if (result == 0)
			error = EIO;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			error = wait_writable(fd);
		else if (errno != EINTR)
			error = errno;
		if (error != 0)
			return error;
	}
	return 0;
}

/* A reader that went away is an error to report, not a reason to kill the program that is profiled. */
static int write_all_quietly(int fd, const uint8_t *bytes, size_t length, size_t *written)
{
	static const struct timespec at_once = {0, 0};
	sigset_t pipe_signal;
	sigset_t pending;
	sigset_t mask;
	int was_pending;
	int error;

	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	sigemptyset(&pending);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	error = pthread_sigmask(SIG_BLOCK, &pipe_signal, &mask);
	if (error != 0)
		return error;
	error = write_all(fd, bytes, length, written);
	if (error == EPIPE && !was_pending) {
		while (sigtimedwait(&pipe_signal, NULL, &at_once) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return error;
}

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
	int error;

	if (self->fd_may_raise)
		error = write_all_quietly(self->fd, bytes, length, &written);
	else
		error = write_all(self->fd, bytes, length, &written);
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
	int flags = fcntl(fd, F_GETFL);

	memset(self, 0, sizeof(*self));
	if (flags < 0 || fstat(fd, &status) != 0)
		return errno;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return EBADF;
	self->operations = &descriptor_operations;
	self->allocator = *allocator;
	self->fd = fd;
	self->fd_is_owned = fd_is_owned;
	self->fd_may_raise = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
	start = S_ISREG(status.st_mode) && (flags & O_APPEND) == 0 ? lseek(fd, 0, SEEK_CUR) : -1;
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
