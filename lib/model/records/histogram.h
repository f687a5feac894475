/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/histogram.h
 * \brief The buckets of a histogram that a log contains, added up, and what they state about percentiles
 * (doc/format.md, 3.15).
 */
#ifndef MODEL_RECORDS_HISTOGRAM_H
#define MODEL_RECORDS_HISTOGRAM_H

#include "base/allocator.h"

#include <stddef.h>
#include <stdint.h>

/** A bucket. The bounds are in an order of unsigned numbers. */
typedef struct histogram_bucket {
	uint64_t lower;
	uint64_t upper;
	uint64_t count; /**< Saturates. */
} histogram_bucket;

/** All bytes 0: no buckets. */
typedef struct histogram {
	histogram_bucket *buckets; /**< By lower bound, then by upper bound. */
	size_t count;
	size_t capacity;
	uint64_t values; /**< In all buckets. Saturates. */
} histogram;

/** What is known about a value: it is greater than lower and at most upper, as in mprof_metric_value_record. */
typedef struct histogram_range {
	uint64_t lower;
	uint64_t upper;
} histogram_range;

void histogram_destroy(histogram *all, const mprof_allocator *allocator);

/**
 * Adds values of a bucket, whose bounds are doubles if \p is_double is set, else signed numbers. Invalid bounds, and
 * those beyond the maximum number of different buckets, count as unknown. Returns 0 if there is no memory.
 */
int histogram_add(histogram *all, const mprof_allocator *allocator, int is_double, uint64_t lower, uint64_t upper,
		  uint64_t count);

/**
 * The range of the value that \p permille of the values do not exceed: 0 is the smallest value and 1000 the largest.
 * There are values.
 */
histogram_range histogram_permille(const histogram *all, int is_double, uint32_t permille);

#endif
