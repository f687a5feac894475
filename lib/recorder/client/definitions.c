/* SPDX-License-Identifier: MIT */
/* Public functions that define methods, classes and code. */
#include "base/caller_structs.h"
#include "base/cancellation.h"
#include "format/blocks/block_encode.h"
#include "format/blocks/records.h"
#include "recorder/client/recorder_internal.h"
#include "recorder/queues/shared.h"

#include <string.h>

/*
 * The limit for a definition. While the writer thread is inside the loader it is doubled, as the number of buffers is:
 * threads must not wait then.
 */
static size_t definition_limit(const recorder_shared *shared, uint32_t blocking)
{
	const size_t limit = shared->messages.most_bytes;

	return (blocking & 1) != 0 && limit <= SIZE_MAX / 2 ? 2 * limit : limit;
}

static int reserve(recorder_shared *shared, message *created, size_t limit)
{
	int is_filling;

	if (!message_queue_reserve(&shared->messages, created, limit, &is_filling))
		return 0;
	if (is_filling)
		sem_post(&shared->work);
	return 1;
}

/* Waits until the writer thread has released messages. Returns 0 if there is no room, and no more waiting. */
static int wait_for_room(recorder_shared *shared, message *created)
{
	uint32_t blocking;
	int has_room;

	atomic_fetch_add_explicit(&shared->waits, 1, memory_order_relaxed);
	pthread_mutex_lock(&shared->wait_lock);
	/*
	 * Counted before the room is checked. The writer thread releases messages before it loads the count, so either
	 * this thread finds the room, or the writer thread sees the count.
	 */
	atomic_fetch_add(&shared->waiting_for_room, 1);
	sem_post(&shared->work);
	do {
		blocking = atomic_load(&shared->blocking);
		has_room = reserve(shared, created, definition_limit(shared, blocking));
	} while (!has_room && !atomic_load(&shared->closing) &&
		 recorder_wait(shared, &shared->room_free, blocking, &shared->room_given_up_in));
	atomic_fetch_sub(&shared->waiting_for_room, 1);
	pthread_mutex_unlock(&shared->wait_lock);
	return has_room;
}

/*
 * Counts a definition against the limit, so that it may be pushed. With MPROF_OVERFLOW_WAIT, the thread waits for room
 * as it waits for a buffer. The message is released if this fails. Any thread.
 * \return
 * - MPROF_OK.
 * - MPROF_ERR_MEMORY if created is NULL.
 * - MPROF_ERR_STATE if the recorder is being closed.
 * - MPROF_ERR_LIMIT if there is no room and the thread must not wait: it is counted as refused.
 */
static mprof_status message_sending_reserve(recorder_shared *shared, message *created)
{
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	if (reserve(shared, created, shared->messages.most_bytes))
		return MPROF_OK;
	/* If the writer thread or a drain thread waited here, it would wait for itself. */
	if (shared->overflow == MPROF_OVERFLOW_WAIT && !recorder_on_own_thread(shared) &&
	    wait_for_room(shared, created))
		return MPROF_OK;
	message_release(&shared->messages.allocator, created);
	if (atomic_load(&shared->closing))
		return MPROF_ERR_STATE;
	message_queue_count_refused(&shared->messages);
	return MPROF_ERR_LIMIT;
}

/* Sends another definition, with the same results. Any thread. */
static mprof_status message_sending_send(recorder_shared *shared, message *created)
{
	mprof_status status = message_sending_reserve(shared, created);

	if (status == MPROF_OK)
		message_queue_push(&shared->messages, created);
	return status;
}

/*
 * Sends the definition of a key, with the same results. If it is lost, events that use the key from now on do not get
 * its earlier meaning. Any thread.
 */
static mprof_status message_sending_define(recorder_shared *shared, message_kind kind, mprof_key key, uint64_t counter,
					   message *created)
{
	mprof_status status = message_sending_send(shared, created);

	if (status == MPROF_ERR_LIMIT || status == MPROF_ERR_MEMORY)
		message_queue_note_lost(&shared->messages, kind, key, counter);
	return status;
}

/* Sends a message that is refused if there is no room, with the same results. Any thread; never waits. */
static mprof_status message_sending_offer(recorder_shared *shared, message *created)
{
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	if (!reserve(shared, created, shared->messages.most_bytes)) {
		message_release(&shared->messages.allocator, created);
		message_queue_count_refused(&shared->messages);
		return MPROF_ERR_LIMIT;
	}
	message_queue_push(&shared->messages, created);
	return MPROF_OK;
}

/* Takes back a message for which room was reserved. Any thread. */
static void message_sending_cancel(recorder_shared *shared, message *created)
{
	message_queue_release_room(&shared->messages, created);
	message_release(&shared->messages.allocator, created);
	recorder_wake_senders(shared);
}

void mprof_description_init(mprof_description *description, size_t struct_size)
{
	struct_init(description, struct_size);
}

mprof_frame mprof_frame_make_native(uint64_t address)
{
	return address | MPROF_FRAME_NATIVE;
}

mprof_frame mprof_frame_make_return(uint64_t address)
{
	return address | MPROF_FRAME_RETURN;
}

mprof_frame mprof_frame_make_compiling(mprof_key method)
{
	return method | MPROF_FRAME_COMPILING;
}

mprof_frame mprof_frame_make_line(uint32_t line, uint32_t offset, uint32_t is_inlined)
{
	const uint64_t kept = offset < UINT32_C(1) << 28 ? offset : 0;

	return MPROF_FRAME_LINE | (is_inlined ? MPROF_FRAME_INLINED : 0) | kept << 32 | line;
}

mprof_frame mprof_frame_make_file(uint32_t text)
{
	return MPROF_FRAME_FILE | text;
}

/* The reason why nobody takes messages or writes what they state; #MPROF_OK if there is none. It never goes away. */
static mprof_status refusal_of(const mprof_recorder *recorder)
{
	if (atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed) ||
	    recorder_in_child(&recorder->shared))
		return MPROF_ERR_STATE;
	return recorder_failure(&recorder->shared);
}

static mprof_status send_definition(mprof_recorder *recorder, message_kind kind, mprof_key key,
				    const mprof_description *description)
{
	WITHOUT_CANCELLATION;
	mprof_description copy;
	uint64_t counter;

	if (recorder == NULL || !key_is_valid(key, recorder->shared.keys_are_ids) || description == NULL ||
	    struct_copy_in(&copy, description, sizeof(copy)) != MPROF_OK || copy.name == NULL)
		return MPROF_ERR_ARGUMENT;
	if ((copy.source_file == NULL && copy.source_file_length > 0) || copy.reserved != 0 ||
	    (copy.flags & ~BLOCK_METHOD_FLAGS) != 0)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, copy.name, copy.name_length) ||
	    !recorder_name_is_writable(&recorder->shared, copy.source_file, copy.source_file_length))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	counter = counter_read(&recorder->shared.counter);
	/*
	 * A message would be too late: the function is called for an event that is being written, which may need this
	 * definition.
	 */
	if (recorder_on_own_thread(&recorder->shared) && recorder->drain.keys.is_resolving) {
		keys_define_while_resolving(&recorder->drain.keys,
					    kind == MESSAGE_DEFINE_METHOD ? SUBJECT_METHOD : SUBJECT_CLASS, key, &copy,
					    counter);
		return MPROF_OK;
	}
	return message_sending_define(
		&recorder->shared, kind, key, counter,
		message_definition(&recorder->shared.messages.allocator, kind, key, &copy, counter));
}

mprof_status mprof_recorder_define_class(mprof_recorder *recorder, mprof_key key, const mprof_description *description)
{
	return send_definition(recorder, MESSAGE_DEFINE_CLASS, key, description);
}

mprof_status mprof_recorder_define_method(mprof_recorder *recorder, mprof_key key, const mprof_description *description)
{
	return send_definition(recorder, MESSAGE_DEFINE_METHOD, key, description);
}

/* Checks the fields of a class: see mprof_recorder_define_fields(). */
static mprof_status check_fields(const recorder_shared *shared, const mprof_class_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const mprof_class_field *field = &fields[i];

		if (field->name == NULL ||
		    (field->class_key != 0 && !key_is_valid(field->class_key, shared->keys_are_ids)))
			return MPROF_ERR_ARGUMENT;
		if (i > 0 && !class_fields_ascend(fields[i - 1].offset, fields[0].offset, fields[0].stride,
						  field->offset, field->stride))
			return MPROF_ERR_ARGUMENT;
		if (!recorder_name_is_writable(shared, field->name, strlen(field->name)))
			return MPROF_ERR_NAME;
	}
	return MPROF_OK;
}

static mprof_status send_fields(mprof_recorder *recorder, mprof_key class_key, const mprof_class_field *fields,
				size_t count)
{
	recorder_shared *shared = &recorder->shared;
	mprof_status status = check_fields(shared, fields, count);

	if (status != MPROF_OK)
		return status;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	if (count == 0 || (shared->detail & DETAIL_HEAP_OFFSETS) == 0)
		return MPROF_OK;
	return message_sending_send(shared,
				    message_fields(&shared->messages.allocator, class_key, fields, (uint32_t)count));
}

mprof_status mprof_recorder_define_fields(mprof_recorder *recorder, mprof_key class_key,
					  const mprof_class_field *fields, size_t field_size, size_t count)
{
	WITHOUT_CANCELLATION;
	element_list list;
	mprof_status status;

	if (recorder == NULL || !key_is_valid(class_key, recorder->shared.keys_are_ids))
		return MPROF_ERR_ARGUMENT;
	status = element_list_convert(&list, &recorder->shared.allocator, fields, field_size, count,
				      SIZE_UP_TO(mprof_class_field, stride), sizeof(mprof_class_field));
	if (status == MPROF_OK)
		status = send_fields(recorder, class_key, list.elements, count);
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

static mprof_status send_element(mprof_recorder *recorder, message_kind kind, mprof_key key,
				 const mprof_element *element)
{
	WITHOUT_CANCELLATION;
	const uint32_t types = MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN;
	const uint32_t results = MPROF_ELEMENT_FLAG_SUCCESS | MPROF_ELEMENT_FLAG_FAILURE;
	mprof_element copy;
	mprof_assembly_name assembly;
	message *created;
	uint32_t type;

	if (recorder == NULL || element == NULL || struct_copy_in(&copy, element, sizeof(copy)) != MPROF_OK ||
	    copy.name == NULL)
		return MPROF_ERR_ARGUMENT;
	if (copy.assembly != NULL && (struct_copy_in(&assembly, copy.assembly, sizeof(assembly)) != MPROF_OK ||
				      assembly.reserved != 0 || assembly.retargetable > 1))
		return MPROF_ERR_ARGUMENT;
	if (copy.assembly != NULL)
		copy.assembly = &assembly;
	type = copy.kind & types;
	if (type == 0 || (type & (type - 1)) != 0 || (copy.kind & ~(types | results)) != 0)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, copy.name, copy.name_length))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	created = message_element(&recorder->shared.messages.allocator, kind, key, &copy);
	/* Only an element that is loaded gives its key a meaning. */
	return kind == MESSAGE_LOADED ? message_sending_define(&recorder->shared, kind, key, 0, created)
				      : message_sending_send(&recorder->shared, created);
}

mprof_status mprof_recorder_record_loaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element)
{
	return send_element(recorder, MESSAGE_LOADED, key, element);
}

mprof_status mprof_recorder_record_unloaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element)
{
	return send_element(recorder, MESSAGE_UNLOADED, key, element);
}

mprof_status mprof_recorder_set_thread_name(mprof_recorder *recorder, uint64_t id, const char *name, size_t name_length)
{
	WITHOUT_CANCELLATION;
	if (recorder == NULL || name == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, name, name_length))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	return message_sending_send(&recorder->shared,
				    message_thread_name(&recorder->shared.messages.allocator, id, name, name_length));
}

mprof_status mprof_recorder_set_property(mprof_recorder *recorder, const char *key, const char *value)
{
	WITHOUT_CANCELLATION;
	if (recorder == NULL || key == NULL || key[0] == '\0' || value == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, key, strlen(key)) ||
	    !recorder_name_is_writable(&recorder->shared, value, strlen(value)))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	return message_sending_send(&recorder->shared,
				    message_property(&recorder->shared.messages.allocator, key, value));
}

mprof_status mprof_recorder_record_mark(mprof_recorder *recorder, uint64_t thread, const char *text, size_t text_length)
{
	WITHOUT_CANCELLATION;
	if (recorder == NULL || text == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, text, text_length))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	return message_sending_offer(&recorder->shared,
				     message_mark(&recorder->shared.messages.allocator, thread, text, text_length,
						  counter_read(&recorder->shared.counter)));
}

mprof_status mprof_recorder_record_application(mprof_recorder *recorder, const char *name, size_t name_length,
					       uint32_t kind, uint32_t flags, const void *bytes, size_t size)
{
	WITHOUT_CANCELLATION;
	const mprof_application_block application = {name, name_length, bytes, size, kind, flags};

	if (recorder == NULL || name == NULL || name_length == 0 || (bytes == NULL && size > 0) ||
	    (flags & ~BLOCK_APPLICATION_FLAGS) != 0)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, name, name_length))
		return MPROF_ERR_NAME;
	if (size > MPROF_APPLICATION_MAX_SIZE)
		return MPROF_ERR_LIMIT;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	return message_sending_offer(&recorder->shared,
				     message_application(&recorder->shared.messages.allocator, &application));
}

/* Bits of a unit that no metric has. */
#define UNUSED_METRIC_UNIT 0xd0u

/* Whether a metric has what its flags announce, and nothing else. */
static int metric_is_valid(const mprof_metric_record *metric)
{
	const uint32_t unit = metric->flags & MPROF_METRIC_UNIT_MASK;

	return (metric->flags & ~RECORD_METRIC_FLAGS) == 0 && unit != UNUSED_METRIC_UNIT &&
	       (unit == MPROF_METRIC_UNIT_NAMED) == (metric->unit[0] != '\0') &&
	       (metric->thread == 0 || (metric->flags & MPROF_METRIC_FLAG_THREAD) != 0);
}

static mprof_status define_metric(mprof_recorder *recorder, const mprof_record *record, uint32_t *metric)
{
	mprof_status status;
	message *created;

	if (!metric_is_valid(&record->as.metric))
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(&recorder->shared, record->as.metric.section,
				       strlen(record->as.metric.section)) ||
	    !recorder_name_is_writable(&recorder->shared, record->as.metric.name, strlen(record->as.metric.name)) ||
	    !recorder_name_is_writable(&recorder->shared, record->as.metric.unit, strlen(record->as.metric.unit)))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	created = message_record(&recorder->shared.messages.allocator, MESSAGE_DEFINE_METRIC, record);
	/* Before the ID is assigned, which takes a lock that the writer thread needs. */
	status = message_sending_reserve(&recorder->shared, created);
	if (status == MPROF_OK)
		*metric = recorder_define_metric(&recorder->shared, created);
	return status;
}

mprof_status mprof_recorder_define_metric(mprof_recorder *recorder, const char *section, const char *name,
					  uint32_t flags, uint32_t *metric)
{
	WITHOUT_CANCELLATION;
	const mprof_record record = {.kind = MPROF_RECORD_METRIC,
				     .as.metric = {.flags = flags, .section = section, .name = name, .unit = ""}};

	if (recorder == NULL || section == NULL || name == NULL || metric == NULL ||
	    (flags & MPROF_METRIC_FLAG_THREAD) != 0)
		return MPROF_ERR_ARGUMENT;
	return define_metric(recorder, &record, metric);
}

mprof_status mprof_recorder_define_metric_detailed(mprof_recorder *recorder,
						   const mprof_metric_description *description, uint32_t *metric)
{
	WITHOUT_CANCELLATION;
	mprof_record record = {.kind = MPROF_RECORD_METRIC};
	mprof_metric_description copy;

	if (recorder == NULL || description == NULL || metric == NULL ||
	    struct_copy_in(&copy, description, sizeof(copy)) != MPROF_OK || copy.name == NULL || copy.reserved != 0)
		return MPROF_ERR_ARGUMENT;
	record.as.metric = (mprof_metric_record){.flags = copy.flags,
						 .section = copy.section,
						 .name = copy.name,
						 .thread = copy.thread,
						 .unit = copy.unit};
	record_complete(&record);
	return define_metric(recorder, &record, metric);
}

static mprof_status record_metrics(mprof_recorder *recorder, const mprof_metric_value *values, size_t count)
{
	mprof_status status;
	uint32_t defined;

	/*
	 * Acquire: pairs with the release after the definition was pushed, so values follow the definitions of these
	 * metrics.
	 */
	defined = atomic_load_explicit(&recorder->shared.metrics_defined, memory_order_acquire);
	for (size_t i = 0; i < count; i++) {
		if (values[i].metric == 0 || values[i].metric > defined || values[i].reserved != 0 ||
		    (values[i].lower != 0 && values[i].count == 0))
			return MPROF_ERR_ARGUMENT;
	}
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	if (count == 0)
		return MPROF_OK;
	status = message_sending_offer(&recorder->shared,
				       message_metric_values(&recorder->shared.messages.allocator, values, count));
	/* The block gets the counter at which it is written, so the writer thread is woken. */
	sem_post(&recorder->shared.work);
	return status;
}

mprof_status mprof_recorder_record_metrics(mprof_recorder *recorder, const mprof_metric_value *values,
					   size_t value_size, size_t count)
{
	WITHOUT_CANCELLATION;
	element_list list;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	status = element_list_convert(&list, &recorder->shared.allocator, values, value_size, count,
				      SIZE_UP_TO(mprof_metric_value, value), sizeof(mprof_metric_value));
	if (status == MPROF_OK)
		status = record_metrics(recorder, list.elements, count);
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

/* Whether a text of a definition can be written. NULL stands for "". */
static int text_is_writable(const recorder_shared *shared, const char *text)
{
	return text == NULL || recorder_name_is_writable(shared, text, strlen(text));
}

/* The reason why the log cannot have definitions of types, or #MPROF_OK. */
static mprof_status refusal_of_types(const mprof_recorder *recorder)
{
	return recorder->shared.takes_types ? refusal_of(recorder) : MPROF_ERR_UNSUPPORTED;
}

/* Sends a definition that gets an ID. */
static mprof_status send_known(recorder_shared *shared, message *created, uint32_t *id)
{
	mprof_status status = message_sending_reserve(shared, created);

	if (status != MPROF_OK)
		return status;
	status = known_types_define(&shared->types, &shared->messages, created, id);
	if (status != MPROF_OK)
		message_sending_cancel(shared, created);
	return status;
}

mprof_status mprof_recorder_define_text(mprof_recorder *recorder, const char *text, size_t text_length, uint32_t *id)
{
	WITHOUT_CANCELLATION;
	recorder_shared *shared;
	mprof_status status;

	if (id != NULL)
		*id = 0;
	if (recorder == NULL || text == NULL || id == NULL)
		return MPROF_ERR_ARGUMENT;
	shared = &recorder->shared;
	if (!recorder_name_is_writable(shared, text, text_length))
		return MPROF_ERR_NAME;
	if (refusal_of_types(recorder) != MPROF_OK)
		return refusal_of_types(recorder);
	*id = known_types_find_text(&shared->types, text, text_length);
	if (*id != 0)
		return MPROF_OK;
	status = send_known(shared, message_known_text(&shared->messages.allocator, text, text_length), id);
	/* Another thread has defined it meanwhile. */
	if (status != MPROF_ERR_REDEFINED_ID)
		return status;
	*id = known_types_find_text(&shared->types, text, text_length);
	return MPROF_OK;
}

static mprof_status send_arguments(mprof_recorder *recorder, const mprof_argument_record *arguments, size_t count,
				   uint32_t *first)
{
	recorder_shared *shared = &recorder->shared;

	for (size_t i = 0; i < count; i++) {
		if (!record_encoding_fits(arguments[i].kind, arguments[i].encoding))
			return MPROF_ERR_ARGUMENT;
		if (!text_is_writable(shared, arguments[i].name) || !text_is_writable(shared, arguments[i].unit_name))
			return MPROF_ERR_NAME;
	}
	if (refusal_of_types(recorder) != MPROF_OK)
		return refusal_of_types(recorder);
	return send_known(shared, message_arguments(&shared->messages.allocator, arguments, count), first);
}

mprof_status mprof_recorder_define_arguments(mprof_recorder *recorder, const mprof_argument_record *arguments,
					     size_t argument_size, size_t count, uint32_t *first)
{
	WITHOUT_CANCELLATION;
	element_list list;
	mprof_status status;

	if (first != NULL)
		*first = 0;
	if (recorder == NULL || first == NULL || count == 0 || count > MPROF_TYPE_MAX_ARGUMENTS)
		return MPROF_ERR_ARGUMENT;
	status = element_list_convert(&list, &recorder->shared.allocator, arguments, argument_size, count,
				      SIZE_UP_TO(mprof_argument_record, unit_name), sizeof(mprof_argument_record));
	if (status == MPROF_OK)
		status = send_arguments(recorder, list.elements, count, first);
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

static mprof_status send_type(mprof_recorder *recorder, const mprof_type_record *type, uint32_t *id)
{
	if (type->argument_count > MPROF_TYPE_MAX_ARGUMENTS || type->reserved != 0)
		return MPROF_ERR_ARGUMENT;
	if (!text_is_writable(&recorder->shared, type->name) || !text_is_writable(&recorder->shared, type->source))
		return MPROF_ERR_NAME;
	if (refusal_of_types(recorder) != MPROF_OK)
		return refusal_of_types(recorder);
	return send_known(&recorder->shared, message_type(&recorder->shared.messages.allocator, type), id);
}

mprof_status mprof_recorder_define_type(mprof_recorder *recorder, const mprof_type_record *type, size_t type_size,
					uint32_t *id)
{
	WITHOUT_CANCELLATION;
	element_list list;
	mprof_status status;

	if (id != NULL)
		*id = 0;
	if (recorder == NULL || id == NULL)
		return MPROF_ERR_ARGUMENT;
	status = element_list_convert(&list, &recorder->shared.allocator, type, type_size, 1,
				      SIZE_UP_TO(mprof_type_record, name), sizeof(mprof_type_record));
	if (status == MPROF_OK)
		status = send_type(recorder, list.elements, id);
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

/* The reason why the log cannot have clocks, timelines, processes and ranges of code, or #MPROF_OK. */
static mprof_status refusal_of_clocks(const mprof_recorder *recorder)
{
	return recorder->shared.takes_clocks ? refusal_of(recorder) : MPROF_ERR_UNSUPPORTED;
}

/* Copies a record of a caller who may have been compiled with a shorter or longer one; its texts are "" for NULL. */
static mprof_status copy_record(const mprof_recorder *recorder, const void *input, size_t input_size, size_t least,
				size_t copy_size, mprof_record *record)
{
	element_list list;
	mprof_status status =
		element_list_convert(&list, &recorder->shared.allocator, input, input_size, 1, least, copy_size);

	if (status == MPROF_OK) {
		memcpy(&record->as, list.elements, copy_size);
		record_complete(record);
		if (!text_is_writable(&recorder->shared, record_get_name(record)) ||
		    !text_is_writable(&recorder->shared, record_get_second_text(record)))
			status = MPROF_ERR_NAME;
	}
	element_list_release(&list, &recorder->shared.allocator);
	return status;
}

mprof_status mprof_recorder_define_clock(mprof_recorder *recorder, const mprof_clock_record *clock, size_t clock_size,
					 uint32_t *id)
{
	WITHOUT_CANCELLATION;
	mprof_record record = {.kind = MPROF_RECORD_CLOCK};
	recorder_shared *shared;
	mprof_status status;
	message *created;

	if (id != NULL)
		*id = 0;
	if (recorder == NULL || id == NULL)
		return MPROF_ERR_ARGUMENT;
	shared = &recorder->shared;
	status = copy_record(recorder, clock, clock_size, SIZE_UP_TO(mprof_clock_record, name),
			     sizeof(mprof_clock_record), &record);
	if (status == MPROF_OK && record.as.clock.reserved != 0)
		status = MPROF_ERR_ARGUMENT;
	if (status == MPROF_OK)
		status = refusal_of_clocks(recorder);
	if (status != MPROF_OK)
		return status;
	created = message_record(&shared->messages.allocator, MESSAGE_DEFINE_CLOCK, &record);
	status = message_sending_reserve(shared, created);
	if (status != MPROF_OK)
		return status;
	status = known_clocks_define(&shared->clocks, &shared->messages, created, id);
	if (status != MPROF_OK)
		message_sending_cancel(shared, created);
	return status;
}

mprof_status mprof_recorder_record_clock_pair(mprof_recorder *recorder, uint32_t clock, uint64_t value,
					      uint64_t counter, uint64_t uncertainty)
{
	WITHOUT_CANCELLATION;
	const mprof_record record = {
		.kind = MPROF_RECORD_CLOCK_PAIR, .id = clock, .as.clock_pair = {value, counter, uncertainty}};
	recorder_shared *shared;
	mprof_status status;
	message *created;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	shared = &recorder->shared;
	status = refusal_of_clocks(recorder);
	if (status != MPROF_OK)
		return status;
	created = message_record(&shared->messages.allocator, MESSAGE_CLOCK_PAIR, &record);
	status = message_sending_reserve(shared, created);
	if (status != MPROF_OK)
		return status;
	status = known_clocks_add_pair(&shared->clocks, &shared->messages, created);
	if (status != MPROF_OK)
		message_sending_cancel(shared, created);
	return status;
}

/* Parts of a counter in a second that its rate is rounded to. */
#define RATE_PARTS 1024

/* The counters per second, in the unit of counter_read(). Measured over all the time since the recorder was opened. */
static clock_ratio counters_per_second(const recorder_shared *shared)
{
	double rate = shared->counters_per_second;
	counter_instant now;

	if (rate <= 0 && shared->opened.monotonic_ns != 0) {
		counter_read_instant(&shared->counter, &now);
		rate = counter_frequency(&shared->counter, &shared->opened, &now) *
		       (double)(UINT64_C(1) << shared->counter.log_shift);
	}
	if (!(rate > 0 && rate < (double)(UINT64_MAX / RATE_PARTS / 2)))
		return (clock_ratio){0, 0};
	return (clock_ratio){(uint64_t)(rate * RATE_PARTS + 0.5), RATE_PARTS};
}

mprof_status mprof_recorder_convert_time(mprof_recorder *recorder, uint32_t clock, uint64_t value, uint64_t *counter)
{
	WITHOUT_CANCELLATION;
	clock_ratio rate = {0, 0};

	if (counter != NULL)
		*counter = 0;
	if (recorder == NULL || counter == NULL)
		return MPROF_ERR_ARGUMENT;
	if (clock == MPROF_CLOCK_LOG) {
		*counter = value;
		return MPROF_OK;
	}
	if (known_clocks_need_rate(&recorder->shared.clocks, clock, value))
		rate = counters_per_second(&recorder->shared);
	return known_clocks_convert(&recorder->shared.clocks, clock, &rate, value, counter);
}

mprof_status mprof_recorder_define_timeline(mprof_recorder *recorder, const mprof_timeline_record *timeline,
					    size_t timeline_size)
{
	WITHOUT_CANCELLATION;
	mprof_record record = {.kind = MPROF_RECORD_TIMELINE};
	mprof_timeline_record *copy = &record.as.timeline;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	status = copy_record(recorder, timeline, timeline_size, SIZE_UP_TO(mprof_timeline_record, name),
			     sizeof(mprof_timeline_record), &record);
	if (status == MPROF_OK &&
	    ((copy->flags & ~RECORD_TIMELINE_FLAGS) != 0 || (copy->parent != 0 && copy->parent == copy->thread)))
		status = MPROF_ERR_ARGUMENT;
	if (status == MPROF_OK)
		status = refusal_of_clocks(recorder);
	/* The log need not have clocks. */
	if (copy->clock == MPROF_CLOCK_LOG)
		copy->clock = 0;
	if (status == MPROF_OK && copy->clock != 0 && !known_clocks_has(&recorder->shared.clocks, copy->clock))
		status = MPROF_ERR_UNDEFINED_ID;
	if (status != MPROF_OK)
		return status;
	return message_sending_send(&recorder->shared, message_record(&recorder->shared.messages.allocator,
								      MESSAGE_DEFINE_TIMELINE, &record));
}

mprof_status mprof_recorder_define_process(mprof_recorder *recorder, const mprof_process_record *process,
					   size_t process_size)
{
	WITHOUT_CANCELLATION;
	mprof_record record = {.kind = MPROF_RECORD_PROCESS};
	const mprof_process_record *copy = &record.as.process;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	status = copy_record(recorder, process, process_size, SIZE_UP_TO(mprof_process_record, command),
			     sizeof(mprof_process_record), &record);
	if (status == MPROF_OK &&
	    (copy->number == 0 || copy->parent == copy->number || (copy->end != 0 && copy->end < copy->start)))
		status = MPROF_ERR_ARGUMENT;
	if (status == MPROF_OK)
		status = refusal_of_clocks(recorder);
	if (status != MPROF_OK)
		return status;
	return message_sending_send(&recorder->shared, message_record(&recorder->shared.messages.allocator,
								      MESSAGE_DEFINE_PROCESS, &record));
}

/* Makes the record of a range of code. Its start is now unless the client states it. */
static mprof_status make_code(const mprof_recorder *recorder, const mprof_code *code, mprof_record *record)
{
	if (code->size == 0 || code->reserved != 0)
		return MPROF_ERR_ARGUMENT;
	record->as.code_range = (mprof_code_range_record){
		.address = code->address,
		.size = code->size,
		.start = code->start != 0 ? code->start : counter_read(&recorder->shared.counter),
		.name = code->name,
		.kind = code->kind};
	record_complete(record);
	return text_is_writable(&recorder->shared, record->as.code_range.name) ? refusal_of_clocks(recorder)
									       : MPROF_ERR_NAME;
}

/* Makes the message for a range of code, unless its lines are invalid. */
static mprof_status make_code_message(const recorder_shared *shared, const mprof_code *code, const mprof_record *record,
				      message **created)
{
	element_list list = {0};
	const mprof_code_line *lines;
	mprof_status status = MPROF_OK;

	*created = NULL;
	if (code->line_count > MPROF_CODE_LINES_MAX)
		return MPROF_ERR_ARGUMENT;
	if (code->line_count > 0)
		status = element_list_convert(&list, &shared->allocator, code->lines, code->line_size, code->line_count,
					      SIZE_UP_TO(mprof_code_line, file), sizeof(*lines));
	lines = list.elements;
	for (size_t i = 0; status == MPROF_OK && i < code->line_count; i++) {
		if (lines[i].offset >= code->size || (i > 0 && lines[i].offset < lines[i - 1].offset))
			status = MPROF_ERR_ARGUMENT;
	}
	if (status == MPROF_OK)
		*created = message_code(&shared->messages.allocator, record, lines, code->line_count);
	element_list_release(&list, &shared->allocator);
	return status;
}

mprof_status mprof_recorder_define_code(mprof_recorder *recorder, const mprof_code *code, uint32_t *id)
{
	WITHOUT_CANCELLATION;
	mprof_record record = {.kind = MPROF_RECORD_CODE_RANGE};
	recorder_shared *shared;
	mprof_status status;
	message *created;
	mprof_code copy;

	if (id != NULL)
		*id = 0;
	if (recorder == NULL || code == NULL || id == NULL || struct_copy_in(&copy, code, sizeof(copy)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	status = make_code(recorder, &copy, &record);
	if (status != MPROF_OK)
		return status;
	shared = &recorder->shared;
	status = make_code_message(shared, &copy, &record, &created);
	if (status == MPROF_OK)
		status = message_sending_reserve(shared, created);
	if (status != MPROF_OK)
		return status;
	created->key = copy.method;
	created->counter = counter_read(&shared->counter);
	status = known_types_define(&shared->types, &shared->messages, created, id);
	if (status != MPROF_OK)
		message_sending_cancel(shared, created);
	return status;
}

/* Records that the code of a range is at another address from now on; 0: nowhere. */
static mprof_status end_code(mprof_recorder *recorder, uint32_t id, uint64_t address)
{
	mprof_record record = {.kind = MPROF_RECORD_CODE_END, .id = id, .as.code_end.address = address};

	if (refusal_of_clocks(recorder) != MPROF_OK)
		return refusal_of_clocks(recorder);
	if (!known_types_has_code(&recorder->shared.types, id))
		return MPROF_ERR_UNDEFINED_ID;
	record.as.code_end.counter = counter_read(&recorder->shared.counter);
	return message_sending_send(&recorder->shared,
				    message_record(&recorder->shared.messages.allocator, MESSAGE_END_CODE, &record));
}

mprof_status mprof_recorder_move_code(mprof_recorder *recorder, uint32_t id, uint64_t address)
{
	WITHOUT_CANCELLATION;

	return recorder == NULL || address == 0 ? MPROF_ERR_ARGUMENT : end_code(recorder, id, address);
}

mprof_status mprof_recorder_end_code(mprof_recorder *recorder, uint32_t id)
{
	WITHOUT_CANCELLATION;

	return recorder == NULL ? MPROF_ERR_ARGUMENT : end_code(recorder, id, 0);
}

mprof_status mprof_recorder_register_root(mprof_recorder *recorder, const mprof_root_area *area)
{
	WITHOUT_CANCELLATION;
	mprof_root_area copy;

	if (recorder == NULL || area == NULL || struct_copy_in(&copy, area, sizeof(copy)) != MPROF_OK ||
	    copy.size == 0 || copy.start + (copy.size - 1) < copy.start || copy.kind > MPROF_ROOT_GLOBAL ||
	    copy.reserved != 0)
		return MPROF_ERR_ARGUMENT;
	if (copy.name != NULL && !recorder_name_is_writable(&recorder->shared, copy.name, strlen(copy.name)))
		return MPROF_ERR_NAME;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	return message_sending_offer(&recorder->shared,
				     message_root(&recorder->shared.messages.allocator, MESSAGE_ROOT_REGISTERED, &copy,
						  counter_read(&recorder->shared.counter)));
}

mprof_status mprof_recorder_unregister_root(mprof_recorder *recorder, uint64_t start)
{
	WITHOUT_CANCELLATION;
	mprof_root_area area = {.struct_size = sizeof(mprof_root_area), .start = start};

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	if (refusal_of(recorder) != MPROF_OK)
		return refusal_of(recorder);
	return message_sending_offer(&recorder->shared,
				     message_root(&recorder->shared.messages.allocator, MESSAGE_ROOT_UNREGISTERED,
						  &area, counter_read(&recorder->shared.counter)));
}
