/* SPDX-License-Identifier: MIT */
/**
 * \file heap/labels.h
 * \brief The names of classes, fields and roots of a heap snapshot.
 */
#ifndef HEAP_LABELS_H
#define HEAP_LABELS_H

#include "heap/view.h"

/** The name of the class with an index, "(unknown)" if the log has none; may point into \p name. */
const char *label_class(const heap_view *view, size_t class_index, class_name *name);

/**
 * The name of the field that has a reference, such as "entries" or "[].value"; NULL if not known. \p class_id: the
 * class of the object that has it. The same field always has the same pointer, which is valid as long as the view.
 */
const char *label_field(const heap_view *view, uint32_t class_id, const mprof_heap_reference *reference);

/** The name of a root area, such as "Shop.OrderCache.cache"; "" if it has none. */
const char *label_root(const heap_view *view, uint32_t area);

#endif
