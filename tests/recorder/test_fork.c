/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_fork.c
 * \brief A program that forks while its threads record, as described in mprof/recorder.h: each child abandons the
 * recorder of its parent in a handler of pthread_atfork() and opens one of its own.
 *
 * It needs only the public headers, so it can be built with other C libraries too.
 */
#include <mprof.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, FORKS = 12, CHILD_EVENTS = 3000, CLASS = 0x1000, TYPE = 1 };

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "test_fork.c:%d: %s\n", __LINE__, #condition);                                 \
			_exit(1);                                                                                      \
		}                                                                                                      \
	} while (0)

static char directory[] = "mprof-test-fork-XXXXXX";
static mprof_recorder *recorder;
static _Thread_local mprof_thread *self;
static _Atomic int stopping;
static pthread_barrier_t started;
static int generation; /* Number of forks between the first process and this one. */
static int number;     /* Number of the next child. */

/*
 * fork() copies the locks of other threads as they are. The C library's malloc() resets its own locks in the child;
 * that of the address sanitizer does not. So no thread may be inside malloc() while this program forks: all memory of
 * the recorder is allocated under a lock, and threads, which allocate while they start, have started before.
 */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_memory(void)
{
	pthread_mutex_lock(&memory_lock);
}

static void unlock_memory(void)
{
	pthread_mutex_unlock(&memory_lock);
}

static void *allocate(void *user, size_t size)
{
	void *memory;

	(void)user;
	lock_memory();
	memory = malloc(size);
	unlock_memory();
	return memory;
}

static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	void *moved;

	(void)user;
	(void)old_size;
	lock_memory();
	moved = realloc(memory, new_size);
	unlock_memory();
	return moved;
}

static void release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	lock_memory();
	free(memory);
	unlock_memory();
}

static const mprof_allocator allocator = {sizeof(mprof_allocator), allocate, reallocate, release, NULL};

static void name_log(char *path, size_t size, int depth, int child)
{
	snprintf(path, size, "%s/%d.%d.mprof", directory, depth, child);
}

static void open_log(void)
{
	mprof_recorder_options options;
	mprof_description description;
	mprof_error error = {.struct_size = sizeof(error)};
	const mprof_type_record type = {.name = "type"};
	uint32_t id;
	char path[64];

	mprof_recorder_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	options.buffer_events = 128;
	options.max_buffers = 4;
	name_log(path, sizeof(path), generation, number);
	CHECK(mprof_recorder_open_path(path, &options, &recorder, &error) == MPROF_OK);
	mprof_description_init(&description, sizeof(description));
	description.name = "Error";
	description.name_length = 5;
	CHECK(mprof_recorder_define_class(recorder, CLASS, &description) == MPROF_OK);
	CHECK(mprof_recorder_define_type(recorder, &type, sizeof(type), &id) == MPROF_OK && id == TYPE);
}

static void attach(void)
{
	CHECK(mprof_recorder_attach(recorder, 0, &self) == MPROF_OK);
}

/* The parent's recorder refuses every call in the child, and does no harm. */
static void expect_nothing(void)
{
	mprof_thread *thread;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	const mprof_argument_record argument = {.name = "late"};
	const mprof_type_record type = {.name = "late"};
	mprof_description description;
	mprof_frame frame = MPROF_FRAME_NATIVE | 1;
	uint32_t id;

	mprof_description_init(&description, sizeof(description));
	description.name = "Late";
	description.name_length = 4;
	for (int i = 0; i < 1000; i++)
		mprof_thread_record_event(self, MPROF_EVENT_EXCEPTION, 0, CLASS);
	CHECK(mprof_recorder_record_sample(recorder, 1, &frame, 1) == 0);
	CHECK(mprof_recorder_attach(recorder, 0, &thread) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_define_class(recorder, CLASS + 8, &description) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_set_thread_name(recorder, 1, "late", 4) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_record_mark(recorder, 1, "late", 4) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_define_text(recorder, "late", 4, &id) == MPROF_ERR_STATE && id == 0);
	CHECK(mprof_recorder_define_arguments(recorder, &argument, sizeof(argument), 1, &id) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_define_type(recorder, &type, sizeof(type), &id) == MPROF_ERR_STATE);
	for (int i = 0; i < 1000; i++)
		CHECK(self == NULL || mprof_thread_record_typed(self, TYPE, NULL, 0) == MPROF_OK);
	CHECK(mprof_recorder_set_enabled(recorder, 0) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_drain(recorder) == MPROF_ERR_STATE);
	CHECK(mprof_recorder_get_stats(recorder, &stats) == MPROF_OK);
	CHECK(mprof_recorder_begin_heap(recorder, 0, 0) == 0);
	CHECK(mprof_recorder_close(recorder) == MPROF_OK);
	mprof_thread_detach(self);
}

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 4096; fd++) {
		struct stat status;

		count += fstat(fd, &status) == 0;
	}
	return count;
}

static void after_fork_in_child(void)
{
	int descriptors = count_descriptors();

	unlock_memory();
	expect_nothing();
	mprof_recorder_destroy(recorder);
	recorder = NULL;
	self = NULL;
	CHECK(count_descriptors() == descriptors - 1);
	generation++;
	open_log();
}

static void *record(void *argument)
{
	(void)argument;
	attach();
	pthread_barrier_wait(&started);
	while (!atomic_load(&stopping)) {
		for (int i = 0; i < 50; i++)
			mprof_thread_record_event(self, MPROF_EVENT_EXCEPTION, 0, CLASS);
	}
	mprof_thread_detach(self);
	return NULL;
}

/* The log is complete and has \p events events; if that is negative, at least its absolute value. */
static void check_log(int depth, int child, int64_t expected)
{
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;
	int64_t events = 0;
	char path[64];

	name_log(path, sizeof(path), depth, child);
	CHECK(mprof_reader_open_path(path, NULL, &reader) == MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		mprof_event read[256];
		size_t count = 0;

		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, read, 256, &count) == MPROF_OK && count > 0)
			events += (int64_t)count;
	}
	CHECK(status == MPROF_END);
	CHECK(expected < 0 ? events >= -expected : events == expected);
	mprof_reader_destroy(reader);
	CHECK(unlink(path) == 0);
}

static void record_as_child(void)
{
	attach();
	for (int i = 0; i < CHILD_EVENTS; i++)
		mprof_thread_record_event(self, MPROF_EVENT_EXCEPTION, 0, CLASS);
	mprof_thread_detach(self);
	CHECK(mprof_recorder_close(recorder) == MPROF_OK);
	mprof_recorder_destroy(recorder);
	_exit(0);
}

static void wait_for(pid_t child)
{
	int status;

	CHECK(child > 0);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Every third child forks again first. */
static void live_as_child(int child)
{
	if (child % 3 == 0) {
		pid_t grandchild;

		CHECK(mprof_recorder_drain(recorder) == MPROF_OK);
		grandchild = fork();
		if (grandchild == 0)
			record_as_child();
		wait_for(grandchild);
	}
	record_as_child();
}

int main(void)
{
	pthread_t threads[THREADS];

	alarm(120);
	CHECK(mkdtemp(directory) != NULL);
	CHECK(pthread_barrier_init(&started, NULL, THREADS + 1) == 0);
	CHECK(pthread_atfork(lock_memory, unlock_memory, after_fork_in_child) == 0);
	open_log();
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, record, NULL) == 0);
	/* The forking thread has a handle too. */
	attach();
	pthread_barrier_wait(&started);
	CHECK(mprof_recorder_drain(recorder) == MPROF_OK);
	for (number = 0; number < FORKS; number++) {
		pid_t child = fork();

		if (child == 0)
			live_as_child(number);
		mprof_thread_record_event(self, MPROF_EVENT_EXCEPTION, 0, CLASS);
		wait_for(child);
	}
	mprof_thread_detach(self);
	atomic_store(&stopping, 1);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(mprof_recorder_close(recorder) == MPROF_OK);
	mprof_recorder_destroy(recorder);
	number = 0;
	check_log(0, 0, -(FORKS + THREADS));
	for (int child = 0; child < FORKS; child++) {
		check_log(1, child, CHILD_EVENTS);
		if (child % 3 == 0)
			check_log(2, child, CHILD_EVENTS);
	}
	CHECK(rmdir(directory) == 0);
	return 0;
}
