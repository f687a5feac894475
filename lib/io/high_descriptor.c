/* SPDX-License-Identifier: MIT */
/*
 * Moves descriptors of recorders and of their clients to high numbers. Clients call the library for it, since only one
 * place in a process can know whether the limit of descriptors is raised.
 */
#include "io/high_descriptor.h"

#include <mprof/base.h>

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

void high_descriptor_before_fork(void)
{
}

void high_descriptor_after_fork(void)
{
}

#else

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Numbers that most programs never reach. The kernel's table of a process grows with its highest number. */
#define FIRST_NUMBER 1000
/* Numbers up to a limit of this many are all left to the program. */
#define SMALL_LIMIT 1024
#define MAX_DESCRIPTORS 64

/*
 * The limit of the program holds for new numbers, so it is raised for the length of one call: by one thread at a time,
 * or the second would restore a raised one. No other waits for that, but a fork() does, since the child has the limit
 * as it is then, for good. A process that is started without the handlers of fork(), as by posix_spawn(), may have it.
 */
static atomic_flag is_raised = ATOMIC_FLAG_INIT;

/* How long fork() waits before it looks again: longer than the limit is raised, if the thread has a processor. */
#define WAIT_NS 50000

/* What is to be restored. */
typedef struct raised_limit {
	struct rlimit limit;
	sigset_t signals;
} raised_limit;

/* Returns 0 if it cannot be raised. */
static int raise_limit(raised_limit *before)
{
	struct rlimit *limit = &before->limit;
	struct rlimit raised;
	sigset_t all;

	/* A handler of the program that calls fork() would wait for the thread that it interrupts. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before->signals);
	if (!atomic_flag_test_and_set_explicit(&is_raised, memory_order_acquire)) {
		if (getrlimit(RLIMIT_NOFILE, limit) == 0 && limit->rlim_cur <= limit->rlim_max &&
		    limit->rlim_max - limit->rlim_cur >= MAX_DESCRIPTORS) {
			raised = *limit;
			raised.rlim_cur += MAX_DESCRIPTORS;
			if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
				return 1;
		}
		atomic_flag_clear_explicit(&is_raised, memory_order_release);
	}
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
	return 0;
}

static void restore_limit(const raised_limit *before)
{
	setrlimit(RLIMIT_NOFILE, &before->limit);
	atomic_flag_clear_explicit(&is_raised, memory_order_release);
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}

void high_descriptor_before_fork(void)
{
	const struct timespec wait = {.tv_nsec = WAIT_NS};
	int saved = errno;

	/* Not sched_yield(): it does not let a thread of a lower priority run. */
	while (atomic_flag_test_and_set_explicit(&is_raised, memory_order_acquire))
		nanosleep(&wait, NULL);
	errno = saved;
}

void high_descriptor_after_fork(void)
{
	atomic_flag_clear_explicit(&is_raised, memory_order_release);
}

static int move_above(int fd)
{
	raised_limit before;
	int moved;

	if (!raise_limit(&before))
		return -1;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)before.limit.rlim_cur);
	restore_limit(&before);
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
	int fd = open_again(path, flags, mode);
	raised_limit before;
	int error;

	if (fd >= 0 || errno != EMFILE)
		return fd;
	if (!raise_limit(&before)) {
		errno = EMFILE;
		return -1;
	}
	fd = open_again(path, flags, mode);
	error = errno;
	restore_limit(&before);
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
	if (moved < 0 && limit.rlim_cur > MAX_DESCRIPTORS)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      limit.rlim_cur > SMALL_LIMIT ? FIRST_NUMBER : (int)limit.rlim_cur - MAX_DESCRIPTORS);
	if (moved >= 0)
		close(fd);
	errno = saved;
	return moved >= 0 ? moved : fd;
}

#endif

int mprof_descriptor_move(int fd)
{
	return high_descriptor_move(fd);
}
