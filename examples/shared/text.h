/* SPDX-License-Identifier: MIT */
/**
 * \file shared/text.h
 * \brief Formatting of numbers and names for text output.
 */
#ifndef SHARED_TEXT_H
#define SHARED_TEXT_H

#include <stdint.h>
#include <stdio.h>

/** Size that suffices for the results of all functions below, in bytes. */
#define TEXT_NUMBER_SIZE 40

/** Formats a count as "1,234,567". Returns \p text. */
char *text_count(char text[TEXT_NUMBER_SIZE], uint64_t number);

/** Formats nanoseconds in a suitable unit: "12.3 ms". Returns \p text. */
char *text_duration(char text[TEXT_NUMBER_SIZE], uint64_t nanoseconds);

/** Formats bytes in a suitable unit, by powers of 1000: "1.2 MB". Returns \p text. */
char *text_bytes(char text[TEXT_NUMBER_SIZE], uint64_t bytes);

/** Formats a part of a whole in percent: "12.3 %". Returns \p text. */
char *text_percent(char text[TEXT_NUMBER_SIZE], uint64_t part, uint64_t whole);

/** Formats microseconds since 1970 as "2025-01-31 12:00:00.000 UTC". Returns \p text. */
char *text_date(char text[TEXT_NUMBER_SIZE], uint64_t microseconds);

/**
 * Prints a name from a log. Terminal control characters and invalid UTF-8 are printed as \xNN, characters that change
 * the direction of text as \uNNNN.
 */
void text_name(FILE *file, const char *name);

/**
 * Closes the stream that open_memstream() made for \p text. Returns the text; NULL if memory for any of it was refused,
 * and then frees the rest: a stream that gets no memory at its end closes without an error, and has no text.
 */
char *text_of_stream(FILE *stream, char **text);

/** Begins a message about a file on standard error: "mprof: NAME: ". */
void text_begin_message(const char *name);

#endif
