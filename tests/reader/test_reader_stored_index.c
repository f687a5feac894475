/* SPDX-License-Identifier: MIT */
/* The index that a log contains yields the same as one that is built, and one that is wrong costs only time. */
#include "base/failing_allocator.h"
#include "base/checksum.h"
#include "base/bytes.h"

#include <mprof/reader.h>
#include <mprof/writer.h>
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 2000
#define METHODS 50
#define THREADS 3
#define FIRST_THREAD UINT64_C(0x7f3200001000)
#define HEADER 6
#define CHECKSUM 4
/* Of the clock pairs at the start of the logs here: a counter of two bytes, and a time of eight. */
#define CLOCK_LENGTH 10

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t now;
static uint64_t counters_per_microsecond = 1000;

static void read_time(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = 1195689600000000 + now / counters_per_microsecond;
}

static void define_names(mprof_writer *writer, uint32_t first, uint32_t end)
{
	for (uint32_t id = first; id < end; id++) {
		char name[32];
		mprof_method_definition method = {.struct_size = sizeof(method), .id = id, .name = name};

		method.name_length = (size_t)snprintf(name, sizeof(name), "Run%u ()", id);
		cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	}
}

static mprof_event any_event(void)
{
	const uint64_t choice = next_random() % 8;
	mprof_event event = {.kind = MPROF_EVENT_METHOD_ENTER, .id = (uint32_t)(next_random() % (METHODS / 2)) + 1};

	now += next_random() % 100;
	event.counter = now;
	if (choice >= 4)
		event.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
	else if (choice == 3)
		event.kind = MPROF_EVENT_METHOD_LEAVE_EXCEPTION;
	if (event.kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
		event.id = 0;
	return event;
}

static void write_block(mprof_writer *writer, uint64_t thread, size_t count, const mprof_event *special)
{
	cr_assert_eq(mprof_writer_begin_events(writer, thread, now), MPROF_OK);
	for (size_t i = 0; i < count; i++) {
		const mprof_event event = any_event();

		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	if (special != NULL) {
		mprof_event event = *special;

		event.counter = now;
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

/* A log of blocks of three threads. \p special is written in the middle. */
static log_bytes write_log(size_t blocks, uint32_t has_columns, const mprof_event *special)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS);
	options.clock = read_time;
	options.has_columns = has_columns;
	options.has_index = 1;
	now = 1000;
	random_state = 88172645463325252u;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	define_names(writer, 1, METHODS / 2 + 1);
	for (size_t i = 0; i < blocks; i++) {
		const uint64_t thread = FIRST_THREAD + next_random() % THREADS;

		write_block(writer, thread, next_random() % 12, i == blocks / 2 ? special : NULL);
		if (i == blocks / 3)
			define_names(writer, METHODS / 2 + 1, METHODS + 1);
		if (i % 16 == 0)
			cr_assert_eq(mprof_writer_write_mark(writer, FIRST_THREAD, now, "here", 4), MPROF_OK);
	}
	return log_take(writer);
}

static void expect_same_frames(mprof_reader *stored, mprof_reader *built, uint64_t offset)
{
	mprof_stack_frame first[MAX_FRAMES];
	mprof_stack_frame second[MAX_FRAMES];
	size_t first_count;
	size_t second_count;

	cr_assert_eq(mprof_reader_get_block_frames(stored, offset, first, sizeof(*first), MAX_FRAMES, &first_count),
		     MPROF_OK);
	cr_assert_eq(mprof_reader_get_block_frames(built, offset, second, sizeof(*second), MAX_FRAMES, &second_count),
		     MPROF_OK);
	cr_assert_eq(first_count, second_count);
	for (size_t i = 0; i < first_count; i++)
		cr_assert_eq(first[i].id, second[i].id);
}

static void expect_same_events(mprof_reader *stored, mprof_reader *built, uint64_t offset)
{
	mprof_reader *readers[2] = {stored, built};
	static mprof_event events[2][4096];
	size_t counts[2] = {0, 0};
	mprof_block block = {.struct_size = sizeof(block)};

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(mprof_reader_seek(readers[i], offset), MPROF_OK);
		cr_assert_eq(mprof_reader_next_block(readers[i], &block), MPROF_OK);
		while (counts[i] < 4096) {
			size_t count;

			if (mprof_reader_next_events(readers[i], events[i] + counts[i], 4096 - counts[i], &count) !=
			    MPROF_OK)
				break;
			counts[i] += count;
		}
	}
	cr_assert_eq(counts[0], counts[1]);
	for (size_t i = 0; i < counts[0]; i++) {
		cr_assert_eq(events[0][i].kind, events[1][i].kind);
		cr_assert_eq(events[0][i].id, events[1][i].id);
		cr_assert_eq(events[0][i].counter, events[1][i].counter);
	}
}

static void expect_same_names(mprof_reader *stored, mprof_reader *built)
{
	mprof_session first = {.struct_size = sizeof(first)};
	mprof_session second = {.struct_size = sizeof(second)};
	char names[2][64];

	cr_assert_eq(mprof_reader_get_method_count(stored), mprof_reader_get_method_count(built));
	cr_assert_eq(mprof_reader_get_class_count(stored), mprof_reader_get_class_count(built));
	for (uint32_t id = 1; id <= METHODS; id++) {
		mprof_reader_format_method(stored, id, names[0], sizeof(names[0]));
		mprof_reader_format_method(built, id, names[1], sizeof(names[1]));
		cr_assert_str_eq(names[0], names[1]);
	}
	cr_assert_eq(mprof_reader_get_session(stored, &first), MPROF_OK);
	cr_assert_eq(mprof_reader_get_session(built, &second), MPROF_OK);
	cr_assert_eq(first.last.counter, second.last.counter);
	cr_assert_eq(first.last.time, second.last.time);
	cr_assert_eq(first.lost_events, second.lost_events);
	cr_assert_eq(first.complete, second.complete);
}

static void expect_same_index(const uint8_t *bytes, size_t length)
{
	mprof_reader *stored = open_with_index(bytes, length, 0);
	mprof_reader *built = open_with_index(bytes, length, 1);
	const uint64_t count = mprof_reader_get_index_count(built);

	cr_assert_eq(mprof_reader_get_index_count(stored), count);
	expect_same_names(stored, built);
	for (uint64_t i = 0; i < count; i++) {
		mprof_index_entry first = {.struct_size = sizeof(first)};
		mprof_index_entry second = {.struct_size = sizeof(second)};

		cr_assert_eq(mprof_reader_get_index_entry(stored, i, &first), MPROF_OK);
		cr_assert_eq(mprof_reader_get_index_entry(built, i, &second), MPROF_OK);
		cr_assert_eq(memcmp(&first, &second, sizeof(first)), 0, "entry %llu", (unsigned long long)i);
		if (first.kind != MPROF_BLOCK_EVENTS)
			continue;
		expect_same_frames(stored, built, first.offset);
		if (i % 7 == 0)
			expect_same_events(stored, built, first.offset);
	}
	mprof_reader_destroy(stored);
	mprof_reader_destroy(built);
}

Test(stored_index, is_the_same_as_one_that_is_built)
{
	for (uint32_t has_columns = 0; has_columns < 2; has_columns++) {
		const log_bytes log = write_log(6000, has_columns, NULL);

		expect_same_index(log.bytes, log.length);
		free(log.bytes);
	}
}

Test(stored_index, log_with_switches_and_pauses_is_read)
{
	static const mprof_event events[] = {
		{.kind = MPROF_EVENT_STACK_SWITCH, .value = 5},
		{.kind = MPROF_EVENT_RECORDING_RESUMED, .value = 100},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		const log_bytes log = write_log(300, 0, &events[i]);

		expect_same_index(log.bytes, log.length);
		free(log.bytes);
	}
}

Test(stored_index, damage_is_found_when_the_block_is_read)
{
	log_bytes log = write_log(50, 0, NULL);
	mprof_reader *reader;
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_block block = {.struct_size = sizeof(block)};

	reader = open_with_index(log.bytes, log.length, 0);
	cr_assert_eq(mprof_reader_get_index_entry(reader, 20, &entry), MPROF_OK);
	mprof_reader_destroy(reader);
	log.bytes[entry.offset + HEADER + 3] ^= 1;
	/* Only an index that was built has found the damage. */
	for (int is_built = 0; is_built < 2; is_built++) {
		reader = open_with_index(log.bytes, log.length, is_built);
		mprof_reader_get_error(reader, &error);
		cr_assert_eq(error.status, is_built ? MPROF_ERR_CHECKSUM : MPROF_OK);
		cr_assert_eq(mprof_reader_seek(reader, entry.offset), MPROF_OK);
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_ERR_CHECKSUM);
		mprof_reader_destroy(reader);
	}
	free(log.bytes);
}

Test(stored_index, truncated_log_has_none)
{
	const log_bytes log = write_log(8, 0, NULL);

	for (size_t length = log.length - 1; length > log.length / 2; length--) {
		mprof_reader *stored = open_with_index(log.bytes, length, 0);
		mprof_reader *built = open_with_index(log.bytes, length, 1);
		mprof_error first = {.struct_size = sizeof(first)};
		mprof_error second = {.struct_size = sizeof(second)};

		mprof_reader_get_error(stored, &first);
		mprof_reader_get_error(built, &second);
		cr_assert_eq(first.status, second.status);
		cr_assert_eq(first.offset, second.offset);
		cr_assert_eq(mprof_reader_get_index_count(stored), mprof_reader_get_index_count(built));
		mprof_reader_destroy(stored);
		mprof_reader_destroy(built);
	}
	free(log.bytes);
}

/* Reads the whole log. Returns the number of events. */
static uint64_t count_events(mprof_reader *reader)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[64];
	uint64_t sum = 0;
	size_t count;

	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) != MPROF_END) {
		while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK)
			sum += count;
	}
	return sum;
}

static void restore_checksum(uint8_t *block)
{
	const size_t checked = HEADER + bytes_load_32(block + 2) - CHECKSUM;

	bytes_store_32(block + checked, checksum_update(0, block, checked));
}

/* Whatever the INDEX and END blocks contain, all events are there when the log is read. */
static void read_with_lies(const log_bytes *log, uint64_t expected)
{
	mprof_reader *reader = open_with_index(log->bytes, log->length, 0);
	mprof_stack_frame frames[16];
	size_t count;

	for (uint64_t counter = 0; counter < 3000; counter += 200) {
		cr_assert_eq(mprof_reader_seek_time(reader, (int64_t)counter, FIRST_THREAD), MPROF_OK);
		cr_assert_eq(mprof_reader_get_open_frames(reader, FIRST_THREAD, 1000 + counter, frames, sizeof(*frames),
							  16, &count),
			     MPROF_OK);
	}
	cr_assert_eq(count_events(reader), expected);
	mprof_reader_destroy(reader);
}

Test(stored_index, lies_cost_no_events, .timeout = 60)
{
	const log_bytes log = write_log(12, 0, NULL);
	uint64_t expected;
	mprof_reader *reader = open_with_index(log.bytes, log.length, 1);
	uint64_t blocks = mprof_reader_get_index_count(reader);

	expected = count_events(reader);
	for (uint64_t number = blocks - 2; number < blocks; number++) {
		mprof_index_entry entry = {.struct_size = sizeof(entry)};

		cr_assert_eq(mprof_reader_get_index_entry(reader, number, &entry), MPROF_OK);
		for (size_t i = 0; i < entry.length - CHECKSUM; i++) {
			uint8_t *byte = &log.bytes[entry.offset + HEADER + i];
			const uint8_t before = *byte;

			for (unsigned bit = 0; bit < 8; bit++) {
				*byte = (uint8_t)(before ^ 1U << bit);
				restore_checksum(log.bytes + entry.offset);
				read_with_lies(&log, expected);
			}
			*byte = before;
		}
		restore_checksum(log.bytes + entry.offset);
	}
	mprof_reader_destroy(reader);
	free(log.bytes);
}

Test(stored_index, refused_memory_is_reported)
{
	const log_bytes log = write_log(40, 0, NULL);
	mprof_reader *whole = open_with_index(log.bytes, log.length, 0);
	const uint64_t expected = mprof_reader_get_index_count(whole);
	int is_complete = 0;

	mprof_reader_destroy(whole);
	for (size_t request = 1; !is_complete; request++) {
		failing_allocator memory = {.fail_at = request};
		const mprof_allocator allocator = failing_allocator_interface(&memory);
		mprof_reader_options options;
		mprof_reader *reader;
		mprof_status status;

		mprof_reader_options_init(&options, sizeof(options));
		options.allocator = &allocator;
		status = mprof_reader_open_memory(log.bytes, log.length, &options, &reader);
		if (status == MPROF_OK)
			status = mprof_reader_build_index(reader);
		is_complete = memory.refused == 0;
		cr_assert_eq(status, is_complete ? MPROF_OK : MPROF_ERR_MEMORY, "request %zu", request);
		if (is_complete)
			cr_assert_eq(mprof_reader_get_index_count(reader), expected);
		mprof_reader_destroy(reader);
		cr_assert_eq(memory.blocks, 0);
	}
	free(log.bytes);
}

#define MAX_EVENTS 4096

/* The events of a range of time. */
typedef struct found_events {
	mprof_event events[MAX_EVENTS];
	uint64_t threads[MAX_EVENTS];
	size_t count;
	size_t blocks; /* EVENTS blocks that were delivered. */
} found_events;

/* Collects the events that a query asks for from the blocks that a reader delivers. */
static void collect_events(mprof_reader *reader, const mprof_query *query, found_events *found)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[64];
	mprof_status status;
	size_t count;

	memset(found, 0, sizeof(*found));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		found->blocks += block.kind == MPROF_BLOCK_EVENTS;
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++) {
				int64_t time = 0;

				cr_assert_eq(mprof_reader_get_time(reader, events[i].counter, &time), MPROF_OK);
				if ((query->thread != MPROF_THREAD_ANY && block.thread != query->thread) ||
				    time < query->start_ns || time > query->end_ns)
					continue;
				cr_assert_lt(found->count, MAX_EVENTS);
				found->threads[found->count] = block.thread;
				found->events[found->count++] = events[i];
			}
		}
	}
	cr_assert_eq(status, MPROF_END);
}

static void expect_same_found(const found_events *first, const found_events *second)
{
	cr_assert_eq(first->count, second->count);
	cr_assert_eq(memcmp(first->threads, second->threads, first->count * sizeof(first->threads[0])), 0);
	for (size_t i = 0; i < first->count; i++) {
		cr_assert_eq(first->events[i].kind, second->events[i].kind);
		cr_assert_eq(first->events[i].id, second->events[i].id);
		cr_assert_eq(first->events[i].counter, second->events[i].counter);
	}
}

static mprof_query any_query(int64_t duration)
{
	mprof_query query;

	mprof_query_init(&query, sizeof(query));
	query.start_ns = (int64_t)(next_random() % (uint64_t)duration);
	query.end_ns = query.start_ns + (int64_t)(next_random() % ((uint64_t)duration / 16));
	if (next_random() % 2 == 0)
		query.thread = FIRST_THREAD + next_random() % (THREADS + 1);
	if (next_random() % 2 == 0)
		mprof_number_set_add(&query.kinds, MPROF_BLOCK_EVENTS);
	return query;
}

Test(select, finds_the_events_that_reading_everything_finds, .timeout = 60)
{
	static found_events expected;
	static found_events found;
	const log_bytes log = write_log(3000, 0, NULL);

	for (int is_built = 0; is_built < 2; is_built++) {
		mprof_reader *reader = open_with_index(log.bytes, log.length, is_built);
		mprof_session session = {.struct_size = sizeof(session)};
		int64_t duration;

		cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
		cr_assert_eq(mprof_reader_get_time(reader, session.last.counter, &duration), MPROF_OK);
		for (int i = 0; i < 60; i++) {
			const mprof_query query = any_query(duration);

			cr_assert_eq(mprof_reader_select(reader, NULL), MPROF_OK);
			cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
			collect_events(reader, &query, &expected);
			cr_assert_eq(mprof_reader_select(reader, &query), MPROF_OK);
			cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
			collect_events(reader, &query, &found);
			expect_same_found(&expected, &found);
			cr_assert_leq(found.blocks, expected.blocks / 8);
		}
		mprof_reader_destroy(reader);
	}
	free(log.bytes);
}

/* Several counters are in one nanosecond, and blocks begin at any of them. */
Test(select, finds_all_events_of_the_last_nanosecond)
{
	static found_events expected;
	static found_events found;
	size_t events = 0;
	log_bytes log;
	mprof_reader *reader;

	counters_per_microsecond = 8000;
	log = write_log(300, 0, NULL);
	reader = open_with_index(log.bytes, log.length, 0);
	for (uint64_t i = 0; i < mprof_reader_get_index_count(reader); i++) {
		mprof_index_entry entry = {.struct_size = sizeof(entry)};
		mprof_query query;

		cr_assert_eq(mprof_reader_get_index_entry(reader, i, &entry), MPROF_OK);
		if (entry.kind != MPROF_BLOCK_EVENTS)
			continue;
		mprof_query_init(&query, sizeof(query));
		cr_assert_eq(mprof_reader_get_time(reader, entry.start_counter, &query.start_ns), MPROF_OK);
		query.end_ns = query.start_ns;
		cr_assert_eq(mprof_reader_select(reader, NULL), MPROF_OK);
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
		collect_events(reader, &query, &expected);
		cr_assert_eq(mprof_reader_select(reader, &query), MPROF_OK);
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
		collect_events(reader, &query, &found);
		expect_same_found(&expected, &found);
		events += found.count;
	}
	cr_assert_gt(events, 0);
	mprof_reader_destroy(reader);
	free(log.bytes);
}

Test(select, delivers_kinds_and_threads_without_an_index)
{
	const log_bytes log = write_log(300, 1, NULL);
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_query query;
	mprof_reader *reader;
	size_t count = 0;

	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	mprof_query_init(&query, sizeof(query));
	query.start_ns = 0;
	cr_assert_eq(mprof_reader_select(reader, &query), MPROF_ERR_STATE);
	mprof_query_init(&query, sizeof(query));
	query.thread = FIRST_THREAD + 1;
	mprof_number_set_add(&query.kinds, MPROF_BLOCK_EVENTS);
	cr_assert_eq(mprof_reader_select(reader, &query), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
		cr_assert_eq(block.thread, query.thread);
		count++;
	}
	cr_assert_geq(count, 50);
	query.struct_size = 0;
	cr_assert_eq(mprof_reader_select(reader, &query), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	free(log.bytes);
}

/* An entry that does not match its block is an error, not a wrong answer. */
Test(select, wrong_index_is_an_error)
{
	log_bytes log = write_log(50, 0, NULL);
	mprof_reader *reader = open_with_index(log.bytes, log.length, 0);
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_query query;
	mprof_status status;
	uint64_t number = 0;
	size_t errors = 0;

	while (entry.kind != MPROF_BLOCK_EVENTS)
		cr_assert_eq(mprof_reader_get_index_entry(reader, number++, &entry), MPROF_OK);
	/* The block gets another thread after the index was loaded. */
	log.bytes[entry.offset + HEADER + CLOCK_LENGTH] ^= 1;
	restore_checksum(log.bytes + entry.offset);
	mprof_query_init(&query, sizeof(query));
	cr_assert_eq(mprof_reader_select(reader, &query), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END)
		errors += status == MPROF_ERR_MALFORMED;
	cr_assert_geq(errors, 1);
	mprof_reader_destroy(reader);
	free(log.bytes);
}
