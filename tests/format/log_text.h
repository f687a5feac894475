/* SPDX-License-Identifier: MIT */
/**
 * \file log_text.h
 * \brief The content of a log as text, in the form of doc/format.md, section 6.
 */
#ifndef FORMAT_LOG_TEXT_H
#define FORMAT_LOG_TEXT_H

#include <mprof/reader.h>

#include <stddef.h>
#include <stdint.h>

typedef struct log_text {
	char text[65536];
	size_t length;
	uint64_t directives; /**< In force so far. */
	int takes_errors;    /**< Errors become lines instead of failing the test. */
	mprof_error last_error;
} log_text;

/**
 * The text of a log that a parser is fed in pieces of a given length. The log may have blocks of unsupported layout,
 * but no damage.
 */
void log_text_render(log_text *out, const uint8_t *bytes, size_t length, size_t piece);

/**
 * The text of a log that a reader reads, in the same form but with call stacks written as frames. An error is a line
 * where it occurs, "error STATUS at OFFSET".
 */
void log_text_read(log_text *out, const uint8_t *bytes, size_t length);

/** Starts with an empty text. */
void log_text_clear(log_text *out);

/** Adds the next block of a reader. Returns 0 at the end of the log. */
int log_text_next(log_text *out, mprof_reader *reader);

#endif
