/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/messages.c
 * \brief What messages do on the writer thread.
 */
#include "recorder/recorder_internal.h"

static void write_element(mprof_recorder *recorder, const message *taken)
{
	mprof_element element = taken->more.loaded.element;
	const uint64_t *known = hash_map_get(&recorder->elements, taken->key);

	if (taken->kind == MESSAGE_LOADED) {
		element.id = ++recorder->next_element_id;
		/* Without memory for it, classes of this assembly say that theirs is not known. */
		(void)hash_map_put(&recorder->elements, taken->key, element.id);
		recorder_note_status(recorder, mprof_writer_write_loaded(recorder->writer, &element));
	} else {
		element.id = known != NULL ? (uint32_t)*known : 0;
		recorder_note_status(recorder, mprof_writer_write_unloaded(recorder->writer, &element));
	}
}

/* Returns 1 if the message was taken over. */
static int process(mprof_recorder *recorder, message *taken)
{
	switch (taken->kind) {
	case MESSAGE_DEFINE_CLASS:
	case MESSAGE_DEFINE_METHOD:
		keys_define(recorder, taken);
		return 0;
	case MESSAGE_LOADED:
	case MESSAGE_UNLOADED:
		write_element(recorder, taken);
		return 0;
	case MESSAGE_THREAD_NAME:
		recorder_note_status(recorder, mprof_writer_write_thread_name(recorder->writer, taken->thread,
									      taken->name, taken->name_length));
		return 0;
	case MESSAGE_MARK:
		recorder_note_status(recorder, mprof_writer_write_mark(recorder->writer, taken->thread, taken->counter,
								       taken->name, taken->name_length));
		return 0;
	case MESSAGE_DEFINE_METRIC:
		metrics_define(recorder, taken);
		return 1;
	case MESSAGE_METRIC_VALUES:
		metrics_take_values(recorder, taken);
		return 0;
	case MESSAGE_ROOT_REGISTERED:
	case MESSAGE_ROOT_UNREGISTERED:
		root_table_change(&recorder->roots, &recorder->allocator, taken);
		return 0;
	}
	return 0;
}

void recorder_process_messages(mprof_recorder *recorder)
{
	message *taken = message_queue_take(&recorder->messages);

	if (taken == NULL)
		return;
	while (taken != NULL) {
		message *next = taken->next;

		/* Where nothing is written any more nothing needs to be known. */
		if (!recorder_is_writing(recorder) || !process(recorder, taken))
			message_release(&recorder->allocator, taken);
		taken = next;
	}
	metrics_write_definitions(recorder);
}
