/* SPDX-License-Identifier: MIT */
/**
 * \file heap/classes.h
 * \brief The table of the classes of a heap snapshot.
 */
#ifndef HEAP_CLASSES_H
#define HEAP_CLASSES_H

#include "common/json.h"
#include "heap/view.h"

typedef struct heap_class_row {
	size_t index;           /**< Index of the class. */
	mprof_heap_class stats; /**< With is_unreachable, of unreachable objects alone. */
} heap_class_row;

typedef struct heap_class_table {
	heap_class_row *rows;
	size_t count;
} heap_class_table;

/** Collects the classes that --class selects, sorted. If out of memory, prints a message, and the table is empty. */
void heap_classes_collect(const heap_view *view, heap_class_table *table, heap_order order);
void heap_classes_release(heap_class_table *table);

void heap_classes_text(const heap_view *view);
void heap_classes_csv(const heap_view *view);
void heap_classes_json(const heap_view *view, json_writer *json);

#endif
