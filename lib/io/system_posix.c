/* SPDX-License-Identifier: MIT */
/* The clock, descriptors and files of logs on POSIX systems. */
#include "io/system.h"

#include "io/high_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void clock_read_system(void *user, mprof_clock *clock)
{
	struct timespec monotonic = {0, 0};
	struct timespec wall = {0, 0};

	(void)user;
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_REALTIME, &wall);
	clock->counter = (uint64_t)monotonic.tv_sec * 1000000000 + (uint64_t)monotonic.tv_nsec;
	clock->time = (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}

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

/*
 * Maximum number of names to try. A collision of 64-bit random names is not expected; the limit ends a loop that an
 * attacker could provoke.
 */
#define NAMES_TRIED 16

/*
 * Whether a symbolic link can be followed. In a directory that is writable by all, such as /tmp, any user can create a
 * link with the name of a future log, but cannot replace a link of this user.
 */
static int is_own_link(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode) &&
	       (status.st_uid == geteuid() || status.st_uid == 0);
}

/* Whether a path refers to a descriptor of a process. The user of the process has opened that file. */
static int is_descriptor_path(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/dev/std", 8) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

int log_file_check_owner(const char *path, int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode) || is_descriptor_path(path))
		return 0;
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return EPERM;
	return status.st_nlink > 1 ? EMLINK : 0;
}

/* Returns -1 with errno set. */
static int open_existing(const char *path, int flags, uint32_t mode)
{
	int fd = high_descriptor_open(path, flags | O_NOFOLLOW, 0);
	int error = errno;

	if (fd >= 0)
		return fd;
	/* Not every system reports ELOOP for a link. */
	if (is_own_link(path))
		return high_descriptor_open(path, flags | O_CREAT, mode);
	errno = error;
	return -1;
}

int log_file_open_checked(const char *path, int access_mode, uint32_t mode, int *fd)
{
	const int flags = access_mode | O_CLOEXEC | O_NOCTTY;
	int error;

	/* A new file is this process's, even if the file system gives it to another user. */
	*fd = high_descriptor_open(path, flags | O_CREAT | O_EXCL, mode);
	if (*fd >= 0)
		return 0;
	if (errno == EEXIST)
		*fd = open_existing(path, flags, mode);
	if (*fd < 0)
		return errno;
	error = log_file_check_owner(path, *fd);
	if (error == 0)
		return 0;
	close(*fd);
	*fd = -1;
	return error;
}

/* Removes the permissions of an existing file that a new one would not have. */
static void restrict_mode(int fd, const struct stat *status, uint32_t mode)
{
	const mode_t restricted = status->st_mode & 07777 & (mode_t)mode;

	/* Some file systems have no permissions to change. */
	if (restricted != (status->st_mode & 07777) && status->st_uid == geteuid())
		(void)!fchmod(fd, restricted);
}

/* Returns 0 or an errno value. */
static int lock_and_empty(const char *path, uint32_t mode, int fd, int *is_locked)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return errno;
	/* Pipes and devices are neither locked nor truncated. */
	if (!S_ISREG(status.st_mode))
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		*is_locked = 1;
	else if (errno == EWOULDBLOCK)
		return EBUSY;
	if (!is_descriptor_path(path))
		restrict_mode(fd, &status, mode);
	while (ftruncate(fd, 0) != 0) {
		if (errno != EINTR)
			return errno;
	}
	return 0;
}

int log_file_open(const char *path, uint32_t mode, int *fd, int *is_locked)
{
	int error;

	*is_locked = 0;
	error = log_file_open_checked(path, O_WRONLY, mode, fd);
	if (error != 0)
		return error;
	/* Not truncated when it is opened: another writer may have locked the file. */
	error = lock_and_empty(path, mode, *fd, is_locked);
	if (error == 0) {
		*fd = high_descriptor_move(*fd);
		return 0;
	}
	close(*fd);
	*fd = -1;
	*is_locked = 0;
	return error;
}

int log_file_remove(const char *path, uint64_t device, uint64_t inode)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	char folder[PATH_MAX];
	struct stat status;
	int is_found;
	int error = 0;
	int fd;

	if ((size_t)(name - path) >= sizeof(folder))
		return ENAMETOOLONG;
	/* With its final slash, which a directory may have. */
	memcpy(folder, path, (size_t)(name - path));
	folder[name - path] = '\0';
	fd = high_descriptor_open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	is_found = fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
	if (is_found && ((uint64_t)status.st_dev != device || (uint64_t)status.st_ino != inode))
		error = ESTALE;
	else if (!is_found || unlinkat(fd, name, 0) != 0)
		error = errno;
	close(fd);
	return error;
}

void log_file_unlock(int fd)
{
	flock(fd, LOCK_UN);
}

int log_file_open_again(const char *path, int *fd)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int error;

	*fd = high_descriptor_open(path, flags | O_NOFOLLOW, 0);
	error = errno;
	if (*fd < 0 && is_own_link(path)) {
		*fd = high_descriptor_open(path, flags, 0);
		error = errno;
	}
	if (*fd < 0)
		return error;
	*fd = high_descriptor_move(*fd);
	/* Any other error than EWOULDBLOCK means that the file system has no locks. */
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	close(*fd);
	*fd = -1;
	return EBUSY;
}

static uint64_t unpredictable_number(void)
{
	struct timespec now;
	uint64_t number;
	int fd = high_descriptor_open("/dev/urandom", O_RDONLY | O_CLOEXEC, 0);
	ssize_t length = fd >= 0 ? read(fd, &number, sizeof(number)) : -1;

	if (fd >= 0)
		close(fd);
	if (length == (ssize_t)sizeof(number))
		return number;
	/* O_EXCL makes a guessed name harmless: an attacker can only prevent the file from being created. */
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 16;
}

int log_file_create_beside(const char *path, uint32_t mode, char *name, size_t size, int *fd)
{
	int error = EEXIST;

	*fd = -1;
	for (int i = 0; i < NAMES_TRIED && error == EEXIST; i++) {
		snprintf(name, size, "%s.%016" PRIx64 ".part", path, unpredictable_number());
		*fd = high_descriptor_open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		error = *fd >= 0 ? 0 : errno;
	}
	return error;
}
