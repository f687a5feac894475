/* SPDX-License-Identifier: MIT */
/* Formats numbers with the rounding of the first decoder. */
#include "decode/decode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The runtime of the first decoder converts a number to 15 digits, and rounds these again to the requested number of
 * decimals, a 5 always up. printf() rounds once, and 0.125 to 0.12. The output must be identical to the digit.
 */
#define DIGITS 15

/* Increments the last of \p count digits. Returns 1 if the carry needs another leading digit. */
static int round_up(char *digits, int count)
{
	while (count > 0 && digits[count - 1] == '9')
		digits[--count] = '0';
	if (count == 0)
		return 1;
	digits[count - 1]++;
	return 0;
}

/* Rounds to the first \p kept digits; \p point is the position of the decimal point. */
static void round_digits(char digits[DIGITS + 2], int *point, int kept)
{
	int is_up = kept >= 0 && kept < DIGITS && digits[kept] >= '5';

	if (kept >= DIGITS)
		return;
	memset(digits + (kept > 0 ? kept : 0), '0', (size_t)(DIGITS - (kept > 0 ? kept : 0)));
	if (is_up && round_up(digits, kept)) {
		memmove(digits + 1, digits, DIGITS);
		digits[0] = '1';
		++*point;
	}
}

static char digit_at(const char digits[DIGITS + 2], int position)
{
	return position >= 0 && position <= DIGITS ? digits[position] : '0';
}

char *decode_number(char text[DECODE_NUMBER_SIZE], double number, int decimals)
{
	char scientific[DIGITS + 16];
	char digits[DIGITS + 2];
	char *end = text;
	int point;

	if (!isfinite(number)) {
		strcpy(text, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
		return text;
	}
	/* "d.dddddddddddddde+xx" */
	snprintf(scientific, sizeof(scientific), "%.*e", DIGITS - 1, fabs(number));
	digits[0] = scientific[0];
	memcpy(digits + 1, scientific + 2, DIGITS - 1);
	memset(digits + DIGITS, '0', 2);
	point = (int)strtol(scientific + DIGITS + 2, NULL, 10) + 1;
	round_digits(digits, &point, point + decimals);
	if (number < 0)
		*end++ = '-';
	for (int position = point > 0 ? 0 : point - 1; position < point; position++)
		*end++ = digit_at(digits, position);
	*end++ = '.';
	for (int position = point; position < point + decimals; position++)
		*end++ = digit_at(digits, position);
	*end = '\0';
	return text;
}

void decode_percent(double part, double whole)
{
	char text[DECODE_NUMBER_SIZE];

	printf("%5s%%", decode_number(text, part / whole * 100, 2));
}
