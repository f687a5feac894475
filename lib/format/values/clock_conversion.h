/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/clock_conversion.h
 * \brief Converts values of a clock to counters by pairs of both (doc/format.md, 3.31), and the frequency of the
 * counter to and from text. All results of the conversion are rounded to the nearest number, and exact before that:
 * products have 128 bits.
 */
#ifndef FORMAT_VALUES_CLOCK_CONVERSION_H
#define FORMAT_VALUES_CLOCK_CONVERSION_H

#include <mprof/format.h>

#include <stddef.h>
#include <stdint.h>

/** Counters per tick of a clock: numerator / denominator. Not known if either is 0. */
typedef struct clock_ratio {
	uint64_t numerator;
	uint64_t denominator;
} clock_ratio;

/** How a conversion ended. */
typedef enum clock_conversion {
	CLOCK_CONVERTED,
	CLOCK_UNKNOWN,     /**< There is no pair, or one that does not suffice without a ratio. */
	CLOCK_OUT_OF_RANGE /**< The counter has not 64 bits. */
} clock_conversion;

/**
 * The ratio of two rates, each a numerator and a denominator. Its numbers are shortened to 64 bits if they have more;
 * it is not known if a number of the rates is 0, or one becomes 0.
 */
clock_ratio clock_ratio_of(const clock_ratio *counters, const clock_ratio *ticks);

/**
 * Converts a value between two pairs, the first of which has the smaller value, and no greater counter. Returns 0 if
 * the value is not between them, or they are not so.
 */
int clock_interpolate(const mprof_clock_pair_record *before, const mprof_clock_pair_record *after, uint64_t value,
		      uint64_t *counter);

/** Converts a value by \p count pairs, in ascending order, and the stated ratio, as described in 3.31. */
clock_conversion clock_convert(const mprof_clock_pair_record *pairs, size_t count, const clock_ratio *stated,
			       uint64_t value, uint64_t *counter);

/** Whether the distance between two pairs is long enough for their slope to be better than a stated rate. */
int clock_slope_is_close(const mprof_clock_pair_record *first, const mprof_clock_pair_record *last);

#define RATE_KEY "counters_per_second"

/** Room for any text of rate_text_format(). */
#define RATE_TEXT_SIZE 32

/** Whether a rate can be stated: above 0 and at most 10^12. */
int rate_is_valid(double rate);

/** Writes a valid rate with at most six decimals, in any locale. */
void rate_text_format(double rate, char *text, size_t size);

/** Reads a rate. Returns 0, and leaves \p rate as it was, unless the text is a decimal number that is a valid rate. */
int rate_text_parse(const char *text, double *rate);

#endif
