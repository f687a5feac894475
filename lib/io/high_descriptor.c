/* SPDX-License-Identifier: MIT */
/*
 * Moves descriptors of a recorder to high numbers. The modules do the same with theirs in
 * examples/shared/high_descriptor.c.
 */
#include "io/high_descriptor.h"

#ifdef __wasi__

/* There is no limit of descriptors, and no recorder. */
int high_descriptor_move(int fd)
{
	return fd;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Numbers that most programs never reach. The kernel's table of a process grows with its highest number. */
#define FIRST_NUMBER 1000
/* Numbers up to a limit of this many are all left to the program. */
#define SMALL_LIMIT 1024
#define MOST_DESCRIPTORS 64

/* Above a small limit: it holds for new numbers, so it is raised for the length of one call. */
static int move_above(int fd, struct rlimit limit)
{
	struct rlimit raised = limit;
	int moved;

	raised.rlim_cur += MOST_DESCRIPTORS;
	if (raised.rlim_cur > raised.rlim_max || setrlimit(RLIMIT_NOFILE, &raised) != 0)
		return -1;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)limit.rlim_cur);
	setrlimit(RLIMIT_NOFILE, &limit);
	return moved;
}

int high_descriptor_move(int fd)
{
	struct rlimit limit;
	int moved = -1;
	int saved = errno;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fd;
	if (limit.rlim_cur <= SMALL_LIMIT)
		moved = move_above(fd, limit);
	if (moved < 0 && limit.rlim_cur > MOST_DESCRIPTORS)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      limit.rlim_cur > SMALL_LIMIT ? FIRST_NUMBER : (int)limit.rlim_cur - MOST_DESCRIPTORS);
	if (moved >= 0)
		close(fd);
	errno = saved;
	return moved >= 0 ? moved : fd;
}

#endif
