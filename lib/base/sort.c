/* SPDX-License-Identifier: MIT */
/* Sorts elements of any type. */
#include "base/sort.h"

int sort_with_progress(void *elements, size_t count, size_t size, sort_compare compare, progress *going)
{
	return sort_inline(elements, count, size, compare, going);
}

void sort_in_place(void *elements, size_t count, size_t size, sort_compare compare)
{
	(void)sort_inline(elements, count, size, compare, NULL);
}
