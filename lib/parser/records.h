/* SPDX-License-Identifier: MIT */
/**
 * \file parser/records.h
 * \brief Fetches the records, definitions or properties of the loaded block. See #block_content for what each function
 * does.
 */
#ifndef PARSER_RECORDS_H
#define PARSER_RECORDS_H

#include <mprof/parser.h>

void parser_records_rewind(mprof_parser *parser);
int parser_records_next(mprof_parser *parser, mprof_record *record);
void parser_mappings_rewind(mprof_parser *parser);
void parser_properties_rewind(mprof_parser *parser);

#endif
