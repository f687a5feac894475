/* SPDX-License-Identifier: MIT */
/* Writes the fields of classes as FIELDS blocks. */
#include "recorder/tables/field_queue.h"

#include <string.h>

/* Maximum number of fields in one block. */
#define FIELDS_IN_BLOCK 128

void field_queue_init(field_queue *queue, const mprof_allocator *allocator)
{
	*queue = (field_queue){.allocator = *allocator};
	queue->last = &queue->first;
}

void field_queue_destroy(field_queue *queue)
{
	while (queue->first != NULL) {
		class_fields *next = queue->first->next;

		class_fields_release(&queue->allocator, queue->first);
		queue->first = next;
	}
	queue->last = &queue->first;
}

void field_queue_add(field_queue *queue, class_fields *fields)
{
	fields->next = NULL;
	*queue->last = fields;
	queue->last = &fields->next;
}

/* The records of the next block. The names are those of the queue. */
typedef struct record_list {
	mprof_record records[FIELDS_IN_BLOCK];
	size_t count;
} record_list;

static void write_records(record_list *list, recorder_output *output)
{
	output_write_records(output, MPROF_BLOCK_FIELDS, list->records, list->count);
	list->count = 0;
}

static void add_class(record_list *list, const class_fields *fields, recorder_output *output)
{
	const char *name = class_fields_names(fields);

	for (uint32_t i = 0; i < fields->count; i++) {
		const stored_field *field = &fields->fields[i];

		if (list->count == FIELDS_IN_BLOCK)
			write_records(list, output);
		list->records[list->count++] = (mprof_record){.kind = MPROF_RECORD_FIELD,
							      .id = fields->class_id,
							      .as.field.offset = field->offset,
							      .as.field.stride = field->stride,
							      .as.field.class_id = (uint32_t)field->class_key,
							      .as.field.name = name};
		name += strlen(name) + 1;
	}
}

void field_queue_write(field_queue *queue, recorder_output *output)
{
	record_list list;

	if (queue->first == NULL)
		return;
	list.count = 0;
	for (const class_fields *fields = queue->first; fields != NULL; fields = fields->next)
		add_class(&list, fields, output);
	write_records(&list, output);
	field_queue_destroy(queue);
}
