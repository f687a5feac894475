/* SPDX-License-Identifier: MIT */
/**
 * \file parser/load.h
 * \brief Loads the block whose header was read.
 */
#ifndef PARSER_LOAD_H
#define PARSER_LOAD_H

#include <mprof/parser.h>

/** As mprof_parser_load(), with parser::block as the result. */
mprof_status parser_load(mprof_parser *parser);

#endif
