/* SPDX-License-Identifier: MIT */
/**
 * \file heap/overview.h
 * \brief What a heap snapshot contains: totals, classes, the largest objects; and the list of all snapshots.
 */
#ifndef HEAP_OVERVIEW_H
#define HEAP_OVERVIEW_H

#include "common/json.h"
#include "heap/view.h"

void heap_summary_text(const heap_view *view);

/** Prints the fields into an open object. */
void heap_summary_json(const heap_view *view, json_writer *json);

void heap_list_text(const heap_view *view);
void heap_list_csv(const heap_view *view);

/** Prints the snapshots as an array. */
void heap_list_json(const heap_view *view, json_writer *json);

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

void heap_largest_text(const heap_view *view);
void heap_largest_json(const heap_view *view, json_writer *json);

#endif
