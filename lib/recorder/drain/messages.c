/* SPDX-License-Identifier: MIT */
/* Applies messages on the writer thread, and writes the metrics that they contain. */
#include "recorder/drain/messages.h"

#include "base/allocator.h"
#include "recorder/drain/salvage_commit.h"
#include "recorder/tables/keys.h"
#include "writer/writer.h"

#include <string.h>

static void write_property(recorder_output *output, const message *taken)
{
	const mprof_property property = {taken->section, taken->name};

	output_note_status(output, mprof_writer_write_session(output->writer, &property, sizeof(property), 1));
}

/* Adds a definition. The table owns the message from now on. */
static void metrics_define(metric_table *metrics, message *defined)
{
	defined->next = NULL;
	if (metrics->newest != NULL)
		metrics->newest->next = defined;
	else
		metrics->waiting = defined;
	metrics->newest = defined;
}

/* Handles a message. Returns 1 if it now belongs to another module. */
static int process_message(recorder_drain *drain, message *taken)
{
	recorder_output *output = drain->output;

	switch (taken->kind) {
	case MESSAGE_DEFINE_CLASS:
	case MESSAGE_DEFINE_METHOD:
		keys_define(&drain->keys, taken);
		return 0;
	case MESSAGE_LOADED:
	case MESSAGE_UNLOADED:
		keys_write_element(&drain->keys, taken);
		return 0;
	case MESSAGE_THREAD_NAME:
		output_note_status(output, mprof_writer_write_thread_name(output->writer, taken->thread, taken->name,
									  taken->name_length));
		return 0;
	case MESSAGE_PROPERTY:
		write_property(output, taken);
		return 0;
	case MESSAGE_MARK:
		output_note_status(output, mprof_writer_write_mark(output->writer, taken->thread,
								   output_counter(output, taken->counter), taken->name,
								   taken->name_length));
		return 0;
	case MESSAGE_APPLICATION:
		output_note_status(output, mprof_writer_write_application(
						   output->writer, taken->name, taken->name_length, taken->id,
						   taken->flags, taken->source_file, taken->source_file_length));
		return 0;
	case MESSAGE_DEFINE_METRIC:
		metrics_define(&drain->metrics, taken);
		return 1;
	case MESSAGE_METRIC_VALUES:
		metrics_write_values(&drain->metrics, taken->more.metrics.values, taken->more.metrics.count);
		return 0;
	case MESSAGE_ROOT_REGISTERED:
	case MESSAGE_ROOT_UNREGISTERED:
		root_table_change(&drain->roots, taken);
		return 0;
	case MESSAGE_DEFINE_FIELDS:
		key_fields_define(&drain->keys, taken);
		return 0;
	case MESSAGE_DEFINE_TEXT:
	case MESSAGE_DEFINE_ARGUMENTS:
	case MESSAGE_DEFINE_TYPE:
	case MESSAGE_DEFINE_CLOCK:
	case MESSAGE_DEFINE_TIMELINE:
	case MESSAGE_DEFINE_PROCESS:
	case MESSAGE_CLOCK_PAIR:
	case MESSAGE_DEFINE_CODE:
	case MESSAGE_END_CODE:
		written_types_add(&drain->types, taken);
		return 1;
	}
	return 0;
}

static void release_list(metric_table *metrics, message **list)
{
	while (*list != NULL) {
		message *next = (*list)->next;

		message_release(metrics->messages, *list);
		*list = next;
	}
}

/* Releases definitions that were written. Call it after salvage_commit(). */
static void metrics_release_written(metric_table *metrics)
{
	release_list(metrics, &metrics->written);
}

/* Releases the messages of a batch, once everything that it changed is in the log. */
static void release_batch(recorder_drain *drain, message *done)
{
	while (done != NULL) {
		message *next = done->next;

		message_queue_release(&drain->shared->messages, done);
		done = next;
	}
	metrics_release_written(&drain->metrics);
	written_types_release(&drain->types);
	recorder_wake_senders(drain->shared);
}

/* Returns the messages of a batch that are to be released. */
static message *process_batch(recorder_drain *drain, message *taken)
{
	message *done = NULL;

	while (taken != NULL) {
		message *next = taken->next;

		/* If nothing more is written, definitions are not needed. */
		if (!output_is_writing(drain->output) || !process_message(drain, taken)) {
			taken->next = done;
			done = taken;
		} else {
			message_queue_release_room(&drain->shared->messages, taken);
		}
		taken = next;
	}
	return done;
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
		mprof_record record = defined->more.record;

		record.id = defined->id;
		if (!add_metric_record(metrics, count, &record))
			return 0;
	}
	return 1;
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

/* Whether the log has the value already, as the latest one of the metric. A ring may have evicted it. */
static int has_value(const metric_table *metrics, const metric_state *state, uint64_t value)
{
	const block_ring *ring = metrics->output->ring;

	return state->has_value && state->value == value &&
	       (ring == NULL || state->block >= block_ring_oldest_number(ring));
}

/* Adds the values that changed, those with a time of their own, and buckets. Returns 0 without memory. */
static int add_values(metric_table *metrics, size_t *count, const mprof_metric_value *values, size_t value_count)
{
	for (size_t i = 0; i < value_count; i++) {
		const mprof_metric_value *input = &values[i];
		mprof_record record = {.kind = MPROF_RECORD_METRIC_VALUE,
				       .id = input->metric,
				       .as.metric_value = {.value = input->value,
							   .counter = output_counter(metrics->output, input->counter),
							   .lower = input->lower,
							   .count = input->count}};
		metric_state *state = state_of(metrics, input->metric);

		if (state == NULL)
			return 0;
		if (has_value(metrics, state, input->value) && input->counter == 0 && input->count == 0)
			continue;
		if (!add_metric_record(metrics, count, &record))
			return 0;
		state->value = input->value;
		state->has_value = 1;
		if (metrics->output->ring != NULL)
			state->block = block_ring_next_number(metrics->output->ring);
	}
	return 1;
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

/* Declares directive 38 before the first record that needs it. */
static void declare_sized_metrics(metric_table *metrics, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!record_needs_sized_metrics(&metrics->records[i]))
			continue;
		output_note_status(metrics->output,
				   writer_declare_more(metrics->output->writer,
						       MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS)));
		return;
	}
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
	declare_sized_metrics(metrics, count);
	output_write_records(metrics->output, MPROF_BLOCK_METRICS, metrics->records, count);
	note_written(metrics);
}

/* Writes the pending definitions. */
static void metrics_write_definitions(metric_table *metrics)
{
	if (metrics->waiting != NULL)
		write_metric_block(metrics, NULL, 0);
}

void messages_process(recorder_drain *drain)
{
	message_queue *messages = &drain->shared->messages;
	message *taken = message_queue_take(messages);
	/* After the messages were taken: a definition that was sent after the note must not be forgotten. */
	int has_lost_more = message_queue_take_lost_more(messages);
	uint64_t batch = drain->progress.messages_done + 1;

	if (taken == NULL && !has_lost_more && drain->types.waiting == NULL)
		return;
	for (message *marked = taken; marked != NULL; marked = marked->next)
		marked->batch = batch;
	taken = process_batch(drain, taken);
	if (has_lost_more)
		keys_lose_all(&drain->keys);
	metrics_write_definitions(&drain->metrics);
	written_types_write(&drain->types, batch);
	drain->progress.messages_done = batch;
	salvage_commit(drain);
	release_batch(drain, taken);
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

void metrics_write_values(metric_table *metrics, const mprof_metric_value *values, size_t count)
{
	write_metric_block(metrics, values, count);
}
