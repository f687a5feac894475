/* SPDX-License-Identifier: MIT */
/**
 * \file common/text.h
 * \brief Numbers and names for people.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>
#include <stdio.h>

/** Room for any of the numbers below. */
#define TEXT_NUMBER_SIZE 40

/** "1,234,567". Returns \p text. */
char *text_count(char text[TEXT_NUMBER_SIZE], uint64_t number);

/** "12.3 ms": nanoseconds in the unit that fits. Returns \p text. */
char *text_duration(char text[TEXT_NUMBER_SIZE], uint64_t nanoseconds);

/** "1.2 MB": bytes in the unit that fits, by powers of 1000. Returns \p text. */
char *text_bytes(char text[TEXT_NUMBER_SIZE], uint64_t bytes);

/** "12.3 %" of a whole. Returns \p text. */
char *text_percent(char text[TEXT_NUMBER_SIZE], uint64_t part, uint64_t whole);

/** "2025-01-31 12:00:00.000 UTC" of microseconds since 1970. Returns \p text. */
char *text_date(char text[TEXT_NUMBER_SIZE], uint64_t microseconds);

/** Prints a name from a log: what would control a terminal, or is not UTF-8, as \xNN. */
void text_name(FILE *file, const char *name);

/** Begins a message about a file on standard error: "mprof: NAME: ". */
void text_begin_message(const char *name);

#endif
