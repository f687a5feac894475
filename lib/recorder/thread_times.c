/* SPDX-License-Identifier: MIT */
/* Defines the metrics of threads, and writes their values in batches. */
#include "recorder/thread_times.h"

#include "recorder/messages.h"

#include <string.h>

#define BATCH_THREADS 64

/* The names are part of the format: section 3.15. */
#define SECTION "thread"
static const char *const names[THREAD_TIME_COUNT] = {
	[THREAD_TIME_WALL] = "wall time", [THREAD_TIME_CPU] = "cpu time", [THREAD_TIME_READY] = "ready time"};

typedef struct value_batch {
	mprof_metric_value values[BATCH_THREADS * THREAD_TIME_COUNT];
	size_t count;
} value_batch;

/* Defines the metrics of a thread unless that was done. Returns 0 if there is no memory. */
static int define_metrics(recorder_drain *drain, mprof_thread *thread)
{
	const uint32_t flags = MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD;
	message *created;

	for (size_t i = 0; i < THREAD_TIME_COUNT; i++) {
		if (thread->drain.time_metrics[i] != 0)
			continue;
		created = message_metric(&drain->shared->messages.allocator, SECTION, names[i], flags);
		if (created == NULL)
			return 0;
		created->thread = thread->id;
		thread->drain.time_metrics[i] = recorder_define_metric(drain->shared, created);
	}
	return 1;
}

static void add_value(value_batch *batch, uint32_t metric, uint64_t from, uint64_t to)
{
	if (to >= from)
		batch->values[batch->count++] = (mprof_metric_value){.metric = metric, .value = to - from};
}

static void add_values(value_batch *batch, const mprof_thread *thread, const thread_clock *now)
{
	const thread_clock *begin = &thread->times.begin;
	const uint32_t *metrics = thread->drain.time_metrics;

	add_value(batch, metrics[THREAD_TIME_WALL], begin->wall, now->wall);
	add_value(batch, metrics[THREAD_TIME_CPU], begin->cpu, now->cpu);
	if (begin->has_ready && now->has_ready)
		add_value(batch, metrics[THREAD_TIME_READY], begin->ready, now->ready);
}

/* Reads the times of a thread. Returns 0 if none are written for it in this round. */
static int read_times(mprof_thread *thread, int all, thread_clock *now)
{
	if (!thread_times_are_due(thread))
		return 0;
	/* Acquire: pairs with the release in mprof_thread_detach(), so the last times are valid. */
	if (atomic_load_explicit(&thread->detached, memory_order_acquire)) {
		*now = thread->times.end;
		thread->drain.times_are_final = 1;
		return 1;
	}
	return all && thread_clock_read(thread->times.system_id, now);
}

static void write_batch(recorder_drain *drain, value_batch *batch)
{
	if (batch->count == 0)
		return;
	/* The definitions of the metrics were pushed before. */
	messages_process(drain);
	metrics_write_values(&drain->metrics, batch->values, batch->count);
	batch->count = 0;
}

void thread_times_write(recorder_drain *drain, int all)
{
	value_batch batch = {.count = 0};
	thread_clock now;

	if (!drain->shared->records_thread_times)
		return;
	for (mprof_thread *thread = recorder_threads(drain->shared); thread != NULL; thread = thread->next) {
		if (!read_times(thread, all, &now) || !define_metrics(drain, thread))
			continue;
		add_values(&batch, thread, &now);
		if (batch.count + THREAD_TIME_COUNT > sizeof(batch.values) / sizeof(batch.values[0]))
			write_batch(drain, &batch);
	}
	write_batch(drain, &batch);
}
