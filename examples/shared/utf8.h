/* SPDX-License-Identifier: MIT */
/**
 * \file shared/utf8.h
 * \brief UTF-8 characters in text. Names in a log need not be UTF-8.
 */
#ifndef SHARED_UTF8_H
#define SHARED_UTF8_H

#include <stddef.h>
#include <stdint.h>

/** The length of the character at the start of \p text in bytes, 1 to 4; 0 if it is not valid UTF-8. */
size_t utf8_sequence(const char *text);

/**
 * Whether the character at the start of \p text is a terminal control character, including C1, which takes two bytes.
 */
int utf8_is_control(const char *text);

/**
 * Whether the character at the start of \p text separates lines or changes the direction of the text around it, so that
 * a terminal shows a name that looks like another one.
 */
int utf8_changes_order(const char *text);

/** The number of the character at the start of \p text, which is valid UTF-8. */
uint32_t utf8_code_point(const char *text);

/** The number of characters of a text; each byte of invalid UTF-8 counts as one. */
size_t utf8_length(const char *text);

#endif
