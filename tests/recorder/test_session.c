/* SPDX-License-Identifier: MIT */
/* What a recorder states of itself: the clocks of the system at its start, and the frequency of its counter. */
#include "recorded_log.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_VALUES 64

/* The values of a property in the order of the log, and the clock pair of the first block that has it. */
typedef struct values {
	char texts[MAX_VALUES][64];
	size_t count;
	mprof_clock clock;
} values;

static uint64_t read_system_clock(clockid_t clock)
{
	struct timespec now;

	cr_assert_eq(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#define COUNTER_START (UINT64_C(1) << 40)

/* A counter of 1 MHz that does not start at 0. */
static uint64_t microseconds(void *user)
{
	(void)user;
	return COUNTER_START + read_system_clock(CLOCK_MONOTONIC) / 1000;
}

static void record(recorded_log *log, const mprof_recorder_options *options, uint64_t nanoseconds)
{
	mprof_recorder *recorder = recorded_log_open(log, options);
	const uint64_t start = read_system_clock(CLOCK_MONOTONIC);

	while (read_system_clock(CLOCK_MONOTONIC) - start < nanoseconds)
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
}

static values *read_values(const recorded_log *log, const char *wanted)
{
	values *found = calloc(1, sizeof(*found));
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_reader *reader;
	const char *key;
	const char *value;

	cr_assert_not_null(found);
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_SESSION &&
		       mprof_reader_next_property(reader, &key, &value) == MPROF_OK) {
			if (strcmp(key, wanted) != 0)
				continue;
			cr_assert_lt(found->count, MAX_VALUES);
			strncpy(found->texts[found->count], value, 63);
			found->clock = found->count++ == 0 ? block.start : found->clock;
		}
	}
	mprof_reader_destroy(reader);
	return found;
}

static void expect_near(const char *text, double expected, double tolerance)
{
	const double found = strtod(text, NULL);

	cr_assert_lt(fabs(found - expected), tolerance * expected, "%s is not near %f", text, expected);
}

Test(recorder_session, the_frequency_is_measured_again_over_longer_times)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	values *found;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = microseconds;
	record(&log, &options, 30000000);
	found = read_values(&log, "counters_per_second");
	/* After 10 and 20 ms at least, and at the end if that is much later. */
	cr_assert_geq(found->count, 1);
	expect_near(found->texts[found->count - 1], 1e6, 1e-3);
	free(found);
	recorded_log_free(&log);
}

Test(recorder_session, the_machine_s_frequency_is_stated_from_the_start)
{
	recorded_log log = {0};
	values *found;

	record(&log, NULL, 10000000);
	found = read_values(&log, "counters_per_second");
	cr_assert_geq(found->count, 1);
	expect_near(found->texts[0], strtod(found->texts[found->count - 1], NULL), 0.05);
	free(found);
	recorded_log_free(&log);
}

Test(recorder_session, a_frequency_that_the_client_states_is_final)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	values *found;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = microseconds;
	options.counters_per_second = 1000000.0625;
	record(&log, &options, 15000000);
	found = read_values(&log, "counters_per_second");
	cr_assert_eq(found->count, 1);
	cr_assert_str_eq(found->texts[0], "1000000.0625");
	free(found);
	recorded_log_free(&log);
}

Test(recorder_session, a_frequency_is_only_that_of_a_counter_of_the_client)
{
	static const double refused[] = {-1, 1e12 + 1, NAN, INFINITY};
	recorded_log log = {0};
	mprof_sink sink = recorded_log_sink(&log);
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counters_per_second = 1e6;
	cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_ERR_ARGUMENT);
	options.counter = microseconds;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		options.counters_per_second = refused[i];
		cr_assert_eq(mprof_recorder_open_sink(&sink, &options, &recorder, NULL), MPROF_ERR_ARGUMENT);
	}
}

Test(recorder_session, the_clocks_of_the_system_are_those_of_the_block)
{
	recorded_log log = {0};
	const uint64_t before = read_system_clock(CLOCK_MONOTONIC);
	const uint64_t wall = read_system_clock(CLOCK_REALTIME);
	mprof_recorder_options options;
	uint64_t monotonic;
	values *found;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = microseconds;
	record(&log, &options, 0);
	found = read_values(&log, "monotonic_ns");
	cr_assert_eq(found->count, 1);
	monotonic = strtoull(found->texts[0], NULL, 10);
	cr_assert_geq(monotonic, before);
	cr_assert_leq(monotonic, read_system_clock(CLOCK_MONOTONIC));
	/* The counter is this clock, and was read first. */
	cr_assert_leq(found->clock.counter, COUNTER_START + monotonic / 1000);
	cr_assert_geq(found->clock.counter, COUNTER_START + before / 1000);
	cr_assert_geq(found->clock.time, wall / 1000);
	free(found);
#if defined(CLOCK_BOOTTIME)
	found = read_values(&log, "boottime_ns");
	cr_assert_eq(found->count, 1);
	cr_assert_geq(strtoull(found->texts[0], NULL, 10), monotonic);
	cr_assert_leq(strtoull(found->texts[0], NULL, 10), read_system_clock(CLOCK_BOOTTIME));
	free(found);
#endif
	recorded_log_free(&log);
}

static void expect_text(const recorded_log *log, const char *key, const char *wanted)
{
	values *found = read_values(log, key);

	cr_assert_eq(found->count, 1, "%s: %zu values", key, found->count);
	cr_assert(wanted == NULL || strcmp(found->texts[0], wanted) == 0, "%s: %s", key, found->texts[0]);
	free(found);
}

Test(session, the_process_is_stated_unless_the_client_does)
{
	const mprof_property input[] = {{"pid", "17"}, {"program", "other"}};
	mprof_recorder_options options;
	recorded_log log = {0};
	char process[24];

	snprintf(process, sizeof(process), "%ld", (long)getpid());
	record(&log, NULL, 0);
	expect_text(&log, "pid", process);
#ifdef __linux__
	expect_text(&log, "program", NULL);
#endif
	recorded_log_free(&log);
	mprof_recorder_options_init(&options, sizeof(options));
	options.properties = input;
	options.property_size = sizeof(*input);
	options.property_count = 2;
	memset(&log, 0, sizeof(log));
	record(&log, &options, 0);
	expect_text(&log, "pid", "17");
	expect_text(&log, "program", "other");
	recorded_log_free(&log);
}

/* A log that states how methods are named, twice: the last value applies. */
static void record_words(recorded_log *log, const char *style, const char *signatures)
{
	const mprof_property properties[] = {
		{"name_style", "colons"}, {"signatures", "hidden"}, {"name_style", style}, {"signatures", signatures}};
	mprof_recorder_options options;
	mprof_description description;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.properties = properties;
	options.property_size = sizeof(properties[0]);
	options.property_count = 4;
	recorder = recorded_log_open(log, &options);
	mprof_description_init(&description, sizeof(description));
	description.name = "Truth";
	description.name_length = strlen("Truth");
	cr_assert_eq(mprof_recorder_define_class(recorder, 1, &description), MPROF_OK);
	description.name = "fib (I)I";
	description.name_length = strlen("fib (I)I");
	description.class_key = 1;
	cr_assert_eq(mprof_recorder_define_method(recorder, 2, &description), MPROF_OK);
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
	mprof_thread_enter_method(thread, 2);
	mprof_thread_leave_method(thread, 2);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
}

Test(recorder_session, the_words_of_a_runtime_decide_how_methods_are_named)
{
	static const struct {
		const char *style;
		const char *signatures;
		const char *separator;
		const char *name;
		uint32_t hides;
	} cases[] = {
		{"dots", "hidden", ".", "Truth.fib (I)I", 1},   {"colons", "", "::", "Truth::fib (I)I", 0},
		{"file", "shown", ":", "Truth:fib (I)I", 0},    {"", "hidden ", ".", "Truth.fib (I)I", 0},
		{"COLONS", "HIDDEN", ".", "Truth.fib (I)I", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mprof_session session = {.struct_size = sizeof(session)};
		mprof_block block = {.struct_size = sizeof(block)};
		recorded_log log = {0};
		mprof_reader *reader;
		char text[64];

		record_words(&log, cases[i].style, cases[i].signatures);
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
		cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
		cr_assert_str_eq(session.method_separator, ".", "nothing is stated yet");
		while (mprof_reader_next_block(reader, &block) == MPROF_OK)
			continue;
		cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
		cr_assert_str_eq(session.method_separator, cases[i].separator, "case %zu", i);
		cr_assert_eq(session.hides_signatures, cases[i].hides, "case %zu", i);
		cr_assert_eq(mprof_reader_format_method(reader, 1, text, sizeof(text)), strlen(cases[i].name));
		cr_assert_str_eq(text, cases[i].name, "case %zu", i);
		mprof_reader_destroy(reader);
		recorded_log_free(&log);
	}
}
