/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_flight_recorder.c
 * \brief A ring keeps the last events and all that they need, and can be written out at any time.
 */
#include <mprof.h>

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { METHODS = 40, KEY = 0x1000, RING = 1 << 20 };

static char path[64];

static void make_path(void)
{
	int fd;

	snprintf(path, sizeof(path), "mprof-test-ring-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
}

static void remove_path(void)
{
	unlink(path);
}

static mprof_recorder *open_ring_with(const mprof_recorder_options *options)
{
	mprof_recorder *recorder = NULL;
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_recorder_open_ring(RING, options, &recorder, &error), MPROF_OK);
	for (uint64_t i = 0; i < METHODS; i++) {
		mprof_description method;
		char name[32];

		mprof_description_init(&method);
		method.name = name;
		method.name_length = (size_t)snprintf(name, sizeof(name), "Method%d ()", (int)i);
		cr_assert_eq(mprof_recorder_define_method(recorder, KEY + i, &method), MPROF_OK);
	}
	return recorder;
}

static mprof_recorder *open_ring(void)
{
	return open_ring_with(NULL);
}

/* What a file of the ring holds. */
typedef struct contents {
	uint64_t enters;
	uint64_t unnamed;
	uint64_t gaps; /**< Calls that do not follow the one before in the order of record(). One thread only. */
	int last;      /**< Number of the last method. */
	uint64_t bytes;
	int complete;
} contents;

static void count_events(mprof_reader *reader, contents *found)
{
	mprof_event events[256];
	size_t count;

	while (mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			mprof_mapping method;
			int number = -1;

			if (events[i].kind != MPROF_EVENT_METHOD_ENTER)
				continue;
			if (mprof_reader_method(reader, events[i].id, &method) != MPROF_OK ||
			    sscanf(method.name, "Method%d ()", &number) != 1)
				found->unnamed++;
			found->gaps += found->enters > 0 && number != (found->last + 1) % METHODS;
			found->last = number;
			found->enters++;
		}
	}
}

static contents read_file(void)
{
	contents found = {0};
	mprof_reader *reader = NULL;
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_block block;
	mprof_status status;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
	mprof_block_init(&block);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_EVENTS)
			count_events(reader, &found);
	}
	cr_assert_eq(status, MPROF_END);
	mprof_reader_session(reader, &session);
	found.complete = (int)session.complete;
	found.bytes = session.valid_bytes;
	mprof_reader_destroy(reader);
	return found;
}

static void record(mprof_thread *thread, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		mprof_thread_method_enter(thread, KEY + i % METHODS);
		mprof_thread_method_leave(thread, KEY + i % METHODS);
	}
}

Test(flight_recorder, keeps_all_while_there_is_room, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder = open_ring();
	mprof_thread *thread;
	contents found;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	record(thread, 1000);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert(found.complete);
	cr_assert_eq(found.enters, 1000);
	cr_assert_eq(found.unnamed, 0);
	/* Recording went on, and what was written out before is written again. */
	record(thread, 500);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert_eq(found.enters, 1500);
	mprof_recorder_detach(thread);
	mprof_recorder_destroy(recorder);
}

Test(flight_recorder, keeps_the_last_events_and_old_names, .init = make_path, .fini = remove_path, .timeout = 60)
{
	const uint64_t calls = 2000000;
	mprof_recorder *recorder = open_ring();
	mprof_thread *thread;
	contents found;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	record(thread, calls);
	mprof_recorder_detach(thread);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert(found.complete);
	cr_assert_eq(found.unnamed, 0);
	/* About six bytes a call: far more was recorded than the ring holds. */
	cr_assert_gt(found.enters, 50000);
	cr_assert_lt(found.enters, calls / 2);
	cr_assert_leq(found.bytes, RING + 65536);
	/* Nothing is missing between the oldest and the newest, which is the last that was recorded. */
	cr_assert_eq(found.gaps, 0);
	cr_assert_eq(found.last, (calls - 1) % METHODS);
	mprof_recorder_destroy(recorder);
}

Test(flight_recorder, can_be_written_out_after_the_end, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder = open_ring();
	mprof_thread *thread;
	contents found;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	record(thread, 10);
	mprof_recorder_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert(found.complete);
	cr_assert_eq(found.enters, 10);
	mprof_recorder_destroy(recorder);
}

Test(flight_recorder, leaves_the_old_file_if_it_cannot_write, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder = open_ring();
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_recorder_dump_path(recorder, "no-such-directory/ring", 0, &error), MPROF_ERR_IO);
	cr_assert_eq(error.system_error, ENOENT);
	cr_assert_eq(mprof_recorder_dump_path(recorder, NULL, 0, &error), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 10, &error), MPROF_ERR_ARGUMENT);
	mprof_recorder_destroy(recorder);
}

Test(flight_recorder, refuses_a_recorder_without_ring, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder = NULL;

	cr_assert_eq(mprof_recorder_open_ring(1000, NULL, &recorder, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_null(recorder);
	cr_assert_eq(mprof_recorder_open_path(path, NULL, &recorder, NULL), MPROF_OK);
	cr_assert_eq(mprof_recorder_dump_path(recorder, "other", 0, NULL), MPROF_ERR_STATE);
	mprof_recorder_destroy(recorder);
}

/* What a thread that records and the test share. */
typedef struct recording {
	mprof_recorder *recorder;
	_Atomic int ends;
} recording;

static void *record_until_told(void *argument)
{
	recording *shared = argument;
	mprof_thread *thread = NULL;

	if (mprof_recorder_attach(shared->recorder, 0, &thread) != MPROF_OK)
		return NULL;
	while (!atomic_load(&shared->ends))
		record(thread, 1000);
	mprof_recorder_detach(thread);
	return NULL;
}

Test(flight_recorder, is_whole_while_threads_record, .init = make_path, .fini = remove_path, .timeout = 120)
{
	mprof_recorder_options options;
	recording shared = {0};
	pthread_t threads[3];

	/* Writing the ring out drains what threads have recorded, so that is little. */
	mprof_recorder_options_init(&options);
	options.buffer_events = 256;
	options.max_buffers = 8;
	shared.recorder = open_ring_with(&options);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, record_until_told, &shared), 0);
	for (int i = 0; i < 10; i++) {
		contents found;

		cr_assert_eq(mprof_recorder_dump_path(shared.recorder, path, 0, NULL), MPROF_OK);
		found = read_file();
		cr_assert(found.complete);
		cr_assert_eq(found.unnamed, 0);
	}
	atomic_store(&shared.ends, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	mprof_recorder_destroy(shared.recorder);
}
