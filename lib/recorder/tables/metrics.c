/* SPDX-License-Identifier: MIT */
/* Writes METRICS blocks: pending definitions, and the values that changed. */
#include "recorder/tables/metrics.h"

#include "base/checked.h"

#include <string.h>

static void release_list(metric_table *metrics, message **list)
{
	while (*list != NULL) {
		message *next = (*list)->next;

		message_release(metrics->messages, *list);
		*list = next;
	}
}

void metrics_release_written(metric_table *metrics)
{
	release_list(metrics, &metrics->written);
}

/* Called when the pending definitions are in the log. */
static void note_written(metric_table *metrics)
{
	if (metrics->waiting == NULL)
		return;
	metrics->newest->next = metrics->written;
	metrics->written = metrics->waiting;
	metrics->waiting = NULL;
	metrics->newest = NULL;
}

void metric_table_init(metric_table *metrics, const mprof_allocator *allocator, const mprof_allocator *messages,
		       recorder_output *output)
{
	memset(metrics, 0, sizeof(*metrics));
	metrics->allocator = *allocator;
	metrics->messages = messages;
	metrics->output = output;
}

void metric_table_destroy(metric_table *metrics)
{
	/* NULL: it was never initialized. */
	if (metrics->output == NULL)
		return;
	release_list(metrics, &metrics->waiting);
	metrics_release_written(metrics);
	allocator_release(&metrics->allocator, metrics->states, metrics->capacity * sizeof(*metrics->states));
	allocator_release(&metrics->allocator, metrics->records, metrics->record_capacity * sizeof(*metrics->records));
}

void metrics_define(metric_table *metrics, message *defined)
{
	defined->next = NULL;
	if (metrics->newest != NULL)
		metrics->newest->next = defined;
	else
		metrics->waiting = defined;
	metrics->newest = defined;
}

/* The state of a metric, or NULL without memory. */
static metric_state *state_of(metric_table *metrics, uint32_t metric)
{
	size_t before = metrics->capacity;
	void *states = metrics->states;

	if (!array_reserve(&metrics->allocator, &states, &metrics->capacity, metric, sizeof(*metrics->states)))
		return NULL;
	metrics->states = states;
	if (metrics->capacity > before)
		memset(&metrics->states[before], 0, (metrics->capacity - before) * sizeof(*metrics->states));
	return &metrics->states[metric - 1];
}

/* Adds a record to the block. Returns 0 without memory. */
static int add_metric_record(metric_table *metrics, size_t *count, const mprof_record *record)
{
	void *records = metrics->records;

	if (!array_reserve(&metrics->allocator, &records, &metrics->record_capacity, *count + 1,
			   sizeof(*metrics->records)))
		return 0;
	metrics->records = records;
	metrics->records[(*count)++] = *record;
	return 1;
}

/* Adds all pending definitions, in the order of their IDs. Returns 0 without memory. */
static int add_definitions(metric_table *metrics, size_t *count)
{
	for (const message *defined = metrics->waiting; defined != NULL; defined = defined->next) {
		mprof_record record = {.kind = MPROF_RECORD_METRIC,
				       .id = defined->metric,
				       .as.metric.flags = defined->flags,
				       .as.metric.thread = defined->thread,
				       .as.metric.name = defined->name,
				       .as.metric.section = defined->section};

		if (!add_metric_record(metrics, count, &record))
			return 0;
	}
	return 1;
}

/* Adds the values that changed. Returns 0 without memory. */
static int add_values(metric_table *metrics, size_t *count, const mprof_metric_value *values, size_t value_count)
{
	for (size_t i = 0; i < value_count; i++) {
		const mprof_metric_value *given = &values[i];
		mprof_record record = {
			.kind = MPROF_RECORD_METRIC_VALUE, .id = given->metric, .as.metric_value.value = given->value};
		metric_state *state = state_of(metrics, given->metric);

		if (state == NULL)
			return 0;
		if (state->has_value && state->value == given->value)
			continue;
		if (!add_metric_record(metrics, count, &record))
			return 0;
		state->value = given->value;
		state->has_value = 1;
	}
	return 1;
}

/*
 * Writes a block with the pending definitions and the values. Without memory the values are omitted, and the
 * definitions stay pending.
 */
static void write_metric_block(metric_table *metrics, const mprof_metric_value *values, size_t value_count)
{
	size_t count = 0;

	if (!output_is_writing(metrics->output) || !add_definitions(metrics, &count))
		return;
	(void)add_values(metrics, &count, values, value_count);
	output_write_records(metrics->output, MPROF_BLOCK_METRICS, metrics->records, count);
	note_written(metrics);
}

void metrics_write_values(metric_table *metrics, const mprof_metric_value *values, size_t count)
{
	write_metric_block(metrics, values, count);
}

void metrics_write_definitions(metric_table *metrics)
{
	if (metrics->waiting != NULL)
		write_metric_block(metrics, NULL, 0);
}
