/* SPDX-License-Identifier: MIT */
/*
 * A log of threads that switch between call stacks, written twice with the same calls: once with implicit leaves, once
 * with leaves that name their methods. A reader must return the same events for both, wherever it starts and in batches
 * of any size.
 */
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)
#define FRAME_SIZE sizeof(mprof_stack_frame)

enum { THREADS = 4, STACKS = 10, BLOCKS = 240, BLOCK_EVENTS = 40, METHODS = 30, MAX_DEPTH = 64 };
enum { ALL_EVENTS = BLOCKS * BLOCK_EVENTS, SEEDS = 3 };

typedef struct model_stack {
	uint64_t number;
	uint32_t open[MAX_DEPTH];
	size_t depth;
	int has_more; /* There are unrecorded frames below. */
	int holder;   /* The thread that is on it; -1 if none is. */
	uint64_t left_at;
} model_stack;

/* The start of a block: the open frames of the stack that its thread is on. */
typedef struct model_block {
	uint32_t open[MAX_DEPTH];
	size_t depth;
	int has_more;
} model_block;

/* The first stacks are those of the threads themselves. */
typedef struct model {
	log_bytes log;
	int is_explicit;
	model_stack stacks[THREADS + STACKS];
	int on[THREADS];
	model_block blocks[BLOCKS];
	uint64_t gap;
	uint64_t counter;
	uint32_t random;
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

static void empty(model_stack *stack, int has_more)
{
	stack->depth = 0;
	stack->has_more = has_more;
}

static void leave_stack(model *self, int thread)
{
	model_stack *stack = &self->stacks[self->on[thread]];

	stack->left_at = self->counter;
	stack->holder = -1;
}

static void take_stack(model *self, int thread, int next)
{
	self->on[thread] = next;
	self->stacks[next].holder = thread;
}

/* Switches to the thread's own stack, or to one that no thread is on. */
static mprof_event switch_stack(model *self, int thread)
{
	int next = thread;

	for (int i = 0; i < 5 && draw(self, 4) != 0; i++) {
		next = THREADS + (int)draw(self, STACKS);
		if (self->stacks[next].holder < 0)
			break;
		next = thread;
	}
	if (next != self->on[thread]) {
		leave_stack(self, thread);
		if (self->gap != 0 && self->stacks[next].left_at != 0 && self->stacks[next].left_at <= self->gap)
			empty(&self->stacks[next], 1);
		take_stack(self, thread, next);
	}
	return (mprof_event){.kind = MPROF_EVENT_STACK_SWITCH, .value = self->stacks[next].number};
}

/* Ends the stack that the thread is on, or one that no thread is on. */
static mprof_event end_stack(model *self, int thread)
{
	int ended = THREADS + (int)draw(self, STACKS);

	if (self->on[thread] >= THREADS)
		ended = self->on[thread];
	if (self->stacks[ended].holder >= 0 && self->stacks[ended].holder != thread)
		return (mprof_event){.kind = MPROF_EVENT_EXCEPTION, .id = 1};
	if (self->on[thread] == ended)
		take_stack(self, thread, thread);
	empty(&self->stacks[ended], 0);
	self->stacks[ended].holder = -1;
	/* The number will be reused. */
	self->stacks[ended].left_at = 0;
	return (mprof_event){.kind = MPROF_EVENT_STACK_END, .value = self->stacks[ended].number};
}

static mprof_event resume(model *self, int thread)
{
	uint64_t passed = 1 + draw(self, 3000);

	self->counter += passed;
	if (self->counter - passed > self->gap)
		self->gap = self->counter - passed;
	empty(&self->stacks[self->on[thread]], 1);
	return (mprof_event){.kind = MPROF_EVENT_RECORDING_RESUMED, .value = passed};
}

static mprof_event start_thread(model *self, int thread)
{
	leave_stack(self, thread);
	take_stack(self, thread, thread);
	empty(&self->stacks[thread], 0);
	return (mprof_event){.kind = MPROF_EVENT_THREAD_START, .value = 100 + (uint64_t)thread};
}

static mprof_event call_or_return(model *self, model_stack *stack)
{
	mprof_event event = {.kind = MPROF_EVENT_METHOD_ENTER, .id = 1 + draw(self, METHODS)};

	if (stack->depth == 0 || (stack->depth < MAX_DEPTH && draw(self, 100) < 52)) {
		stack->open[stack->depth++] = event.id;
		return event;
	}
	event.kind = MPROF_EVENT_METHOD_LEAVE;
	event.id = stack->open[--stack->depth];
	if (!self->is_explicit) {
		event.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		event.id = 0;
	}
	return event;
}

static mprof_event next_event(model *self, int thread)
{
	const uint32_t dice = draw(self, 1000);
	mprof_event event;

	self->counter += 1 + draw(self, 500);
	if (dice < 60)
		event = switch_stack(self, thread);
	else if (dice < 75)
		event = end_stack(self, thread);
	else if (dice < 77)
		event = resume(self, thread);
	else if (dice < 79)
		event = start_thread(self, thread);
	else
		event = call_or_return(self, &self->stacks[self->on[thread]]);
	event.counter = self->counter;
	return event;
}

static void write_block(model *self, mprof_writer *writer, int number)
{
	const int thread = (int)draw(self, THREADS);
	const model_stack *stack = &self->stacks[self->on[thread]];

	memcpy(self->blocks[number].open, stack->open, sizeof(stack->open));
	self->blocks[number].depth = stack->depth;
	self->blocks[number].has_more = stack->has_more;
	cr_assert_eq(mprof_writer_begin_events(writer, 100 + (uint64_t)thread, self->counter), MPROF_OK);
	for (int i = 0; i < BLOCK_EVENTS; i++) {
		mprof_event event = next_event(self, thread);

		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	self->counter += 1000;
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static model *make_model(uint32_t seed, int is_explicit)
{
	model *self = calloc(1, sizeof(*self));
	mprof_writer_options options;
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	cr_assert_not_null(self);
	self->random = seed;
	self->counter = 5000;
	self->is_explicit = is_explicit;
	for (int i = 0; i < THREADS + STACKS; i++) {
		self->stacks[i].number = i < THREADS ? 0 : UINT64_C(0x7f0000001000) * (uint64_t)i;
		self->stacks[i].holder = i < THREADS ? i : -1;
	}
	for (int i = 0; i < THREADS; i++)
		self->on[i] = i;
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = MPROF_DIALECT_MPROF2;
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     BIT(MPROF_DIRECTIVE_STACK_SWITCHES);
	options.clock = tell_time;
	options.clock_user = self;
	options.runtime = "test";
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (int i = 0; i < BLOCKS; i++)
		write_block(self, writer, i);
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

static mprof_reader *open_log(const model *self)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(self->log.bytes, self->log.length, NULL, &reader), MPROF_OK);
	return reader;
}

static mprof_status next_events_block(mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	do {
		status = mprof_reader_next_block(reader, &block);
	} while (status == MPROF_OK && block.kind != MPROF_BLOCK_EVENTS);
	return status;
}

/* Compares all events of the block. */
static void fetch(mprof_reader *reader, mprof_event *events, size_t batch)
{
	size_t total = 0;
	size_t count = 0;

	while (total < BLOCK_EVENTS) {
		size_t room = BLOCK_EVENTS - total;

		cr_assert_eq(mprof_reader_next_events(reader, events + total, room < batch ? room : batch, &count),
			     MPROF_OK);
		total += count;
	}
}

/* The events of the log with explicit leaves. */
static mprof_event *read_explicit(uint32_t seed)
{
	model *self = make_model(seed, 1);
	mprof_reader *reader = open_log(self);
	mprof_event *events = calloc(ALL_EVENTS, sizeof(*events));

	for (int i = 0; i < BLOCKS; i++) {
		cr_assert_eq(next_events_block(reader), MPROF_OK);
		fetch(reader, events + (size_t)i * BLOCK_EVENTS, BLOCK_EVENTS);
	}
	mprof_reader_destroy(reader);
	free_model(self);
	return events;
}

/* Fetches a block and compares it with the same block of the other log. */
static void expect_block(mprof_reader *reader, const mprof_event *all, size_t number, size_t batch)
{
	const mprof_event *expected = all + number * BLOCK_EVENTS;
	mprof_event events[BLOCK_EVENTS];

	fetch(reader, events, batch);
	for (size_t i = 0; i < BLOCK_EVENTS; i++) {
		cr_assert_eq(events[i].kind, expected[i].kind, "event %zu of block %zu", i, number);
		cr_assert_eq(events[i].counter, expected[i].counter);
		cr_assert_eq(events[i].id, expected[i].id, "event %zu of block %zu: %u instead of %u", i, number,
			     events[i].id, expected[i].id);
	}
}

static uint64_t block_offset(const model *self, size_t number)
{
	/* END is the last block. */
	return log_block_offset(&self->log, log_block_count(&self->log) - 1 - BLOCKS + number);
}

Test(reader_switches, read_in_order)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		mprof_event *all = read_explicit(seed);
		model *self = make_model(seed, 0);
		mprof_reader *reader = open_log(self);
		size_t resolved = 0;
		size_t switches = 0;

		for (size_t i = 0; i < BLOCKS; i++) {
			cr_assert_eq(next_events_block(reader), MPROF_OK);
			expect_block(reader, all, i, 1 + i % 9);
		}
		for (size_t i = 0; i < ALL_EVENTS; i++) {
			resolved += all[i].kind == MPROF_EVENT_METHOD_LEAVE;
			switches += all[i].kind == MPROF_EVENT_STACK_SWITCH;
		}
		cr_assert_gt(resolved, ALL_EVENTS / 4);
		cr_assert_gt(switches, ALL_EVENTS / 40);
		mprof_reader_destroy(reader);
		free_model(self);
		free(all);
	}
}

/*
 * A block that is fetched in part and loaded again returns the same, and so do the blocks after one that is not
 * fetched.
 */
Test(reader_switches, whatever_is_fetched)
{
	mprof_event *all = read_explicit(2);
	model *self = make_model(2, 0);
	mprof_reader *reader = open_log(self);
	mprof_event events[BLOCK_EVENTS];
	size_t count;

	for (size_t i = 0; i < BLOCKS; i++) {
		mprof_block block;

		mprof_block_init(&block, sizeof(block));
		do {
			cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
		} while (block.kind != MPROF_BLOCK_EVENTS);
		if (i % 4 == 0)
			continue;
		if (i % 4 >= 2) {
			cr_assert_eq(mprof_reader_next_events(reader, events, 5 + i % 31, &count), MPROF_OK);
			cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		}
		expect_block(reader, all, i, BLOCK_EVENTS);
	}
	mprof_reader_destroy(reader);
	free_model(self);
	free(all);
}

static void expect_after_seek(const model *self, mprof_reader *reader, const mprof_event *all, size_t number)
{
	cr_assert_eq(mprof_reader_seek(reader, block_offset(self, number)), MPROF_OK);
	for (size_t i = number; i < number + 5 && i < BLOCKS; i++) {
		cr_assert_eq(next_events_block(reader), MPROF_OK);
		expect_block(reader, all, i, 17);
	}
}

static void expect_after_all_seeks(const model *self, mprof_reader *reader, const mprof_event *all)
{
	for (size_t i = BLOCKS; i-- > 0;)
		expect_after_seek(self, reader, all, i);
	for (size_t i = 0; i < BLOCKS; i++)
		expect_after_seek(self, reader, all, i * 89 % BLOCKS);
}

Test(reader_switches, known_after_a_seek_with_an_index)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		mprof_event *all = read_explicit(seed);
		model *self = make_model(seed, 0);
		mprof_reader *reader = open_log(self);

		cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
		expect_after_all_seeks(self, reader, all);
		mprof_reader_destroy(reader);
		free_model(self);
		free(all);
	}
}

/* Without an index, the frames on stacks are unknown after a seek, but no frame is wrong. */
Test(reader_switches, nothing_wrong_without_an_index)
{
	mprof_event *all = read_explicit(1);
	model *self = make_model(1, 0);
	mprof_event events[BLOCK_EVENTS];
	size_t known = 0;

	for (size_t start = 1; start < BLOCKS; start += 13) {
		mprof_reader *reader = open_log(self);

		cr_assert_eq(next_events_block(reader), MPROF_OK);
		cr_assert_eq(mprof_reader_seek(reader, block_offset(self, start)), MPROF_OK);
		for (size_t i = start; i < BLOCKS; i++) {
			cr_assert_eq(next_events_block(reader), MPROF_OK);
			fetch(reader, events, BLOCK_EVENTS);
			for (size_t j = 0; j < BLOCK_EVENTS; j++) {
				const uint32_t id = all[i * BLOCK_EVENTS + j].id;

				cr_assert(events[j].id == 0 || events[j].id == id, "event %zu of block %zu", j, i);
				known += events[j].id != 0 && (events[j].flags & MPROF_EVENT_FLAG_IMPLICIT) != 0;
			}
		}
		mprof_reader_destroy(reader);
	}
	cr_assert_gt(known, ALL_EVENTS);
	free_model(self);
	free(all);
}

static void expect_frames(const model_block *expected, const mprof_stack_frame *frames, size_t count, size_t number)
{
	cr_assert_eq(count, expected->depth + (size_t)expected->has_more, "block %zu", number);
	for (size_t i = 0; i < expected->depth; i++)
		cr_assert_eq(frames[i].id, expected->open[expected->depth - 1 - i], "block %zu", number);
}

Test(reader_switches, open_where_a_block_begins)
{
	model *self = make_model(2, 0);
	mprof_reader *reader = open_log(self);
	mprof_stack_frame frames[MAX_DEPTH + 1];
	size_t count;

	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (size_t i = 0; i < BLOCKS; i++) {
		cr_assert_eq(mprof_reader_get_block_frames(reader, block_offset(self, i), frames, FRAME_SIZE,
							   MAX_DEPTH + 1, &count),
			     MPROF_OK);
		expect_frames(&self->blocks[i], frames, count, i);
	}
	mprof_reader_destroy(reader);
	free_model(self);
}

/* The open frames after the last event of each block, which are those at the start of the next block of the thread. */
Test(reader_switches, open_at_a_time)
{
	mprof_event *all = read_explicit(1);
	model *self = make_model(1, 0);
	mprof_reader *reader = open_log(self);
	mprof_stack_frame frames[MAX_DEPTH + 1];
	size_t count;

	cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
	for (size_t i = 0; i < BLOCKS; i++) {
		const mprof_event *last = &all[i * BLOCK_EVENTS + BLOCK_EVENTS - 1];
		mprof_index_entry entry = {.struct_size = sizeof(entry)};
		size_t next = i + 1;

		cr_assert_eq(mprof_reader_get_index_entry(reader, mprof_reader_get_index_count(reader) - 1 - BLOCKS + i,
							  &entry),
			     MPROF_OK);
		for (; next < BLOCKS; next++) {
			mprof_index_entry other = {.struct_size = sizeof(other)};

			cr_assert_eq(mprof_reader_get_index_entry(
					     reader, mprof_reader_get_index_count(reader) - 1 - BLOCKS + next, &other),
				     MPROF_OK);
			if (other.thread == entry.thread)
				break;
		}
		if (next == BLOCKS)
			continue;
		cr_assert_eq(mprof_reader_get_open_frames(reader, entry.thread, last->counter, frames, FRAME_SIZE,
							  MAX_DEPTH + 1, &count),
			     MPROF_OK);
		expect_frames(&self->blocks[next], frames, count, next);
	}
	mprof_reader_destroy(reader);
	free_model(self);
	free(all);
}

/* A log that grows while it is read. */
typedef struct growing_log {
	const log_bytes *log;
	size_t available;
	size_t position;
} growing_log;

static int read_growing(void *user, void *buffer, size_t capacity, size_t *count)
{
	growing_log *self = user;
	size_t rest = self->available - self->position;

	*count = rest < capacity ? rest : capacity;
	memcpy(buffer, self->log->bytes + self->position, *count);
	self->position += *count;
	return 0;
}

static int seek_growing(void *user, uint64_t offset)
{
	growing_log *self = user;

	self->position = offset < self->available ? (size_t)offset : self->available;
	return 0;
}

/* The index grows with the log; after a seek, frames are known from its end on. */
Test(reader_switches, followed_in_pieces)
{
	mprof_event *all = read_explicit(3);
	model *self = make_model(3, 0);
	growing_log log = {.log = &self->log};
	mprof_source source = {.struct_size = sizeof(source), .read = read_growing, .seek = seek_growing, .user = &log};
	mprof_reader_options options;
	mprof_reader *reader;
	size_t indexed = 7;

	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 1;
	log.available = (size_t)block_offset(self, indexed);
	cr_assert_eq(mprof_reader_open_source(&source, &options, &reader), MPROF_OK);
	for (size_t i = 0; i < indexed; i++) {
		cr_assert_eq(next_events_block(reader), MPROF_OK);
		expect_block(reader, all, i, 11);
	}
	while (indexed + 20 < BLOCKS) {
		cr_assert_eq(mprof_reader_build_index(reader), MPROF_OK);
		/* In the middle of a block, and some blocks after the end of the index. */
		log.available = (size_t)block_offset(self, indexed + 10) + 9;
		expect_after_seek(self, reader, all, indexed);
		expect_after_seek(self, reader, all, indexed - 3);
		indexed += 10;
	}
	mprof_reader_destroy(reader);
	free_model(self);
	free(all);
}
