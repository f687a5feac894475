/* SPDX-License-Identifier: MIT */
/**
 * \file base/sort.h
 * \brief Sorting in place.
 *
 * The C library's qsort() may call malloc(), which a program that is profiled may have replaced by a function that
 * records: on the thread that writes the log it must not be called.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/** Less than, equal to or greater than 0, as the first element belongs before or after the second. */
typedef int (*sort_compare)(const void *first, const void *second);

/** Sorts \p count elements of \p size bytes. Equal ones come in any order. Allocates nothing. */
void sort_in_place(void *elements, size_t count, size_t size, sort_compare compare);

#endif
