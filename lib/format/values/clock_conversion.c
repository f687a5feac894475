/* SPDX-License-Identifier: MIT */
/* Converts values of clocks, with products of 128 bits. */
#include "format/values/clock_conversion.h"

#include <inttypes.h>
#include <stdio.h>

/* A slope is better than a stated rate if its uncertainty is below one part of this many. */
#define SLOPE_PARTS 10000

/* A number of 128 bits. */
typedef struct wide_number {
	uint64_t high;
	uint64_t low;
} wide_number;

static wide_number multiply(uint64_t a, uint64_t b)
{
	const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	const uint64_t cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);

	return (wide_number){(a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX)};
}

/* Stores amount * numerator / denominator. Returns 0 if it has more than 64 bits, or the denominator is 0. */
static int clock_multiply(uint64_t amount, uint64_t numerator, uint64_t denominator, uint64_t *result)
{
	const wide_number product = multiply(amount, numerator);
	uint64_t rest = product.high;
	uint64_t quotient = 0;

	if (rest >= denominator)
		return 0;
	for (int bit = 63; bit >= 0; bit--) {
		const int is_long = rest >> 63 != 0;

		rest = rest << 1 | (product.low >> bit & 1);
		if (is_long || rest >= denominator) {
			rest -= denominator;
			quotient |= UINT64_C(1) << bit;
		}
	}
	if (rest >= denominator - rest) {
		if (quotient == UINT64_MAX)
			return 0;
		quotient++;
	}
	*result = quotient;
	return 1;
}

clock_ratio clock_ratio_of(const clock_ratio *counters, const clock_ratio *ticks)
{
	wide_number numerator = multiply(counters->numerator, ticks->denominator);
	wide_number denominator = multiply(counters->denominator, ticks->numerator);

	while ((numerator.high | denominator.high) != 0) {
		numerator.low = numerator.high << 63 | numerator.low >> 1;
		numerator.high >>= 1;
		denominator.low = denominator.high << 63 | denominator.low >> 1;
		denominator.high >>= 1;
	}
	return (clock_ratio){numerator.low, denominator.low};
}

int clock_interpolate(const mprof_clock_pair_record *before, const mprof_clock_pair_record *after, uint64_t value,
		      uint64_t *counter)
{
	uint64_t distance;

	if (value < before->value || value > after->value || after->counter < before->counter ||
	    !clock_multiply(value - before->value, after->counter - before->counter, after->value - before->value,
			    &distance))
		return 0;
	*counter = before->counter + distance;
	return 1;
}

int clock_slope_is_close(const mprof_clock_pair_record *first, const mprof_clock_pair_record *last)
{
	const uint64_t distance = last->counter - first->counter;
	const uint64_t most = distance / SLOPE_PARTS;

	return last->value > first->value && last->counter > first->counter && first->uncertainty <= most &&
	       last->uncertainty <= most - first->uncertainty;
}

/* The counters per tick outside of the pairs. */
static clock_ratio outer_ratio(const mprof_clock_pair_record *first, const mprof_clock_pair_record *last,
			       const clock_ratio *stated)
{
	const int is_stated = stated->numerator != 0 && stated->denominator != 0;

	if (is_stated && !clock_slope_is_close(first, last))
		return *stated;
	if (last->value == first->value || last->counter == first->counter)
		return (clock_ratio){0, 0};
	return (clock_ratio){last->counter - first->counter, last->value - first->value};
}

static clock_conversion convert_outside(const mprof_clock_pair_record *nearest, const clock_ratio *ratio,
					uint64_t value, uint64_t *counter)
{
	const int is_after = value > nearest->value;
	uint64_t distance;

	if (value == nearest->value) {
		*counter = nearest->counter;
		return CLOCK_CONVERTED;
	}
	if (ratio->numerator == 0 || ratio->denominator == 0)
		return CLOCK_UNKNOWN;
	if (!clock_multiply(is_after ? value - nearest->value : nearest->value - value, ratio->numerator,
			    ratio->denominator, &distance) ||
	    distance > (is_after ? UINT64_MAX - nearest->counter : nearest->counter))
		return CLOCK_OUT_OF_RANGE;
	*counter = is_after ? nearest->counter + distance : nearest->counter - distance;
	return CLOCK_CONVERTED;
}

/* The number of pairs whose value is not greater. */
static size_t pairs_until(const mprof_clock_pair_record *pairs, size_t count, uint64_t value)
{
	size_t low = 0;

	while (low < count) {
		const size_t middle = low + (count - low) / 2;

		if (pairs[middle].value <= value)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

clock_conversion clock_convert(const mprof_clock_pair_record *pairs, size_t count, const clock_ratio *stated,
			       uint64_t value, uint64_t *counter)
{
	const size_t until = pairs_until(pairs, count, value);
	clock_ratio ratio;

	if (count == 0)
		return CLOCK_UNKNOWN;
	if (until > 0 && until < count)
		return clock_interpolate(&pairs[until - 1], &pairs[until], value, counter) ? CLOCK_CONVERTED
											   : CLOCK_UNKNOWN;
	ratio = outer_ratio(&pairs[0], &pairs[count - 1], stated);
	return convert_outside(&pairs[until == 0 ? 0 : count - 1], &ratio, value, counter);
}

/*
 * The property of SESSION blocks that states how many units of the counter a second has: a decimal number.
 */

#define MAX_RATE 1e12
#define MILLION UINT64_C(1000000)

/* Digits that a rate may have before and after the point; more are not a rate that a writer states. */
#define MAX_DIGITS 18

int rate_is_valid(double rate)
{
	return rate > 0 && rate <= MAX_RATE;
}

void rate_text_format(double rate, char *text, size_t size)
{
	const uint64_t millionths = (uint64_t)(rate * 1e6 + 0.5);
	uint64_t decimals = millionths % MILLION;
	int digits = 6;

	/* A rate that is not 0 never becomes 0. */
	if (millionths == 0) {
		snprintf(text, size, "0.000001");
		return;
	}
	if (decimals == 0) {
		snprintf(text, size, "%" PRIu64, millionths / MILLION);
		return;
	}
	for (; decimals % 10 == 0; decimals /= 10)
		digits--;
	snprintf(text, size, "%" PRIu64 ".%0*" PRIu64, millionths / MILLION, digits, decimals);
}

/* Reads digits to *value, and multiplies *scale by 10 for each. Returns where they end, or NULL if none or too many. */
static const char *read_digits(const char *text, uint64_t *value, double *scale)
{
	int count = 0;

	*value = 0;
	for (; *text >= '0' && *text <= '9'; text++, count++) {
		if (count == MAX_DIGITS)
			return NULL;
		*value = *value * 10 + (uint64_t)(*text - '0');
		*scale *= 10;
	}
	return count > 0 ? text : NULL;
}

int rate_text_parse(const char *text, double *rate)
{
	uint64_t whole;
	uint64_t decimals = 0;
	double scale = 1;
	double found;

	text = read_digits(text, &whole, &scale);
	scale = 1;
	if (text != NULL && *text == '.')
		text = read_digits(text + 1, &decimals, &scale);
	if (text == NULL || *text != '\0')
		return 0;
	found = (double)whole + (double)decimals / scale;
	if (!rate_is_valid(found))
		return 0;
	*rate = found;
	return 1;
}
