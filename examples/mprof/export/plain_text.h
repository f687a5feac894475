/* SPDX-License-Identifier: MIT */
/**
 * \file export/plain_text.h
 * \brief Names as other tools can print them: valid UTF-8 without control characters.
 */
#ifndef EXPORT_PLAIN_TEXT_H
#define EXPORT_PLAIN_TEXT_H

#include <stddef.h>

/** Memory for the result of plain_text(). Initialized with 0. */
typedef struct plain_buffer {
	char *text;
	size_t capacity;
} plain_buffer;

/**
 * Returns the name with control characters and invalid UTF-8 as \\xNN, like text_name(): \p name itself if it has none,
 * otherwise a text that is valid until the next call. Returns NULL if out of memory.
 */
const char *plain_text(plain_buffer *buffer, const char *name);

void plain_text_release(plain_buffer *buffer);

#endif
