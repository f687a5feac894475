/* SPDX-License-Identifier: MIT */
/**
 * \file parser/framing.h
 * \brief Checks headers and checksums of blocks, and skips blocks by their length.
 */
#ifndef PARSER_FRAMING_H
#define PARSER_FRAMING_H

#include <mprof/parser.h>

#include "format/block_decode.h"

/**
 * Whether the header of a block other than the first one is plausible: it has a possible code and a possible length.
 */
int parser_header_is_plausible(const mprof_parser *parser, const block_header *header);

/** Whether a block of \p span bytes, header included, matches its checksum. */
int parser_checksum_is_valid(const mprof_parser *parser, const uint8_t *block, uint64_t span);

/** Skips bytes up to the end of the block. Returns #MPROF_OK, #MPROF_AGAIN, or #MPROF_ERR_TRUNCATED. */
mprof_status parser_skip_rest(mprof_parser *parser);

#endif
