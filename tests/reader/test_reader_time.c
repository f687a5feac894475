/* SPDX-License-Identifier: MIT */
/* Times, seeking by time with the index, an index that grows, and one that is saved beside the log. */
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_SIZE sizeof(mprof_stack_frame)
#define THREADS 4
#define BLOCKS 80
#define BLOCK_EVENTS 30

typedef struct written_block {
	uint64_t thread;
	uint64_t first;
	uint64_t last; /* Counter of its last event; the block was written later. */
} written_block;

typedef struct timed_log {
	log_bytes log;
	written_block blocks[BLOCKS];
	uint64_t counter; /* Counter at which the current block is written. */
} timed_log;

/* The counter advances by 1000 per microsecond. */
static void tell_time(void *user, mprof_clock *clock)
{
	const timed_log *self = user;

	clock->counter = self->counter;
	clock->time = 7000000 + self->counter / 1000;
}

/* Blocks of a thread follow one another in time; those of other threads overlap them, and are written late. */
static timed_log *make_timed_log(uint32_t dialect)
{
	timed_log *self = calloc(1, sizeof(*self));
	uint64_t reached[THREADS] = {1000, 300000, 200000, 900000};
	mprof_writer_options options;
	mprof_writer *writer;
	const uint8_t *bytes;
	uint32_t random = 9;

	cr_assert_not_null(self);
	self->counter = 1000;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.clock = tell_time;
	options.clock_user = self;
	options.runtime = "test";
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_define_class(writer,
					       &(mprof_class_definition){.struct_size = sizeof(mprof_class_definition),
									 .id = 1,
									 .name = "Class"}),
		     MPROF_OK);
	for (int i = 0; i < BLOCKS; i++) {
		uint64_t *now = &reached[(random >> 16) % THREADS];

		self->blocks[i].thread = (random >> 16) % THREADS + 1;
		self->blocks[i].first = *now;
		cr_assert_eq(mprof_writer_begin_events(writer, self->blocks[i].thread, *now), MPROF_OK);
		for (int j = 0; j < BLOCK_EVENTS; j++) {
			mprof_event event = {.kind = MPROF_EVENT_EXCEPTION, .id = 1};

			random = random * 214013 + 2531011;
			*now += 1 + (random >> 16) % 9000;
			event.counter = *now;
			cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
		}
		self->blocks[i].last = *now;
		if (self->counter < *now + 2000000)
			self->counter = *now + 2000000;
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		random = random * 214013 + 2531011;
	}
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &self->log.length), MPROF_OK);
	self->log.bytes = malloc(self->log.length);
	cr_assert_not_null(self->log.bytes);
	memcpy(self->log.bytes, bytes, self->log.length);
	mprof_writer_destroy(writer);
	return self;
}

static void free_timed_log(timed_log *self)
{
	log_free(&self->log);
	free(self);
}

static mprof_reader *open_log(const log_bytes *log)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	return reader;
}

static int64_t time_of(const mprof_reader *reader, uint64_t counter)
{
	int64_t time;

	cr_assert_eq(mprof_reader_get_time(reader, counter, &time), MPROF_OK);
	return time;
}

/* The first counter whose time is not less than a given time. */
Test(reader_time, counter_of_a_time)
{
	timed_log *self = make_timed_log(MPROF_DIALECT_MPROF2);
	mprof_reader *reader = open_log(&self->log);
	uint64_t counter = 0;

	cr_assert_eq(mprof_reader_get_counter(reader, 77, &counter), MPROF_AGAIN);
	cr_assert_eq(counter, 1077, "counters are assumed to be nanoseconds");
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (int64_t time = -1000; time < 100000000; time = time * 3 / 2 + 700) {
		cr_assert_eq(mprof_reader_get_counter(reader, time, &counter), MPROF_OK);
		cr_assert_geq(time_of(reader, counter), time);
		cr_assert_lt(time_of(reader, counter - 1), time);
	}
	for (uint64_t known = 0; known < 100000000; known = known * 2 + 12345) {
		cr_assert_eq(mprof_reader_get_counter(reader, time_of(reader, known), &counter), MPROF_OK);
		cr_assert_eq(counter, known, "one counter per nanosecond");
	}
	cr_assert_eq(mprof_reader_get_counter(reader, INT64_MAX, &counter), MPROF_OK);
	cr_assert_eq(mprof_reader_get_counter(reader, INT64_MIN, &counter), MPROF_OK);
	cr_assert_eq(mprof_reader_get_counter(NULL, 0, &counter), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	free_timed_log(self);
}

/* Blocks end at the counter of their last event, however late they were written. */
Test(reader_time, index_has_the_last_event)
{
	timed_log *self = make_timed_log(MPROF_DIALECT_MPROF2);
	mprof_reader *reader = open_log(&self->log);
	size_t count;
	const mprof_index_entry *entries = fetch_index(reader, &count);
	size_t block = 0;

	for (size_t i = 0; i < count; i++) {
		if (entries[i].kind != MPROF_BLOCK_EVENTS)
			continue;
		cr_assert_eq(entries[i].start_counter, self->blocks[block].first);
		cr_assert_eq(entries[i].end_counter, self->blocks[block].last);
		cr_assert_eq(entries[i].thread, self->blocks[block].thread);
		block++;
	}
	cr_assert_eq(block, BLOCKS);
	mprof_reader_destroy(reader);
	free_timed_log(self);
}

Test(reader_time, index_without_events)
{
	timed_log *self = make_timed_log(MPROF_DIALECT_MPROF2);
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_reader_options options;
	mprof_reader *reader;
	size_t count;

	mprof_reader_options_init(&options, sizeof(options));
	options.index_without_events = 1;
	cr_assert_eq(mprof_reader_open_memory(self->log.bytes, self->log.length, &options, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (uint64_t i = 0; mprof_reader_get_index_entry(reader, i, &entry) == MPROF_OK; i++) {
		if (entry.kind == MPROF_BLOCK_EVENTS)
			cr_assert_geq(entry.end_counter, self->blocks[0].last + 2000000);
	}
	cr_assert_eq(mprof_reader_get_open_frames(reader, 1, 5000, NULL, FRAME_SIZE, 0, &count), MPROF_ERR_STATE);
	mprof_reader_destroy(reader);
	free_timed_log(self);
}

/* The next EVENTS block is the first one that may have events from that time on. */
static void expect_place(const timed_log *self, mprof_reader *reader, uint64_t counter, uint64_t thread)
{
	mprof_block block;
	size_t expected = 0;
	mprof_status status;

	while (expected < BLOCKS && (self->blocks[expected].last < counter ||
				     (thread != MPROF_THREAD_ANY && self->blocks[expected].thread != thread)))
		expected++;
	cr_assert_eq(mprof_reader_seek_time(reader, time_of(reader, counter), thread), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	status = mprof_reader_next_block(reader, &block);
	if (expected == BLOCKS) {
		cr_assert_eq(status, MPROF_END);
		return;
	}
	cr_assert_eq(status, MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(block.thread, self->blocks[expected].thread);
	cr_assert_eq(block.as.events.base_counter, self->blocks[expected].first);
}

static void expect_places(const timed_log *self, mprof_reader *reader)
{
	for (uint64_t counter = 500; counter < 9000000; counter += 40001) {
		expect_place(self, reader, counter, MPROF_THREAD_ANY);
		for (uint64_t thread = 1; thread <= THREADS + 1; thread++)
			expect_place(self, reader, counter, thread);
	}
}

Test(reader_time, seek)
{
	timed_log *self = make_timed_log(MPROF_DIALECT_MPROF2);
	mprof_reader *reader = open_log(&self->log);

	cr_assert_eq(mprof_reader_seek_time(reader, 0, MPROF_THREAD_ANY), MPROF_ERR_STATE);
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	expect_places(self, reader);
	cr_assert_eq(mprof_reader_seek_time(NULL, 0, 0), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	free_timed_log(self);
}

/* While a log is followed, the same call extends the index, and reading continues at the same position. */
Test(reader_time, index_of_a_log_that_grows)
{
	timed_log *self = make_timed_log(MPROF_DIALECT_MPROF2);
	const size_t blocks = log_block_count(&self->log);
	char path[] = "mprof-test-grows-XXXXXX";
	int fd = mkstemp(path);
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	size_t written = 0;
	uint64_t offset = 0;

	cr_assert_geq(fd, 0);
	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 1;
	cr_assert_eq(mprof_reader_open_path(path, &options, &reader), MPROF_AGAIN);
	mprof_block_init(&block, sizeof(block));
	for (size_t number = 3; number <= blocks; number += 6) {
		/* The last block is truncated. */
		size_t end = number + 6 > blocks ? self->log.length : log_block_offset(&self->log, number) + 9;

		cr_assert_eq(write(fd, self->log.bytes + written, end - written), (ssize_t)(end - written));
		written = end;
		for (int i = 0; i < 4; i++) {
			mprof_status status = mprof_reader_next_block(reader, &block);

			if (status != MPROF_OK)
				break;
			cr_assert_eq(block.offset, offset);
			offset += block.header_length + block.length;
		}
		cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
		cr_assert_eq(mprof_reader_get_index_count(reader), end == self->log.length ? blocks : number);
	}
	cr_assert_eq(written, self->log.length);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, offset, "where it was");
	expect_places(self, reader);
	mprof_reader_destroy(reader);
	close(fd);
	unlink(path);
	free_timed_log(self);
}

/* Two blocks of a thread with the same base counter, which is not that of their first event, as Mono 2 writes them. */
Test(reader_time, a_base_counter_may_be_repeated)
{
	static const struct {
		uint64_t counter;
		size_t open;
	} expected[] = {{4000, 0}, {8000, 0}, {10000, 1}, {15000, 1}, {20000, 0}, {30000, 0}, {55000, 1}, {70000, 0}};
	mprof_event calls[][2] = {{{.kind = MPROF_EVENT_METHOD_ENTER, .id = 1, .counter = 10000},
				   {.kind = MPROF_EVENT_METHOD_LEAVE, .id = 1, .counter = 20000}},
				  {{.kind = MPROF_EVENT_METHOD_ENTER, .id = 2, .counter = 50000},
				   {.kind = MPROF_EVENT_METHOD_LEAVE, .id = 2, .counter = 60000}}};
	timed_log clock = {.counter = 1000};
	mprof_writer_options options;
	mprof_stack_frame frames[4];
	mprof_writer *writer;
	mprof_reader *reader;
	const uint8_t *bytes;
	size_t length;
	size_t count;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.clock = tell_time;
	options.clock_user = &clock;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (int i = 0; i < 2; i++) {
		clock.counter += 50000;
		cr_assert_eq(mprof_writer_begin_events(writer, 1, 5000), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(writer, calls[i], 2, NULL), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	mprof_writer_get_memory(writer, &bytes, &length);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		cr_assert_eq(
			mprof_reader_get_open_frames(reader, 1, expected[i].counter, frames, FRAME_SIZE, 4, &count),
			MPROF_OK);
		cr_assert_eq(count, expected[i].open, "at %llu", (unsigned long long)expected[i].counter);
		cr_assert(count == 0 || frames[0].id == (expected[i].counter < 30000 ? 1 : 2));
	}
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}
