/* SPDX-License-Identifier: MIT */
/* Descriptors are moved out of the program's way, and leave its limit as it was. */
#include "io/high_descriptor.h"

#include <mprof/base.h>

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT 64
#define ROUNDS 20000

static atomic_int is_done;

static void set_limit(void)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert_geq(limit.rlim_max, 4 * LIMIT);
	limit.rlim_cur = LIMIT;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static rlim_t get_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

TestSuite(descriptor, .init = set_limit, .timeout = 60);

Test(descriptor, is_above_the_limit_and_closed_by_exec)
{
	int fd = open("/dev/null", O_RDONLY);
	int moved;

	errno = ENOTTY;
	moved = mprof_descriptor_move(fd);
	cr_expect_eq(errno, ENOTTY);
	cr_expect_geq(moved, LIMIT);
	cr_expect_eq(fcntl(moved, F_GETFD), FD_CLOEXEC);
	cr_expect_eq(fcntl(fd, F_GETFD), -1);
	cr_expect_eq(get_limit(), LIMIT);
}

Test(descriptor, of_an_error_is_returned_as_it_is)
{
	errno = EMFILE;
	cr_expect_eq(mprof_descriptor_move(-1), -1);
	cr_expect_eq(errno, EMFILE);
}

static void *move_as_client(void *unused)
{
	while (!atomic_load(&is_done))
		close(mprof_descriptor_move(open("/dev/null", O_RDONLY)));
	return unused;
}

/* The program has used up its descriptors: each file of the recorder is opened with a raised limit. */
static void *open_as_recorder(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		close(high_descriptor_move(high_descriptor_open("/dev/null", O_RDONLY, 0)));
	atomic_store(&is_done, 1);
	return unused;
}

Test(descriptor, recorder_and_client_restore_the_limit)
{
	pthread_t threads[2];

	cr_assert_eq(pthread_create(&threads[0], NULL, open_as_recorder, NULL), 0);
	cr_assert_eq(pthread_create(&threads[1], NULL, move_as_client, NULL), 0);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	cr_expect_eq(get_limit(), LIMIT);
}

/* fork() while another thread raises the limit, with the handlers that the recorder sets. */
Test(descriptor, child_has_the_limit_of_the_program)
{
	pthread_t thread;
	int raised = 0;

	cr_assert_eq(
		pthread_atfork(high_descriptor_before_fork, high_descriptor_after_fork, high_descriptor_after_fork), 0);
	cr_assert_eq(pthread_create(&thread, NULL, open_as_recorder, NULL), 0);
	while (!atomic_load(&is_done)) {
		pid_t child = fork();
		int status = 0;

		/* The limit can be raised there, too. */
		if (child == 0)
			_exit(get_limit() != LIMIT || mprof_descriptor_move(open("/dev/null", O_RDONLY)) < LIMIT);
		cr_assert_eq(waitpid(child, &status, 0), child);
		raised += status != 0;
	}
	pthread_join(thread, NULL);
	cr_expect_eq(raised, 0);
}
