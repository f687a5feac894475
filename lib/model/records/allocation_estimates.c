/* SPDX-License-Identifier: MIT */
/* Estimates what call sites allocate from samples of allocations. */
#include "model/records/allocation_estimates.h"

#include "base/allocator.h"

#include <string.h>

/* 2^64: the first number that does not fit in uint64_t. */
#define UINT64_END 18446744073709551616.0

/* Beyond this ratio of size and interval, the probability differs from 1 by less than a double can represent. */
#define CERTAIN_RATIO 40.0

/* The series in probability_of() is exact to the last digits below this. */
#define SMALL_RATIO 0.0625

void allocation_estimates_init(allocation_estimates *estimates, const mprof_allocator *allocator)
{
	memset(estimates, 0, sizeof(*estimates));
	estimates->allocator = *allocator;
}

void allocation_estimates_destroy(allocation_estimates *estimates)
{
	allocator_release(&estimates->allocator, estimates->sites, estimates->capacity * sizeof(*estimates->sites));
	estimates->sites = NULL;
	estimates->count = 0;
	estimates->capacity = 0;
}

void allocation_estimates_set_interval(allocation_estimates *estimates, const char *value)
{
	uint64_t number = 0;

	for (; *value >= '0' && *value <= '9'; value++) {
		uint64_t digit = (uint64_t)(*value - '0');

		if (number > (UINT64_MAX - digit) / 10)
			break;
		number = number * 10 + digit;
	}
	estimates->interval = *value == '\0' ? number : 0;
}

void allocation_estimates_set_kind(allocation_estimates *estimates, const char *value)
{
	estimates->has_chosen_only = strcmp(value, "chosen") == 0;
}

int allocation_estimates_reserve(allocation_estimates *estimates, size_t count)
{
	void *sites = estimates->sites;

	if (count <= estimates->count)
		return 1;
	if (!array_reserve(&estimates->allocator, &sites, &estimates->capacity, count, sizeof(*estimates->sites)))
		return 0;
	estimates->sites = sites;
	memset(&estimates->sites[estimates->count], 0, (count - estimates->count) * sizeof(*estimates->sites));
	estimates->count = count;
	return 1;
}

/*
 * Returns 1 - exp(-ratio) without expm1(), so that the library need not be linked with libm and results do not depend
 * on the system. The series is for a small ratio; with p = 1 - exp(-x), each doubling is 1 - exp(-2x) = p (2 - p).
 */
static double probability_of(double ratio)
{
	double term;
	double sum;
	int doublings = 0;

	if (ratio >= CERTAIN_RATIO)
		return 1;
	while (ratio > SMALL_RATIO) {
		ratio /= 2;
		doublings++;
	}
	term = ratio;
	sum = ratio;
	for (int i = 2; i <= 9; i++) {
		term *= -ratio / i;
		sum += term;
	}
	while (doublings-- > 0)
		sum *= 2 - sum;
	return sum;
}

/* The number of objects that one stands for which was chosen. */
static double weight_of(uint64_t interval, uint64_t size)
{
	/* No valid log has objects of size 0, but a damaged one must not cause a division by 0. */
	const double bytes = size > 0 ? (double)size : 1;

	return interval != 0 ? 1 / probability_of(bytes / (double)interval) : 1;
}

uint64_t allocation_estimates_next(allocation_estimates *estimates, allocation_estimate *of_class, uint64_t size,
				   uint64_t *bytes)
{
	const double weight = weight_of(estimates->interval, size);
	const double due = estimates->carried + weight;
	/* The bytes of a damaged log may be any number. */
	const uint64_t objects = due >= UINT64_END ? 0 : (uint64_t)due;

	estimates->carried = due >= UINT64_END ? 0 : due - (double)objects;
	allocation_estimate_change(&estimates->whole, estimates->interval, size, 1);
	allocation_estimate_change(of_class, estimates->interval, size, 1);
	*bytes = allocation_estimate_round(weight * (double)size);
	return objects;
}

void allocation_estimate_change(allocation_estimate *estimate, uint64_t interval, uint64_t size, int sign)
{
	const double bytes = (double)size;
	const double weight = weight_of(interval, size);
	const double variance = weight * (weight - 1);

	estimate->samples += (uint64_t)(int64_t)sign;
	/* Exactly nothing remains of no objects, whatever the order of the additions was. */
	if (estimate->samples == 0) {
		memset(estimate, 0, sizeof(*estimate));
		return;
	}
	estimate->objects += sign * weight;
	estimate->bytes += sign * weight * bytes;
	estimate->objects_variance += sign * variance;
	estimate->bytes_variance += sign * variance * bytes * bytes;
}

void allocation_estimates_add(allocation_estimates *estimates, size_t site, uint64_t size)
{
	allocation_estimate_change(&estimates->sites[site], estimates->interval, size, 1);
}

const allocation_estimate *allocation_estimates_get(const allocation_estimates *estimates, size_t site)
{
	if (site >= estimates->count || estimates->sites[site].samples == 0)
		return NULL;
	return &estimates->sites[site];
}

uint64_t allocation_estimate_round(double sum)
{
	return sum + 0.5 >= UINT64_END ? UINT64_MAX : (uint64_t)(sum + 0.5);
}

uint64_t allocation_estimate_error(double variance)
{
	uint64_t low = 0;
	uint64_t high = INT64_MAX;

	/* The smallest number whose square is not below the variance, without the C library's sqrt(). */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if ((double)middle * (double)middle < variance)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
