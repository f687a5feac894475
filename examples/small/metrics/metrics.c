/* SPDX-License-Identifier: MIT */
/*
 * Records what a program measures about itself: a worker takes jobs from a queue and reports its length, how long jobs
 * had to wait in it, what it has to say about them, and how long it waited for them itself.
 *
 * Tools have the meaning of its messages and waits from the names of their types and arguments.
 *
 *     ./metrics jobs.mprof && mprof report --sections=metrics,messages,waits jobs.mprof
 */
#include <mprof/recorder.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { JOBS = 500, EVERY = 100, BUCKETS = 8 };

enum { SEVERITY_INFO = 3, SEVERITY_WARNING = 4 }; /* Of mprof.log (doc/format.md, 4.11). */

static mprof_recorder *recorder;

/* The jobs: when each was put into the queue. One thread puts them in, one takes them. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t put[JOBS];
	size_t put_count;
	size_t taken;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* IDs in the log: of metrics, of types and of texts. */
static struct {
	uint32_t depth;
	uint32_t fill;
	uint32_t delay;
	uint32_t log;
	uint32_t wait;
	uint32_t kind;
	uint32_t source;
} ids;

/* The upper bounds of the buckets, in nanoseconds. */
static const uint64_t bounds[BUCKETS] = {1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, INT64_MAX};

static uint32_t describe(const char *name, const char *unit, uint64_t thread, uint32_t flags)
{
	const mprof_metric_description metric = {.struct_size = sizeof(metric),
						 .section = "queue",
						 .name = name,
						 .unit = unit,
						 .thread = thread,
						 .flags = flags};
	uint32_t id = 0;

	if (mprof_recorder_define_metric_detailed(recorder, &metric, &id) != MPROF_OK)
		fprintf(stderr, "metrics: cannot define %s\n", name);
	return id;
}

static uint32_t define_text(const char *text)
{
	uint32_t id = 0;

	if (mprof_recorder_define_text(recorder, text, strlen(text), &id) != MPROF_OK)
		fprintf(stderr, "metrics: cannot define %s\n", text);
	return id;
}

static uint32_t define_type(const char *name, uint32_t form, const mprof_argument_record *arguments, uint32_t count)
{
	mprof_type_record type = {.form = form, .argument_count = count, .name = name};
	uint32_t id = 0;

	if (mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count, &type.first_argument) !=
		    MPROF_OK ||
	    mprof_recorder_define_type(recorder, &type, sizeof(type), &id) != MPROF_OK)
		fprintf(stderr, "metrics: cannot define %s\n", name);
	return id;
}

static void define_types(void)
{
	static const mprof_argument_record of_log[] = {
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_SEVERITY, 0, "severity", ""},
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, 0, 0, "source", ""},
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, MPROF_ROLE_MESSAGE, 0, "text", ""},
	};
	static const mprof_argument_record of_wait[] = {
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, 0, 0, "kind", ""},
		{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
	};

	ids.log = define_type("mprof.log", MPROF_TYPE_INSTANT, of_log, 3);
	ids.wait = define_type("mprof.wait", MPROF_TYPE_SPAN, of_wait, 2);
	ids.kind = define_text("queue");
	ids.source = define_text("worker");
}

static void say(mprof_thread *thread, uint32_t severity, const char *text)
{
	const mprof_argument_value values[] = {
		{.number = severity}, {.number = ids.source}, {.bytes = (const uint8_t *)text, .length = strlen(text)}};

	mprof_thread_record_typed(thread, ids.log, values, 3);
}

/* Takes the next job. Returns when it was put in. */
static uint64_t take_job(mprof_thread *thread, size_t *remaining)
{
	const uint64_t started = mprof_recorder_read_counter(recorder);
	const mprof_argument_value values[] = {{.number = ids.kind}};
	uint64_t put;

	pthread_mutex_lock(&queue.lock);
	while (queue.taken == queue.put_count)
		pthread_cond_wait(&queue.changed, &queue.lock);
	put = queue.put[queue.taken++];
	*remaining = queue.put_count - queue.taken;
	pthread_mutex_unlock(&queue.lock);
	mprof_thread_record_span(thread, ids.wait, started, values, 1);
	return put;
}

/* The default counter is in nanoseconds, like the bounds. */
static void count_delay(uint64_t counts[BUCKETS], uint64_t delay)
{
	size_t bucket = 0;

	while (delay > bounds[bucket])
		bucket++;
	counts[bucket]++;
}

/* Hands over the values of now, and the buckets that are not empty. */
static void report(size_t remaining, uint64_t counts[BUCKETS])
{
	const double fill = 100.0 * remaining / JOBS;
	mprof_metric_value values[BUCKETS + 2] = {{.metric = ids.depth, .value = remaining}, {.metric = ids.fill}};
	size_t count = 2;

	memcpy(&values[1].value, &fill, sizeof(fill));
	for (size_t i = 0; i < BUCKETS; i++) {
		if (counts[i] > 0)
			values[count++] = (mprof_metric_value){.metric = ids.delay,
							       .value = bounds[i],
							       .lower = i > 0 ? bounds[i - 1] : (uint64_t)-1,
							       .count = counts[i]};
	}
	memset(counts, 0, BUCKETS * sizeof(*counts));
	if (mprof_recorder_record_metrics(recorder, values, sizeof(values[0]), count) != MPROF_OK)
		fprintf(stderr, "metrics: values are missing\n");
}

static void *work(void *argument)
{
	mprof_thread *thread = argument;
	uint64_t counts[BUCKETS] = {0};

	say(thread, SEVERITY_INFO, "started");
	for (size_t job = 1; job <= JOBS; job++) {
		size_t remaining;
		const uint64_t put = take_job(thread, &remaining);

		count_delay(counts, mprof_recorder_read_counter(recorder) - put);
		if (job % EVERY != 0)
			continue;
		say(thread, SEVERITY_WARNING, "a job is too large");
		report(remaining, counts);
	}
	mprof_thread_detach(thread);
	return NULL;
}

int main(int argc, char **argv)
{
	mprof_thread *thread;
	pthread_t worker;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK ||
	    mprof_recorder_attach(recorder, 1, &thread) != MPROF_OK)
		return 1;
	ids.depth = describe("length", NULL, 1, MPROF_METRIC_UNIT_COUNT | MPROF_METRIC_FLAG_THREAD);
	ids.fill = describe("fill", "%", 0, MPROF_METRIC_UNIT_NAMED | MPROF_METRIC_FLAG_DOUBLE);
	ids.delay = describe("delay", NULL, 0, MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_HISTOGRAM);
	define_types();
	if (pthread_create(&worker, NULL, work, thread) != 0)
		return 1;
	for (size_t job = 0; job < JOBS; job++) {
		pthread_mutex_lock(&queue.lock);
		queue.put[queue.put_count++] = mprof_recorder_read_counter(recorder);
		pthread_cond_signal(&queue.changed);
		pthread_mutex_unlock(&queue.lock);
	}
	pthread_join(worker, NULL);
	if (mprof_recorder_close(recorder) != MPROF_OK)
		return 1;
	mprof_recorder_destroy(recorder);
	return 0;
}
