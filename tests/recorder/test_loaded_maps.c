/* SPDX-License-Identifier: MIT */
/* Children of a process in which another thread holds the lock of the loader. */
#include "base/caller_structs.h"
#include "recorder/system/loaded_modules.h"

#include <mprof.h>

#include <criterion/criterion.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer starts no thread in the child of a process with several threads. */
#if defined(__SANITIZE_THREAD__)
#define STARTS_THREADS_IN_CHILD 0
#else
#define STARTS_THREADS_IN_CHILD 1
#endif

static mprof_allocator memory;
static counter_source counter;

/* Returns what a child ends with: 0 if it finds the modules that the loader has in its parent. */
static int compare_modules(const loaded_list *expected)
{
	loaded_list found;

	memset(&found, 0, sizeof(found));
	if (!loaded_maps_are_needed() || !loaded_list_read(&found, &memory, &counter))
		return 1;
	if (found.count != expected->count || !found.counts.are_known)
		return 2;
	for (size_t i = 0; i < found.count; i++) {
		const loaded_module *a = &found.modules[i];
		const loaded_module *b = &expected->modules[i];

		if (a->start != b->start || a->end != b->end || a->base != b->base || a->kind != b->kind ||
		    strcmp(a->build_id, b->build_id) != 0)
			return 3;
		if (a->kind != LOADED_LIBRARY && found.names[a->name] != '\0')
			return 4;
	}
	loaded_list_destroy(&found, &memory);
	return 0;
}

static int wait_for_child(pid_t child)
{
	int status = -1;

	cr_assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

Test(loaded_maps, a_child_finds_the_modules_of_its_parent, .timeout = 60)
{
	counter_instant start;
	loaded_list expected;
	pid_t child;

	(void)allocator_init(&memory, NULL);
	counter_init(&counter, NULL, NULL, 0, &start);
	memset(&expected, 0, sizeof(expected));
	cr_assert(loaded_list_read(&expected, &memory, &counter));
	cr_assert(expected.count > 3);
	child = fork();
	if (child == 0)
		_exit(compare_modules(&expected));
	cr_assert_eq(wait_for_child(child), 0);
	loaded_list_destroy(&expected, &memory);
}

static pthread_barrier_t inside;
static pthread_barrier_t leave;

static int hold(struct dl_phdr_info *module, size_t size, void *user)
{
	(void)module;
	(void)size;
	(void)user;
	pthread_barrier_wait(&inside);
	pthread_barrier_wait(&leave);
	return 1;
}

static void *hold_lock(void *unused)
{
	(void)unused;
	dl_iterate_phdr(hold, NULL);
	return NULL;
}

/* Returns 0 if a recorder with a salvage file records and ends in a child. */
static int record(const char *log_path, const char *salvage_path)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_recorder_options_init(&options, sizeof(options));
	options.salvage_path = salvage_path;
	if (mprof_recorder_open_path(log_path, &options, &recorder, &error) != MPROF_OK)
		return 1;
	if (mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK)
		return 2;
	mprof_thread_record_memory_allocated(thread, 0x1000, 16,
					     &(mprof_frame){mprof_frame_make_native((uintptr_t)&record)}, 1);
	mprof_thread_detach(thread);
	if (mprof_recorder_close(recorder) != MPROF_OK)
		return 3;
	mprof_recorder_destroy(recorder);
	return 0;
}

Test(loaded_maps, a_child_records_while_the_lock_of_the_loader_is_held, .timeout = 60)
{
	char log_path[] = "mprof-test-maps-XXXXXX";
	char salvage_path[sizeof(log_path) + 8];
	pthread_t holder;
	pid_t child;
	int fd;

	if (!STARTS_THREADS_IN_CHILD)
		cr_skip("no thread can be started in the child");
	fd = mkstemp(log_path);
	cr_assert(fd >= 0);
	close(fd);
	snprintf(salvage_path, sizeof(salvage_path), "%s.salvage", log_path);
	pthread_barrier_init(&inside, NULL, 2);
	pthread_barrier_init(&leave, NULL, 2);
	cr_assert_eq(pthread_create(&holder, NULL, hold_lock, NULL), 0);
	pthread_barrier_wait(&inside);
	child = fork();
	if (child == 0)
		_exit(record(log_path, salvage_path));
	cr_assert_eq(wait_for_child(child), 0);
	pthread_barrier_wait(&leave);
	pthread_join(holder, NULL);
	cr_assert_eq(access(salvage_path, F_OK), -1);
	unlink(log_path);
}
