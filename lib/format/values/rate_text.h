/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/rate_text.h
 * \brief The property of SESSION blocks that states how many units of the counter a second has: a decimal number.
 */
#ifndef FORMAT_VALUES_RATE_TEXT_H
#define FORMAT_VALUES_RATE_TEXT_H

#include <stddef.h>

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
