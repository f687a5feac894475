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
#include <stdint.h>
#include <string.h>

/** Less than, equal to or greater than 0, as the first element belongs before or after the second. */
typedef int (*sort_compare)(const void *first, const void *second);

/** Swaps words, then the rest by bytes: elements need not be aligned. */
static inline void sort_swap(char *first, char *second, size_t size)
{
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t)) {
		uint64_t left;
		uint64_t right;

		memcpy(&left, first, sizeof(left));
		memcpy(&right, second, sizeof(right));
		memcpy(first, &right, sizeof(right));
		memcpy(second, &left, sizeof(left));
		first += sizeof(uint64_t);
		second += sizeof(uint64_t);
	}
	for (size_t i = 0; i < size; i++) {
		char left = first[i];

		first[i] = second[i];
		second[i] = left;
	}
}

/** Moves an element down until neither of the two below it belongs after it. */
static inline void sort_sift_down(char *elements, size_t index, size_t count, size_t size, sort_compare compare)
{
	while (count >= 2 && index <= (count - 2) / 2) {
		size_t largest = 2 * index + 1;

		if (largest + 1 < count && compare(elements + largest * size, elements + (largest + 1) * size) < 0)
			largest++;
		if (compare(elements + index * size, elements + largest * size) >= 0)
			return;
		sort_swap(elements + index * size, elements + largest * size, size);
		index = largest;
	}
}

/**
 * Heapsort, in place: about 2 n log2(n) comparisons at most. With a constant size and function, the compiler makes it
 * one for these elements, which takes half of the time. \p going may be NULL.
 */
static inline __attribute__((always_inline)) int sort_inline(void *elements, size_t count, size_t size,
							     sort_compare compare, progress *going)
{
	char *bytes = elements;

	for (size_t index = count / 2; index > 0; index--) {
		if (going != NULL && !progress_step(going))
			return 0;
		sort_sift_down(bytes, index - 1, count, size, compare);
	}
	for (size_t end = count; end > 1; end--) {
		if (going != NULL && !progress_step(going))
			return 0;
		sort_swap(bytes, bytes + (end - 1) * size, size);
		sort_sift_down(bytes, 0, end - 1, size, compare);
	}
	return 1;
}

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
