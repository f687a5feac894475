/* SPDX-License-Identifier: MIT */
/* Defines the metrics of threads, and writes their values in batches. */
#include "recorder/thread_times.h"

#include "recorder/messages.h"

#include <string.h>

#define BATCH_THREADS 64

typedef struct value_batch {
	mprof_metric_value values[BATCH_THREADS * THREAD_METRIC_COUNT];
	size_t count;
} value_batch;

/* Defines the metrics of a thread that the system counts, once. Returns 0 if there is no memory. */
static int define_metrics(recorder_drain *drain, mprof_thread *thread)
{
	message *created;

	for (size_t i = 0; i < THREAD_METRIC_COUNT; i++) {
		if (thread->drain.metrics[i] != 0 || !(thread->times.begin.available >> i & 1))
			continue;
		created = message_metric(&drain->shared->messages.allocator, THREAD_METRIC_SECTION,
					 thread_metrics[i].name, thread_metrics[i].flags);
		if (created == NULL)
			return 0;
		created->thread = thread->id;
		thread->drain.metrics[i] = recorder_define_metric(drain->shared, created);
	}
	return 1;
}

static void add_values(value_batch *batch, const mprof_thread *thread, const thread_clock *now)
{
	const thread_clock *begin = &thread->times.begin;

	for (size_t i = 0; i < THREAD_METRIC_COUNT; i++) {
		if ((begin->available & now->available) >> i & 1 && now->values[i] >= begin->values[i])
			batch->values[batch->count++] = (mprof_metric_value){
				.metric = thread->drain.metrics[i], .value = now->values[i] - begin->values[i]};
	}
}

/* Reads the times of a thread. Returns 0 if none are written for it in this round. */
static int read_times(mprof_thread *thread, int is_last, thread_clock *now)
{
	if (!thread_times_are_due(thread))
		return 0;
	/* Acquire: pairs with the release in mprof_thread_detach(), so the last times are valid. */
	if (atomic_load_explicit(&thread->detached, memory_order_acquire)) {
		*now = thread->times.end;
		thread->drain.times_are_final = 1;
		return 1;
	}
	if (!thread_clock_read(thread->times.system_id, now))
		return 0;
	/*
	 * A thread that is being detached may have read its last times already. They are written in the next round, and
	 * values must not decrease. Pairs with the store in attached_times_end().
	 */
	return is_last || !atomic_load_explicit(&thread->times.is_ending, memory_order_seq_cst);
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

void thread_times_write(recorder_drain *drain, int is_last)
{
	value_batch batch = {.count = 0};
	thread_clock now;

	if (!drain->shared->records_thread_times)
		return;
	for (mprof_thread *thread = recorder_threads(drain->shared); thread != NULL; thread = thread->next) {
		if (!read_times(thread, is_last, &now) || !define_metrics(drain, thread))
			continue;
		add_values(&batch, thread, &now);
		if (batch.count + THREAD_METRIC_COUNT > sizeof(batch.values) / sizeof(batch.values[0]))
			write_batch(drain, &batch);
	}
	write_batch(drain, &batch);
}
