/* SPDX-License-Identifier: MIT */
#include "recorder/recorder_internal.h"

#include "base/array.h"

#include <string.h>

static void release_waiting(metric_table *metrics, const mprof_allocator *allocator)
{
	while (metrics->waiting != NULL) {
		message *next = metrics->waiting->next;

		message_release(allocator, metrics->waiting);
		metrics->waiting = next;
	}
	metrics->newest = NULL;
}

void metric_table_destroy(metric_table *metrics, const mprof_allocator *allocator)
{
	release_waiting(metrics, allocator);
	allocator_release(allocator, metrics->states, metrics->capacity * sizeof(*metrics->states));
	allocator_release(allocator, metrics->records, metrics->record_capacity * sizeof(*metrics->records));
}

void metrics_define(mprof_recorder *recorder, message *defined)
{
	metric_table *metrics = &recorder->metrics;

	defined->next = NULL;
	if (metrics->newest != NULL)
		metrics->newest->next = defined;
	else
		metrics->waiting = defined;
	metrics->newest = defined;
}

/* The state of a metric, or NULL without memory. */
static metric_state *state_of(mprof_recorder *recorder, uint32_t metric)
{
	metric_table *metrics = &recorder->metrics;
	size_t before = metrics->capacity;
	void *states = metrics->states;

	if (!array_reserve(&recorder->allocator, &states, &metrics->capacity, metric, sizeof(*metrics->states)))
		return NULL;
	metrics->states = states;
	if (metrics->capacity > before)
		memset(&metrics->states[before], 0, (metrics->capacity - before) * sizeof(*metrics->states));
	return &metrics->states[metric - 1];
}

/* Adds a record to those of the block. Returns 0 without memory. */
static int add_record(mprof_recorder *recorder, size_t *count, const mprof_record *record)
{
	metric_table *metrics = &recorder->metrics;
	void *records = metrics->records;

	if (!array_reserve(&recorder->allocator, &records, &metrics->record_capacity, *count + 1,
			   sizeof(*metrics->records)))
		return 0;
	metrics->records = records;
	metrics->records[(*count)++] = *record;
	return 1;
}

/* Adds all definitions that wait, in the order of their IDs. Returns 0 without memory. */
static int add_definitions(mprof_recorder *recorder, size_t *count)
{
	for (const message *defined = recorder->metrics.waiting; defined != NULL; defined = defined->next) {
		mprof_record record = {.kind = MPROF_RECORD_METRIC,
				       .id = defined->metric,
				       .as.metric.flags = defined->flags,
				       .as.metric.name = defined->name,
				       .as.metric.section = defined->section};

		if (!add_record(recorder, count, &record))
			return 0;
	}
	return 1;
}

/* Adds the values that changed. Returns 0 without memory. */
static int add_values(mprof_recorder *recorder, size_t *count, const message *taken)
{
	for (size_t i = 0; i < taken->more.metrics.count; i++) {
		const mprof_metric_value *given = &taken->more.metrics.values[i];
		mprof_record record = {
			.kind = MPROF_RECORD_METRIC_VALUE, .id = given->metric, .as.metric_value.value = given->value};
		metric_state *state = state_of(recorder, given->metric);

		if (state == NULL)
			return 0;
		if (state->has_value && state->value == given->value)
			continue;
		if (!add_record(recorder, count, &record))
			return 0;
		state->value = given->value;
		state->has_value = 1;
	}
	return 1;
}

/* Writes a block of what waits and of \p taken, unless that is NULL. Without memory it is left out, or waits on. */
static void write_block(mprof_recorder *recorder, const message *taken)
{
	size_t count = 0;

	if (!recorder_is_writing(recorder) || !add_definitions(recorder, &count))
		return;
	if (taken != NULL)
		(void)add_values(recorder, &count, taken);
	if (count > 0)
		recorder_note_status(recorder, mprof_writer_write_records(recorder->writer, MPROF_BLOCK_METRICS, 0,
									  recorder->metrics.records,
									  sizeof(mprof_record), count));
	release_waiting(&recorder->metrics, &recorder->allocator);
}

void metrics_take_values(mprof_recorder *recorder, const message *taken)
{
	write_block(recorder, taken);
}

void metrics_write_definitions(mprof_recorder *recorder)
{
	if (recorder->metrics.waiting != NULL)
		write_block(recorder, NULL);
}
