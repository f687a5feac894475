/* SPDX-License-Identifier: MIT */
/**
 * \file options_parser.h
 * \brief What the parts of the options' parser share.
 */
#ifndef OPTIONS_PARSER_H
#define OPTIONS_PARSER_H

#include "options.h"

typedef struct options_parser {
	module_options *options;
	char *message;     /**< OPTIONS_MESSAGE_SIZE bytes. */
	uint32_t wanted;   /**< Kinds asked for. */
	uint32_t unwanted; /**< Kinds asked not to be. */
} options_parser;

/** Takes the value of an option; returns 0 with a message if it is wrong. */
typedef int (*option_value_function)(options_parser *parser, const char *value);

/** Puts a line into the parser's message. Returns 0. */
int options_complain(options_parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Sets all options to what they are if nothing is said about them. */
void options_init(module_options *options);

/** Replaces a text by a copy of another. */
int options_set_text(options_parser *parser, char **text, const char *value);

int options_take_number(options_parser *parser, const char *value, uint32_t least, uint32_t most, uint32_t *number);

/** A number of bytes with k, m or g behind it. */
int options_take_size(options_parser *parser, const char *value, uint64_t least, uint64_t *size);

/** Each takes the value of one option. */
int options_take_allocation_detail(options_parser *parser, const char *value);
int options_take_handle_type(options_parser *parser, const char *value);
int options_take_heap_occasion(options_parser *parser, const char *value);
int options_take_signal(options_parser *parser, const char *value);

/** The kinds that a word of what to record means, 0 if it is none. */
uint32_t options_kinds_of(const char *word);

#endif
