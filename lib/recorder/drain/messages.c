/* SPDX-License-Identifier: MIT */
/* Takes messages from the queue and passes each to the module that handles it. */
#include "recorder/drain/messages.h"

#include "recorder/tables/keys.h"
#include "recorder/drain/salvage_commit.h"

static void write_property(recorder_output *output, const message *taken)
{
	const mprof_property property = {taken->section, taken->name};

	output_note_status(output, mprof_writer_write_session(output->writer, &property, sizeof(property), 1));
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
	}
	return 0;
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

void messages_process(recorder_drain *drain)
{
	message_queue *messages = &drain->shared->messages;
	message *taken = message_queue_take(messages);
	/* After the messages were taken: a definition that was sent after the note must not be forgotten. */
	int has_lost_more = message_queue_take_lost_more(messages);
	uint64_t batch = drain->progress.messages_done + 1;

	if (taken == NULL && !has_lost_more)
		return;
	for (message *marked = taken; marked != NULL; marked = marked->next)
		marked->batch = batch;
	taken = process_batch(drain, taken);
	if (has_lost_more)
		keys_lose_all(&drain->keys);
	metrics_write_definitions(&drain->metrics);
	drain->progress.messages_done = batch;
	salvage_commit(drain);
	release_batch(drain, taken);
}
