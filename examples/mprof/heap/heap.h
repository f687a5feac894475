/* SPDX-License-Identifier: MIT */
/**
 * \file heap/heap.h
 * \brief The parts that mprof heap prints, each as text and as JSON, by the unit that prints them.
 */
#ifndef HEAP_HEAP_H
#define HEAP_HEAP_H

#include "common/json.h"
#include "heap/view.h"

/*
 * heap/overview.c: what a heap snapshot contains: totals, classes, the largest objects; and the list of all snapshots.
 */

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

/*
 * heap/paths.c: how objects are held: paths from roots, what refers to objects, and single objects with their
 * references.
 */

/** Prints the paths of the classes that the options name, or else of those that retain the most. */
void heap_paths_text(const heap_view *view);
void heap_paths_json(const heap_view *view, json_writer *json);

void heap_referrers_text(const heap_view *view);

/** Prints the referrers as an array, which is empty without --referrers. */
void heap_referrers_json(const heap_view *view, json_writer *json);

/** Prints the object at the address of --object; a message if there is none. */
void heap_object_text(const heap_view *view);

/** Prints the object as a field of an open object; null without --object. */
void heap_object_json(const heap_view *view, json_writer *json);

/*
 * heap/selection.c: prints the objects that are selected by what they refer to and by what refers to them.
 */

typedef struct class_filter {
	unsigned char *is_wanted; /**< By class index; NULL if all are wanted. */
	size_t count;             /**< Number of classes that are wanted. */
} class_filter;

/**
 * Finds the classes that match a shell pattern; NULL matches all. If none does, prints a message with the most similar
 * name. \p option: the option that has the pattern, for this message; NULL for none. Returns 0 after a message if out
 * of memory.
 */
int class_filter_init(class_filter *filter, const heap_view *view, const char *option, const char *pattern);

/** Reports the patterns of the options that match no class. */
void class_filter_check(const heap_view *view);

void class_filter_release(class_filter *filter);

/** Whether a class is wanted. */
int class_filter_wants(const class_filter *filter, size_t class_index);

/** Whether options select objects by references. */
int heap_selection_is_wanted(const heap_view *view);

void heap_selection_text(const heap_view *view);

/** Prints the selection as a field of an open object; null without one. */
void heap_selection_json(const heap_view *view, json_writer *json);

#endif
