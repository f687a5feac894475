/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/field_queue.h
 * \brief The fields of classes whose objects come next in a heap snapshot, and which are not in the log yet. Writer
 * thread.
 *
 * They are collected so that the classes of a HEAP_DATA block share a FIELDS block.
 */
#ifndef RECORDER_TABLES_FIELD_QUEUE_H
#define RECORDER_TABLES_FIELD_QUEUE_H

#include "recorder/queues/class_fields.h"
#include "recorder/tables/output.h"

typedef struct field_queue {
	mprof_allocator allocator;
	class_fields *first;
	class_fields **last; /**< Where the next one is linked. */
} field_queue;

void field_queue_init(field_queue *queue, const mprof_allocator *allocator);
void field_queue_destroy(field_queue *queue);

/** Appends the fields of a class, whose keys were replaced by IDs of classes that are defined. Takes ownership. */
void field_queue_add(field_queue *queue, class_fields *fields);

/** Writes all fields. What cannot be written is discarded: it is no longer needed. */
void field_queue_write(field_queue *queue, recorder_output *output);

#endif
