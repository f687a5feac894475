/* SPDX-License-Identifier: MIT */
/*
 * Moves descriptors of a recorder to high numbers. The modules do the same with theirs in
 * examples/shared/high_descriptor.c.
 */
#include "io/high_descriptor.h"

#include <fcntl.h>

#ifdef __wasi__

/* There is no limit of descriptors, and no recorder. */
int high_descriptor_move(int fd)
{
	return fd;
}

int high_descriptor_open(const char *path, int flags, unsigned mode)
{
	return open(path, flags, (mode_t)mode);
}

#else

#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

/* Numbers that most programs never reach. The kernel's table of a process grows with its highest number. */
#define FIRST_NUMBER 1000
/* Numbers up to a limit of this many are all left to the program. */
#define SMALL_LIMIT 1024
#define MOST_DESCRIPTORS 64

/*
 * The limit of the program holds for new numbers, so it is raised for the length of one call: by one thread at a time,
 * or the second would restore a raised one. No other waits, so that a child of fork() cannot wait for a thread that it
 * does not have.
 */
static atomic_flag is_raised = ATOMIC_FLAG_INIT;

/* Returns 0 if it cannot be raised. */
static int raise_limit(struct rlimit *limit)
{
	struct rlimit raised;

	if (atomic_flag_test_and_set_explicit(&is_raised, memory_order_acquire))
		return 0;
	if (getrlimit(RLIMIT_NOFILE, limit) == 0 && limit->rlim_cur <= limit->rlim_max &&
	    limit->rlim_max - limit->rlim_cur >= MOST_DESCRIPTORS) {
		raised = *limit;
		raised.rlim_cur += MOST_DESCRIPTORS;
		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			return 1;
	}
	atomic_flag_clear_explicit(&is_raised, memory_order_release);
	return 0;
}

static void restore_limit(const struct rlimit *limit)
{
	setrlimit(RLIMIT_NOFILE, limit);
	atomic_flag_clear_explicit(&is_raised, memory_order_release);
}

static int move_above(int fd)
{
	struct rlimit limit;
	int moved;

	if (!raise_limit(&limit))
		return -1;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)limit.rlim_cur);
	restore_limit(&limit);
	return moved;
}

static int open_again(const char *path, int flags, unsigned mode)
{
	int fd;

	do
		fd = open(path, flags, (mode_t)mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}

int high_descriptor_open(const char *path, int flags, unsigned mode)
{
	struct rlimit limit;
	int fd = open_again(path, flags, mode);
	int error;

	if (fd >= 0 || errno != EMFILE)
		return fd;
	if (!raise_limit(&limit)) {
		errno = EMFILE;
		return -1;
	}
	fd = open_again(path, flags, mode);
	error = errno;
	restore_limit(&limit);
	errno = error;
	return fd;
}

int high_descriptor_move(int fd)
{
	struct rlimit limit;
	int moved = -1;
	int saved = errno;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fd;
	if (limit.rlim_cur <= SMALL_LIMIT)
		moved = move_above(fd);
	if (moved < 0 && limit.rlim_cur > MOST_DESCRIPTORS)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      limit.rlim_cur > SMALL_LIMIT ? FIRST_NUMBER : (int)limit.rlim_cur - MOST_DESCRIPTORS);
	if (moved >= 0)
		close(fd);
	errno = saved;
	return moved >= 0 ? moved : fd;
}

#endif
