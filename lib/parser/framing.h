/* SPDX-License-Identifier: MIT */
/**
 * \file parser/framing.h
 * \brief Where blocks start and end: by their headers, lengths and checksums.
 */
#ifndef PARSER_FRAMING_H
#define PARSER_FRAMING_H

#include <mprof/parser.h>

#include "format/block_decode.h"

/** Whether bytes after the first block can be a header. */
int parser_header_is_plausible(const mprof_parser *parser, const block_header *header);

/** Whether a block of \p span bytes, header included, matches its checksum. */
int parser_checksum_is_right(const mprof_parser *parser, const uint8_t *block, uint64_t span);

/** Continues to skip bytes up to the end of the block. */
mprof_status parser_skip_rest(mprof_parser *parser);

#endif
