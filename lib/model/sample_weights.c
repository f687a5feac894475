/* SPDX-License-Identifier: MIT */
/* Chooses the unit in which samples are counted. */
#include "model/sample_weights.h"

/* Periods outside are not those of samples of processor time. They also bound products with numbers of samples. */
#define MIN_PERIOD 1000
#define MAX_PERIOD UINT64_C(10000000000)

/* Periods are rounded to nanoseconds, so a ratio that is nearly whole is. */
#define TOLERANCE 1024

/* Returns 0 if the text is no period. */
static uint64_t parse_period(const char *text)
{
	uint64_t period = 0;

	for (; *text >= '0' && *text <= '9' && period <= MAX_PERIOD; text++)
		period = period * 10 + (uint64_t)(*text - '0');
	return *text == '\0' && period >= MIN_PERIOD && period <= MAX_PERIOD ? period : 0;
}

uint64_t sample_weights_set_period(sample_weights *weights, const char *text)
{
	const uint64_t period = parse_period(text);
	uint64_t factor = 1;

	if (period == 0)
		return 1;
	weights->period = period;
	if (weights->unit == 0) {
		weights->unit = period;
	} else if (period < weights->unit) {
		factor = (weights->unit - weights->unit / TOLERANCE + period - 1) / period;
		weights->unit /= factor;
		/* A period that is only a little shorter. */
		if (factor == 1)
			weights->unit = period;
	}
	weights->rest = 0;
	return factor;
}
