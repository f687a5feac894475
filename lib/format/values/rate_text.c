/* SPDX-License-Identifier: MIT */
/* Writes and reads the frequency of the counter as text. Not by printf() and strtod(), which depend on the locale. */
#include "format/values/rate_text.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

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
