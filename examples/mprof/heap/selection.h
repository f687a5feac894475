/* SPDX-License-Identifier: MIT */
/**
 * \file heap/selection.h
 * \brief Prints the objects that are selected by what they refer to and by what refers to them.
 */
#ifndef HEAP_SELECTION_H
#define HEAP_SELECTION_H

#include "common/json.h"
#include "heap/view.h"

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
