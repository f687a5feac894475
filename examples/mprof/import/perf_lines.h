/* SPDX-License-Identifier: MIT */
/**
 * \file import/perf_lines.h
 * \brief The lines that perf script prints.
 */
#ifndef IMPORT_PERF_LINES_H
#define IMPORT_PERF_LINES_H

#include <stddef.h>
#include <stdint.h>

/** A part of a line. */
typedef struct text {
	const char *start;
	size_t length;
} text;

/** The first line of a sample, or the line of another record. */
typedef struct head {
	text comm, event, rest;        /**< The event is empty if the line has none. */
	uint64_t thread, time, period; /**< The time is in nanoseconds; the period is 0 if the line has none. */
	uint64_t cpu;                  /**< UINT32_MAX if the line has none. */
} head;

/** One line of a call stack. */
typedef struct frame {
	text symbol, file;
	uint64_t address, offset; /**< The offset is that from the start of the symbol. */
	int has_offset, is_inlined;
	const char *source; /**< The source file, NULL if the line after it does not state it. */
	uint32_t line;
} frame;

/** Removes the blanks around a text. */
text trim(text text);

/** Takes the first word of a text away from it. */
text take_first(text *from);

int starts_with(text text, const char *prefix);

/** Returns whether a text is a number of up to \p max_digits digits. */
int parse_number(text text, int base, size_t max_digits, uint64_t *value);

/** Returns whether a line is COMM [PID/]TID [CPU] TIME: [PERIOD] EVENT: [REST]. */
int parse_head(text line, head *head);

/** Returns whether a line is FILE:LINE, which may be followed by a blank and more. */
int parse_source(text line, text *file, uint32_t *number);

/** Returns whether a line is ADDRESS SYMBOL[+0xOFFSET] (FILE). */
int parse_frame(text line, frame *frame);

#endif
