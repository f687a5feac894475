/* SPDX-License-Identifier: MIT */
/* Opens and writes descriptors on POSIX systems. */
#include "io/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

int descriptor_open_to_read(const char *path, int *fd)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return *fd < 0 ? errno : 0;
}

int descriptor_read_at(int fd, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	*got = 0;
	while (*got < length) {
		const size_t remaining = length - *got;
		const ssize_t result = pread(fd, (uint8_t *)bytes + *got,
					     remaining < DESCRIPTOR_MAX_LENGTH ? remaining : DESCRIPTOR_MAX_LENGTH,
					     (off_t)(offset + *got));

		if (result == 0)
			break;
		if (result > 0)
			*got += (size_t)result;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

int descriptor_make_binary(int fd)
{
	(void)fd;
	return 0;
}

int descriptor_look_at_mode(int fd, int *appends)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return errno;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return EBADF;
	*appends = (flags & O_APPEND) != 0;
	return 0;
}

int descriptor_resolve_path(const char *path, char *absolute, size_t size)
{
	return size >= PATH_MAX && realpath(path, absolute) != NULL;
}

/* Waits until a non-blocking descriptor is writable. */
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
		ssize_t result =
			write(fd, bytes + *written, rest < DESCRIPTOR_MAX_LENGTH ? rest : DESCRIPTOR_MAX_LENGTH);
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

/* Whether a file may reach the size limit of the process, which raises SIGXFSZ. */
static int has_size_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

static void consume_signal(int number)
{
	static const struct timespec at_once = {0, 0};
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	while (sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR)
		;
}

/*
 * SIGPIPE or SIGXFSZ would kill the profiled program: the signal is blocked for the write and, unless it was pending
 * before, consumed.
 */
static int write_all_quietly(int fd, int number, int failure, const uint8_t *bytes, size_t length, size_t *written)
{
	sigset_t blocked;
	sigset_t pending;
	sigset_t mask;
	int was_pending;
	int error;

	sigemptyset(&blocked);
	sigaddset(&blocked, number);
	sigemptyset(&pending);
	sigpending(&pending);
	was_pending = sigismember(&pending, number) == 1;
	error = pthread_sigmask(SIG_BLOCK, &blocked, &mask);
	if (error != 0)
		return error;
	error = write_all(fd, bytes, length, written);
	if (error == failure && !was_pending)
		consume_signal(number);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return error;
}

int descriptor_write_all(int fd, int raises_sigpipe, const uint8_t *bytes, size_t length, size_t *written)
{
	if (raises_sigpipe)
		return write_all_quietly(fd, SIGPIPE, EPIPE, bytes, length, written);
	if (has_size_limit())
		return write_all_quietly(fd, SIGXFSZ, EFBIG, bytes, length, written);
	return write_all(fd, bytes, length, written);
}
