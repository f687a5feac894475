/* SPDX-License-Identifier: MIT */
/**
 * \file common/utf8.h
 * \brief Where characters begin and end. Names in a log need not be UTF-8.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/** The bytes of the character at the start of \p text, 1 to 4; 0 if what stands there is not UTF-8. */
size_t utf8_sequence(const char *text);

/** Whether the character at the start of \p text controls a terminal. C1 does so too, in two bytes of UTF-8. */
int utf8_is_control(const char *text);

/** How many characters a text has; a byte that is not UTF-8 is one. */
size_t utf8_length(const char *text);

#endif
