/* SPDX-License-Identifier: MIT */
/**
 * \file options_words.h
 * \brief The names of the kinds of data recorded.
 */
#ifndef OPTIONS_WORDS_H
#define OPTIONS_WORDS_H

#include <stddef.h>
#include <stdint.h>

/** Size that suffices for every result of options_describe_kinds(), in bytes. */
#define OPTIONS_KINDS_SIZE 256

/** Formats the names of the kinds recorded, such as "calls, allocations". */
void options_describe_kinds(uint32_t kinds, char *text, size_t size);

#endif
