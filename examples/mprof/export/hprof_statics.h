/* SPDX-License-Identifier: MIT */
/**
 * \file export/hprof_statics.h
 * \brief The roots of an HPROF file that are static fields of a class.
 */
#ifndef EXPORT_HPROF_STATICS_H
#define EXPORT_HPROF_STATICS_H

#include "heap/view.h"

/** A static field. */
typedef struct hprof_static {
	uint32_t class_id;
	uint32_t object;
	uint32_t area;
	uint32_t slot; /**< Of its class: its index, or the number of classes plus an index of class_ids. */
} hprof_static;

typedef struct hprof_statics {
	hprof_static *fields; /**< In the order of classes. */
	size_t count;
	uint32_t *class_ids; /**< Of classes that the snapshot has no objects of, or that have too many fields. */
	size_t class_count;
} hprof_statics;

/** Whether a root is a static field of a known class. */
int hprof_statics_have(const heap_view *view, const mprof_heap_root *root);

/** Collects the static fields. Initialize \p statics with 0. Returns 0 if out of memory. */
int hprof_statics_build(hprof_statics *statics, const heap_view *view);
void hprof_statics_release(hprof_statics *statics);

/** The number of fields with the slot of the field at an index, from this one on. */
uint32_t hprof_statics_run(const hprof_statics *statics, size_t first);

/** The index of the first field of a slot; hprof_statics::count if it has none. */
size_t hprof_statics_find(const hprof_statics *statics, uint32_t slot);

#endif
