/* SPDX-License-Identifier: MIT */
/* Takes messages off the queue and hands each to the module that it is for. */
#include "recorder/messages.h"

/* Returns 1 if the message was taken over. */
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
	case MESSAGE_MARK:
		output_note_status(output, mprof_writer_write_mark(output->writer, taken->thread, taken->counter,
								   taken->name, taken->name_length));
		return 0;
	case MESSAGE_DEFINE_METRIC:
		metrics_define(&drain->metrics, taken);
		return 1;
	case MESSAGE_METRIC_VALUES:
		metrics_write_values(&drain->metrics, taken);
		return 0;
	case MESSAGE_ROOT_REGISTERED:
	case MESSAGE_ROOT_UNREGISTERED:
		root_table_change(&drain->roots, taken);
		return 0;
	}
	return 0;
}

void messages_process(recorder_drain *drain)
{
	message *taken = message_queue_take(&drain->shared->messages);

	if (taken == NULL)
		return;
	while (taken != NULL) {
		message *next = taken->next;

		/* Where nothing is written any more nothing needs to be known. */
		if (!output_is_writing(drain->output) || !process_message(drain, taken))
			message_release(&drain->shared->allocator, taken);
		taken = next;
	}
	metrics_write_definitions(&drain->metrics);
}
