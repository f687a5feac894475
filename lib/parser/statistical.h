/* SPDX-License-Identifier: MIT */
/**
 * \file parser/statistical.h
 * \brief Fetches the samples and definitions of the loaded STATISTICAL block.
 */
#ifndef PARSER_STATISTICAL_H
#define PARSER_STATISTICAL_H

#include <mprof/parser.h>

/** Allocates the memory that fetching needs. Returns 0 if out of memory. */
int parser_statistical_reserve(mprof_parser *parser);

/** Returns to the first sample and the first definition of the loaded block. */
void parser_statistical_rewind(mprof_parser *parser);

/** As mprof_parser_next_events(), for frames of samples. The caller has set \p count to 0. */
mprof_status parser_statistical_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

/** Fetches the next definition of a module or function. Returns 0 at the end of the list. */
int parser_statistical_next_record(mprof_parser *parser, mprof_record *record);

#endif
