/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/allocation_estimates.h
 * \brief Estimates of what call sites allocate, if only some allocations have a call stack; and of what classes and
 * methods allocate, if only these allocations are in the log.
 *
 * Where the recorder samples by bytes (doc/format.md, 3.8), the bytes that a thread allocates are a line on which
 * points lie at random, one per interval on average, and an object has a call stack if at least one point is on it. The
 * distances of the points are exponential, so each object is chosen independently of all others, with a probability p
 * that depends on its size alone: 1 - exp(-size / interval). An object that was chosen stands for 1 / p objects of its
 * size, which makes the sums unbiased, and adds (1 - p) / p^2 times the square of its value to their variance.
 */
#ifndef MODEL_RECORDS_ALLOCATION_ESTIMATES_H
#define MODEL_RECORDS_ALLOCATION_ESTIMATES_H

#include "base/allocator.h"

#include <stdint.h>

typedef struct allocation_estimate {
	uint64_t samples; /**< Objects that were chosen. */
	double objects;
	double bytes;
	double objects_variance;
	double bytes_variance;
} allocation_estimate;

typedef struct allocation_estimates {
	mprof_allocator allocator;
	uint64_t interval; /**< Mean distance of the points in bytes; 0 if all allocations have a call stack. */
	allocation_estimate *sites; /**< Indexed by the number of the site. Sites from count on have no samples. */
	size_t count;
	size_t capacity;
	int has_chosen_only;       /**< The log has no other objects: all sums are estimates. */
	allocation_estimate whole; /**< If so: of all objects. */
	double carried;            /**< If so: objects that allocation_estimates_next() has not returned yet. */
} allocation_estimates;

/** The property of the session whose value is the interval, a decimal number. */
#define ALLOCATION_SAMPLE_BYTES_KEY "alloc_sample_bytes"

/** The property whose value is "chosen" if only the objects that were chosen are in the log. */
#define ALLOCATION_SAMPLE_KIND_KEY "alloc_sample_kind"

void allocation_estimates_init(allocation_estimates *estimates, const mprof_allocator *allocator);
void allocation_estimates_destroy(allocation_estimates *estimates);

/** Sets the interval from the value of the property: 0 unless the value is a positive decimal number. */
void allocation_estimates_set_interval(allocation_estimates *estimates, const char *value);

/** Sets whether all objects are in the log, from the value of the property. */
void allocation_estimates_set_kind(allocation_estimates *estimates, const char *value);

/** Makes room for the sites 0 to \p count - 1. Returns 0, changing nothing, if there is no memory. */
int allocation_estimates_reserve(allocation_estimates *estimates, size_t count);

/** Adds an object of \p size bytes that was chosen. Room for the site was reserved, and the interval is not 0. */
void allocation_estimates_add(allocation_estimates *estimates, size_t site, uint64_t size);

/**
 * Adds an object of \p size bytes to the estimates of all objects and of its class, if the log has chosen objects only.
 * Returns the objects and bytes that it stands for, as integers for sums that are not estimates: fractions of objects
 * are carried over to the next one, so that such sums differ from the estimate by less than one.
 */
uint64_t allocation_estimates_next(allocation_estimates *estimates, allocation_estimate *of_class, uint64_t size,
				   uint64_t *bytes);

/** Adds an object of \p size bytes to an estimate if \p sign is 1, or removes it if \p sign is -1. */
void allocation_estimate_change(allocation_estimate *estimate, uint64_t interval, uint64_t size, int sign);

/** The estimate of a site; NULL if it has no samples. */
const allocation_estimate *allocation_estimates_get(const allocation_estimates *estimates, size_t site);

/** Rounds a sum to an integer, at most UINT64_MAX. */
uint64_t allocation_estimate_round(double sum);

/** The standard error: the square root of a variance, rounded up. */
uint64_t allocation_estimate_error(double variance);

#endif
