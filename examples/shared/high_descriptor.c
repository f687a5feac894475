/* SPDX-License-Identifier: MIT */
/*
 * Moves descriptors of a module to high numbers. The library does the same in lib/io/high_descriptor.c, which
 * clients cannot call; the programs of tests/harmless find any descriptor that is not moved.
 */
#include "shared/high_descriptor.h"

#include <errno.h>
#include <fcntl.h>
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
 * or the second would restore a raised one. No other waits.
 */
static atomic_flag is_raised = ATOMIC_FLAG_INIT;

static int move_above(int fd)
{
	struct rlimit limit;
	struct rlimit raised;
	int moved = -1;

	if (atomic_flag_test_and_set_explicit(&is_raised, memory_order_acquire))
		return -1;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= limit.rlim_max &&
	    limit.rlim_max - limit.rlim_cur >= MOST_DESCRIPTORS) {
		raised = limit;
		raised.rlim_cur += MOST_DESCRIPTORS;
		if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
			moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)limit.rlim_cur);
			setrlimit(RLIMIT_NOFILE, &limit);
		}
	}
	atomic_flag_clear_explicit(&is_raised, memory_order_release);
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
		moved = move_above(fd);
	if (moved < 0 && limit.rlim_cur > MOST_DESCRIPTORS)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      limit.rlim_cur > SMALL_LIMIT ? FIRST_NUMBER : (int)limit.rlim_cur - MOST_DESCRIPTORS);
	if (moved >= 0)
		close(fd);
	errno = saved;
	return moved >= 0 ? moved : fd;
}
