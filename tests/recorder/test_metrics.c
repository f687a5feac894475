/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_metrics.c
 * \brief Metrics of the runtime: defined once, written when they change.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t define(mprof_recorder *recorder, const char *section, const char *name, uint32_t flags)
{
	uint32_t metric = 0;

	cr_assert_eq(mprof_recorder_define_metric(recorder, section, name, flags, &metric), MPROF_OK);
	return metric;
}

static void record_values(mprof_recorder *recorder, uint32_t first, uint64_t value, uint32_t second, uint64_t other)
{
	const mprof_metric_value values[] = {{.metric = first, .value = value}, {.metric = second, .value = other}};

	cr_assert_eq(mprof_recorder_record_metrics(recorder, values, sizeof(*values), 2), MPROF_OK);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
}

static void finish(mprof_recorder *recorder, recorded_log *log)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
	cr_assert(log->complete);
}

Test(metrics, only_changes_are_written)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	const double share = 0.75;
	uint64_t share_bits;
	uint32_t heap = define(recorder, "GC", "heap", MPROF_METRIC_UNIT_BYTES);
	uint32_t ratio = define(recorder, "JIT", "inlined", MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_RATIO);
	static const struct {
		uint32_t kind;
		uint32_t id;
		uint64_t value;
	} expected[] = {
		{MPROF_RECORD_METRIC, 1, 0},
		{MPROF_RECORD_METRIC, 2, 0},
		{MPROF_RECORD_METRIC_VALUE, 1, 0},
		{MPROF_RECORD_METRIC_VALUE, 2, 0},
		{MPROF_RECORD_METRIC_VALUE, 1, UINT64_MAX - 4},
		{MPROF_RECORD_METRIC_VALUE, 2, 7},
		{MPROF_RECORD_METRIC_VALUE, 1, 5},
		{MPROF_RECORD_METRIC_VALUE, 1, 0},
	};
	const size_t count = sizeof(expected) / sizeof(expected[0]);

	memcpy(&share_bits, &share, sizeof(share_bits));
	cr_assert_eq(heap, 1);
	cr_assert_eq(ratio, 2);
	/* 0 is a value like others, so it is written the first time. */
	record_values(recorder, heap, 0, ratio, share_bits);
	record_values(recorder, heap, 0, ratio, share_bits);
	record_values(recorder, heap, (uint64_t)-5, ratio, share_bits);
	record_values(recorder, heap, (uint64_t)-5, ratio, 7);
	record_values(recorder, ratio, 7, heap, 5);
	record_values(recorder, heap, 0, ratio, 7);
	finish(recorder, &log);
	cr_assert_eq(log.record_count, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t value = i == 3 ? share_bits : expected[i].value;
		const mprof_record *record = &log.records[i].record;

		cr_assert_eq(record->kind, expected[i].kind, "record %zu", i);
		cr_assert_eq(record->id, expected[i].id, "record %zu", i);
		if (record->kind == MPROF_RECORD_METRIC_VALUE)
			cr_assert_eq(record->as.metric_value.value, value, "record %zu", i);
	}
	cr_assert_str_eq(log.records[0].name, "heap");
	cr_assert_str_eq(log.records[0].section, "GC");
	cr_assert_eq(log.records[0].record.as.metric.flags, MPROF_METRIC_UNIT_BYTES);
	cr_assert_str_eq(log.records[1].name, "inlined");
	cr_assert_eq(log.records[1].record.as.metric.flags, MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_RATIO);
	/* Without changes there is no block. */
	cr_assert_eq(log.blocks[MPROF_BLOCK_METRICS], 5);
	recorded_log_free(&log);
}

Test(metrics, one_that_never_got_a_value_is_defined)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);

	define(recorder, "", "lonely", MPROF_METRIC_UNIT_COUNT | MPROF_METRIC_FLAG_MONOTONIC);
	finish(recorder, &log);
	cr_assert_eq(log.record_count, 1);
	cr_assert_str_eq(log.records[0].name, "lonely");
	cr_assert_eq(log.records[0].record.as.metric.flags, MPROF_METRIC_UNIT_COUNT | MPROF_METRIC_FLAG_MONOTONIC);
	recorded_log_free(&log);
}

Test(metrics, refuses_what_the_contract_forbids)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	const mprof_metric_value unknown[] = {{.value = 1}, {.metric = 1, .value = 1}};
	uint32_t metric;

	cr_assert_eq(mprof_recorder_define_metric(NULL, "s", "n", 0, &metric), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, NULL, "n", 0, &metric), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", NULL, 0, &metric), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 0, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 2, &metric), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", 0xd0, &metric), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", MPROF_METRIC_UNIT_NAMED, &metric),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "s", "n", MPROF_METRIC_FLAG_THREAD, &metric),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, unknown, sizeof(*unknown), 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, unknown + 1, sizeof(mprof_metric_value), 1),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, NULL, sizeof(mprof_metric_value), 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_metrics(NULL, NULL, sizeof(mprof_metric_value), 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, NULL, sizeof(mprof_metric_value), 0), MPROF_OK);
	finish(recorder, &log);
	cr_assert_eq(log.record_count, 0);
	recorded_log_free(&log);
}

static uint32_t describe(mprof_recorder *recorder, const char *name, const char *unit, uint64_t thread, uint32_t flags)
{
	const mprof_metric_description description = {
		.struct_size = sizeof(description), .name = name, .unit = unit, .thread = thread, .flags = flags};
	uint32_t metric = 0;

	cr_assert_eq(mprof_recorder_define_metric_detailed(recorder, &description, &metric), MPROF_OK);
	return metric;
}

/* Values with a time are all written, in the order in which they are given, and so are all buckets. */
Test(metrics, times_threads_and_buckets)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	const uint64_t start = mprof_recorder_read_counter(recorder);
	const uint32_t depth =
		describe(recorder, "depth", NULL, 77, MPROF_METRIC_UNIT_COUNT | MPROF_METRIC_FLAG_THREAD);
	const uint32_t pressure = describe(recorder, "pressure", "mm[Hg]", 0, MPROF_METRIC_UNIT_NAMED);
	const uint32_t delay =
		describe(recorder, "delay", NULL, 0, MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_HISTOGRAM);
	const mprof_metric_value values[] = {
		{.metric = depth, .value = 3},
		{.metric = depth, .value = 3},
		{.metric = pressure, .value = 120, .counter = start},
		{.metric = pressure, .value = 120, .counter = start - 5},
		{.metric = delay, .value = 100, .lower = 10, .count = 4},
		{.metric = delay, .value = 100, .lower = 10, .count = 4},
	};
	static const uint32_t expected[] = {1, 2, 3, 1, 2, 2, 3, 3};

	cr_assert_eq(mprof_recorder_record_metrics(recorder, values, sizeof(*values), 6), MPROF_OK);
	finish(recorder, &log);
	cr_assert_eq(log.record_count, 8);
	for (size_t i = 0; i < 8; i++)
		cr_expect_eq(log.records[i].record.id, expected[i], "record %zu", i);
	cr_expect_eq(log.records[0].record.as.metric.thread, 77);
	cr_expect_eq(log.records[3].record.as.metric_value.counter, 0);
	cr_expect_eq(log.records[4].record.as.metric_value.counter, start);
	cr_expect_eq(log.records[5].record.as.metric_value.counter, start - 5);
	cr_expect_eq(log.records[6].record.as.metric_value.lower, 10);
	cr_expect_eq(log.records[7].record.as.metric_value.count, 4);
	recorded_log_free(&log);
}

/* Only a log that needs it has the directive, so that others are what they were. */
Test(metrics, directive_is_declared_when_it_is_needed)
{
	for (int needs = 0; needs <= 1; needs++) {
		recorded_log log = {0};
		mprof_recorder *recorder = recorded_log_open(&log, NULL);
		const mprof_metric_value value = {.metric = 1, .value = 7, .counter = needs ? 1000 : 0};

		describe(recorder, "energy", NULL, 5, MPROF_METRIC_UNIT_JOULES | MPROF_METRIC_FLAG_THREAD);
		cr_assert_eq(mprof_recorder_record_metrics(recorder, &value, sizeof(value), 1), MPROF_OK);
		finish(recorder, &log);
		cr_expect_eq(log.blocks[MPROF_BLOCK_DIRECTIVES], 1 + needs);
		cr_expect_eq(log.record_count, 2);
		recorded_log_free(&log);
	}
}

Test(metrics, refuses_descriptions_that_contradict_themselves)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	static const mprof_metric_description wrong[] = {
		{.struct_size = sizeof(*wrong), .unit = "W"},
		{.struct_size = sizeof(*wrong), .name = "n", .unit = "W"},
		{.struct_size = sizeof(*wrong), .name = "n", .flags = MPROF_METRIC_UNIT_NAMED},
		{.struct_size = sizeof(*wrong), .name = "n", .unit = "", .flags = MPROF_METRIC_UNIT_NAMED},
		{.struct_size = sizeof(*wrong), .name = "n", .thread = 1},
		{.struct_size = sizeof(*wrong), .name = "n", .flags = 0xd0},
		{.struct_size = 0, .name = "n"},
	};
	const mprof_metric_value bound = {.metric = 1, .value = 9, .lower = 1};
	uint32_t metric;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_eq(mprof_recorder_define_metric_detailed(recorder, &wrong[i], &metric), MPROF_ERR_ARGUMENT,
			     "%zu", i);
	define(recorder, "s", "n", MPROF_METRIC_FLAG_HISTOGRAM);
	cr_expect_eq(mprof_recorder_record_metrics(recorder, &bound, sizeof(bound), 1), MPROF_ERR_ARGUMENT);
	finish(recorder, &log);
	recorded_log_free(&log);
}

enum { THREADS = 4, METRICS_EACH = 200 };

static void *define_many(void *argument)
{
	mprof_recorder *recorder = argument;

	for (int i = 0; i < METRICS_EACH; i++) {
		char name[32];
		uint32_t metric;
		mprof_metric_value value = {.value = 0};

		snprintf(name, sizeof(name), "m%d", i);
		if (mprof_recorder_define_metric(recorder, "s", name, 0, &metric) != MPROF_OK)
			return argument;
		value.metric = metric;
		value.value = (uint64_t)i;
		if (mprof_recorder_record_metrics(recorder, &value, sizeof(value), 1) != MPROF_OK)
			return argument;
	}
	return NULL;
}

Test(metrics, may_be_defined_by_many_threads, .timeout = 60)
{
	recorded_log log = {0};
	mprof_recorder *recorder = recorded_log_open(&log, NULL);
	pthread_t threads[THREADS];
	uint32_t next = 1;
	size_t values = 0;

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, define_many, recorder), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		cr_assert_null(failed);
	}
	finish(recorder, &log);
	for (size_t i = 0; i < log.record_count; i++) {
		if (log.records[i].record.kind == MPROF_RECORD_METRIC)
			cr_assert_eq(log.records[i].record.id, next++);
		else
			values++;
	}
	cr_assert_eq(next - 1, THREADS * METRICS_EACH);
	cr_assert_eq(values, THREADS * METRICS_EACH);
	recorded_log_free(&log);
}

enum { RING_VALUES = 100000, RING_BYTES = 1 << 20 };

/* What a ring has of a metric: definitions, and values, each the number of its turn. */
typedef struct ring_values {
	uint32_t definitions;
	uint64_t first;
	uint64_t last;
	uint64_t count;
} ring_values;

/* Reads what a file has of two metrics, whose IDs are 1 and 2. */
static void read_ring_values(const char *path, ring_values *found)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_record record;
	size_t count;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_METRICS &&
		       mprof_reader_next_records(reader, &record, sizeof(record), 1, &count) == MPROF_OK) {
			ring_values *metric = &found[record.id - 1];

			if (record.kind == MPROF_RECORD_METRIC) {
				metric->definitions++;
				cr_expect_str_eq(record.as.metric.unit, "mm[Hg]");
				continue;
			}
			if (metric->count++ == 0)
				metric->first = record.as.metric_value.value;
			metric->last = record.as.metric_value.value;
		}
	}
	mprof_reader_destroy(reader);
}

/*
 * Metrics with a length, of which a ring evicts old values and retains definitions. One of them changes each time, and
 * the other one never: it has a value also when the ring has evicted its first one.
 */
Test(metrics, a_ring_keeps_definitions_and_the_latest_values, .timeout = 120)
{
	char path[] = "mprof-test-metrics-XXXXXX";
	mprof_recorder *recorder;
	ring_values found[2] = {{0}};

	close(mkstemp(path));
	cr_assert_eq(mprof_recorder_open_ring(RING_BYTES, NULL, &recorder, NULL), MPROF_OK);
	describe(recorder, "pressure", "mm[Hg]", 0, MPROF_METRIC_UNIT_NAMED);
	describe(recorder, "limit", "mm[Hg]", 0, MPROF_METRIC_UNIT_NAMED);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	for (uint64_t i = 1; i <= RING_VALUES; i++) {
		const mprof_metric_value values[] = {{.metric = 1, .value = i}, {.metric = 2, .value = 160}};

		cr_assert_eq(mprof_recorder_record_metrics(recorder, values, sizeof(*values), 2), MPROF_OK);
		if (i % 1000 == 0)
			cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	}
	cr_assert_eq(mprof_recorder_dump_path(recorder, path, 0, NULL), MPROF_OK);
	mprof_recorder_destroy(recorder);
	read_ring_values(path, found);
	unlink(path);
	cr_expect_eq(found[0].definitions, 1);
	cr_expect_eq(found[0].last, RING_VALUES);
	cr_expect_eq(found[0].count, found[0].last - found[0].first + 1, "all values since the oldest one");
	cr_expect_gt(found[0].first, 1000, "old values were evicted");
	cr_expect_eq(found[1].definitions, 1);
	cr_expect_eq(found[1].last, 160);
	cr_expect_gt(found[1].count, 0);
	cr_expect_lt(found[1].count, found[0].count / 100 + 4, "only again when it was evicted");
}
