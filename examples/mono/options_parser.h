/* SPDX-License-Identifier: MIT */
/**
 * \file options_parser.h
 * \brief Declarations shared by the parts of the options' parser.
 */
#ifndef OPTIONS_PARSER_H
#define OPTIONS_PARSER_H

#include "options.h"

typedef struct options_parser {
	module_options *options;
	char *message;     /**< OPTIONS_MESSAGE_SIZE bytes. */
	uint32_t wanted;   /**< Record kinds switched on. */
	uint32_t unwanted; /**< Record kinds switched off. */
} options_parser;

/** Applies the value of an option. Returns 0 with a message if it is invalid. */
typedef int (*option_value_function)(options_parser *parser, const char *value);

/** Formats the parser's message, one line. Returns 0. */
int options_complain(options_parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Sets all options to their defaults. */
void options_init(module_options *options);

/** Replaces a text by a copy of \p value. */
int options_set_text(options_parser *parser, char **text, const char *value);

int options_parse_number(options_parser *parser, const char *value, uint32_t least, uint32_t most, uint32_t *number);

/** Parses a number of bytes with an optional suffix k, m or g. */
int options_parse_size(options_parser *parser, const char *value, uint64_t least, uint64_t *size);

/** Each applies the value of one option. */
int options_apply_allocation_detail(options_parser *parser, const char *value);
int options_apply_handle_type(options_parser *parser, const char *value);
int options_apply_heap_occasion(options_parser *parser, const char *value);
int options_apply_signal(options_parser *parser, const char *value);

/** The record kinds that a word selects, 0 if it is not such a word. */
uint32_t options_kinds_of(const char *word);

#endif
