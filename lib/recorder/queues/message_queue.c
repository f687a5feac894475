/* SPDX-License-Identifier: MIT */
/* Creates messages to the writer thread, and queues them without locks. */
#include "recorder/queues/message_queue.h"

#include "base/allocator.h"
#include "format/blocks/records.h"

#include <string.h>

/*
 * The fields of a class.
 */

/* The size of fields with their names in bytes; 0 if it exceeds the address space. */
static size_t class_fields_size(const mprof_class_field *fields, size_t count)
{
	size_t size;

	if (!checked_multiply(count, sizeof(stored_field), &size))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!checked_add(size, strlen(fields[i].name) + 1, &size))
			return 0;
	}
	return size;
}

/* Stores fields at stored, which has class_fields_size() bytes. */
static void class_fields_store(stored_field *stored, const mprof_class_field *fields, size_t count)
{
	char *names = (char *)(stored + count);

	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(fields[i].name) + 1;

		stored[i] = (stored_field){fields[i].class_key, fields[i].offset, fields[i].stride};
		memcpy(names, fields[i].name, size);
		names += size;
	}
}

/* Whether a text consists of a number of strings. */
static int has_strings(const char *text, uint64_t size, uint64_t count)
{
	while (count > 0 && size > 0) {
		const char *end = memchr(text, '\0', (size_t)size);

		if (end == NULL)
			return 0;
		size -= (uint64_t)(end - text) + 1;
		text = end + 1;
		count--;
	}
	return count == 0 && size == 0;
}

int class_fields_are_valid(const stored_field *fields, uint64_t size, uint64_t count)
{
	if (count > UINT32_MAX || size > SIZE_MAX || size / sizeof(*fields) < count)
		return 0;
	for (uint64_t i = 1; i < count; i++) {
		if (!class_fields_ascend(fields[i - 1].offset, fields[0].offset, fields[0].stride, fields[i].offset,
					 fields[i].stride))
			return 0;
	}
	return has_strings((const char *)(fields + count), size - count * sizeof(*fields), count);
}

class_fields *class_fields_copy(const mprof_allocator *allocator, const stored_field *fields, size_t size,
				uint32_t count)
{
	class_fields *copy;
	size_t all;

	if (!checked_add(sizeof(*copy), size, &all))
		return NULL;
	copy = allocator_allocate(allocator, all);
	if (copy == NULL)
		return NULL;
	*copy = (class_fields){.size = size, .count = count};
	memcpy(copy->fields, fields, size);
	return copy;
}

void class_fields_release(const mprof_allocator *allocator, class_fields *fields)
{
	if (fields != NULL)
		allocator_release(allocator, fields, sizeof(*fields) + fields->size);
}

/* A message outside of the area is lost if the process dies, but without any memory it would be lost now. */
static void *allocate_piece(void *user, size_t size)
{
	message_queue *queue = user;
	void *memory = salvage_area_allocate(queue->area, SALVAGE_MESSAGE, size);

	return memory != NULL ? memory : allocator_allocate(&queue->fallback, size);
}

/* Messages never grow. */
static void *refuse_reallocation(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)memory;
	(void)old_size;
	(void)new_size;
	return NULL;
}

static void release_piece(void *user, void *memory, size_t size)
{
	message_queue *queue = user;

	if (salvage_area_contains(queue->area, memory))
		salvage_area_recycle(queue->area, memory);
	else
		allocator_release(&queue->fallback, memory, size);
}

void message_queue_init(message_queue *queue, const mprof_allocator *allocator, size_t most_bytes, salvage_area *area,
			_Atomic uint64_t *sequence)
{
	queue->allocator = *allocator;
	queue->most_bytes = most_bytes;
	queue->sequence = sequence;
	queue->area = area;
	queue->fallback = *allocator;
	if (area != NULL)
		queue->allocator = (mprof_allocator){sizeof(mprof_allocator), allocate_piece, refuse_reallocation,
						     release_piece, queue};
}

static message *message_create(const mprof_allocator *allocator, message_kind kind, size_t text_size)
{
	size_t size;
	message *created;

	if (!checked_add(sizeof(*created), text_size, &size))
		return NULL;
	created = allocator_allocate(allocator, size);
	if (created == NULL)
		return NULL;
	memset(created, 0, sizeof(*created));
	created->size = size;
	created->kind = kind;
	return created;
}

/* Copies a text and a NUL to *end, and advances *end past them. */
static const char *message_copy_text(char **end, const char *text, size_t length)
{
	char *copy = *end;

	if (length > 0)
		memcpy(copy, text, length);
	copy[length] = '\0';
	*end = copy + length + 1;
	return copy;
}

message *message_definition(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			    const mprof_description *description, uint64_t counter)
{
	size_t file_length = kind == MESSAGE_DEFINE_METHOD ? description->source_file_length : 0;
	message *created = message_create(allocator, kind, description->name_length + file_length + 2);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->key = key;
	created->owner = kind == MESSAGE_DEFINE_METHOD ? description->class_key : description->assembly_key;
	created->flags = description->flags;
	created->object_size = kind == MESSAGE_DEFINE_CLASS ? description->object_size : 0;
	created->counter = counter;
	created->name = message_copy_text(&end, description->name, description->name_length);
	created->name_length = description->name_length;
	if (file_length > 0) {
		created->source_file = message_copy_text(&end, description->source_file, file_length);
		created->source_file_length = file_length;
		created->source_line = description->source_line;
	}
	return created;
}

message *message_element(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			 const mprof_element *element)
{
	const mprof_assembly_name *assembly_name = element->assembly;
	size_t text_size = element->name_length + 1;
	message *created;
	mprof_element *copied;
	char *end;

	if (assembly_name != NULL)
		text_size += strlen(assembly_name->base_name) + strlen(assembly_name->culture) +
			     strlen(assembly_name->public_key_token) + 3;
	created = message_create(allocator, kind, text_size);
	if (created == NULL)
		return NULL;
	end = created->text;
	created->key = key;
	copied = &created->more.loaded.element;
	*copied = *element;
	copied->name = message_copy_text(&end, element->name, element->name_length);
	if (assembly_name != NULL) {
		mprof_assembly_name *assembly = &created->more.loaded.assembly;

		*assembly = *assembly_name;
		assembly->base_name =
			message_copy_text(&end, assembly_name->base_name, strlen(assembly_name->base_name));
		assembly->culture = message_copy_text(&end, assembly_name->culture, strlen(assembly_name->culture));
		assembly->public_key_token = message_copy_text(&end, assembly_name->public_key_token,
							       strlen(assembly_name->public_key_token));
		copied->assembly = assembly;
	}
	return created;
}

static message *message_text(const mprof_allocator *allocator, message_kind kind, uint64_t thread, const char *text,
			     size_t text_length)
{
	message *created = message_create(allocator, kind, text_length + 1);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->thread = thread;
	created->name = message_copy_text(&end, text, text_length);
	created->name_length = text_length;
	return created;
}

message *message_thread_name(const mprof_allocator *allocator, uint64_t thread, const char *name, size_t name_length)
{
	return message_text(allocator, MESSAGE_THREAD_NAME, thread, name, name_length);
}

message *message_mark(const mprof_allocator *allocator, uint64_t thread, const char *text, size_t text_length,
		      uint64_t counter)
{
	message *created = message_text(allocator, MESSAGE_MARK, thread, text, text_length);

	if (created != NULL)
		created->counter = counter;
	return created;
}

message *message_application(const mprof_allocator *allocator, const mprof_application_block *application)
{
	message *created =
		message_create(allocator, MESSAGE_APPLICATION, application->name_length + application->size + 2);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->name = message_copy_text(&end, application->name, application->name_length);
	created->name_length = application->name_length;
	created->source_file = message_copy_text(&end, (const char *)application->bytes, application->size);
	created->source_file_length = application->size;
	created->id = application->kind;
	created->flags = application->flags;
	return created;
}

/* A message with two texts. */
static message *message_pair(const mprof_allocator *allocator, message_kind kind, const char *section, const char *name)
{
	size_t section_length = strlen(section);
	size_t name_length = strlen(name);
	message *created = message_create(allocator, kind, section_length + name_length + 2);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->section = message_copy_text(&end, section, section_length);
	created->name = message_copy_text(&end, name, name_length);
	created->name_length = name_length;
	return created;
}

message *message_property(const mprof_allocator *allocator, const char *key, const char *value)
{
	return message_pair(allocator, MESSAGE_PROPERTY, key, value);
}

message *message_metric_values(const mprof_allocator *allocator, const mprof_metric_value *values, size_t count)
{
	size_t size;
	message *created;

	if (!checked_multiply(count, sizeof(*values), &size))
		return NULL;
	created = message_create(allocator, MESSAGE_METRIC_VALUES, size);
	if (created == NULL)
		return NULL;
	memcpy(created->text, values, size);
	created->more.metrics.values = (const mprof_metric_value *)(const void *)created->text;
	created->more.metrics.count = count;
	return created;
}

message *message_root(const mprof_allocator *allocator, message_kind kind, const mprof_root_area *area,
		      uint64_t counter)
{
	const char *name = area->name != NULL ? area->name : "";
	size_t name_length = strlen(name);
	message *created = message_create(allocator, kind, name_length + 1);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->counter = counter;
	created->more.root = *area;
	created->more.root.name = message_copy_text(&end, name, name_length);
	return created;
}

message *message_fields(const mprof_allocator *allocator, mprof_key class_key, const mprof_class_field *fields,
			uint32_t count)
{
	size_t size = class_fields_size(fields, count);
	message *created = size == 0 ? NULL : message_create(allocator, MESSAGE_DEFINE_FIELDS, size);
	stored_field *list;

	if (created == NULL)
		return NULL;
	list = (stored_field *)(void *)created->text;
	class_fields_store(list, fields, count);
	created->key = class_key;
	created->more.fields.list = list;
	created->more.fields.bytes = size;
	created->more.fields.count = count;
	return created;
}

message *message_known_text(const mprof_allocator *allocator, const char *text, size_t text_length)
{
	return message_text(allocator, MESSAGE_DEFINE_TEXT, 0, text, text_length);
}

/* NULL stands for "". */
static size_t length_or_0(const char *text)
{
	return text != NULL ? strlen(text) : 0;
}

message *message_arguments(const mprof_allocator *allocator, const mprof_argument_record *arguments, size_t count)
{
	mprof_argument_record *list;
	message *created;
	size_t size = 0;
	char *end;

	if (!checked_multiply(count, sizeof(*arguments) + 2, &size))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!checked_add(size, length_or_0(arguments[i].name), &size) ||
		    !checked_add(size, length_or_0(arguments[i].unit_name), &size))
			return NULL;
	}
	created = message_create(allocator, MESSAGE_DEFINE_ARGUMENTS, size);
	if (created == NULL)
		return NULL;
	list = (mprof_argument_record *)(void *)created->text;
	end = (char *)&list[count];
	for (size_t i = 0; i < count; i++) {
		list[i] = arguments[i];
		list[i].name = message_copy_text(&end, arguments[i].name, length_or_0(arguments[i].name));
		list[i].unit_name =
			message_copy_text(&end, arguments[i].unit_name, length_or_0(arguments[i].unit_name));
	}
	created->more.arguments.list = list;
	created->more.arguments.count = count;
	return created;
}

message *message_type(const mprof_allocator *allocator, const mprof_type_record *type)
{
	const size_t length = length_or_0(type->name);
	const size_t source_length = length_or_0(type->source);
	message *created = message_create(allocator, MESSAGE_DEFINE_TYPE, length + source_length + 2);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->more.type = *type;
	created->more.type.name = message_copy_text(&end, type->name, length);
	created->more.type.source = message_copy_text(&end, type->source, source_length);
	return created;
}

/* Creates the message for a record. Its texts are after \p before bytes. */
static message *record_create(const mprof_allocator *allocator, message_kind kind, const mprof_record *record,
			      size_t before)
{
	mprof_record copy = *record;
	const char **texts[] = {record_name(&copy), record_second_text(&copy), record_third_text(&copy)};
	const size_t text_count = sizeof(texts) / sizeof(texts[0]);
	size_t length = before;
	message *created;
	char *end;

	for (size_t i = 0; i < text_count; i++)
		length += texts[i] != NULL ? strlen(*texts[i]) + 1 : 0;
	created = message_create(allocator, kind, length);
	if (created == NULL)
		return NULL;
	end = created->text + before;
	for (size_t i = 0; i < text_count; i++) {
		if (texts[i] != NULL)
			*texts[i] = message_copy_text(&end, *texts[i], strlen(*texts[i]));
	}
	created->more.record = copy;
	return created;
}

message *message_record(const mprof_allocator *allocator, message_kind kind, const mprof_record *record)
{
	return record_create(allocator, kind, record, 0);
}

message *message_code(const mprof_allocator *allocator, const mprof_record *range, const mprof_code_line *lines,
		      size_t count)
{
	message *created = record_create(allocator, MESSAGE_DEFINE_CODE, range, count * sizeof(*lines));

	if (created == NULL)
		return NULL;
	if (count > 0)
		memcpy(created->text, lines, count * sizeof(*lines));
	created->more.code.lines = (const mprof_code_line *)(const void *)created->text;
	created->more.code.line_count = count;
	return created;
}

void message_release(const mprof_allocator *allocator, message *released)
{
	allocator_release(allocator, released, released->size);
}

void message_queue_push(message_queue *queue, message *pushed)
{
	message *newest = atomic_load_explicit(&queue->newest, memory_order_relaxed);

	if (queue->area != NULL && salvage_area_contains(queue->area, pushed)) {
		pushed->sequence = atomic_fetch_add_explicit(queue->sequence, 1, memory_order_relaxed) + 1;
		pushed->address = (uint64_t)(uintptr_t)pushed;
		salvage_piece_publish(pushed);
	}
	do {
		pushed->next = newest;
	} while (!atomic_compare_exchange_weak_explicit(&queue->newest, &newest, pushed, memory_order_release,
							memory_order_relaxed));
}

int message_is_optional(const message *requested)
{
	return requested->kind == MESSAGE_MARK || requested->kind == MESSAGE_APPLICATION ||
	       requested->kind == MESSAGE_METRIC_VALUES || requested->kind == MESSAGE_ROOT_REGISTERED ||
	       requested->kind == MESSAGE_ROOT_UNREGISTERED;
}

int message_queue_reserve(message_queue *queue, message *reserved, size_t most_bytes, int *is_filling)
{
	_Atomic size_t *waiting = &queue->waiting_bytes[message_is_optional(reserved)];
	size_t before = atomic_load(waiting);
	size_t size = reserved->size;

	do {
		if (before > 0 && (before > most_bytes || size > most_bytes - before))
			return 0;
	} while (!atomic_compare_exchange_weak(waiting, &before, before + size));
	*is_filling = before <= most_bytes / 2 && before + size > most_bytes / 2;
	reserved->reserved = size;
	return 1;
}

void message_queue_count_refused(message_queue *queue)
{
	atomic_fetch_add_explicit(&queue->refused, 1, memory_order_relaxed);
}

uint64_t message_queue_take_refused(message_queue *queue)
{
	return atomic_exchange_explicit(&queue->refused, 0, memory_order_relaxed);
}

void message_queue_note_lost(message_queue *queue, message_kind kind, mprof_key key, uint64_t counter)
{
	uint32_t index = atomic_load_explicit(&queue->lost_count, memory_order_relaxed);

	do {
		if (index == MESSAGE_QUEUE_MAX_LOST) {
			/* Release: pairs with the acquire in message_queue_take_lost_more(). */
			atomic_store_explicit(&queue->has_lost_more, 1, memory_order_release);
			return;
		}
		/* Acquire: pairs with the release in release_lost(), after which the element is not read any more. */
	} while (!atomic_compare_exchange_weak_explicit(&queue->lost_count, &index, index + 1, memory_order_acquire,
							memory_order_relaxed));
	queue->lost[index] = (message){.size = sizeof(message), .kind = kind, .key = key, .counter = counter};
	message_queue_push(queue, &queue->lost[index]);
}

int message_queue_take_lost_more(message_queue *queue)
{
	return atomic_exchange_explicit(&queue->has_lost_more, 0, memory_order_acquire);
}

message *message_queue_take(message_queue *queue)
{
	message *newest = atomic_exchange_explicit(&queue->newest, NULL, memory_order_acquire);
	message *oldest = NULL;

	while (newest != NULL) {
		message *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

/* The elements are used again once all that threads own were pushed and processed. */
static void release_lost(message_queue *queue)
{
	uint32_t done = ++queue->lost_done;

	/* Release: pairs with the acquire in message_queue_note_lost(). */
	if (atomic_compare_exchange_strong_explicit(&queue->lost_count, &done, 0, memory_order_release,
						    memory_order_relaxed))
		queue->lost_done = 0;
}

void message_queue_release_room(message_queue *queue, message *done)
{
	if (done->reserved > 0)
		atomic_fetch_sub(&queue->waiting_bytes[message_is_optional(done)], done->reserved);
	done->reserved = 0;
}

void message_queue_release(message_queue *queue, message *done)
{
	const uintptr_t distance = (uintptr_t)done - (uintptr_t)queue->lost;

	message_queue_release_room(queue, done);
	/* As integers, since most messages are no elements of the array. */
	if (distance < sizeof(queue->lost))
		release_lost(queue);
	else
		message_release(&queue->allocator, done);
}

/* Adjusts a pointer to a text of known length. Returns 0 if the text is not entirely in the message. */
static int relocate_text(const message *remaining, message *copy, const char **text, size_t length)
{
	uint64_t offset = (uint64_t)(uintptr_t)*text - remaining->address;

	if (*text == NULL)
		return length == 0;
	if (offset < sizeof(*copy) || offset >= copy->size || length >= copy->size - offset)
		return 0;
	*text = (const char *)copy + offset;
	return (*text)[length] == '\0';
}

/* Adjusts a pointer to a text that ends with NUL. Returns 0 if the text is not entirely in the message. */
static int relocate_string(const message *remaining, message *copy, const char **text)
{
	uint64_t offset = (uint64_t)(uintptr_t)*text - remaining->address;

	if (*text == NULL)
		return 1;
	if (offset < sizeof(*copy) || offset >= copy->size)
		return 0;
	*text = (const char *)copy + offset;
	return memchr(*text, '\0', copy->size - (size_t)offset) != NULL;
}

static int relocate_element(const message *remaining, message *copy)
{
	mprof_element *element = &copy->more.loaded.element;
	mprof_assembly_name *assembly = &copy->more.loaded.assembly;

	if (element->name == NULL || !relocate_text(remaining, copy, &element->name, element->name_length))
		return 0;
	if (element->assembly == NULL)
		return 1;
	element->assembly = assembly;
	return assembly->base_name != NULL && assembly->culture != NULL && assembly->public_key_token != NULL &&
	       relocate_string(remaining, copy, &assembly->base_name) &&
	       relocate_string(remaining, copy, &assembly->culture) &&
	       relocate_string(remaining, copy, &assembly->public_key_token);
}

/* Limits the memory that a damaged file can request. */
#define MAX_METRICS (UINT32_C(1) << 20)

static int relocate_values(const message *remaining, message *copy)
{
	size_t size;
	uint64_t offset = (uint64_t)(uintptr_t)remaining->more.metrics.values - remaining->address;

	if (!checked_multiply(remaining->more.metrics.count, sizeof(mprof_metric_value), &size) ||
	    offset < sizeof(*copy) || offset > copy->size || size > copy->size - offset ||
	    offset % _Alignof(mprof_metric_value) != 0)
		return 0;
	copy->more.metrics.values = (const mprof_metric_value *)(const void *)((const char *)copy + offset);
	for (size_t i = 0; i < copy->more.metrics.count; i++) {
		if (copy->more.metrics.values[i].metric == 0 || copy->more.metrics.values[i].metric > MAX_METRICS)
			return 0;
	}
	return 1;
}

static int relocate_fields(message *copy)
{
	copy->more.fields.list = (const stored_field *)(const void *)copy->text;
	return copy->key != 0 && copy->more.fields.bytes <= copy->size - sizeof(*copy) &&
	       class_fields_are_valid(copy->more.fields.list, copy->more.fields.bytes, copy->more.fields.count);
}

static int relocate_arguments(const message *remaining, message *copy)
{
	mprof_argument_record *list = (mprof_argument_record *)(void *)copy->text;
	const size_t count = remaining->more.arguments.count;

	if (count > MPROF_TYPE_MAX_ARGUMENTS || count > (copy->size - sizeof(*copy)) / sizeof(*list))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (list[i].encoding > MPROF_ENCODING_BYTES || list[i].name == NULL || list[i].unit_name == NULL ||
		    !relocate_string(remaining, copy, &list[i].name) ||
		    !relocate_string(remaining, copy, &list[i].unit_name))
			return 0;
	}
	copy->more.arguments.list = list;
	return 1;
}

static int relocate_type(const message *remaining, message *copy)
{
	mprof_type_record *type = &copy->more.type;

	return type->name != NULL && type->source != NULL && type->argument_count <= MPROF_TYPE_MAX_ARGUMENTS &&
	       type->reserved == 0 && relocate_string(remaining, copy, &type->name) &&
	       relocate_string(remaining, copy, &type->source);
}

/* What the reader of the record relies on: its kind, and texts that end in the message. */
static int relocate_record(const message *remaining, message *copy)
{
	static const uint32_t kinds[] = {
		[MESSAGE_DEFINE_CLOCK] = MPROF_RECORD_CLOCK,     [MESSAGE_DEFINE_TIMELINE] = MPROF_RECORD_TIMELINE,
		[MESSAGE_DEFINE_PROCESS] = MPROF_RECORD_PROCESS, [MESSAGE_CLOCK_PAIR] = MPROF_RECORD_CLOCK_PAIR,
		[MESSAGE_DEFINE_METRIC] = MPROF_RECORD_METRIC,   [MESSAGE_DEFINE_CODE] = MPROF_RECORD_CODE_RANGE,
		[MESSAGE_END_CODE] = MPROF_RECORD_CODE_END,
	};
	mprof_record *record = &copy->more.record;
	const char **texts[] = {record_name(record), record_second_text(record), record_third_text(record)};

	if (record->kind != kinds[copy->kind])
		return 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i] != NULL && (*texts[i] == NULL || !relocate_string(remaining, copy, texts[i])))
			return 0;
	}
	return 1;
}

static int relocate_code(const message *remaining, message *copy)
{
	if (copy->more.code.line_count > MPROF_CODE_LINES_MAX ||
	    copy->more.code.line_count > (copy->size - sizeof(*copy)) / sizeof(*copy->more.code.lines))
		return 0;
	copy->more.code.lines = (const mprof_code_line *)(const void *)copy->text;
	return relocate_record(remaining, copy);
}

static int set_copied_pointers(const message *remaining, message *copy)
{
	switch (copy->kind) {
	case MESSAGE_DEFINE_CLASS:
	case MESSAGE_DEFINE_METHOD:
		return copy->key != 0 && copy->name != NULL &&
		       relocate_text(remaining, copy, &copy->name, copy->name_length) &&
		       relocate_text(remaining, copy, &copy->source_file, copy->source_file_length);
	case MESSAGE_LOADED:
	case MESSAGE_UNLOADED:
		return relocate_element(remaining, copy);
	case MESSAGE_THREAD_NAME:
	case MESSAGE_MARK:
	case MESSAGE_DEFINE_TEXT:
		return copy->name != NULL && relocate_text(remaining, copy, &copy->name, copy->name_length);
	case MESSAGE_APPLICATION:
		return copy->name != NULL && copy->source_file != NULL &&
		       relocate_text(remaining, copy, &copy->name, copy->name_length) &&
		       relocate_text(remaining, copy, &copy->source_file, copy->source_file_length);
	case MESSAGE_PROPERTY:
		return copy->name != NULL && copy->section != NULL &&
		       relocate_string(remaining, copy, &copy->section) &&
		       relocate_string(remaining, copy, &copy->name);
	case MESSAGE_METRIC_VALUES:
		return relocate_values(remaining, copy);
	case MESSAGE_ROOT_REGISTERED:
	case MESSAGE_ROOT_UNREGISTERED:
		/* Without a name the pointer is to a constant of the process that ended. */
		if (!relocate_string(remaining, copy, &copy->more.root.name))
			copy->more.root.name = "";
		return 1;
	case MESSAGE_DEFINE_FIELDS:
		return relocate_fields(copy);
	case MESSAGE_DEFINE_ARGUMENTS:
		return relocate_arguments(remaining, copy);
	case MESSAGE_DEFINE_TYPE:
		return relocate_type(remaining, copy);
	case MESSAGE_DEFINE_CLOCK:
	case MESSAGE_DEFINE_TIMELINE:
	case MESSAGE_DEFINE_PROCESS:
	case MESSAGE_CLOCK_PAIR:
	case MESSAGE_DEFINE_METRIC:
	case MESSAGE_END_CODE:
		return relocate_record(remaining, copy);
	case MESSAGE_DEFINE_CODE:
		return relocate_code(remaining, copy);
	}
	return 0;
}

message *message_recover(const mprof_allocator *allocator, const message *remaining, uint64_t room)
{
	message *copy;

	if (room < sizeof(*remaining) || remaining->size < sizeof(*remaining) || remaining->size > room)
		return NULL;
	copy = allocator_allocate(allocator, remaining->size);
	if (copy == NULL)
		return NULL;
	memcpy(copy, remaining, remaining->size);
	copy->reserved = 0;
	if (set_copied_pointers(remaining, copy))
		return copy;
	message_release(allocator, copy);
	return NULL;
}
