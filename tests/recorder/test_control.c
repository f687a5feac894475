/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_control.c
 * \brief Draining on request misses nothing, and the functions that a child made by fork() may call.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { METHOD = 0x7000, BUFFER_EVENTS = 128, MAX_AHEAD = 8 * BUFFER_EVENTS, ENOUGH = 1000 * MAX_AHEAD };

/* A thread that fills its buffer and moves to another one just after the writer thread has taken the full ones. */
typedef struct racer {
	recorded_log log;
	mprof_sink inner;
	mprof_recorder *recorder;
	sem_t go;
	sem_t gone;
	_Atomic int is_waiting; /**< Waits for the next block to be written. */
	size_t flushed;         /**< Length of the log at the end of that round. */
} racer;

static int write_and_race(void *user, const void *bytes, size_t length)
{
	racer *copy = user;

	if (atomic_exchange(&copy->is_waiting, 0)) {
		sem_post(&copy->go);
		sem_wait(&copy->gone);
	}
	return copy->inner.write(copy->inner.user, bytes, length);
}

/* Requested rounds end with a flush; another one may follow before the test reads the length. */
static int note_flush(void *user)
{
	racer *copy = user;

	if (!atomic_load(&copy->is_waiting) && copy->flushed == 0)
		copy->flushed = copy->log.length;
	return 0;
}

static void *record_and_race(void *argument)
{
	racer *copy = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, 7, &thread) != MPROF_OK)
		return copy;
	for (int i = 0; i < BUFFER_EVENTS - 1; i++)
		mprof_thread_enter_method(thread, METHOD);
	sem_post(&copy->gone);
	sem_wait(&copy->go);
	mprof_thread_enter_method(thread, METHOD);
	mprof_thread_enter_method(thread, METHOD);
	sem_post(&copy->gone);
	sem_wait(&copy->go);
	mprof_thread_detach(thread);
	return NULL;
}

Test(control, a_buffer_that_changes_hands_during_a_round_is_drained, .timeout = 60)
{
	racer copy = {0};
	mprof_sink sink = {sizeof(mprof_sink), write_and_race, note_flush, NULL, &copy};
	mprof_recorder_options options;
	pthread_t handle;
	void *failed;

	copy.inner = recorded_log_sink(&copy.log);
	cr_assert_eq(sem_init(&copy.go, 0, 0), 0);
	cr_assert_eq(sem_init(&copy.gone, 0, 0), 0);
	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = BUFFER_EVENTS;
	options.drain_interval_ms = 60000;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &copy.recorder, NULL), MPROF_OK);
	cr_assert_eq(pthread_create(&handle, NULL, record_and_race, &copy), 0);
	sem_wait(&copy.gone);
	/* The marker is written after the writer thread took the full buffers, and before it reads the current ones. */
	cr_assert_eq(mprof_recorder_record_mark(copy.recorder, 0, "here", 4), MPROF_OK);
	copy.flushed = 0;
	atomic_store(&copy.is_waiting, 1);
	cr_assert_eq(mprof_recorder_drain(copy.recorder), MPROF_OK);
	sem_post(&copy.go);
	pthread_join(handle, &failed);
	cr_assert_null(failed);
	cr_assert_eq(mprof_recorder_close(copy.recorder), MPROF_OK);
	mprof_recorder_destroy(copy.recorder);
	recorded_log_read(&copy.log);
	cr_assert_eq(copy.log.event_count, BUFFER_EVENTS + 1);
	copy.log.length = copy.flushed;
	recorded_log_read(&copy.log);
	cr_assert_geq(copy.log.event_count, BUFFER_EVENTS - 1, "events recorded before the call are in the log");
	sem_destroy(&copy.go);
	sem_destroy(&copy.gone);
	recorded_log_free(&copy.log);
}

/* A thread that records as fast as it can, publishes its progress, and waits when it is far ahead of the test. */
typedef struct runner {
	mprof_recorder *recorder;
	_Atomic uint64_t recorded;
	_Atomic uint64_t seen; /**< Progress that the test has seen. */
	_Atomic int stop;
} runner;

static void *record_and_tell(void *argument)
{
	runner *copy = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->recorder, 7, &thread) != MPROF_OK)
		return copy;
	while (!atomic_load_explicit(&copy->stop, memory_order_relaxed)) {
		if (atomic_load_explicit(&copy->recorded, memory_order_relaxed) -
			    atomic_load_explicit(&copy->seen, memory_order_relaxed) >
		    MAX_AHEAD) {
			sched_yield();
			continue;
		}
		mprof_thread_enter_method(thread, METHOD);
		/*
		 * Release: pairs with the acquire load of the test. A test that sees the number also sees the published events.
		 */
		atomic_fetch_add_explicit(&copy->recorded, 1, memory_order_release);
	}
	mprof_thread_detach(thread);
	return NULL;
}

Test(control, draining_misses_nothing_while_threads_record, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	runner copy = {0};
	pthread_t handle;
	void *failed;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = BUFFER_EVENTS;
	copy.recorder = recorded_log_open(&log, &options);
	cr_assert_eq(pthread_create(&handle, NULL, record_and_tell, &copy), 0);
	for (uint64_t before = 0; before < ENOUGH;) {
		before = atomic_load_explicit(&copy.recorded, memory_order_acquire);
		atomic_store_explicit(&copy.seen, before, memory_order_relaxed);
		cr_assert_eq(mprof_recorder_drain(copy.recorder), MPROF_OK);
		cr_assert_eq(mprof_recorder_get_stats(copy.recorder, &stats), MPROF_OK);
		cr_assert_geq(stats.events, before);
	}
	atomic_store(&copy.stop, 1);
	pthread_join(handle, &failed);
	cr_assert_null(failed);
	mprof_recorder_destroy(copy.recorder);
	recorded_log_free(&log);
}

Test(control, marks_come_back_with_their_time_and_thread)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	uint64_t before;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	recorder = recorded_log_open(&log, &options);
	before = mprof_recorder_read_counter(recorder);
	cr_assert_eq(mprof_recorder_record_mark(recorder, 0, "für alle", strlen("für alle")), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_mark(recorder, UINT64_MAX, "", 0), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_mark(recorder, 0, "a\0b", 3), MPROF_ERR_NAME);
	cr_assert_eq(mprof_recorder_record_mark(recorder, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_mark(NULL, 0, "", 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_mark(recorder, 0, "late", 4), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert_eq(log.record_count, 2);
	cr_assert_str_eq(log.records[0].name, "für alle");
	cr_assert_eq(log.records[0].thread, 0);
	cr_assert_gt(log.records[0].counter, before);
	cr_assert_str_eq(log.records[1].name, "");
	cr_assert_eq(log.records[1].thread, UINT64_MAX);
	cr_assert_gt(log.records[1].counter, log.records[0].counter);
	recorded_log_free(&log);
}

/* All functions that a child may call by mistake. Returns 0 if each of them refused. */
static int misuse_in_child(mprof_recorder *recorder, mprof_thread *thread)
{
	const mprof_key_range range = {METHOD, METHOD};
	const mprof_frame frames[] = {METHOD, METHOD};
	const mprof_root_area area = {.struct_size = sizeof(mprof_root_area), .start = 0x1000, .size = 16};
	const mprof_metric_value value = {.metric = 1, .value = 2};
	uint32_t metric;

	for (int i = 0; i < 1000; i++) {
		mprof_thread_record_allocation_detailed(thread, METHOD, 8, 8, frames, 2);
		mprof_thread_record_monitor(thread, MPROF_MONITOR_CONTENDED, METHOD, 8, frames, 2);
		mprof_thread_record_finalizer(thread, 0, METHOD, 8);
	}
	return mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1) != MPROF_ERR_STATE ||
	       mprof_recorder_drain(recorder) != MPROF_ERR_STATE ||
	       mprof_recorder_set_enabled(recorder, 0) != MPROF_ERR_STATE || mprof_recorder_is_enabled(recorder) ||
	       mprof_recorder_record_mark(recorder, 0, "child", 5) != MPROF_ERR_STATE ||
	       mprof_recorder_define_metric(recorder, "s", "n", 0, &metric) != MPROF_ERR_STATE ||
	       mprof_recorder_record_metrics(recorder, &value, sizeof(value), 1) != MPROF_ERR_STATE ||
	       mprof_recorder_register_root(recorder, &area) != MPROF_ERR_STATE ||
	       mprof_recorder_unregister_root(recorder, 0x1000) != MPROF_ERR_STATE ||
	       mprof_recorder_record_sample(recorder, 7, frames, 2) ||
	       mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 0) ||
	       mprof_recorder_dump_path(recorder, "child.mprof", 0, NULL) != MPROF_ERR_STATE;
}

Test(control, a_forked_child_gets_refusals, .timeout = 60)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	uint32_t metric;
	pid_t child;
	int state;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = BUFFER_EVENTS;
	options.max_buffers = 2;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_STACK;
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 0, &metric), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, METHOD);
	child = fork();
	if (child == 0)
		_exit(misuse_in_child(recorder, thread) == 0 ? 42 : 1);
	cr_assert_eq(waitpid(child, &state, 0), child);
	cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 42);
	mprof_thread_detach(thread);
	mprof_recorder_destroy(recorder);
	recorded_log_read(&log);
	cr_assert(log.complete);
	cr_assert_eq(log.event_count, 1);
	recorded_log_free(&log);
}

/* Whether a descriptor of this process is the file and survives exec(). */
static int is_inherited(const char *path)
{
	for (int fd = 0; fd < 4096; fd++) {
		char link[64];
		char target[512];
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		if (strstr(target, path) != NULL)
			return (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
	}
	return -1;
}

Test(control, programs_that_are_executed_do_not_inherit_the_log)
{
	char path[] = "inherited-XXXXXX";
	int fd = mkstemp(path);
	mprof_recorder *recorder;

	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert_eq(mprof_recorder_open_path(path, NULL, &recorder, NULL), MPROF_OK);
	cr_assert_eq(is_inherited(path), 0);
	mprof_recorder_destroy(recorder);
	unlink(path);
}

/* How often the log of a recorder has an APPLICATION block with a kind. */
static size_t count_applications(const recorded_log *log, uint32_t kind)
{
	mprof_reader *reader = NULL;
	mprof_block block;
	size_t count = 0;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_APPLICATION || block.as.application.kind != kind)
			continue;
		cr_expect_str_eq(block.as.application.name, "org.example");
		cr_expect_eq(block.as.application.size, 5);
		cr_expect_eq(memcmp(block.as.application.bytes, "a\0b\0c", 5), 0);
		count++;
	}
	mprof_reader_destroy(reader);
	return count;
}

Test(control, data_of_applications_comes_back)
{
	static uint8_t large[MPROF_APPLICATION_MAX_SIZE + 1];
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);

	for (uint32_t kind = 0; kind < 4; kind++)
		cr_assert_eq(mprof_recorder_record_application(recorder, "org.example", 11, kind, kind, "a\0b\0c", 5),
			     MPROF_OK);
	cr_expect_eq(mprof_recorder_record_application(recorder, "x", 1, 0, 4, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_record_application(recorder, "x", 1, 0, 0, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_record_application(recorder, "", 0, 0, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_recorder_record_application(recorder, "a\0b", 3, 0, 0, NULL, 0), MPROF_ERR_NAME);
	cr_expect_eq(mprof_recorder_record_application(recorder, "x", 1, 0, 0, large, sizeof(large)), MPROF_ERR_LIMIT);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_expect_eq(mprof_recorder_record_application(recorder, "x", 1, 0, 0, NULL, 0), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
	for (uint32_t kind = 0; kind < 4; kind++)
		cr_expect_eq(count_applications(&log, kind), 1);
	recorded_log_free(&log);
}
