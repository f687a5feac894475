/* SPDX-License-Identifier: MIT */
/**
 * \file export/heap_source.h
 * \brief Reads the heap snapshot that an export of objects writes.
 */
#ifndef EXPORT_HEAP_SOURCE_H
#define EXPORT_HEAP_SOURCE_H

#include "export/targets.h"
#include "heap/view.h"

/** Number of kinds of roots that have a name; unknown kinds are #MPROF_ROOT_OTHER. */
#define HEAP_ROOT_KINDS (MPROF_ROOT_GLOBAL + 1)

/**
 * Reads the snapshot of a job, and states on standard error what it lacks. Returns #STATUS_NOTHING after a message if
 * there is nothing to write. Call heap_view_release() in any case.
 */
int heap_source_read(const export_job *job, heap_view *view);

/** Gets a root. Its kind is less than #HEAP_ROOT_KINDS. */
mprof_heap_root heap_source_root(const heap_view *view, size_t index);

/**
 * Gets references of an object, from the one with the number \p first. Returns how many were stored, 0 at the end.
 */
size_t heap_source_references(const heap_view *view, uint32_t object, uint32_t first, mprof_heap_reference *references,
			      size_t capacity);

#endif
