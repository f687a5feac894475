/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The runtime produces 15 digits of a number and rounds these, half up, to the requested decimal places. */
#define DIGITS 15

double clicks_to_seconds(const oracle *all, uint64_t clicks)
{
	uint64_t counters = all->last.counter - all->start.counter;
	int64_t ticks = (int64_t)(all->last.time - all->start.time) * 10;
	double ticks_per_counter = (int64_t)counters > 0 ? (double)ticks / (double)counters : 0;

	return ticks_per_counter * (double)clicks / 10000000.0;
}

static uint64_t power_of_ten(int exponent)
{
	uint64_t power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

/* A number as text, padded to \p width characters. */
static void print_wide(double number, int decimals, int width)
{
	char text[64];
	uint64_t digits;
	uint64_t divisor;
	int dropped;

	if (!isfinite(number)) {
		printf("%*s", width, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
		return;
	}
	/* "d.ddde+xx": takes the digits as one integer and rounds off the last ones. */
	snprintf(text, sizeof(text), "%.*e", DIGITS - 1, fabs(number));
	digits = (uint64_t)(text[0] - '0') * power_of_ten(DIGITS - 1) + strtoull(text + 2, NULL, 10);
	dropped = DIGITS - 1 - decimals - atoi(text + DIGITS + 2);
	if (dropped > DIGITS)
		digits = 0;
	divisor = power_of_ten(dropped > 0 && dropped <= DIGITS ? dropped : 0);
	digits = (digits + divisor / 2) / divisor;
	/* Further digits are zeros; numbers in logs have few digits. */
	digits *= power_of_ten(-dropped);
	divisor = power_of_ten(decimals);
	snprintf(text, sizeof(text), "%s%" PRIu64 ".%0*" PRIu64, number < 0 ? "-" : "", digits / divisor, decimals,
		 digits % divisor);
	printf("%*s", width, text);
}

void print_number(double number, int decimals)
{
	print_wide(number, decimals, 0);
}

void print_percent(double part, double whole)
{
	print_wide(part / whole * 100, 2, 5);
	putchar('%');
}
