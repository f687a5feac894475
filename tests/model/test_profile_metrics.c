/* SPDX-License-Identifier: MIT */
/* Metrics of the runtime, and markers of the user. */
#include "profile_fixture.h"

static mprof_metric_stats metric_at(const test_log *log, size_t index)
{
	mprof_metric_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_METRICS, index, &stats), MPROF_OK);
	return stats;
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static mprof_record value_of(uint32_t metric, uint64_t value)
{
	mprof_record record = {.kind = MPROF_RECORD_METRIC_VALUE, .id = metric, .as.metric_value.value = value};

	return record;
}

static void define_metrics(test_log *log)
{
	WRITE_RECORDS(
		log, MPROF_BLOCK_METRICS, 0,
		{.kind = MPROF_RECORD_METRIC,
		 .id = 1,
		 .as.metric.flags = MPROF_METRIC_UNIT_BYTES,
		 .as.metric.section = "GC",
		 .as.metric.name = "heap"},
		{.kind = MPROF_RECORD_METRIC,
		 .id = 2,
		 .as.metric.flags = MPROF_METRIC_UNIT_RATIO | MPROF_METRIC_FLAG_DOUBLE,
		 .as.metric.section = "CPU",
		 .as.metric.name = "load"},
		{.kind = MPROF_RECORD_METRIC, .id = 3, .as.metric.section = "GC", .as.metric.name = "never read"});
}

Test(profile_metrics, first_last_least_most)
{
	const int64_t signed_values[] = {100, -50, 900, 7};
	const double double_values[] = {0.5, 0.75, -2.0, 0.25};
	test_log log;

	log_begin(&log);
	define_metrics(&log);
	for (uint64_t i = 0; i < 4; i++) {
		mprof_record values[] = {value_of(1, (uint64_t)signed_values[i]),
					 value_of(2, bits_of(double_values[i]))};

		log.counter = SESSION_START + 1000 * i;
		write_records(&log, MPROF_BLOCK_METRICS, 0, values, 2);
	}
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_METRICS), 3);
	cr_expect_str_eq(metric_at(&log, 0).section, "GC");
	cr_expect_str_eq(metric_at(&log, 0).name, "heap");
	cr_expect_eq(metric_at(&log, 0).flags, MPROF_METRIC_UNIT_BYTES);
	cr_expect_eq(metric_at(&log, 0).count, 4);
	cr_expect_eq((int64_t)metric_at(&log, 0).first, 100);
	cr_expect_eq((int64_t)metric_at(&log, 0).last, 7);
	cr_expect_eq((int64_t)metric_at(&log, 0).minimum, -50);
	cr_expect_eq((int64_t)metric_at(&log, 0).maximum, 900);
	cr_expect_eq(metric_at(&log, 0).last_ns, 3000);
	cr_expect_eq(metric_at(&log, 1).first, bits_of(0.5));
	cr_expect_eq(metric_at(&log, 1).last, bits_of(0.25));
	cr_expect_eq(metric_at(&log, 1).minimum, bits_of(-2.0));
	cr_expect_eq(metric_at(&log, 1).maximum, bits_of(0.75));
	cr_expect_str_eq(metric_at(&log, 2).name, "never read");
	cr_expect_eq(metric_at(&log, 2).count, 0);
	cr_expect_eq(metric_at(&log, 2).last_ns, 0);
	log_release(&log);
}

static mprof_histogram_stats histogram_at(const test_log *log, size_t index)
{
	mprof_histogram_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_HISTOGRAMS, index, &stats), MPROF_OK);
	return stats;
}

static mprof_record bucket_of(uint32_t metric, int64_t lower, int64_t upper, uint64_t count)
{
	mprof_record record = value_of(metric, (uint64_t)upper);

	record.as.metric_value.lower = (uint64_t)lower;
	record.as.metric_value.count = count;
	return record;
}

static void define_histogram(test_log *log, uint32_t flags)
{
	WRITE_RECORDS(log, MPROF_BLOCK_METRICS, 0,
		      {.kind = MPROF_RECORD_METRIC,
		       .id = 1,
		       .as.metric.flags = flags | MPROF_METRIC_FLAG_HISTOGRAM | MPROF_METRIC_UNIT_NAMED,
		       .as.metric.unit = "ms",
		       .as.metric.name = "delay"});
}

static void expect_range(uint64_t above, uint64_t value, int64_t expected_above, int64_t expected)
{
	cr_expect_eq((int64_t)above, expected_above, "above %lld", (long long)above);
	cr_expect_eq((int64_t)value, expected, "at most %lld", (long long)value);
}

/* Buckets of several blocks are added up; percentiles are the bounds of the buckets that contain them. */
Test(profile_metrics, percentiles_are_bounds_of_buckets)
{
	mprof_record first[] = {bucket_of(1, 0, 10, 40), bucket_of(1, 10, 100, 9)};
	mprof_record second[] = {bucket_of(1, 10, 100, 50), bucket_of(1, 100, INT64_MAX, 1)};
	mprof_histogram_stats stats;
	test_log log;

	log_begin(&log);
	define_histogram(&log, 0);
	write_records(&log, MPROF_BLOCK_METRICS, 0, first, 2);
	write_records(&log, MPROF_BLOCK_METRICS, 0, second, 2);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HISTOGRAMS), 1);
	stats = histogram_at(&log, 0);
	cr_expect_str_eq(stats.unit, "ms");
	cr_expect_eq(stats.count, 100);
	cr_expect_eq(stats.buckets, 3);
	expect_range(stats.min_above, stats.min, 0, 10);
	expect_range(stats.p50_above, stats.p50, 10, 100);
	expect_range(stats.p90_above, stats.p90, 10, 100);
	expect_range(stats.p99_above, stats.p99, 10, 100);
	expect_range(stats.max_above, stats.max, 100, INT64_MAX);
	/* Buckets are no values. */
	cr_expect_eq(metric_at(&log, 0).count, 0);
	cr_expect_eq(metric_at(&log, 0).maximum, 0);
	log_release(&log);
}

/* Of buckets of other widths, the bounds are those that hold for every distribution in them. */
Test(profile_metrics, buckets_that_overlap)
{
	mprof_record buckets[] = {bucket_of(1, 0, 100, 1), bucket_of(1, 40, 50, 1), bucket_of(1, -20, 10, 1)};
	mprof_histogram_stats stats;
	test_log log;

	log_begin(&log);
	define_histogram(&log, 0);
	write_records(&log, MPROF_BLOCK_METRICS, 0, buckets, 3);
	log_profile(&log);
	stats = histogram_at(&log, 0);
	expect_range(stats.min_above, stats.min, -20, 10);
	expect_range(stats.p50_above, stats.p50, 0, 50);
	expect_range(stats.max_above, stats.max, 40, 100);
	log_release(&log);
}

/* Bounds in the wrong order, without width, and that are no numbers; counts that exceed 64 bits. */
Test(profile_metrics, hostile_buckets)
{
	mprof_record buckets[] = {bucket_of(1, 10, 5, 1), bucket_of(1, 7, 7, 1), bucket_of(1, 1, 2, 0)};
	mprof_record doubles[] = {bucket_of(1, (int64_t)bits_of(1), (int64_t)bits_of(__builtin_nan("")), 1),
				  bucket_of(1, (int64_t)bits_of(-2.5), (int64_t)bits_of(-0.5), UINT64_MAX)};
	mprof_histogram_stats stats;
	test_log log;

	log_begin(&log);
	define_histogram(&log, 0);
	write_records(&log, MPROF_BLOCK_METRICS, 0, buckets, 3);
	log_profile(&log);
	stats = histogram_at(&log, 0);
	cr_expect(stats.count == 2 && stats.buckets == 1);
	expect_range(stats.p50_above, stats.p50, INT64_MIN, INT64_MAX);
	log_release(&log);
	log_begin(&log);
	define_histogram(&log, MPROF_METRIC_FLAG_DOUBLE);
	write_records(&log, MPROF_BLOCK_METRICS, 0, doubles, 2);
	log_profile(&log);
	stats = histogram_at(&log, 0);
	cr_expect_eq(stats.count, UINT64_MAX);
	cr_expect_eq(stats.p50_above, bits_of(-2.5));
	cr_expect_eq(stats.p50, bits_of(-0.5));
	cr_expect_eq(stats.min_above, bits_of(-__builtin_inf()));
	log_release(&log);
}

/* More different buckets than a histogram has: those beyond have no bounds, and none is lost. */
Test(profile_metrics, too_many_buckets)
{
	enum { BUCKETS = 5000 };
	mprof_record *buckets = calloc(BUCKETS, sizeof(*buckets));
	mprof_histogram_stats stats;
	test_log log;

	cr_assert_not_null(buckets);
	for (int64_t i = 0; i < BUCKETS; i++)
		buckets[i] = bucket_of(1, i, i + 1, 1);
	log_begin(&log);
	define_histogram(&log, 0);
	write_records(&log, MPROF_BLOCK_METRICS, 0, buckets, BUCKETS);
	log_profile(&log);
	stats = histogram_at(&log, 0);
	cr_expect_eq(stats.count, BUCKETS);
	cr_expect_leq(stats.buckets, 4097);
	cr_expect_eq((int64_t)stats.max, INT64_MAX);
	log_release(&log);
	free(buckets);
}

/* First and last are those in the order of the times that values have, and a window contains values by these. */
Test(profile_metrics, values_with_times)
{
	const uint64_t counters[] = {300, 100, 0, 200};
	mprof_record values[4];
	mprof_profile_options options;
	test_log log;

	for (int windowed = 0; windowed <= 1; windowed++) {
		log_begin(&log);
		define_metrics(&log);
		log.counter = SESSION_START + 5000;
		for (uint64_t i = 0; i < 4; i++) {
			values[i] = value_of(1, 10 + i);
			values[i].as.metric_value.counter = counters[i] != 0 ? SESSION_START + counters[i] : 0;
		}
		write_records(&log, MPROF_BLOCK_METRICS, 0, values, 4);
		mprof_profile_options_init(&options, sizeof(options));
		if (windowed) {
			options.window_start_ns = 150;
			options.window_end_ns = 250;
		}
		log_profile_with(&log, &options);
		cr_expect_eq(metric_at(&log, 0).count, windowed ? 1 : 4);
		cr_expect_eq(metric_at(&log, 0).first, windowed ? 13 : 11);
		cr_expect_eq(metric_at(&log, 0).last, windowed ? 13 : 12);
		log_release(&log);
	}
}

static mprof_record time_of(uint32_t metric, uint64_t thread, const char *name)
{
	mprof_record record = {.kind = MPROF_RECORD_METRIC,
			       .id = metric,
			       .as.metric.flags = MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_THREAD,
			       .as.metric.section = "thread",
			       .as.metric.name = name,
			       .as.metric.thread = thread};

	return record;
}

static mprof_thread_stats thread_at(const test_log *log, size_t index)
{
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_THREADS, index, &stats), MPROF_OK);
	return stats;
}

/* Thread 7 was attached twice; 8 has metrics with other names, too. */
Test(profile_metrics, times_of_threads)
{
	mprof_record defined[] = {time_of(1, 7, "wall time"),  time_of(2, 7, "cpu time"), time_of(3, 8, "cpu time"),
				  time_of(4, 8, "ready time"), time_of(5, 8, "depth"),    time_of(6, 7, "wall time")};
	mprof_record first[] = {value_of(1, 1000), value_of(2, 300), value_of(3, 50), value_of(5, 9)};
	mprof_record second[] = {value_of(1, 1500), value_of(2, 301), value_of(4, 40), value_of(6, 20)};
	test_log log;

	log_begin(&log);
	write_records(&log, MPROF_BLOCK_METRICS, 0, defined, 6);
	write_records(&log, MPROF_BLOCK_METRICS, 0, first, 4);
	write_records(&log, MPROF_BLOCK_METRICS, 0, second, 4);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 2);
	cr_expect_eq(thread_at(&log, 0).id, 7);
	cr_expect_eq(thread_at(&log, 0).wall_ns, 1520);
	cr_expect_eq(thread_at(&log, 0).cpu_ns, 301);
	cr_expect_eq(thread_at(&log, 0).ready_ns, 0);
	cr_expect_eq(thread_at(&log, 1).wall_ns, 0);
	cr_expect_eq(thread_at(&log, 1).cpu_ns, 50);
	cr_expect_eq(thread_at(&log, 1).ready_ns, 40);
	log_release(&log);
}

Test(profile_metrics, context_switches_of_threads)
{
	mprof_record defined[] = {time_of(1, 7, "voluntary switches"), time_of(2, 7, "involuntary switches"),
				  time_of(3, 8, "switches")};
	mprof_record first[] = {value_of(1, 10), value_of(2, 2), value_of(3, 5)};
	mprof_record second[] = {value_of(1, 12)};
	test_log log;

	log_begin(&log);
	write_records(&log, MPROF_BLOCK_METRICS, 0, defined, 3);
	write_records(&log, MPROF_BLOCK_METRICS, 0, first, 3);
	write_records(&log, MPROF_BLOCK_METRICS, 0, second, 1);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 1);
	cr_expect_eq(thread_at(&log, 0).voluntary_switches, 12);
	cr_expect_eq(thread_at(&log, 0).involuntary_switches, 2);
	cr_expect_eq(thread_at(&log, 0).wall_ns, 0);
	log_release(&log);
}

Test(profile_metrics, marks)
{
	const struct {
		uint64_t thread;
		uint64_t counter;
		const char *text;
	} marks[] = {{7, 100, "begin"}, {0, 50, ""}, {8, 300, "end"}};
	test_log log;

	log_begin(&log);
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(mprof_writer_write_mark(log.writer, marks[i].thread, SESSION_START + marks[i].counter,
						     marks[i].text, strlen(marks[i].text)),
			     MPROF_OK);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_MARKS), 3);
	for (size_t i = 0; i < 3; i++) {
		mprof_mark mark = {.struct_size = sizeof(mark)};

		cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_MARKS, i, &mark), MPROF_OK);
		cr_expect_eq(mark.thread, marks[i].thread);
		cr_expect_eq(mark.time_ns, (int64_t)marks[i].counter);
		cr_expect_str_eq(mark.text, marks[i].text);
	}
	/* A marker is not an event of the thread. */
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 0);
	log_release(&log);
}
