/* SPDX-License-Identifier: MIT */
/**
 * \file options_parser.h
 * \brief The state of the parser of options, and how its parts report errors.
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

/** Replaces a text by a copy of \p value. */
int options_set_text(options_parser *parser, char **text, const char *value);

#endif
