/* SPDX-License-Identifier: MIT */
/**
 * \file flame/markup.h
 * \brief Text of a log in XML: it is never markup, and invisible characters are visible.
 */
#ifndef FLAME_MARKUP_H
#define FLAME_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/**
 * Prints text as XML character data. Control characters and invalid UTF-8 are printed as \xNN; characters that change
 * the direction of text or that XML does not allow, as \uNNNN.
 */
void markup_text(FILE *file, const char *text);

/** The number of columns of a text in a font of fixed width; characters of East Asian scripts have two. */
size_t markup_columns(const char *text);

/**
 * The same text without control characters and invalid UTF-8, as markup_text() prints it but without XML escapes. The
 * caller frees it; NULL if out of memory.
 */
char *markup_visible(const char *text);

#endif
