/* SPDX-License-Identifier: MIT */
/**
 * \file base/sort.h
 * \brief Sorts in place without allocating.
 *
 * The C library's qsort() may call malloc(). A profiled program may have replaced malloc() by a function that records,
 * so the thread that writes the log must not call it.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/progress.h"

#include <stddef.h>

/** Less than, equal to or greater than 0, as the first element belongs before or after the second. */
typedef int (*sort_compare)(const void *first, const void *second);

/** Sorts \p count elements of \p size bytes. Not stable. Allocates nothing. */
void sort_in_place(void *elements, size_t count, size_t size, sort_compare compare);

/** Steps of sort_with_progress(). */
static inline uint64_t sort_steps(size_t count)
{
	return (uint64_t)count + count / 2;
}

/** As sort_in_place(). Returns 0 if it was stopped; the elements are then in any order. */
int sort_with_progress(void *elements, size_t count, size_t size, sort_compare compare, progress *going);

#endif
