/* SPDX-License-Identifier: MIT */
/*
 * The sorting algorithm of the decoder's runtime: quicksort with the median of three, insertion sort for short ranges,
 * heapsort for bad partitions. It determines the order of equal items, and which of them are printed where the output
 * is limited.
 */
#include "oracle.h"

#include <stdlib.h>

#define SHORT_RANGE 16

typedef struct sorting {
	item_order order;
	item_order rest;
	int is_reversed;
} sorting;

int order_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

int order_ids(const void *left, const void *right)
{
	return order_numbers(((const named *)left)->id, ((const named *)right)->id);
}

int order_sums(const void *left, const void *right)
{
	return order_numbers(((const fact *)left)->sums[0], ((const fact *)right)->sums[0]);
}

int order_parts(const void *left, const void *right)
{
	return order_numbers(((const fact *)left)->key[1], ((const fact *)right)->key[1]);
}

static void swap(const void **left, const void **right)
{
	const void *item = *left;

	*left = *right;
	*right = item;
}

static void swap_if_greater(const void **left, const void **right, item_order order)
{
	if (order(*left, *right) > 0)
		swap(left, right);
}

static void sort_short(const void **low, const void **high, item_order order)
{
	if (high - low == 2) {
		swap_if_greater(low, high - 1, order);
		swap_if_greater(low, high, order);
		swap_if_greater(high - 1, high, order);
		return;
	}
	for (const void **next = low + 1; next <= high; next++) {
		for (const void **position = next; position > low && order(position[-1], position[0]) > 0; position--)
			swap(position - 1, position);
	}
}

static const void **part(const void **low, const void **high, item_order order)
{
	const void **middle = low + (high - low) / 2;
	const void **left = low;
	const void **right = high - 1;
	const void *pivot;

	swap_if_greater(low, middle, order);
	swap_if_greater(low, high, order);
	swap_if_greater(middle, high, order);
	pivot = *middle;
	swap(middle, high - 1);
	for (;;) {
		while (order(*++left, pivot) < 0)
			;
		while (order(pivot, *--right) < 0)
			;
		if (left >= right)
			break;
		swap(left, right);
	}
	swap(left, high - 1);
	return left;
}

/* Sifts the item at \p node down, below greater items. Items are counted from 1. */
static void sift(const void **items, size_t count, size_t node, item_order order)
{
	for (size_t child = 2 * node; child <= count; node = child, child *= 2) {
		child += child < count && order(items[child], items[child + 1]) < 0;
		if (order(items[node], items[child]) >= 0)
			return;
		swap(&items[node], &items[child]);
	}
}

static void sort_by_heap(const void **items, size_t count, item_order order)
{
	for (size_t node = count / 2; node > 0; node--)
		sift(items, count, node, order);
	for (; count > 1; count--) {
		swap(&items[1], &items[count]);
		sift(items, count - 1, 1, order);
	}
}

/* Heapsort after \p steps partitions. */
static void sort_range(const void **low, const void **high, item_order order, int steps)
{
	while (high - low >= SHORT_RANGE) {
		const void **middle;

		if (steps-- == 0) {
			sort_by_heap(low - 1, (size_t)(high - low) + 1, order);
			return;
		}
		middle = part(low, high, order);
		sort_range(middle + 1, high, order, steps);
		high = middle - 1;
	}
	if (high > low)
		sort_short(low, high, order);
}

static int compare(const void *left, const void *right, void *user)
{
	const sorting *mode = user;
	const void *a = *(const void *const *)left;
	const void *b = *(const void *const *)right;
	int order = mode->is_reversed ? mode->order(b, a) : mode->order(a, b);

	return order != 0 ? order : mode->rest(a, b);
}

void sort_items(const oracle *all, void *items, size_t count, item_order order, int is_reversed, item_order rest)
{
	const void **pointers = items;
	sorting mode = {order, rest, is_reversed};
	int steps = 0;

	if (count < 2)
		return;
	if (!has_fault(all, FAULT_ORDER) && rest != NULL) {
		qsort_r(pointers, count, sizeof(*pointers), compare, &mode);
		return;
	}
	for (size_t i = count; i > 0; i /= 2)
		steps += 2;
	sort_range(pointers, pointers + count - 1, order, steps);
	for (size_t i = 0; i < count / 2 && is_reversed; i++)
		swap(&pointers[i], &pointers[count - 1 - i]);
}
