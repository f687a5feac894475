/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_log_file_in_use.c
 * \brief Two processes that record into one file: the second is refused, and the log of the first stays complete.
 */
#include <mprof.h>

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENTS = 5000 };

static char path[] = "mprof-test-in-use-XXXXXX";

static void make_path(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
}

static void remove_path(void)
{
	unlink(path);
}

static void record(mprof_recorder *recorder)
{
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	for (int i = 0; i < EVENTS; i++)
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, 8);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	mprof_thread_detach(thread);
}

/* Opens the file again. Returns the system error, 0 if it can be opened; 255 for any other result. */
static int open_anew(void)
{
	mprof_recorder *recorder;
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status = mprof_recorder_open_path(path, NULL, &recorder, &error);

	mprof_recorder_destroy(recorder);
	if (status == MPROF_OK)
		return 0;
	if (recorder != NULL || status != MPROF_ERR_IO || strstr(error.what, "in use by another writer") == NULL)
		return 255;
	return error.system_error;
}

static int result_of(pid_t child)
{
	int status;

	cr_assert_geq(child, 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int open_elsewhere(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(open_anew());
	return result_of(child);
}

static void expect_whole_log(void)
{
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;
	uint64_t events = 0;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		mprof_event read[256];
		size_t count = 0;

		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, read, 256, &count) == MPROF_OK && count > 0)
			events += count;
	}
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(events, EVENTS);
	mprof_reader_destroy(reader);
}

Test(log_file_in_use, second_process_is_refused, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder;
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_recorder_open_path(path, NULL, &recorder, &error), MPROF_OK);
	record(recorder);
	cr_assert_eq(open_elsewhere(), EBUSY);
	/* A second recorder of the same process is refused too. */
	cr_assert_eq(open_anew(), EBUSY);
	mprof_recorder_destroy(recorder);
	expect_whole_log();
	cr_assert_eq(open_elsewhere(), 0);
}

/* A child of fork() that continues has the descriptor open, but does not write. */
Test(log_file_in_use, not_by_a_child_that_outlives_the_writer, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder;
	mprof_error error = {.struct_size = sizeof(error)};
	int pipes[2];
	pid_t child;
	char byte;

	cr_assert_eq(mprof_recorder_open_path(path, NULL, &recorder, &error), MPROF_OK);
	record(recorder);
	cr_assert_eq(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(pipes[0]);
	mprof_recorder_destroy(recorder);
	expect_whole_log();
	cr_assert_eq(open_anew(), 0);
	close(pipes[1]);
	cr_assert_eq(result_of(child), 0);
}
