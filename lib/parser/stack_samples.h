/* SPDX-License-Identifier: MIT */
/**
 * \file parser/stack_samples.h
 * \brief Fetches the samples of the loaded SAMPLES block. See #block_content for what each function does.
 */
#ifndef PARSER_STACK_SAMPLES_H
#define PARSER_STACK_SAMPLES_H

#include <mprof/parser.h>

void parser_stack_samples_init(mprof_parser *parser, size_t length);
void parser_stack_samples_rewind(mprof_parser *parser);
mprof_status parser_stack_samples_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

#endif
