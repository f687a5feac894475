/* SPDX-License-Identifier: MIT */
/*
 * Writes metrics of OpenTelemetry, in their binary form: those of the log with their values over time, its histograms,
 * the size of the heap, and counters of what is alive.
 */
#include "export/targets.h"

#include "common/arguments.h"
#include "common/elements.h"
#include "export/event_walk.h"
#include "export/intern.h"
#include "export/live_counters.h"
#include "export/otlp_resource.h"
#include "export/protobuf.h"
#include "export/thread_table.h"
#include "report/filters.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of opentelemetry-proto 1.11.0, metrics v1. */
enum { SCOPES_METRICS = 2 };
enum { METRIC_NAME = 1, METRIC_UNIT = 3, METRIC_GAUGE = 5, METRIC_SUM = 7, METRIC_HISTOGRAM = 9 };
/* Of gauges, sums and histograms. */
enum { DATA_POINTS = 1, DATA_TEMPORALITY = 2, SUM_IS_MONOTONIC = 3 };
enum { TEMPORALITY_CUMULATIVE = 2 };
/* Of points; the time has the same number in both kinds. */
enum { POINT_START = 2, POINT_TIME = 3, POINT_DOUBLE = 4, POINT_INTEGER = 6, POINT_ATTRIBUTES = 7 };
enum { HISTOGRAM_COUNT = 4, HISTOGRAM_COUNTS = 6, HISTOGRAM_BOUNDS = 7, HISTOGRAM_ATTRIBUTES = 9 };

enum { NAME_SIZE = 512 };

/* Bytes of all points that are collected before they are written. */
#define POINTS_BYTES OTLP_BATCH_BYTES

/* A bucket: values that are greater than the lower bound and at most the upper one. */
typedef struct histogram_bucket {
	double lower; /* -INFINITY if there is none. */
	double upper;
} histogram_bucket;

/* A metric of the log. */
typedef struct metric_series {
	uint32_t flags;
	int is_known;
	int is_left_out; /* Of a thread that is not exported. */
	uint64_t process;
	char *name;
	char *unit;
	protobuf_message points;
	protobuf_message attributes; /* Of each point. */
	intern_table buckets;        /* Distinct ones: each a histogram_bucket. */
	uint64_t *counts;            /* Of their values. */
	size_t count_capacity;
	uint64_t time; /* Of the latest bucket. */
} metric_series;

typedef struct metric_writer {
	const log_report *report;
	event_walk walk;
	thread_table threads;
	live_counters live;
	otlp_messages messages;
	metric_series *series; /* By ID of the metric, from 1. */
	size_t series_count;
	size_t series_capacity;
	protobuf_message point;
	protobuf_message packed;
	protobuf_message data;
	protobuf_message message;
	protobuf_message live_points;
	live_counter live_counter; /* Whose points these are. */
	uint64_t start_time;       /* Of the log: nanoseconds since 1970. */
	size_t points_length;
	uint64_t points;    /* Number of values. */
	uint64_t unbounded; /* Values in buckets whose bounds are not known. */
	int has_failed;
} metric_writer;

/* The unit in the notation of UCUM; "" if there is none. */
static const char *unit_of(const mprof_metric_record *metric)
{
	static const struct {
		uint32_t unit;
		const char *name;
	} units[] = {
		{MPROF_METRIC_UNIT_BYTES, "By"},
		{MPROF_METRIC_UNIT_TIME, "ns"},
		{MPROF_METRIC_UNIT_COUNT, "1"},
		{MPROF_METRIC_UNIT_RATIO, "1"},
		{MPROF_METRIC_UNIT_BITS, "bit"},
		{MPROF_METRIC_UNIT_JOULES, "J"},
		{MPROF_METRIC_UNIT_HERTZ, "Hz"},
		{MPROF_METRIC_UNIT_KELVIN, "K"},
		{MPROF_METRIC_UNIT_PERCENT, "%"},
		{MPROF_METRIC_UNIT_PAGES, "{page}"},
		{MPROF_METRIC_UNIT_INSTRUCTIONS, "{instruction}"},
		{MPROF_METRIC_UNIT_CYCLES, "{cycle}"},
		{MPROF_METRIC_UNIT_WATTS, "W"},
	};
	const uint32_t unit = metric->flags & MPROF_METRIC_UNIT_MASK;

	if (unit == MPROF_METRIC_UNIT_NAMED)
		return metric->unit;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].unit == unit)
			return units[i].name;
	}
	return "";
}

static void add_thread(metric_writer *writer, metric_series *series, uint64_t thread, uint32_t field)
{
	mprof_timeline_stats timeline;
	char text[32];

	/* A whole process has a timeline, and no thread. */
	if (thread_names_table_timeline(&writer->threads, thread, &timeline) && timeline.kind == MPROF_TIMELINE_PROCESS)
		return;
	snprintf(text, sizeof(text), "0x%" PRIx64, thread);
	otlp_add_text(&writer->messages.attributes, &series->attributes, field, "thread.id", text);
}

static void describe_series(metric_writer *writer, metric_series *series, uint32_t id)
{
	mprof_record record;
	const mprof_metric_record *metric = &record.as.metric;
	char name[NAME_SIZE];

	series->is_known = 1;
	snprintf(name, sizeof(name), "metric %" PRIu32, id);
	if (mprof_reader_lookup_record(writer->walk.input.reader, MPROF_RECORD_METRIC, id, &record, sizeof(record)) ==
	    MPROF_OK) {
		snprintf(name, sizeof(name), "%s%s%s", metric->section, metric->section[0] != '\0' ? "." : "",
			 metric->name);
		series->flags = metric->flags;
		series->unit = strdup(unit_of(metric));
		writer->has_failed |= series->unit == NULL;
	}
	series->name = strdup(name);
	writer->has_failed |= series->name == NULL;
	if ((series->flags & MPROF_METRIC_FLAG_THREAD) == 0)
		return;
	series->is_left_out = !filter_options_want_thread(&writer->walk.job->options, metric->thread);
	series->process = thread_names_table_process_of(&writer->threads, metric->thread);
	add_thread(writer, series, metric->thread,
		   (series->flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0 ? HISTOGRAM_ATTRIBUTES : POINT_ATTRIBUTES);
}

/* Returns NULL if the metric is left out, and if out of memory. */
static metric_series *get_series(metric_writer *writer, uint32_t id)
{
	while (writer->series_count <= id) {
		if (!elements_reserve((void **)&writer->series, &writer->series_capacity, writer->series_count,
				      sizeof(*writer->series))) {
			writer->has_failed = 1;
			return NULL;
		}
		memset(&writer->series[writer->series_count++], 0, sizeof(*writer->series));
	}
	if (!writer->series[id].is_known)
		describe_series(writer, &writer->series[id], id);
	return writer->series[id].is_left_out ? NULL : &writer->series[id];
}

static const char *text_or_none(const char *text)
{
	return text != NULL ? text : "";
}

/* Writes a metric from its data. */
static void write_metric(metric_writer *writer, uint64_t process, const char *name, const char *unit, uint32_t field)
{
	protobuf_clear(&writer->message);
	protobuf_text(&writer->message, METRIC_NAME, otlp_plain(&writer->messages.attributes, name));
	if (*unit != '\0')
		protobuf_text(&writer->message, METRIC_UNIT, otlp_plain(&writer->messages.attributes, unit));
	protobuf_add(&writer->message, field, &writer->data);
	writer->has_failed |= writer->message.has_failed;
	otlp_messages_add(&writer->messages, process, SCOPES_METRICS, &writer->message);
}

/* Writes the points of a metric, and removes them. */
static void write_points(metric_writer *writer, metric_series *series)
{
	const int is_sum = (series->flags & MPROF_METRIC_FLAG_MONOTONIC) != 0;

	writer->has_failed |= series->points.has_failed;
	if (series->points.length == 0)
		return;
	protobuf_clear(&writer->data);
	protobuf_append(&writer->data, &series->points);
	if (is_sum) {
		protobuf_number(&writer->data, DATA_TEMPORALITY, TEMPORALITY_CUMULATIVE);
		protobuf_number(&writer->data, SUM_IS_MONOTONIC, 1);
	}
	write_metric(writer, series->process, text_or_none(series->name), text_or_none(series->unit),
		     is_sum ? METRIC_SUM : METRIC_GAUGE);
	protobuf_clear(&series->points);
}

static void write_all_points(metric_writer *writer)
{
	for (size_t i = 0; i < writer->series_count; i++)
		write_points(writer, &writer->series[i]);
	writer->points_length = 0;
}

static void add_metric(void *user, const mprof_record *record, uint64_t time)
{
	metric_writer *writer = user;
	const mprof_metric_value_record *value = &record->as.metric_value;
	metric_series *series = get_series(writer, record->id);

	if (series == NULL)
		return;
	protobuf_clear(&writer->point);
	protobuf_fixed64(&writer->point, POINT_TIME, writer->start_time + time);
	if (value->is_double)
		protobuf_double(&writer->point, POINT_DOUBLE, kind_double_value(value->value));
	else
		protobuf_fixed64(&writer->point, POINT_INTEGER, value->value);
	protobuf_append(&writer->point, &series->attributes);
	protobuf_add(&series->points, DATA_POINTS, &writer->point);
	writer->points_length += writer->point.length;
	writer->points++;
	if (writer->points_length >= POINTS_BYTES)
		write_all_points(writer);
}

/* The bounds of a bucket. Returns 0 if they are not known. */
static int find_bounds(const mprof_metric_value_record *value, histogram_bucket *bucket)
{
	if (value->is_double) {
		bucket->lower = kind_double_value(value->lower);
		bucket->upper = kind_double_value(value->value);
	} else {
		bucket->lower = (int64_t)value->lower == INT64_MIN ? -INFINITY : (double)(int64_t)value->lower;
		bucket->upper = (int64_t)value->value == INT64_MAX ? INFINITY : (double)(int64_t)value->value;
	}
	/* So that equal bounds have equal bytes. */
	bucket->lower += 0.0;
	bucket->upper += 0.0;
	return bucket->lower < bucket->upper;
}

static void add_bucket(void *user, const mprof_record *record, uint64_t time)
{
	metric_writer *writer = user;
	const mprof_metric_value_record *value = &record->as.metric_value;
	metric_series *series = get_series(writer, record->id);
	histogram_bucket bucket;
	uint32_t index = 0;
	int added;

	if (series == NULL)
		return;
	if (!find_bounds(value, &bucket)) {
		writer->unbounded += value->count;
		return;
	}
	added = intern_add(&series->buckets, &bucket, sizeof(bucket), &index);
	if (added < 0 ||
	    !elements_reserve((void **)&series->counts, &series->count_capacity, index, sizeof(*series->counts))) {
		writer->has_failed = 1;
		return;
	}
	series->counts[index] = (added > 0 ? 0 : series->counts[index]) + value->count;
	series->time = time > series->time ? time : series->time;
	writer->points++;
}

static const histogram_bucket *bucket_at(const metric_series *series, size_t index, histogram_bucket *bucket)
{
	memcpy(bucket, series->buckets.bytes + series->buckets.entries[index].offset, sizeof(*bucket));
	return bucket;
}

static int compare_bounds(const void *one, const void *other)
{
	const double left = *(const double *)one;
	const double right = *(const double *)other;

	return left < right ? -1 : left > right;
}

/* The number of bounds that are less than one. */
static size_t count_less(const double *bounds, size_t count, double bound)
{
	size_t low = 0;

	while (count > 0) {
		const size_t half = count / 2;

		if (bounds[low + half] < bound) {
			low += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return low;
}

/*
 * Finds the bounds that no bucket contains: the buckets of a histogram may be of different bounds, and how the values
 * of one are distributed between others is not known. \p inside has room for one number more than there are bounds.
 * Returns their number.
 */
static size_t find_common_bounds(const metric_series *series, double *bounds, int64_t *inside)
{
	const size_t bucket_count = series->buckets.count;
	histogram_bucket bucket;
	size_t count = 0;
	size_t distinct = 0;
	size_t kept = 0;
	int64_t open = 0;

	for (size_t i = 0; i < bucket_count; i++) {
		bucket_at(series, i, &bucket);
		if (!isinf(bucket.lower))
			bounds[count++] = bucket.lower;
		if (!isinf(bucket.upper))
			bounds[count++] = bucket.upper;
	}
	if (count > 0)
		qsort(bounds, count, sizeof(*bounds), compare_bounds);
	for (size_t i = 0; i < count; i++) {
		if (distinct == 0 || bounds[distinct - 1] < bounds[i])
			bounds[distinct++] = bounds[i];
	}
	for (size_t i = 0; i < bucket_count; i++) {
		bucket_at(series, i, &bucket);
		inside[isinf(bucket.lower) ? 0 : count_less(bounds, distinct, bucket.lower) + 1]++;
		inside[count_less(bounds, distinct, bucket.upper)]--;
	}
	for (size_t i = 0; i < distinct; i++) {
		open += inside[i];
		if (open == 0)
			bounds[kept++] = bounds[i];
	}
	return kept;
}

/* Writes the counts of the buckets between bounds, the last of which has none above. Returns their sum. */
static uint64_t add_counts(metric_writer *writer, const metric_series *series, const double *bounds, size_t count,
			   uint64_t *counts)
{
	histogram_bucket bucket;
	uint64_t sum = 0;

	memset(counts, 0, (count + 1) * sizeof(*counts));
	for (size_t i = 0; i < series->buckets.count; i++) {
		counts[count_less(bounds, count, bucket_at(series, i, &bucket)->upper)] += series->counts[i];
		sum += series->counts[i];
	}
	protobuf_clear(&writer->packed);
	for (size_t i = 0; i <= count; i++)
		protobuf_raw64(&writer->packed, counts[i]);
	return sum;
}

/* The time from which histograms count: that of the window, or of the log. */
static uint64_t find_start(const metric_writer *writer)
{
	const time_window *window = &writer->report->options.window;

	return writer->start_time + (window->is_bounded && window->start_ns > 0 ? (uint64_t)window->start_ns : 0);
}

static void add_histogram_point(metric_writer *writer, const metric_series *series, double *bounds, uint64_t *counts)
{
	const size_t count = find_common_bounds(series, bounds, (int64_t *)counts);
	uint64_t bits;

	protobuf_clear(&writer->point);
	protobuf_fixed64(&writer->point, POINT_START, find_start(writer));
	protobuf_fixed64(&writer->point, POINT_TIME, writer->start_time + series->time);
	protobuf_fixed64(&writer->point, HISTOGRAM_COUNT, add_counts(writer, series, bounds, count, counts));
	protobuf_add(&writer->point, HISTOGRAM_COUNTS, &writer->packed);
	protobuf_clear(&writer->packed);
	for (size_t i = 0; i < count; i++) {
		memcpy(&bits, &bounds[i], sizeof(bits));
		protobuf_raw64(&writer->packed, bits);
	}
	protobuf_add(&writer->point, HISTOGRAM_BOUNDS, &writer->packed);
	protobuf_append(&writer->point, &series->attributes);
}

/* Writes the values of all buckets as one point. */
static void write_histogram(metric_writer *writer, const metric_series *series)
{
	const size_t most = 2 * series->buckets.count + 2;
	double *bounds;
	uint64_t *counts;

	if (series->buckets.count == 0)
		return;
	bounds = calloc(most, sizeof(*bounds));
	counts = calloc(most, sizeof(*counts));
	if (bounds != NULL && counts != NULL) {
		add_histogram_point(writer, series, bounds, counts);
		protobuf_clear(&writer->data);
		protobuf_add(&writer->data, DATA_POINTS, &writer->point);
		protobuf_number(&writer->data, DATA_TEMPORALITY, TEMPORALITY_CUMULATIVE);
		write_metric(writer, series->process, text_or_none(series->name), text_or_none(series->unit),
			     METRIC_HISTOGRAM);
	} else {
		writer->has_failed = 1;
	}
	free(bounds);
	free(counts);
}

/* Writes the values of a counter of what is alive. */
static void write_live(metric_writer *writer)
{
	writer->has_failed |= writer->live_points.has_failed;
	if (writer->live_points.length == 0)
		return;
	protobuf_clear(&writer->data);
	protobuf_append(&writer->data, &writer->live_points);
	write_metric(writer, writer->live_counter.process, writer->live_counter.key,
		     writer->live_counter.is_bytes ? "By" : "1", METRIC_GAUGE);
	protobuf_clear(&writer->live_points);
}

static void add_live_value(void *user, const live_counter *counter, uint64_t time, uint64_t value)
{
	metric_writer *writer = user;

	if (writer->live_counter.number != counter->number || writer->live_counter.process != counter->process ||
	    writer->live_points.length >= POINTS_BYTES)
		write_live(writer);
	writer->live_counter = *counter;
	protobuf_clear(&writer->point);
	protobuf_fixed64(&writer->point, POINT_TIME, writer->start_time + time);
	protobuf_fixed64(&writer->point, POINT_INTEGER, value);
	if (counter->generation != NULL)
		otlp_add_text(&writer->messages.attributes, &writer->point, POINT_ATTRIBUTES, "generation",
			      counter->generation);
	if (counter->is_estimate)
		otlp_add_varint(&writer->messages.attributes, &writer->point, POINT_ATTRIBUTES, "mprof.estimated",
				OTLP_BOOLEAN, 1);
	protobuf_add(&writer->live_points, DATA_POINTS, &writer->point);
	writer->points++;
}

/* The size of the heap of the process of a thread. */
static void add_event(void *user, const walk_thread *thread, const mprof_event *event)
{
	metric_writer *writer = user;
	live_counter size = {.key = "mprof.heap.size", .number = UINT64_MAX, .is_bytes = 1};

	if (event->kind != MPROF_EVENT_GC_RESIZE)
		return;
	size.process = thread_names_table_process_of(&writer->threads, thread->id);
	add_live_value(writer, &size, thread->time, event->value);
}

static void add_memory(void *user, uint64_t thread, const mprof_event *event)
{
	metric_writer *writer = user;

	live_counters_add(&writer->live, &writer->walk, thread_names_table_process_of(&writer->threads, thread), thread,
			  event);
}

static void *begin_row(void *user, const walk_thread *thread)
{
	(void)thread;
	return user;
}

static void release_writer(metric_writer *writer)
{
	for (size_t i = 0; i < writer->series_count; i++) {
		metric_series *series = &writer->series[i];

		free(series->name);
		free(series->unit);
		free(series->counts);
		protobuf_release(&series->points);
		protobuf_release(&series->attributes);
		intern_release(&series->buckets);
	}
	free(writer->series);
	protobuf_release(&writer->point);
	protobuf_release(&writer->packed);
	protobuf_release(&writer->data);
	protobuf_release(&writer->message);
	protobuf_release(&writer->live_points);
	live_counters_release(&writer->live);
	otlp_messages_release(&writer->messages);
	thread_names_table_release(&writer->threads);
	event_walk_release(&writer->walk);
}

static int finish(metric_writer *writer)
{
	write_all_points(writer);
	for (size_t i = 0; i < writer->series_count; i++)
		write_histogram(writer, &writer->series[i]);
	live_counters_visit(&writer->live, &writer->walk, writer->report, add_live_value, writer);
	write_live(writer);
	otlp_messages_finish(&writer->messages);
	if (writer->unbounded > 0)
		fprintf(stderr,
			"mprof: export: %" PRIu64 " values of histograms, whose bounds are not known, were left out\n",
			writer->unbounded);
	if (writer->has_failed || writer->live.has_failed || writer->messages.attributes.has_failed) {
		text_begin_message(writer->report->input.name);
		fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		return STATUS_NOTHING;
	}
	return writer->points > 0 ? STATUS_OK : export_value_note_empty(writer->report, "otlp-metrics");
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	static const walk_sink sink = {
		.begin_row = begin_row,
		.event = add_event,
		.memory = add_memory,
		.metric = add_metric,
		.bucket = add_bucket,
	};
	metric_writer writer = {.report = report, .messages = {.report = report, .stream = file->stream}};
	int status;
	int finished;

	writer.has_failed = !thread_names_table_init(&writer.threads, report);
	writer.start_time = report->summary.session.start.time * 1000;
	status = event_walk_run(&writer.walk, job, report, &sink, &writer);
	if (status != STATUS_NOTHING) {
		finished = finish(&writer);
		status = finished > status ? finished : status;
	}
	release_writer(&writer);
	return status;
}

const export_target export_otlp_metrics = {
	.name = "otlp-metrics",
	.extension = ".metrics.otlp",
	.description = "metrics of OpenTelemetry: metrics with their values over time, histograms, heap and memory in "
		       "use",
	.lacks = "a histogram is one point for all of its time, in buckets that no other one overlaps",
	.kind = EXPORT_EVENTS,
	.options = EXPORT_HAS_WINDOW,
	.write_report = write_report,
};
