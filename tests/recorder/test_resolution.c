/* SPDX-License-Identifier: MIT */
/* With a coarser resolution, all counters of the log have the same, longer unit, and the recorder keeps its own. */
#include "recorded_log.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define RESOLUTION_NS 1000
#define ROUNDS 2000

/* A counter of the recorder, read before and after something was recorded. */
typedef struct span {
	uint64_t from;
	uint64_t to;
} span;

typedef struct recorded {
	recorded_log log;
	span events[ROUNDS];
	span pause;
	span started;
	span mark;
	span sample;
	span loaded;
} recorded;

static void record_rounds(mprof_recorder *recorder, mprof_thread *thread, recorded *created)
{
	for (int i = 0; i < ROUNDS; i++) {
		created->events[i].from = mprof_recorder_read_counter(recorder);
		mprof_thread_enter_method(thread, 0x100);
		created->events[i].to = mprof_recorder_read_counter(recorder);
		mprof_thread_leave_method(thread, 0x100);
	}
}

static void record_others(mprof_recorder *recorder, mprof_thread *thread, recorded *created)
{
	const mprof_frame frames[] = {0x100};
	mprof_element element = {.struct_size = sizeof(element), .kind = MPROF_ELEMENT_ASSEMBLY, .name = "library"};

	created->started.from = mprof_recorder_read_counter(recorder);
	mprof_thread_record_memory_resized(thread, 0x1000, created->started.from, 0x2000, 64, frames, 1);
	created->mark.from = mprof_recorder_read_counter(recorder);
	cr_assert_eq(mprof_recorder_record_mark(recorder, 1, "marker", 6), MPROF_OK);
	created->mark.to = mprof_recorder_read_counter(recorder);
	created->sample.from = created->mark.to;
	cr_assert_eq(mprof_recorder_record_sample(recorder, 1, frames, 1), 1);
	created->sample.to = mprof_recorder_read_counter(recorder);
	created->loaded.from = mprof_recorder_read_counter(recorder);
	element.start_counter = created->loaded.from;
	created->loaded.to = mprof_recorder_read_counter(recorder);
	element.end_counter = created->loaded.to;
	cr_assert_eq(mprof_recorder_record_loaded(recorder, 0x500, &element), MPROF_OK);
	created->pause.from = mprof_recorder_read_counter(recorder);
	mprof_recorder_set_enabled(recorder, 0);
	mprof_thread_enter_method(thread, 0x100);
	mprof_recorder_set_enabled(recorder, 1);
	mprof_thread_enter_method(thread, 0x100);
	created->pause.to = mprof_recorder_read_counter(recorder);
}

static recorded *record_all(uint32_t resolution_ns, uint32_t event_rows)
{
	recorded *created = calloc(1, sizeof(*created));
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	cr_assert_not_null(created);
	mprof_recorder_options_init(&options, sizeof(options));
	options.resolution_ns = resolution_ns;
	options.event_rows = event_rows;
	recorder = recorded_log_open(&created->log, &options);
	define_method(recorder, 0x100, 0x200, "run");
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	record_rounds(recorder, thread, created);
	record_others(recorder, thread, created);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	return created;
}

static void release(recorded *created)
{
	recorded_log_free(&created->log);
	free(created);
}

static mprof_reader *open_reader(const recorded *created)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(created->log.bytes, created->log.length, NULL, &reader), MPROF_OK);
	return reader;
}

/* Writes a property of the log to a text; an empty one if the log does not have it. */
static void get_property(const recorded *created, const char *wanted, char text[64])
{
	mprof_reader *reader = open_reader(created);
	mprof_block block = {.struct_size = sizeof(block)};
	const char *key;
	const char *value;

	text[0] = '\0';
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_SESSION &&
		       mprof_reader_next_property(reader, &key, &value) == MPROF_OK) {
			if (strcmp(key, wanted) == 0)
				strncpy(text, value, 63);
		}
		text[63] = '\0';
	}
	mprof_reader_destroy(reader);
}

/* By how much counters are divided in the log, apart from those of the recorder. */
static uint64_t divisor_of(const recorded *coarse, const recorded *full)
{
	char texts[2][64];

	get_property(coarse, "counter", texts[0]);
	get_property(full, "counter", texts[1]);
	if (strstr(texts[0], "divided by ") == NULL)
		return 1;
	return strtoull(strstr(texts[0], "divided by ") + 11, NULL, 10) /
	       (strstr(texts[1], "divided by ") != NULL ? strtoull(strstr(texts[1], "divided by ") + 11, NULL, 10) : 1);
}

static void expect_within(uint64_t counter, span expected, uint64_t divisor, const char *what)
{
	cr_assert_geq(counter, expected.from / divisor, "%s", what);
	cr_assert_leq(counter, expected.to / divisor, "%s", what);
}

static void expect_event(const recorded *created, const mprof_event *event, size_t *enters, uint64_t divisor)
{
	const uint64_t pause = created->pause.to / divisor - created->pause.from / divisor;

	if (event->kind == MPROF_EVENT_METHOD_ENTER && *enters < ROUNDS)
		expect_within(event->counter, created->events[(*enters)++], divisor, "call");
	if (event->kind == MPROF_EVENT_SAMPLE)
		expect_within(event->counter, created->sample, divisor, "sample");
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED) {
		cr_assert_leq(event->more.detail->started, event->counter);
		cr_assert_geq(event->more.detail->started, created->started.from / divisor);
	}
	if (event->kind == MPROF_EVENT_RECORDING_RESUMED)
		cr_assert_leq(event->value, pause);
}

static void expect_block(const recorded *created, const mprof_block *block, uint64_t divisor)
{
	if (block->kind == MPROF_BLOCK_MARK)
		expect_within(block->as.mark.counter, created->mark, divisor, "marker");
	if (block->kind == MPROF_BLOCK_LOADED) {
		cr_assert_eq(block->as.element.start_counter, created->loaded.from / divisor);
		cr_assert_eq(block->as.element.end_counter, created->loaded.to / divisor);
	}
}

/* Fails unless all counters of the log are those of the recorder, divided. Returns the kinds of events seen. */
static uint64_t expect_divided(const recorded *created, uint64_t divisor)
{
	mprof_reader *reader = open_reader(created);
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event event;
	uint64_t kinds = 0;
	size_t enters = 0;
	size_t count;

	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		expect_block(created, &block, divisor);
		if (block.has_clocks)
			cr_assert_leq(block.start.counter, block.end.counter);
		if (block.kind != MPROF_BLOCK_EVENTS && block.kind != MPROF_BLOCK_SAMPLES)
			continue;
		while (mprof_reader_next_events(reader, &event, 1, &count) == MPROF_OK) {
			expect_event(created, &event, &enters, divisor);
			/* The block was written after its events were recorded. */
			cr_assert_leq(event.counter, block.end.counter);
			kinds |= UINT64_C(1) << event.kind;
		}
	}
	cr_assert_eq(enters, ROUNDS);
	mprof_reader_destroy(reader);
	return kinds;
}

static void expect_divided_counters(uint32_t event_rows)
{
	const uint64_t expected = UINT64_C(1) << MPROF_EVENT_METHOD_ENTER | UINT64_C(1) << MPROF_EVENT_SAMPLE |
				  UINT64_C(1) << MPROF_EVENT_MEMORY_RESIZED |
				  UINT64_C(1) << MPROF_EVENT_RECORDING_RESUMED;
	recorded *full = record_all(0, event_rows);
	recorded *coarse = record_all(RESOLUTION_NS, event_rows);
	const uint64_t divisor = divisor_of(coarse, full);

	/* The recorder's own unit is at most 17 ns. */
	cr_assert_geq(divisor, 32);
	cr_assert_leq(divisor, 16384);
	cr_assert_eq(expect_divided(full, 1) & expected, expected);
	cr_assert_eq(expect_divided(coarse, divisor) & expected, expected);
	release(coarse);
	release(full);
}

Test(resolution, all_counters_of_columns_are_divided)
{
	expect_divided_counters(0);
}

Test(resolution, all_counters_of_rows_are_divided)
{
	expect_divided_counters(1);
}

Test(resolution, is_stated_if_it_was_requested)
{
	recorded *full = record_all(0, 0);
	recorded *coarse = record_all(RESOLUTION_NS, 0);
	char text[64];

	get_property(coarse, "resolution", text);
	cr_assert_str_eq(text, "1000");
	get_property(full, "resolution", text);
	cr_assert_str_eq(text, "");
	release(coarse);
	release(full);
}

/* A unit that is shorter than that of the recorder changes nothing. */
Test(resolution, is_never_finer_than_the_counter)
{
	recorded *full = record_all(0, 0);
	recorded *same = record_all(1, 0);

	cr_assert_eq(divisor_of(same, full), 1);
	expect_divided(same, 1);
	release(same);
	release(full);
}

/* Blocks are divided before an allocation that follows the start of a collection, even if both have one counter. */
static void record_collections(uint32_t event_rows)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *threads[2];
	size_t allocations = 0;

	mprof_recorder_options_init(&options, sizeof(options));
	options.resolution_ns = 10000;
	options.event_rows = event_rows;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	recorder = recorded_log_open(&log, &options);
	for (uint64_t i = 0; i < 2; i++)
		cr_assert_eq(mprof_recorder_attach(recorder, i + 1, &threads[i]), MPROF_OK);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		mprof_thread_enter_method(threads[0], 0x100);
		mprof_thread_record_allocation_detailed(threads[0], 0x200, 24, 0x10000 + 32 * i, NULL, 0);
		(void)mprof_thread_record_collection(threads[1], MPROF_EVENT_GC_START, (uint32_t)i, 0);
		mprof_thread_record_allocation_detailed(threads[0], 0x200, 24, 0x10000 + 32 * i, NULL, 0);
		mprof_thread_record_allocation_detailed(threads[0], 0x200, 24, 0x10000 + 32 * i, NULL, 0);
	}
	for (int i = 0; i < 2; i++)
		mprof_thread_detach(threads[i]);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	recorded_log_read(&log);
	cr_assert(log.complete);
	for (size_t i = 0; i < log.event_count; i++)
		allocations += log.events[i].event.kind == MPROF_EVENT_ALLOCATION;
	cr_assert_eq(allocations, 3 * ROUNDS);
	cr_assert_gt(log.blocks[MPROF_BLOCK_EVENTS], 10);
	recorded_log_free(&log);
}

Test(resolution, collections_divide_columns)
{
	record_collections(0);
}

Test(resolution, collections_divide_rows)
{
	record_collections(1);
}
