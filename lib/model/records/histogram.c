/* SPDX-License-Identifier: MIT */
/* Adds up the buckets of a histogram, and finds the bounds of its percentiles. */
#include "model/records/histogram.h"

#include "base/checked.h"

#include <string.h>

/* A log that has more different buckets is not one of a histogram, and searching them would take long. */
#define MAX_BUCKETS 4096

#define SIGN (UINT64_C(1) << 63)

/* The bits of infinity as a double. */
#define INFINITE UINT64_C(0x7ff0000000000000)

/* Maps signed numbers, or doubles, to unsigned numbers of the same order. */
static uint64_t order_of(int is_double, uint64_t value)
{
	return is_double && (value & SIGN) != 0 ? ~value : value ^ SIGN;
}

static uint64_t value_of(int is_double, uint64_t order)
{
	return is_double && (order & SIGN) == 0 ? ~order : order ^ SIGN;
}

static int is_no_number(int is_double, uint64_t value)
{
	return is_double && (value & ~SIGN) > INFINITE;
}

static histogram_bucket open_bucket(int is_double)
{
	const uint64_t least = is_double ? SIGN | INFINITE : SIGN;
	const uint64_t most = is_double ? INFINITE : ~SIGN;

	return (histogram_bucket){order_of(is_double, least), order_of(is_double, most), 0};
}

void histogram_destroy(histogram *all, const mprof_allocator *allocator)
{
	allocator_release(allocator, all->buckets, all->capacity * sizeof(*all->buckets));
	memset(all, 0, sizeof(*all));
}

static int bucket_is_before(const histogram_bucket *left, const histogram_bucket *right)
{
	return left->lower != right->lower ? left->lower < right->lower : left->upper < right->upper;
}

/* The index of the first bucket that is not before another one. */
static size_t find_index(const histogram *all, const histogram_bucket *bucket)
{
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (bucket_is_before(&all->buckets[middle], bucket))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int has_bucket(const histogram *all, size_t index, const histogram_bucket *bucket)
{
	return index < all->count && all->buckets[index].lower == bucket->lower &&
	       all->buckets[index].upper == bucket->upper;
}

static void add_saturated(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

int histogram_add(histogram *all, const mprof_allocator *allocator, int is_double, uint64_t lower, uint64_t upper,
		  uint64_t count)
{
	histogram_bucket bucket = {order_of(is_double, lower), order_of(is_double, upper), 0};
	size_t index;
	void *buckets = all->buckets;

	if (is_no_number(is_double, lower) || is_no_number(is_double, upper) || bucket.lower >= bucket.upper)
		bucket = open_bucket(is_double);
	index = find_index(all, &bucket);
	if (!has_bucket(all, index, &bucket) && all->count >= MAX_BUCKETS) {
		bucket = open_bucket(is_double);
		index = find_index(all, &bucket);
	}
	if (!has_bucket(all, index, &bucket)) {
		const int is_reserved =
			array_reserve(allocator, &buckets, &all->capacity, all->count + 1, sizeof(*all->buckets));

		all->buckets = buckets;
		if (!is_reserved)
			return 0;
		memmove(&all->buckets[index + 1], &all->buckets[index], (all->count - index) * sizeof(bucket));
		all->buckets[index] = bucket;
		all->count++;
	}
	add_saturated(&all->buckets[index].count, count);
	add_saturated(&all->values, count);
	return 1;
}

/* The number of values that are certainly not above a bound. */
static uint64_t values_up_to(const histogram *all, uint64_t upper)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (all->buckets[i].upper <= upper)
			add_saturated(&sum, all->buckets[i].count);
	}
	return sum;
}

/*
 * The value of a rank is not below the lower bound of that rank, and not above the upper bound of that rank: each value
 * is between its own two bounds.
 */
histogram_range histogram_permille(const histogram *all, int is_double, uint32_t permille)
{
	/* permille * values / 1000, rounded up. */
	const uint64_t part = all->values / 1000 * permille + (all->values % 1000 * permille + 999) / 1000;
	const uint64_t rank = part > 0 ? part : 1;
	uint64_t sum = 0;
	uint64_t low = 0;
	uint64_t high = UINT64_MAX;
	size_t index = 0;

	for (; index + 1 < all->count; index++) {
		add_saturated(&sum, all->buckets[index].count);
		if (sum >= rank)
			break;
	}
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (values_up_to(all, middle) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return (histogram_range){value_of(is_double, all->buckets[index].lower), value_of(is_double, low)};
}
