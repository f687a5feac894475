/* SPDX-License-Identifier: MIT */
/**
 * \file export/hprof_layouts.h
 * \brief How the objects of each class are written to an HPROF file.
 *
 * The objects of a class that all have one size become instances: a field for each offset at which one of them has a
 * reference, or for each name of a reference, and fields without meaning up to the size. The others become arrays of
 * references, with null references up to the size.
 */
#ifndef EXPORT_HPROF_LAYOUTS_H
#define EXPORT_HPROF_LAYOUTS_H

#include "heap/view.h"

/** The greatest size of an object that a file can state, in bytes: the length of its record has 31 bits. */
#define HPROF_MAX_BYTES ((UINT64_C(1) << 31) - 4096)

/** The most fields with references of an instance; the format has 16 bits for their number. */
#define HPROF_MAX_FIELDS 1024U

/** What the fields of a class are. */
typedef enum hprof_field_kind {
	HPROF_BY_ORDER,  /**< The references, in the order of the log. */
	HPROF_BY_OFFSET, /**< Those at an offset. */
	HPROF_BY_NAME    /**< Those with a name of their own. */
} hprof_field_kind;

/** A field with references. */
typedef struct hprof_field {
	uint64_t offset;
	const char *name; /**< Of #HPROF_BY_NAME; else NULL. */
	uint32_t object;  /**< The latest object that has a reference there. */
} hprof_field;

typedef struct hprof_layout {
	uint32_t class_id;
	int is_named_array; /**< The name of the class is that of an array. */
	int is_array;
	hprof_field_kind kind;
	int has_kind;            /**< A reference has decided the kind. */
	uint64_t min_bytes;      /**< Size of the smallest object. */
	uint64_t max_bytes;      /**< Size of the largest object. */
	uint32_t max_references; /**< Of an object. */
	hprof_field *fields;     /**< By offset or name; none in order. */
	size_t used;             /**< Number of elements of fields. */
	size_t capacity;
	uint32_t field_count; /**< Fields with references of an instance. */
	uint32_t padding;     /**< Bytes without meaning that follow them. */
} hprof_layout;

typedef struct hprof_layouts {
	hprof_layout *classes; /**< By index of the class. */
	size_t count;
	uint32_t id_size;
	uint64_t too_large; /**< Objects whose size in the file is too large. */
	uint64_t too_small; /**< Objects that exceed #HPROF_MAX_BYTES. */
	uint64_t bytes;     /**< Of the objects in the file. */
} hprof_layouts;

/** Whether an object is no memory, so that it is not in the file: what it refers to is a root. */
static inline int hprof_leaves_out(const mprof_heap_object *object)
{
	return (object->flags & MPROF_OBJECT_FLAG_SYNTHETIC) != 0;
}

/** Chooses how each class is written. Initialize layouts with 0. Returns 0 if out of memory. */
int hprof_layouts_build(hprof_layouts *layouts, const heap_view *view, uint32_t id_size);
void hprof_layouts_release(hprof_layouts *layouts);

/** The number of elements of an object that is written as an array. */
uint32_t hprof_layout_elements(const hprof_layouts *layouts, const mprof_heap_object *object);

/** The field of a reference: an index below field_count. \p number: that of the reference in its object. */
uint32_t hprof_layout_field(const hprof_layout *layout, const mprof_heap_reference *reference, uint32_t number);

#endif
