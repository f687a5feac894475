/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_flight_recorder.c
 * \brief A ring buffer keeps the latest events and everything that they need, and can be written out at any time.
 */
#include <mprof.h>

#include "base/failing_allocator.h"
#include "recorder/client/recorder_internal.h"
#include "recorder/drain/drain_buffer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
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

		mprof_description_init(&method, sizeof(method));
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

/* The content of a file that was written from the ring buffer. */
typedef struct contents {
	uint64_t enters;
	uint64_t unnamed;
	uint64_t gaps; /**< Calls that do not follow their predecessor in the order of record(), for one thread. */
	int last;      /**< Number of the last method. */
	uint64_t bytes;
	int complete;
	uint64_t events;
	uint64_t evicted_bytes; /**< As the session states, 0 if it does not. */
	uint64_t evicted_events;
	double span; /**< In seconds. */
} contents;

static void count_events(mprof_reader *reader, contents *found)
{
	mprof_event events[256];
	size_t count;

	while (mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK) {
		found->events += count;
		for (size_t i = 0; i < count; i++) {
			mprof_mapping method;
			int number = -1;

			if (events[i].kind != MPROF_EVENT_METHOD_ENTER)
				continue;
			if (mprof_reader_lookup_method(reader, events[i].id, &method, sizeof(method)) != MPROF_OK ||
			    sscanf(method.name, "Method%d ()", &number) != 1)
				found->unnamed++;
			found->gaps += found->enters > 0 && number != (found->last + 1) % METHODS;
			found->last = number;
			found->enters++;
		}
	}
}

static void read_span(mprof_reader *reader, contents *found)
{
	const char *key;
	const char *value;

	while (mprof_reader_next_property(reader, &key, &value) == MPROF_OK) {
		if (strcmp(key, "ring") != 0)
			continue;
		cr_assert_eq(sscanf(value,
				    "the last %lf s; overwritten before: %" SCNu64 " bytes in %*u blocks with %" SCNu64
				    " events",
				    &found->span, &found->evicted_bytes, &found->evicted_events),
			     3);
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
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_EVENTS)
			count_events(reader, &found);
		if (block.kind == MPROF_BLOCK_SESSION)
			read_span(reader, &found);
	}
	cr_assert_eq(status, MPROF_END);
	mprof_reader_get_session(reader, &session);
	found.complete = (int)session.complete;
	found.bytes = session.valid_bytes;
	mprof_reader_destroy(reader);
	return found;
}

static void record(mprof_thread *thread, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		mprof_thread_enter_method(thread, KEY + i % METHODS);
		mprof_thread_leave_method(thread, KEY + i % METHODS);
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
	/* Recording continued, and events that were written out before are written again. */
	record(thread, 500);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert_eq(found.enters, 1500);
	cr_assert_eq(found.evicted_bytes, 0, "nothing was overwritten");
	mprof_thread_detach(thread);
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
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert(found.complete);
	cr_assert_eq(found.unnamed, 0);
	/* About six bytes per call: far more was recorded than the ring buffer holds. */
	cr_assert_gt(found.enters, 50000);
	cr_assert_lt(found.enters, calls / 2);
	cr_assert_leq(found.bytes, RING + 65536);
	/* What was overwritten and what is kept is all that was recorded. */
	cr_assert_gt(found.evicted_bytes, (calls - found.enters) * 4);
	cr_assert_eq(found.evicted_events + found.events, 2 * calls);
	cr_assert_geq(found.span, 0);
	/* Nothing is missing between the oldest and the newest call, which is the last one recorded. */
	cr_assert_eq(found.gaps, 0);
	cr_assert_eq(found.last, (calls - 1) % METHODS);
	mprof_recorder_destroy(recorder);
}

/* Compressed blocks would not be evicted by what they contain. */
Test(flight_recorder, blocks_are_not_compressed, .init = make_path, .fini = remove_path, .timeout = 60)
{
	const uint64_t calls = 1000000;
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;
	contents found;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.codec = MPROF_CODEC_DEFLATE;
	writer.codec_level = 2;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	recorder = open_ring_with(&options);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	record(thread, calls);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	found = read_file();
	cr_assert(found.complete);
	cr_assert_lt(found.enters, calls / 2);
	cr_assert_leq(found.bytes, RING + 65536);
	cr_assert_eq(found.evicted_events + found.events, 2 * calls);
	mprof_recorder_destroy(recorder);
}

/* The numbers of blocks whose first event is a switch to the stack, and of others. */
typedef struct block_starts {
	uint64_t on_stack;
	uint64_t elsewhere;
	uint64_t switches;
} block_starts;

static block_starts read_starts(uint64_t stack)
{
	block_starts found = {0};
	mprof_reader *reader = NULL;
	mprof_block block;
	mprof_event events[256];
	size_t count;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		for (int is_first = 1; mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK;
		     is_first = 0) {
			int is_switch = events[0].kind == MPROF_EVENT_STACK_SWITCH && events[0].value == stack;

			found.on_stack += is_first && is_switch;
			found.elsewhere += is_first && !is_switch;
			for (size_t i = 0; i < count; i++)
				found.switches += events[i].kind == MPROF_EVENT_STACK_SWITCH;
		}
	}
	mprof_reader_destroy(reader);
	return found;
}

/* The block with the switch was evicted, so each remaining block repeats the stack that its thread is on. */
Test(flight_recorder, blocks_repeat_the_stack_that_the_thread_is_on, .init = make_path, .fini = remove_path,
     .timeout = 60)
{
	const uint64_t stack = 0x7f0012345000;
	const uint64_t calls = 1000000;
	mprof_recorder *recorder = open_ring();
	mprof_thread *thread;
	block_starts found;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	cr_assert_eq(mprof_thread_switch_stack(thread, stack), MPROF_OK);
	record(thread, calls);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	cr_assert_lt(read_file().enters, calls / 2, "the ring buffer still has the first block");
	found = read_starts(stack);
	cr_assert_gt(found.on_stack, 10);
	cr_assert_eq(found.elsewhere, 0);
	cr_assert_eq(found.switches, found.on_stack);
	mprof_thread_detach(thread);
	mprof_recorder_destroy(recorder);
}

/* Without the switch, the calls in the block would be those of another stack. */
Test(flight_recorder, refused_memory_for_a_repeated_stack_is_an_error)
{
	static open_block block;
	const event_slot slot = {0};
	failing_allocator memory = {.fail_at = 1};
	const mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_recorder *recorder = open_ring();
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	cr_assert_eq(mprof_thread_switch_stack(thread, 0x7f0012345000), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	event_collector_init(&block.events, &allocator);
	block_begin(&recorder->drain, &block, thread, &slot);
	cr_assert_gt(memory.refused, 0);
	cr_assert_eq(block.status, MPROF_ERR_MEMORY);
	event_collector_destroy(&block.events);
	mprof_thread_detach(thread);
	mprof_recorder_destroy(recorder);
}

Test(flight_recorder, can_be_written_out_after_the_end, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder = open_ring();
	mprof_thread *thread;
	contents found;

	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	record(thread, 10);
	mprof_thread_detach(thread);
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

static void expect_content(const char *name, const char *expected)
{
	char content[32] = "";
	FILE *file = fopen(name, "r");

	cr_assert_not_null(file);
	cr_assert_not_null(fgets(content, sizeof(content), file));
	fclose(file);
	cr_assert_str_eq(content, expected);
}

/* In a directory that everybody may write to, another user may create a link with a predictable name. */
Test(flight_recorder, follows_no_planted_link, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder *recorder = open_ring();
	mprof_error error = {.struct_size = sizeof(error)};
	char victim[80];
	char planted[128];
	struct stat status;
	FILE *file;

	snprintf(victim, sizeof(victim), "%s.victim", path);
	snprintf(planted, sizeof(planted), "%s.%ld.part", path, (long)getpid());
	file = fopen(victim, "w");
	cr_assert_not_null(file);
	fputs("precious", file);
	fclose(file);
	cr_assert_eq(symlink(victim, planted), 0);
	/* A link with the name of the log itself is replaced, not followed. */
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(symlink(victim, path), 0);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, &error), MPROF_OK);
	expect_content(victim, "precious");
	cr_assert_eq(lstat(path, &status), 0);
	cr_assert(S_ISREG(status.st_mode));
	cr_assert_eq(status.st_mode & 0777, 0600);
	unlink(planted);
	unlink(victim);
	mprof_recorder_destroy(recorder);
}

Test(flight_recorder, has_the_permissions_asked_for, .init = make_path, .fini = remove_path, .timeout = 60)
{
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;
	mode_t mask = umask(027);
	struct stat status;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.file_mode = 0644;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	recorder = open_ring_with(&options);
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_mode & 0777, 0640);
	umask(mask);
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

/* State that the recording thread and the test share. */
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
	mprof_thread_detach(thread);
	return NULL;
}

Test(flight_recorder, is_whole_while_threads_record, .init = make_path, .fini = remove_path, .timeout = 120)
{
	mprof_recorder_options options;
	recording shared = {0};
	pthread_t threads[3];

	/* Writing the ring buffer out drains the events of threads, so these are few. */
	mprof_recorder_options_init(&options, sizeof(options));
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
