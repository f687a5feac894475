/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_recorder_losses.c
 * \brief Events that cannot be recorded are counted, and written events stay: no buffers, a full disk, fork, kill.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { METHOD = 0x7000 };

static mprof_recorder_stats stats_of(mprof_recorder *recorder)
{
	mprof_recorder_stats stats;

	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	return stats;
}

static mprof_recorder *open_small(recorded_log *log, mprof_overflow overflow)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.max_buffers = 4;
	options.overflow = overflow;
	options.drain_interval_ms = 60000;
	recorder = recorded_log_open(log, &options);
	define_method(recorder, METHOD, 0, "M ()");
	return recorder;
}

Test(recorder_losses, dropped_events_are_counted_in_the_log, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_small(&log, MPROF_OVERFLOW_DROP);
	mprof_recorder_stats stats;
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	atomic_store(&log.blocked, 1);
	for (int i = 0; i < 1000; i++)
		mprof_thread_enter_method(thread, METHOD);
	atomic_store(&log.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* Buffers are free again: recording continues. */
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_gt(stats.lost_events, 0);
	cr_assert_eq(stats.lost_events, stats.lost[MPROF_LOSS_NO_BUFFER]);
	cr_assert_eq(stats.events + stats.lost_events, 1001);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert_eq(log.event_count, stats.events);
	cr_assert_eq(log.lost[MPROF_LOSS_NO_BUFFER], stats.lost_events);
	recorded_log_free(&log);
}

Test(recorder_losses, events_of_collections_never_wait, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
	mprof_recorder_stats stats;
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	/* The blocked writer thread returns no buffers: a wait would never end. */
	atomic_store(&log.blocked, 1);
	for (int i = 0; i < 5000; i++)
		mprof_thread_record_event(thread, i % 2 == 0 ? MPROF_EVENT_GC_START : MPROF_EVENT_GC_END, 0, 0);
	atomic_store(&log.blocked, 0);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats = stats_of(recorder);
	/* Only as many additional buffers exist for them. */
	cr_assert_gt(stats.lost[MPROF_LOSS_NO_BUFFER], 0);
	cr_assert_leq(stats.buffers, 4 + 1 + 4);
	cr_assert_eq(stats.events + stats.lost_events, 5000);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

Test(recorder_losses, events_of_collections_have_buffers_of_their_own, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
	mprof_recorder_stats stats;
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	/* The blocked writer thread returns no buffers: a wait would never end. */
	atomic_store(&log.blocked, 1);
	/* As many events as the other buffers hold, so that no other event could be recorded without waiting. */
	for (int i = 0; i < 5 * 128 + 200; i++)
		mprof_thread_record_event(thread, i % 2 == 0 ? MPROF_EVENT_GC_START : MPROF_EVENT_GC_END, 0, 0);
	atomic_store(&log.blocked, 0);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.lost_events, 0);
	cr_assert_eq(stats.events, 5 * 128 + 200);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

Test(recorder_losses, recording_keeps_errno, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	errno = 1234;
	for (int i = 0; i < 5000; i++)
		mprof_thread_enter_method(thread, METHOD);
	cr_assert_eq(errno, 1234);
	mprof_thread_detach(thread);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}

Test(recorder_losses, a_full_disk_keeps_what_was_written, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder;
	mprof_recorder_stats stats;
	mprof_thread *thread;

	log.fail_after = 2000;
	recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	/* These are a block of their own, which fits however fast the rest is written. */
	for (int i = 0; i < 50; i++)
		mprof_thread_enter_method(thread, METHOD);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	for (int i = 50; i < 10000; i++)
		mprof_thread_enter_method(thread, METHOD);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_ERR_IO);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_ERR_IO);
	stats = stats_of(recorder);
	cr_assert_eq(stats.status, MPROF_ERR_IO);
	cr_assert_eq(stats.system_error, ENOSPC);
	cr_assert_gt(stats.lost[MPROF_LOSS_WRITE_FAILED], 0);
	cr_assert_eq(mprof_recorder_destroy(recorder), MPROF_OK, "mprof_recorder_close() has returned it");
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert_not(log.complete);
	cr_assert_eq(log.valid_bytes, log.length);
	cr_assert_gt(log.event_count, 0);
	cr_assert_eq(log.event_count + stats.lost_events, 10000);
	recorded_log_free(&log);
}

/* Reads a file into the memory of a log. */
static void load_file(recorded_log *log, const char *path)
{
	struct stat status;
	FILE *file = fopen(path, "rb");

	cr_assert_not_null(file);
	cr_assert_eq(fstat(fileno(file), &status), 0);
	log->length = (size_t)status.st_size;
	log->capacity = log->length;
	log->bytes = malloc(log->length);
	cr_assert_not_null(log->bytes);
	cr_assert_eq(fread(log->bytes, 1, log->length, file), log->length);
	fclose(file);
}

/* Records 20,000 events into a file, all of which is at most \p bytes long. SIGXFSZ would end this test. */
static void record_limited(rlim_t bytes)
{
	char path[] = "/tmp/mprof-test-limit-XXXXXX";
	struct rlimit limit = {bytes, RLIM_INFINITY};
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats;
	mprof_recorder *recorder;
	mprof_thread *thread;

	cr_assert_geq(mkstemp(path), 0);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 128;
	options.event_rows = 1;
	cr_assert_eq(mprof_recorder_open_path(path, &options, &recorder, NULL), MPROF_OK);
	define_method(recorder, METHOD, 0, "M ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	for (int i = 0; i < 20000; i++)
		mprof_thread_enter_method(thread, METHOD);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_ERR_IO);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	stats = stats_of(recorder);
	mprof_recorder_destroy(recorder);
	cr_assert_eq(stats.system_error, EFBIG);
	cr_assert_eq(stats.events + stats.lost_events, 20000);
	load_file(&log, path);
	unlink(path);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, stats.events);
	cr_assert_eq(log.lost[MPROF_LOSS_WRITE_FAILED], stats.lost_events);
	recorded_log_free(&log);
}

/* Wherever the limit is in a block, and where it leaves room for the first blocks and the end alone. */
Test(recorder_losses, a_file_at_its_size_limit_states_what_it_lacks, .timeout = 120)
{
	record_limited(1024);
	for (rlim_t bytes = 12000; bytes < 12600; bytes += 13)
		record_limited(bytes);
}

Test(recorder_losses, a_forked_child_records_nothing_and_hangs_nowhere, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
	mprof_thread *thread;
	pid_t child;
	int state;

	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	for (int i = 0; i < 100; i++)
		mprof_thread_enter_method(thread, METHOD);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 1000; i++)
			mprof_thread_enter_method(thread, METHOD);
		mprof_thread_detach(thread);
		mprof_recorder_close(recorder);
		mprof_recorder_destroy(recorder);
		_exit(42);
	}
	cr_assert_eq(waitpid(child, &state, 0), child);
	cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 42);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 100);
	recorded_log_free(&log);
}

/* Records into a file, reports through the pipe when all is drained, and waits to be killed. */
static void record_and_hang(int fd, int ready)
{
	mprof_recorder *recorder;
	mprof_thread *thread;

	if (mprof_recorder_open_fd(fd, NULL, &recorder, NULL) != MPROF_OK)
		_exit(1);
	define_method(recorder, METHOD, 0, "M ()");
	if (mprof_recorder_attach(recorder, 5, &thread) != MPROF_OK)
		_exit(1);
	for (int i = 0; i < 50000; i++)
		mprof_thread_enter_method(thread, METHOD);
	mprof_recorder_drain(recorder);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

Test(recorder_losses, a_killed_process_leaves_all_that_was_drained, .timeout = 120)
{
	char path[] = "killed-XXXXXX";
	int fd = mkstemp(path);
	recorded_log log = {0};
	int ready[2];
	pid_t child;
	char byte;

	cr_assert_geq(fd, 0);
	cr_assert_eq(pipe(ready), 0);
	child = fork();
	if (child == 0)
		record_and_hang(fd, ready[1]);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	log.length = (size_t)lseek(fd, 0, SEEK_END);
	log.bytes = malloc(log.length);
	cr_assert_eq(pread(fd, log.bytes, log.length, 0), (ssize_t)log.length);
	unlink(path);
	recorded_log_read(&log);
	cr_assert_eq(log.status, MPROF_END);
	cr_assert_not(log.complete);
	cr_assert_eq(log.event_count, 50000);
	recorded_log_free(&log);
}

/* An allocator that refuses one call; counts the blocks that are not freed. */
typedef struct failing_memory {
	int calls_left;
	long outstanding;
} failing_memory;

static void *failing_allocate(void *user, size_t size)
{
	failing_memory *memory = user;

	if (memory->calls_left-- == 0)
		return NULL;
	memory->outstanding++;
	return malloc(size);
}

static void *failing_reallocate(void *user, void *old, size_t old_size, size_t new_size)
{
	failing_memory *memory = user;
	void *moved;

	(void)old_size;
	if (memory->calls_left-- == 0)
		return NULL;
	moved = realloc(old, new_size);
	if (old == NULL)
		memory->outstanding++;
	return moved;
}

static void failing_release(void *user, void *old, size_t size)
{
	failing_memory *memory = user;

	(void)size;
	memory->outstanding--;
	free(old);
}

Test(recorder_losses, every_refused_allocation_at_open_is_an_error_without_a_leak, .timeout = 120)
{
	mprof_status status = MPROF_ERR_MEMORY;

	for (int calls = 0; status != MPROF_OK; calls++) {
		failing_memory memory = {calls, 0};
		mprof_allocator allocator = {sizeof(mprof_allocator), failing_allocate, failing_reallocate,
					     failing_release, &memory};
		mprof_recorder_options options;
		mprof_recorder *recorder;
		recorded_log log = {0};
		mprof_sink sink = recorded_log_sink(&log);

		mprof_recorder_options_init(&options, sizeof(options));
		options.allocator = &allocator;
		status = mprof_recorder_open_sink(&sink, &options, &recorder, NULL);
		cr_assert(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		cr_assert_eq(recorder == NULL, status != MPROF_OK);
		mprof_recorder_destroy(recorder);
		cr_assert_eq(memory.outstanding, 0, "refused at call %d", calls);
		recorded_log_free(&log);
		cr_assert_lt(calls, 1000);
	}
}

Test(recorder_losses, marks_have_a_limit_of_their_own, .timeout = 120)
{
	static char text[1 << 20];
	recorded_log log = {0};
	mprof_recorder *recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
	mprof_recorder_stats stats;
	mprof_thread *thread;
	mprof_status status;
	uint64_t refused = 0;

	memset(text, 'x', sizeof(text));
	cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
	atomic_store(&log.blocked, 1);
	/* More than the queue holds and the writer thread may have taken before it was blocked. */
	for (int i = 0; i < 128; i++) {
		status = mprof_recorder_record_mark(recorder, 5, text, sizeof(text) / 2);
		cr_assert(status == MPROF_OK || status == MPROF_ERR_LIMIT);
		refused += status == MPROF_ERR_LIMIT;
	}
	for (uint64_t i = 0; i < 64; i++)
		define_method(recorder, METHOD + 8 + i * 8, 0, "Late ()");
	mprof_thread_enter_method(thread, METHOD + 8);
	atomic_store(&log.blocked, 0);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats = stats_of(recorder);
	cr_assert_eq(stats.lost[MPROF_LOSS_NO_BUFFER], refused);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_gt(refused, 0);
	cr_assert_eq(log.blocks[MPROF_BLOCK_MARK], 128 - refused);
	cr_assert_eq(log.lost[MPROF_LOSS_NO_BUFFER], refused);
	cr_assert_str_eq(log.events[0].name, "Late ()");
	recorded_log_free(&log);
}

typedef struct noted_failure {
	mprof_recorder *recorder;
	int calls;
	int was_enabled;
	mprof_status mark; /* Of a marker that the callback tries to record. */
	mprof_error error;
} noted_failure;

static void note_failure(void *user, const mprof_error *error)
{
	noted_failure *noted = user;

	noted->calls++;
	noted->error = *error;
	noted->was_enabled = mprof_recorder_is_enabled(noted->recorder);
	noted->mark = mprof_recorder_record_mark(noted->recorder, 0, "failed", 6);
}

Test(recorder_losses, a_failure_is_reported_once, .timeout = 120)
{
	recorded_log log = {.fail_after = 2000};
	noted_failure noted = {.was_enabled = 1};
	mprof_recorder_options options;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.failed = note_failure;
	options.failed_user = &noted;
	noted.recorder = recorded_log_open(&log, &options);
	define_method(noted.recorder, METHOD, 0, "M ()");
	cr_assert_eq(mprof_recorder_attach(noted.recorder, 5, &thread), MPROF_OK);
	cr_expect_eq(mprof_recorder_is_enabled(noted.recorder), 1);
	for (int i = 0; i < 100000; i++)
		mprof_thread_enter_method(thread, METHOD);
	cr_assert_eq(mprof_recorder_drain(noted.recorder), MPROF_ERR_IO);
	cr_expect_eq(mprof_recorder_is_enabled(noted.recorder), 0);
	cr_expect_eq(mprof_recorder_set_property(noted.recorder, "key", "value"), MPROF_ERR_IO);
	cr_expect_eq(mprof_recorder_record_mark(noted.recorder, 0, "mark", 4), MPROF_ERR_IO);
	cr_expect_eq(mprof_recorder_set_enabled(noted.recorder, 1), MPROF_ERR_IO);
	cr_expect_eq(mprof_recorder_drain(noted.recorder), MPROF_ERR_IO);
	mprof_thread_detach(thread);
	cr_expect_eq(mprof_recorder_close(noted.recorder), MPROF_ERR_IO);
	cr_expect_eq(noted.calls, 1);
	cr_expect_eq(noted.was_enabled, 0);
	cr_expect_eq(noted.mark, MPROF_ERR_IO);
	cr_expect_eq(noted.error.status, MPROF_ERR_IO);
	cr_expect_eq(noted.error.system_error, ENOSPC);
	mprof_recorder_destroy(noted.recorder);
	recorded_log_free(&log);
}

/* A client that closes its recorder only by destroying it learns that the log could not be written, too. */
Test(recorder_losses, destroying_returns_what_closing_would, .timeout = 120)
{
	for (int fails = 0; fails < 2; fails++) {
		recorded_log log = {0};
		mprof_recorder *recorder;
		mprof_thread *thread;

		log.fail_after = fails ? 2000 : 0;
		recorder = open_small(&log, MPROF_OVERFLOW_WAIT);
		cr_assert_eq(mprof_recorder_attach(recorder, 5, &thread), MPROF_OK);
		for (int i = 0; i < 10000; i++)
			mprof_thread_enter_method(thread, METHOD);
		cr_assert_eq(mprof_recorder_destroy(recorder), fails ? MPROF_ERR_IO : MPROF_OK);
		recorded_log_free(&log);
	}
}

/* A log that ends well never has. */
Test(recorder_losses, no_failure_is_reported_without_one, .timeout = 120)
{
	recorded_log log = {0};
	noted_failure noted = {0};
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.failed = note_failure;
	options.failed_user = &noted;
	options.max_log_bytes = 4096;
	noted.recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_drain(noted.recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(noted.recorder), MPROF_OK);
	cr_expect_eq(noted.calls, 0);
	mprof_recorder_destroy(noted.recorder);
	recorded_log_free(&log);
}
