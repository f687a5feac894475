/* SPDX-License-Identifier: MIT */
/**
 * \file parser/heap.h
 * \brief Fetches the objects of the loaded HEAP_DATA block. See #block_content for what each function does.
 */
#ifndef PARSER_HEAP_H
#define PARSER_HEAP_H

#include <mprof/parser.h>

int parser_heap_reserve(mprof_parser *parser);
void parser_heap_init(mprof_parser *parser, size_t length);
void parser_heap_rewind(mprof_parser *parser);
mprof_status parser_heap_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

#endif
