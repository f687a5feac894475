/* SPDX-License-Identifier: MIT */
/*
 * Implicit leaves get their methods, and the open frames at any position are found: read in order, after seeks, and by
 * time.
 */
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)
#define FRAME_SIZE sizeof(mprof_stack_frame)
#define THREADS 3
#define BLOCKS 60
#define BLOCK_EVENTS 50
#define METHODS 20
#define MAX_DEPTH 4096
#define ALL_EVENTS (BLOCKS * BLOCK_EVENTS)

/* A thread of the generated log, and its open frames. */
typedef struct model_thread {
	uint64_t id;
	uint32_t open[MAX_DEPTH];
	size_t depth;
} model_thread;

/* An event as it was written. */
typedef struct model_event {
	uint64_t thread;
	uint64_t counter;
	uint32_t kind;   /* Expected from the reader. */
	uint32_t method; /* Expected from the reader. */
} model_event;

typedef struct model {
	log_bytes log;
	model_thread threads[THREADS];
	model_event events[ALL_EVENTS];
	size_t count;
	uint32_t random;
	uint64_t counter;
} model;

static uint32_t draw(model *self, uint32_t most)
{
	self->random = self->random * 1664525 + 1013904223;
	return (self->random >> 8) % most;
}

static void tell_time(void *user, mprof_clock *clock)
{
	const model *self = user;

	clock->counter = self->counter;
	clock->time = 1000000 + self->counter / 1000;
}

/* Generates the next event, adds it to the model and writes it. */
static mprof_event next_event(model *self, model_thread *thread)
{
	mprof_event event = {.kind = MPROF_EVENT_METHOD_ENTER};
	const uint32_t dice = draw(self, 100);
	size_t found = thread->depth;

	self->counter += 1 + draw(self, 500);
	event.counter = self->counter;
	event.id = 1 + draw(self, METHODS);
	if (dice < 48 && thread->depth < MAX_DEPTH) {
		thread->open[thread->depth++] = event.id;
	} else if (dice < 90 && thread->depth > 0) {
		event.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		event.id = 0;
		thread->depth--;
	} else if (dice < 97) {
		/* A frame further down, or none at all. */
		event.kind = dice < 94 ? MPROF_EVENT_METHOD_LEAVE : MPROF_EVENT_METHOD_LEAVE_EXCEPTION;
		while (found > 0 && thread->open[found - 1] != event.id)
			found--;
		if (found > 0)
			thread->depth = found - 1;
	} else {
		event.kind = MPROF_EVENT_EXCEPTION;
		event.id = 1;
	}
	return event;
}

static void note(model *self, const model_thread *thread, const mprof_event *event)
{
	model_event *created = &self->events[self->count++];

	created->thread = thread->id;
	created->counter = event->counter;
	created->kind = event->kind;
	created->method = event->id;
	if (event->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT) {
		created->kind = MPROF_EVENT_METHOD_LEAVE;
		created->method = thread->open[thread->depth];
	}
}

static void write_block(model *self, mprof_writer *writer, model_thread *thread)
{
	cr_assert_eq(mprof_writer_begin_events(writer, thread->id, self->counter), MPROF_OK);
	for (int i = 0; i < BLOCK_EVENTS; i++) {
		mprof_event event = next_event(self, thread);

		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
		note(self, thread, &event);
	}
	/* The block is written some time after its last event. */
	self->counter += 100000;
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static model *make_model(void)
{
	model *self = calloc(1, sizeof(*self));
	mprof_writer_options options;
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	cr_assert_not_null(self);
	self->random = 12345;
	self->counter = 5000;
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = MPROF_DIALECT_MPROF2;
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS);
	options.clock = tell_time;
	options.clock_user = self;
	options.runtime = "test";
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (int i = 0; i < THREADS; i++)
		self->threads[i].id = 100 + (uint64_t)i;
	for (int i = 0; i < BLOCKS; i++)
		write_block(self, writer, &self->threads[draw(self, THREADS)]);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	self->log.bytes = malloc(length);
	self->log.length = length;
	memcpy(self->log.bytes, bytes, length);
	mprof_writer_destroy(writer);
	return self;
}

static void free_model(model *self)
{
	log_free(&self->log);
	free(self);
}

static mprof_reader *open_model(const model *self, uint32_t keeps)
{
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.keep_implicit_leaves = keeps;
	cr_assert_eq(mprof_reader_open_memory(self->log.bytes, self->log.length, &options, &reader), MPROF_OK);
	return reader;
}

static int is_leave(uint32_t kind)
{
	return kind == MPROF_EVENT_METHOD_ENTER || kind == MPROF_EVENT_METHOD_LEAVE ||
	       kind == MPROF_EVENT_METHOD_LEAVE_EXCEPTION;
}

/* Fetches the events of a block in batches, and compares them with those of the model from an index on. */
static size_t expect_events(const model *self, mprof_reader *reader, size_t position, size_t batch)
{
	mprof_event events[BLOCK_EVENTS];
	size_t count;

	while (mprof_reader_next_events(reader, events, batch, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			const model_event *expected = &self->events[position++];

			cr_assert_eq(events[i].kind, expected->kind, "event %zu", position - 1);
			cr_assert_eq(events[i].counter, expected->counter);
			if (is_leave(expected->kind))
				cr_assert_eq(events[i].id, expected->method, "event %zu", position - 1);
		}
	}
	return position;
}

/* Compares all events of the block. */
static size_t fetch_all(mprof_reader *reader, mprof_event events[BLOCK_EVENTS])
{
	size_t total = 0;
	size_t count;

	while (total < BLOCK_EVENTS &&
	       mprof_reader_next_events(reader, events + total, BLOCK_EVENTS - total, &count) == MPROF_OK)
		total += count;
	return total;
}

static mprof_status next_events_block(mprof_reader *reader, mprof_block *block)
{
	mprof_status status;

	mprof_block_init(block, sizeof(*block));
	do {
		status = mprof_reader_next_block(reader, block);
	} while (status == MPROF_OK && block->kind != MPROF_BLOCK_EVENTS);
	return status;
}

Test(reader_frames, leaves_name_their_method)
{
	static const size_t batches[] = {1, 7, BLOCK_EVENTS};
	model *self = make_model();

	for (size_t i = 0; i < 3; i++) {
		mprof_reader *reader = open_model(self, 0);
		mprof_block block;
		size_t position = 0;

		while (next_events_block(reader, &block) == MPROF_OK)
			position = expect_events(self, reader, position, batches[i]);
		cr_assert_eq(position, ALL_EVENTS);
		mprof_reader_destroy(reader);
	}
	free_model(self);
}

/*
 * Blocks whose events are fetched partly or not at all are taken into account; a block that is loaded again starts from
 * its first event.
 */
Test(reader_frames, whatever_is_fetched)
{
	model *self = make_model();
	mprof_reader *reader = open_model(self, 0);
	mprof_event events[BLOCK_EVENTS];
	mprof_block block;
	size_t count;

	for (size_t number = 0; next_events_block(reader, &block) == MPROF_OK; number++) {
		if (number % 4 == 1)
			cr_assert_eq(mprof_reader_next_events(reader, events, 11, &count), MPROF_OK);
		if (number % 4 == 2) {
			cr_assert_eq(mprof_reader_next_events(reader, events, BLOCK_EVENTS, &count), MPROF_OK);
			cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		}
		if (number % 4 >= 2)
			cr_assert_eq(expect_events(self, reader, number * BLOCK_EVENTS, BLOCK_EVENTS),
				     (number + 1) * BLOCK_EVENTS);
	}
	mprof_reader_destroy(reader);
	free_model(self);
}

Test(reader_frames, option_keeps_them)
{
	model *self = make_model();
	mprof_reader *reader = open_model(self, 1);
	mprof_event events[BLOCK_EVENTS];
	mprof_block block;
	size_t implicit = 0;
	size_t count;

	while (next_events_block(reader, &block) == MPROF_OK) {
		count = fetch_all(reader, events);
		for (size_t i = 0; i < count; i++) {
			implicit += events[i].kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
			cr_assert_eq(events[i].flags, 0);
		}
	}
	cr_assert_gt(implicit, ALL_EVENTS / 4);
	mprof_reader_destroy(reader);
	free_model(self);
}

/* Without an index, frames that were entered before a seek are unknown; those that are entered after it are known. */
Test(reader_frames, unknown_after_a_seek)
{
	model *self = make_model();
	mprof_reader *reader = open_model(self, 0);
	mprof_event events[BLOCK_EVENTS];
	size_t position = (BLOCKS - 20) * BLOCK_EVENTS;
	uint64_t offset = log_block_offset(&self->log, log_block_count(&self->log) - 1 - 20);
	mprof_block block;
	size_t unknown = 0;
	size_t known = 0;
	size_t count;

	/* Reads the directives that the log declares. */
	cr_assert_eq(next_events_block(reader, &block), MPROF_OK);
	cr_assert_eq(mprof_reader_seek(reader, offset), MPROF_OK);
	while (next_events_block(reader, &block) == MPROF_OK) {
		count = fetch_all(reader, events);
		for (size_t i = 0; i < count; i++, position++) {
			cr_assert_eq(events[i].counter, self->events[position].counter);
			if ((events[i].flags & MPROF_EVENT_FLAG_IMPLICIT) == 0)
				continue;
			cr_assert(events[i].id == 0 || events[i].id == self->events[position].method);
			unknown += events[i].id == 0;
			known += events[i].id != 0;
		}
	}
	cr_assert_eq(position, ALL_EVENTS);
	cr_assert_gt(unknown, 0);
	cr_assert_gt(known, 100);
	mprof_reader_destroy(reader);
	free_model(self);
}

/* A block that cannot be decoded makes methods unknown, but never wrong. */
Test(reader_frames, damage_makes_nothing_wrong)
{
	model *self = make_model();
	const size_t first = log_block_count(&self->log) - 1 - BLOCKS;

	for (size_t damaged = 0; damaged < BLOCKS; damaged += 7) {
		const uint64_t offset = log_block_offset(&self->log, first + damaged);
		mprof_reader *reader;
		mprof_event events[BLOCK_EVENTS];
		mprof_block block;
		mprof_status status;
		size_t position = 0;
		size_t count;

		self->log.bytes[offset + 20] ^= 1;
		reader = open_model(self, 0);
		for (;;) {
			status = next_events_block(reader, &block);
			if (status == MPROF_END)
				break;
			if (status != MPROF_OK) {
				position += BLOCK_EVENTS;
				continue;
			}
			count = fetch_all(reader, events);
			for (size_t i = 0; i < count; i++, position++) {
				cr_assert_eq(events[i].counter, self->events[position].counter);
				if ((events[i].flags & MPROF_EVENT_FLAG_IMPLICIT) != 0)
					cr_assert(events[i].id == 0 || events[i].id == self->events[position].method);
			}
		}
		cr_assert_eq(position, ALL_EVENTS);
		mprof_reader_destroy(reader);
		self->log.bytes[offset + 20] ^= 1;
	}
	free_model(self);
}

/* With the index everything is known after any seek. */
Test(reader_frames, known_after_a_seek_with_an_index)
{
	model *self = make_model();
	mprof_reader *reader = open_model(self, 0);
	const size_t first = log_block_count(&self->log) - 1 - BLOCKS;
	uint32_t random = 3;

	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (int i = 0; i < 200; i++) {
		mprof_block block;
		size_t number;

		random = random * 214013 + 2531011;
		number = (random >> 16) % BLOCKS;
		cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&self->log, first + number)), MPROF_OK);
		for (size_t j = number; j < number + 3 && j < BLOCKS; j++) {
			cr_assert_eq(next_events_block(reader, &block), MPROF_OK);
			cr_assert_eq(expect_events(self, reader, j * BLOCK_EVENTS, 13), (j + 1) * BLOCK_EVENTS);
		}
	}
	mprof_reader_destroy(reader);
	free_model(self);
}

/* The open frames of a thread after all its events up to a counter, computed from the model. */
static size_t open_in_model(const model *self, uint64_t thread, uint64_t counter, uint32_t *open)
{
	size_t depth = 0;

	for (size_t i = 0; i < self->count && self->events[i].counter <= counter; i++) {
		const model_event *event = &self->events[i];
		size_t found = depth;

		if (event->thread != thread)
			continue;
		if (event->kind == MPROF_EVENT_METHOD_ENTER)
			open[depth++] = event->method;
		if (event->kind != MPROF_EVENT_METHOD_LEAVE && event->kind != MPROF_EVENT_METHOD_LEAVE_EXCEPTION)
			continue;
		while (found > 0 && open[found - 1] != event->method)
			found--;
		if (found > 0)
			depth = found - 1;
	}
	return depth;
}

Test(reader_frames, open_at_a_time)
{
	model *self = make_model();
	mprof_reader *reader = open_model(self, 0);
	static uint32_t open[MAX_DEPTH];
	static mprof_stack_frame frames[MAX_DEPTH];
	uint32_t random = 5;
	size_t count;
	size_t deepest = 0;

	cr_assert_eq(mprof_reader_get_open_frames(reader, 100, 1, frames, FRAME_SIZE, 1, &count), MPROF_ERR_STATE,
		     "no index");
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (int i = 0; i < 300; i++) {
		uint64_t thread;
		uint64_t counter;
		size_t depth;

		random = random * 214013 + 2531011;
		thread = 100 + (random >> 16) % THREADS;
		random = random * 214013 + 2531011;
		counter = self->events[(random >> 12) % ALL_EVENTS].counter + i % 3;
		depth = open_in_model(self, thread, counter, open);
		cr_assert_eq(
			mprof_reader_get_open_frames(reader, thread, counter, frames, FRAME_SIZE, MAX_DEPTH, &count),
			MPROF_OK);
		cr_assert_eq(count, depth, "thread %d at %d", (int)thread, (int)counter);
		for (size_t j = 0; j < depth; j++)
			cr_assert_eq(frames[j].id, open[depth - 1 - j]);
		deepest = depth > deepest ? depth : deepest;
	}
	cr_assert_gt(deepest, 5);
	cr_assert_eq(mprof_reader_get_open_frames(reader, 999, 5000, frames, FRAME_SIZE, 1, &count), MPROF_OK);
	cr_assert_eq(count, 0, "a thread that the log does not have");
	cr_assert_eq(mprof_reader_get_open_frames(NULL, 0, 0, NULL, FRAME_SIZE, 0, &count), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	free_model(self);
}

/* The same at the start of each block, which needs no reading. */
Test(reader_frames, open_where_a_block_begins)
{
	model *self = make_model();
	mprof_reader *reader = open_model(self, 0);
	static uint32_t open[MAX_DEPTH];
	static mprof_stack_frame frames[MAX_DEPTH];
	mprof_block block;
	size_t count;

	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (size_t number = 0; next_events_block(reader, &block) == MPROF_OK; number++) {
		size_t depth = open_in_model(self, block.thread, block.as.events.base_counter, open);

		cr_assert_eq(mprof_reader_get_block_frames(reader, block.offset, frames, FRAME_SIZE, MAX_DEPTH, &count),
			     MPROF_OK);
		cr_assert_eq(count, depth);
		for (size_t j = 0; j < depth; j++)
			cr_assert_eq(frames[j].id, open[depth - 1 - j]);
		expect_events(self, reader, number * BLOCK_EVENTS, BLOCK_EVENTS);
	}
	cr_assert_eq(mprof_reader_get_block_frames(reader, 1, frames, FRAME_SIZE, 1, &count), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	free_model(self);
}
