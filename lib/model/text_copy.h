/* SPDX-License-Identifier: MIT */
/**
 * \file model/text_copy.h
 * \brief Copies of names borrowed from a reader.
 */
#ifndef MODEL_TEXT_COPY_H
#define MODEL_TEXT_COPY_H

#include "base/allocator.h"

/** Returns a copy of \p text, which may be NULL: that yields "". NULL if there is no memory. Free by text_release(). */
char *text_copy(const mprof_allocator *allocator, const char *text);

/** Frees a copy. \p copy may be NULL. */
void text_release(const mprof_allocator *allocator, char *copy);

#endif
