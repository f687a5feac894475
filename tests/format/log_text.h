/* SPDX-License-Identifier: MIT */
/**
 * \file log_text.h
 * \brief What a log says as text, in the form of doc/format.md, section 6.
 */
#ifndef LOG_TEXT_H
#define LOG_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct log_text {
	char text[8192];
	size_t length;
} log_text;

/** Reads a log that is fed in pieces of a length, and may have blocks that cannot be read, but no damage. */
void log_text_render(log_text *out, const uint8_t *bytes, size_t length, size_t piece);

#endif
