/* SPDX-License-Identifier: MIT */
/**
 * \file options_values.h
 * \brief Parses the values of options.
 */
#ifndef OPTIONS_VALUES_H
#define OPTIONS_VALUES_H

#include "options_parser.h"

/** Parses a number within these bounds. Returns 0 with a message if it is invalid. */
int options_parse_number(options_parser *parser, const char *value, uint32_t least, uint32_t most, uint32_t *number);

/** Parses a number of bytes with an optional suffix k, m or g. Returns 0 with a message if it is invalid. */
int options_parse_size(options_parser *parser, const char *value, uint64_t least, uint64_t *size);

/** Parses "stack:BYTES", the interval of allocations with a call stack. Returns 0 if it is not valid. */
int options_parse_sampled_stack(const char *value, uint64_t *interval);

/** Each applies the value of one option. Returns 0 with a message if it is invalid. */
int options_apply_allocation_detail(options_parser *parser, const char *value);
int options_apply_exception_detail(options_parser *parser, const char *value);
int options_apply_handle_type(options_parser *parser, const char *value);
int options_apply_heap_occasion(options_parser *parser, const char *value);
int options_apply_signal(options_parser *parser, const char *value);

#endif
