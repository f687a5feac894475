/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/class_fields.h
 * \brief The fields of a class as one piece of memory without pointers, so that it can be in a message, in the journal
 * of a salvage area, and in the table of keys.
 */
#ifndef RECORDER_QUEUES_CLASS_FIELDS_H
#define RECORDER_QUEUES_CLASS_FIELDS_H

#include <mprof/recorder.h>

#include "base/allocator.h"

/** A field. The names are after the last one, in the same order, each terminated by NUL. */
typedef struct stored_field {
	mprof_key class_key; /**< The class that declares it, or 0. Once queued: the ID of that class. */
	uint32_t offset;
	uint32_t stride;
} stored_field;

/** An own copy of the fields of a class. */
typedef struct class_fields {
	struct class_fields *next; /**< In a field_queue. */
	size_t size;               /**< Bytes of fields, with the names. */
	uint32_t count;            /**< Number of fields. */
	uint32_t class_id;         /**< Once queued. */
	stored_field fields[];
} class_fields;

/**
 * Whether a field can follow the one at the offset \p before in a class whose first field is at \p first, so that each
 * offset in an object means one field. The offsets ascend and have 32 bits, and so has the number of fields.
 */
static inline int class_fields_ascend(uint32_t before, uint32_t first, uint32_t stride, uint32_t offset,
				      uint32_t own_stride)
{
	return offset > before && own_stride == stride && (stride == 0 || offset - first < stride);
}

/** The size of fields with their names in bytes; 0 if it exceeds the address space. */
size_t class_fields_size(const mprof_class_field *fields, size_t count);

/** Stores fields at \p stored, which has class_fields_size() bytes. */
void class_fields_store(stored_field *stored, const mprof_class_field *fields, size_t count);

/** Whether \p size bytes that a process left behind are \p count fields as class_fields_store() stores them. */
int class_fields_are_valid(const stored_field *fields, uint64_t size, uint64_t count);

/** Copies fields. Returns NULL if there is no memory. */
class_fields *class_fields_copy(const mprof_allocator *allocator, const stored_field *fields, size_t size,
				uint32_t count);

/** Frees a copy; NULL does nothing. */
void class_fields_release(const mprof_allocator *allocator, class_fields *fields);

/** The name of the first field. That of the next one follows its NUL. */
static inline const char *class_fields_names(const class_fields *fields)
{
	return (const char *)(fields->fields + fields->count);
}

#endif
