/* SPDX-License-Identifier: MIT */
/*
 * Sorts as the first decoder's runtime does.
 *
 * Of items with equal keys, the first decoder prints only some: which ones depends on the order in which its sort
 * leaves them. Its runtime uses quicksort with the median of three, insertion sort for short ranges, and heap sort for
 * degenerate ones. This sort makes the same steps, so that the same items are printed.
 */
#include "decode/decode.h"

#define SHORT_RANGE 16

typedef struct sorting {
	const void **items;
	decode_compare compare;
} sorting;

static void swap_items(const sorting *sorting, size_t left, size_t right)
{
	const void *item = sorting->items[left];

	sorting->items[left] = sorting->items[right];
	sorting->items[right] = item;
}

static int is_less(const sorting *sorting, const void *left, const void *right)
{
	return sorting->compare(left, right) < 0;
}

static void swap_if_greater(const sorting *sorting, size_t left, size_t right)
{
	if (left != right && is_less(sorting, sorting->items[right], sorting->items[left]))
		swap_items(sorting, left, right);
}

/* All ranges are inclusive, from \p low to \p high. */
static void sort_short(const sorting *sorting, size_t low, size_t high)
{
	for (size_t i = low; i < high; i++) {
		const void *item = sorting->items[i + 1];
		size_t index = i + 1;

		for (; index > low && is_less(sorting, item, sorting->items[index - 1]); index--)
			sorting->items[index] = sorting->items[index - 1];
		sorting->items[index] = item;
	}
}

/* \p node is a 1-based index in the heap of \p count items that starts at \p low. */
static void sift_down(const sorting *sorting, size_t low, size_t node, size_t count)
{
	const void *item = sorting->items[low + node - 1];

	while (node <= count / 2) {
		size_t child = 2 * node;

		if (child < count && is_less(sorting, sorting->items[low + child - 1], sorting->items[low + child]))
			child++;
		if (!is_less(sorting, item, sorting->items[low + child - 1]))
			break;
		sorting->items[low + node - 1] = sorting->items[low + child - 1];
		node = child;
	}
	sorting->items[low + node - 1] = item;
}

static void sort_by_heap(const sorting *sorting, size_t low, size_t high)
{
	size_t count = high - low + 1;

	for (size_t node = count / 2; node >= 1; node--)
		sift_down(sorting, low, node, count);
	for (size_t left = count; left > 1; left--) {
		swap_items(sorting, low, low + left - 1);
		sift_down(sorting, low, 1, left - 1);
	}
}

/* Returns the index of the pivot. */
static size_t partition_items(const sorting *sorting, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	size_t left = low;
	size_t right = high - 1;
	const void *pivot;

	swap_if_greater(sorting, low, middle);
	swap_if_greater(sorting, low, high);
	swap_if_greater(sorting, middle, high);
	pivot = sorting->items[middle];
	swap_items(sorting, middle, high - 1);
	while (left < right) {
		do {
			left++;
		} while (is_less(sorting, sorting->items[left], pivot));
		do {
			right--;
		} while (is_less(sorting, pivot, sorting->items[right]));
		if (left >= right)
			break;
		swap_items(sorting, left, right);
	}
	swap_items(sorting, left, high - 1);
	return left;
}

static void sort_range(const sorting *sorting, size_t low, size_t high, unsigned steps)
{
	while (high > low) {
		size_t parted;

		if (high - low < SHORT_RANGE) {
			/*
			 * For three items, some of them equal, three swaps may result in another order than insertion
			 * sort.
			 */
			if (high - low == 2) {
				swap_if_greater(sorting, low, high - 1);
				swap_if_greater(sorting, low, high);
				swap_if_greater(sorting, high - 1, high);
			} else {
				sort_short(sorting, low, high);
			}
			return;
		}
		if (steps-- == 0) {
			sort_by_heap(sorting, low, high);
			return;
		}
		parted = partition_items(sorting, low, high);
		sort_range(sorting, parted + 1, high, steps);
		if (parted == low)
			return;
		high = parted - 1;
	}
}

void decode_sort(const void **items, size_t count, decode_compare compare)
{
	sorting sorting = {items, compare};
	unsigned steps = 0;

	if (count < 2)
		return;
	for (size_t i = count; i > 0; i /= 2)
		steps += 2;
	sort_range(&sorting, 0, count - 1, steps);
	for (size_t i = 0; i < count / 2; i++)
		swap_items(&sorting, i, count - 1 - i);
}
