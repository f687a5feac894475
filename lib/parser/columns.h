/* SPDX-License-Identifier: MIT */
/**
 * \file parser/columns.h
 * \brief Fetches the events of the loaded EVENTS block as arrays by field.
 */
#ifndef PARSER_COLUMNS_H
#define PARSER_COLUMNS_H

#include "format/event_arrays.h"

/** Checks the arguments of mprof_parser_next_columns(). Returns #MPROF_OK or #MPROF_ERR_ARGUMENT. */
mprof_status parser_columns_check(mprof_parser *parser, uint32_t wanted, const mprof_columns *columns);

/** Allocates the memory of batches, which the parser keeps. Returns NULL if out of memory; the error is recorded. */
event_arrays *parser_columns_reserve(mprof_parser *parser);

#endif
