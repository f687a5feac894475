/* SPDX-License-Identifier: MIT */
/* Copies with a coarser unit of the counter: all times are divided, the order of events and everything else stays. */
#include "convert_fixture.h"
#include "logs/begin_copy.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIVISOR 100

/* In logs made by the fixture a unit is a nanosecond. */
#define FIXTURE_RATE 1e9

static conversion convert_coarsely(const log_bytes *log, mprof_dialect dialect, uint64_t nanoseconds)
{
	conversion created = {.stats = {.struct_size = sizeof(created.stats)}};
	mprof_writer_options options;
	mprof_reader *reader = NULL;
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;
	const uint8_t *bytes;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = (uint32_t)dialect;
	options.lossy = 1;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	cr_assert_eq(begin_coarse_copy(reader, &options, nanoseconds, FIXTURE_RATE, &converter), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	created.status = mprof_converter_run(converter, writer, NULL, NULL);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &created.log.length), MPROF_OK);
	created.log.bytes = malloc(created.log.length + 1);
	cr_assert_not_null(created.log.bytes);
	memcpy(created.log.bytes, bytes, created.log.length);
	(void)mprof_writer_destroy(writer);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return created;
}

/* Two logs that are read side by side: one, and its copy. */
typedef struct two_logs {
	mprof_reader *readers[2];
	mprof_block blocks[2];
	uint64_t origin;
	size_t event_count;
	size_t block_count;
} two_logs;

static void expect_counter(const two_logs *logs, uint64_t found, uint64_t original, const char *what)
{
	uint64_t expected = logs->origin / DIVISOR;

	/* Rounded down, also before the start of the log. */
	if ((int64_t)(original - logs->origin) >= 0)
		expected += (original - logs->origin) / DIVISOR;
	else
		expected -= (logs->origin - original + DIVISOR - 1) / DIVISOR;
	cr_assert_eq(found, expected, "%s: counter %zu became %zu", what, (size_t)original, (size_t)found);
}

/* Reads the next block that describes the program: the two logs may differ in metadata and in empty sections. */
static int next_compared(mprof_reader *reader, mprof_block *block)
{
	do {
		memset(block, 0, sizeof(*block));
		mprof_block_init(block, sizeof(*block));
		if (mprof_reader_next_block(reader, block) != MPROF_OK)
			return 0;
	} while (block->kind == MPROF_BLOCK_SESSION || block->kind == MPROF_BLOCK_DIRECTIVES ||
		 block->kind == MPROF_BLOCK_UNKNOWN);
	return 1;
}

static void compare_events(two_logs *logs)
{
	mprof_event events[2][64];
	size_t counts[2];

	do {
		for (int i = 0; i < 2; i++) {
			counts[i] = 0;
			if (mprof_reader_next_events(logs->readers[i], events[i], 64, &counts[i]) != MPROF_OK)
				counts[i] = 0;
		}
		cr_assert_eq(counts[0], counts[1]);
		for (size_t i = 0; i < counts[0]; i++) {
			cr_assert_eq(events[0][i].kind, events[1][i].kind);
			cr_assert_eq(events[0][i].id, events[1][i].id);
			expect_counter(logs, events[1][i].counter, events[0][i].counter, "event");
			if (events[0][i].kind != MPROF_EVENT_RECORDING_RESUMED)
				cr_assert_eq(events[0][i].value, events[1][i].value);
			if (events[0][i].kind == MPROF_EVENT_MEMORY_RESIZED)
				expect_counter(logs, events[1][i].more.detail->started,
					       events[0][i].more.detail->started, "start of resize");
		}
		logs->event_count += counts[0];
	} while (counts[0] > 0);
}

static void compare_blocks(two_logs *logs)
{
	const mprof_block *log = &logs->blocks[0];
	const mprof_block *copy = &logs->blocks[1];

	cr_assert_eq(log->kind, copy->kind);
	cr_assert_eq(log->thread, copy->thread);
	if (log->has_clocks) {
		expect_counter(logs, copy->start.counter, log->start.counter, "first clock");
		expect_counter(logs, copy->end.counter, log->end.counter, "last clock");
		cr_assert_eq(copy->start.time, log->start.time);
	}
	switch (log->kind) {
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		expect_counter(logs, copy->as.element.start_counter, log->as.element.start_counter, "start of load");
		expect_counter(logs, copy->as.element.end_counter, log->as.element.end_counter, "end of load");
		break;
	case MPROF_BLOCK_STATISTICAL:
		expect_counter(logs, copy->as.statistical.start_counter, log->as.statistical.start_counter, "start");
		break;
	case MPROF_BLOCK_MARK:
		expect_counter(logs, copy->as.mark.counter, log->as.mark.counter, "marker");
		break;
	case MPROF_BLOCK_WATERMARK:
		expect_counter(logs, copy->as.watermark.counter, log->as.watermark.counter, "watermark");
		break;
	case MPROF_BLOCK_HEAP_DATA:
		expect_counter(logs, copy->as.heap_data.counter, log->as.heap_data.counter, "snapshot");
		break;
	default:
		break;
	}
	if (log->kind == MPROF_BLOCK_EVENTS || log->kind == MPROF_BLOCK_SAMPLES ||
	    log->kind == MPROF_BLOCK_STATISTICAL || log->kind == MPROF_BLOCK_HEAP_DATA)
		compare_events(logs);
}

static void expect_divided(const log_bytes *log, const log_bytes *copy)
{
	two_logs logs = {.event_count = 0};
	mprof_session session = {.struct_size = sizeof(session)};

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &logs.readers[0]), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(copy->bytes, copy->length, NULL, &logs.readers[1]), MPROF_OK);
	mprof_reader_get_session(logs.readers[0], &session);
	logs.origin = session.start.counter;
	while (next_compared(logs.readers[0], &logs.blocks[0])) {
		cr_assert(next_compared(logs.readers[1], &logs.blocks[1]));
		compare_blocks(&logs);
		logs.block_count++;
	}
	cr_assert_not(next_compared(logs.readers[1], &logs.blocks[1]));
	cr_assert_gt(logs.event_count, 1);
	cr_assert_gt(logs.block_count, 3);
	mprof_reader_destroy(logs.readers[0]);
	mprof_reader_destroy(logs.readers[1]);
}

static void expect_divided_copy(log_bytes log, mprof_dialect dialect)
{
	conversion created = convert_coarsely(&log, dialect, DIVISOR);

	cr_assert_eq(created.status, MPROF_OK);
	expect_divided(&log, &created.log);
	log_free(&created.log);
	log_free(&log);
}

Test(convert_resolution, divides_all_counters)
{
	expect_divided_copy(log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES), MPROF_DIALECT_MPROF2);
	expect_divided_copy(log_make_more(FIXTURE_ALL_DIRECTIVES), MPROF_DIALECT_MPROF2);
	expect_divided_copy(log_make(MPROF_DIALECT_MAIL, 0), MPROF_DIALECT_MAIL);
}

/* Writes a property of the log to a text; an empty one if the log does not have it. */
static void get_property(const log_bytes *log, const char *wanted, char text[64])
{
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	const char *key;
	const char *value;

	text[0] = '\0';
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
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

/* The clock of logs that a test writes. */
static void read_clock(void *user, mprof_clock *clock)
{
	uint64_t *counter = user;

	*clock = (mprof_clock){*counter, 1000 + *counter / 1000};
	*counter += 1000;
}

static mprof_writer *open_writer(uint64_t *counter, mprof_dialect dialect, uint64_t directives)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = (uint32_t)dialect;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.clock = read_clock;
	options.clock_user = counter;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static log_bytes close_writer(mprof_writer *writer)
{
	log_bytes log;
	const uint8_t *bytes;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = malloc(log.length);
	cr_assert_not_null(log.bytes);
	memcpy(log.bytes, bytes, log.length);
	(void)mprof_writer_destroy(writer);
	return log;
}

static void write_events(mprof_writer *writer, uint64_t base, const mprof_event *events, size_t count)
{
	cr_assert_eq(mprof_writer_begin_events(writer, 7, base), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, count, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

/* Fails unless the copy has exactly these counters and values. */
static void expect_events(const log_bytes *log, const uint64_t (*expected)[2], size_t count)
{
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event event;
	size_t got;
	size_t found = 0;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(reader, &event, 1, &got) == MPROF_OK) {
			cr_assert_lt(found, count);
			cr_assert_eq(event.counter, expected[found][0], "event %zu: %zu", found, (size_t)event.counter);
			cr_assert_eq(event.value, expected[found][1], "event %zu: %zu", found, (size_t)event.value);
			found++;
		}
	}
	cr_assert_eq(found, count);
	mprof_reader_destroy(reader);
}

Test(convert_resolution, counters_may_pass_the_end_of_their_range)
{
	static const mprof_event events[] = {
		{.kind = MPROF_EVENT_METHOD_ENTER, .id = 1, .counter = UINT64_MAX - 150}, /* 849 after the start */
		{.kind = MPROF_EVENT_METHOD_ENTER, .id = 2, .counter = 149},              /* 1149 */
		{.kind = MPROF_EVENT_METHOD_LEAVE, .id = 2, .counter = 1000},             /* 2000 */
		{.kind = MPROF_EVENT_METHOD_LEAVE, .id = 1, .counter = UINT64_MAX - 1000} /* 1 before */
	};
	const uint64_t start = (UINT64_MAX - 999) / DIVISOR;
	const uint64_t expected[][2] = {{start + 8, 0}, {start + 11, 0}, {start + 20, 0}, {start - 1, 0}};
	uint64_t counter = UINT64_MAX - 999;
	mprof_writer *writer = open_writer(&counter, MPROF_DIALECT_MPROF2, 0);
	log_bytes log;
	conversion created;

	write_events(writer, UINT64_MAX - 900, events, 4);
	log = close_writer(writer);
	created = convert_coarsely(&log, MPROF_DIALECT_MPROF2, DIVISOR);
	cr_assert_eq(created.status, MPROF_OK);
	expect_events(&created.log, expected, 4);
	log_free(&created.log);
	log_free(&log);
}

/* The start of a pause is rounded down like all times, so it stays before or after the same events. */
Test(convert_resolution, durations_are_differences_of_rounded_times)
{
	static const mprof_event events[] = {
		{.kind = MPROF_EVENT_RECORDING_RESUMED, .counter = 1250, .value = 160},
		{.kind = MPROF_EVENT_RECORDING_RESUMED, .counter = 1299, .value = 40},
		{.kind = MPROF_EVENT_RECORDING_RESUMED, .counter = 1301, .value = 40},
	};
	static const uint64_t expected[][2] = {{12, 2}, {12, 0}, {13, 1}};
	uint64_t counter = 1000;
	mprof_writer *writer =
		open_writer(&counter, MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS));
	log_bytes log;
	conversion created;

	write_events(writer, 1000, events, 3);
	log = close_writer(writer);
	created = convert_coarsely(&log, MPROF_DIALECT_MPROF2, DIVISOR);
	cr_assert_eq(created.status, MPROF_OK);
	expect_events(&created.log, expected, 3);
	log_free(&created.log);
	log_free(&log);
}

/* In the dialects of Mono 2, a block with the base counter of the previous one continues at its last event. */
Test(convert_resolution, base_counters_that_become_equal_do_not_repeat)
{
	static const mprof_event first[] = {{.kind = MPROF_EVENT_METHOD_ENTER, .id = 1, .counter = 1510}};
	static const mprof_event second[] = {{.kind = MPROF_EVENT_METHOD_LEAVE, .id = 1, .counter = 1620}};
	static const uint64_t expected[][2] = {{15, 0}, {16, 0}};
	static const mprof_dialect dialects[] = {MPROF_DIALECT_DROP, MPROF_DIALECT_MONO, MPROF_DIALECT_UNITY,
						 MPROF_DIALECT_MPROF2};

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		uint64_t counter = 1000;
		mprof_writer *writer = open_writer(&counter, dialects[i], 0);
		log_bytes log;
		conversion created;

		write_events(writer, 1410, first, 1);
		write_events(writer, 1420, second, 1);
		log = close_writer(writer);
		created = convert_coarsely(&log, dialects[i], DIVISOR);
		cr_assert_eq(created.status, MPROF_OK);
		expect_events(&created.log, expected, 2);
		log_free(&created.log);
		log_free(&log);
	}
}

Test(convert_resolution, states_the_unit)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	conversion once = convert_coarsely(&log, MPROF_DIALECT_MPROF2, 20);
	conversion twice = convert_coarsely(&once.log, MPROF_DIALECT_MPROF2, DIVISOR);
	conversion same = convert_coarsely(&log, MPROF_DIALECT_MPROF2, 1);
	char text[64];

	get_property(&once.log, "resolution", text);
	cr_assert_str_eq(text, "20");
	get_property(&twice.log, "resolution", text);
	cr_assert_str_eq(text, "100");
	expect_same_bytes(&same.log, &log);
	log_free(&same.log);
	log_free(&twice.log);
	log_free(&once.log);
	log_free(&log);
}

Test(convert_resolution, refuses_wrong_frequencies)
{
	static const double wrong[] = {0, -1, (double)INFINITY, (double)NAN};
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_writer_options options;
	mprof_reader *reader;
	mprof_converter *converter;

	mprof_writer_options_init(&options, sizeof(options));
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_assert_eq(begin_coarse_copy(reader, &options, 100, wrong[i], &converter), MPROF_ERR_ARGUMENT);
		cr_assert_null(converter);
	}
	/* Without a resolution there is no need of it. */
	cr_assert_eq(begin_coarse_copy(reader, &options, 0, -1, &converter), MPROF_OK);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	log_free(&log);
}
