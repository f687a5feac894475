/* SPDX-License-Identifier: MIT */
/**
 * \file model/sample_weights.h
 * \brief How often a sample counts, if the log has samples that stand for periods of different lengths.
 *
 * Samples are counted in units of time, not longer than the shortest period so far. A sample of a longer period counts
 * several times; fractions count for the next samples. While all periods are the same, each sample counts once.
 */
#ifndef MODEL_SAMPLE_WEIGHTS_H
#define MODEL_SAMPLE_WEIGHTS_H

#include <stdint.h>

/** The key of the property that states the period of the samples that follow, in nanoseconds (doc/format.md, 3.8). */
#define SAMPLE_PERIOD_KEY "sample_period_ns"

typedef struct sample_weights {
	uint64_t unit;   /**< In nanoseconds; 0 before a period is known. */
	uint64_t period; /**< Of the samples that follow. */
	uint64_t rest;   /**< Time of samples that is not counted yet: less than a unit. */
} sample_weights;

/**
 * Sets the period of the samples that follow, as the log states it; other texts change nothing. Returns the factor by
 * which all counts so far must be multiplied, since the unit is shorter now: 1 or more.
 */
uint64_t sample_weights_set_period(sample_weights *weights, const char *text);

/** The number that samples count for. */
static inline uint64_t sample_weights_count(sample_weights *weights, uint64_t samples)
{
	uint64_t time;

	if (weights->unit == weights->period)
		return samples;
	time = weights->rest + samples * weights->period;
	weights->rest = time % weights->unit;
	return time / weights->unit;
}

#endif
