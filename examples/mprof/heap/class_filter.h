/* SPDX-License-Identifier: MIT */
/**
 * \file heap/class_filter.h
 * \brief Which classes of a heap snapshot match a pattern.
 */
#ifndef HEAP_CLASS_FILTER_H
#define HEAP_CLASS_FILTER_H

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

#endif
