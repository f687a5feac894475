/* SPDX-License-Identifier: MIT */
/* Sorts with heapsort, which needs no memory. */
#include "base/sort.h"

#include <stdint.h>
#include <string.h>

/* Swaps words, then the rest by bytes: elements need not be aligned. */
static void swap_elements(char *first, char *second, size_t size)
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

/* Moves an element down until neither of the two below it belongs after it. */
static void sift_down(char *elements, size_t index, size_t count, size_t size, sort_compare compare)
{
	while (count >= 2 && index <= (count - 2) / 2) {
		size_t largest = 2 * index + 1;

		if (largest + 1 < count && compare(elements + largest * size, elements + (largest + 1) * size) < 0)
			largest++;
		if (compare(elements + index * size, elements + largest * size) >= 0)
			return;
		swap_elements(elements + index * size, elements + largest * size, size);
		index = largest;
	}
}

/* Heapsort, in place: about 2 n log2(n) comparisons at most. */
int sort_with_progress(void *elements, size_t count, size_t size, sort_compare compare, progress *going)
{
	char *bytes = elements;

	for (size_t index = count / 2; index > 0; index--) {
		if (!progress_step(going))
			return 0;
		sift_down(bytes, index - 1, count, size, compare);
	}
	for (size_t end = count; end > 1; end--) {
		if (!progress_step(going))
			return 0;
		swap_elements(bytes, bytes + (end - 1) * size, size);
		sift_down(bytes, 0, end - 1, size, compare);
	}
	return 1;
}

void sort_in_place(void *elements, size_t count, size_t size, sort_compare compare)
{
	progress none;

	progress_init(&none, NULL, NULL, 0);
	(void)sort_with_progress(elements, count, size, compare, &none);
}
