/* SPDX-License-Identifier: MIT */
/* Checks headers and checksums of blocks, and skips blocks by their length. */
#include "parser/framing.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "parser/errors.h"
#include "parser/parser_internal.h"

/*
 * Blocks with an unknown code are skipped by their length. A code above this bound is damage rather than a later
 * version of the format.
 */
#define MAX_PLAUSIBLE_CODE 255

int parser_header_is_plausible(const mprof_parser *parser, const block_header *header)
{
	return header->code > 0 && header->code <= MAX_PLAUSIBLE_CODE &&
	       header->length >= parser->decoding.rules->checksum_length;
}

int parser_checksum_is_valid(const mprof_parser *parser, const uint8_t *block, uint64_t span)
{
	size_t checked = (size_t)span - parser->decoding.rules->checksum_length;

	return checksum_update(0, block, checked) == bytes_load_32(block + checked);
}

mprof_status parser_skip_rest(mprof_parser *parser)
{
	size_t length = parser_buffer_length(&parser->buffer);

	if (length > parser->skip_left)
		length = (size_t)parser->skip_left;
	parser_buffer_drop(&parser->buffer, length);
	parser->skip_left -= length;
	if (parser->skip_left == 0) {
		parser_block_is_valid(parser);
		parser->state = PARSER_AT_HEADER;
		return MPROF_OK;
	}
	if (parser->is_finished)
		return parser_fail(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL,
				   parser->buffer.offset - parser->block.offset, "the log ends inside a block");
	return parser_wait(parser, parser->skip_left + parser->decoding.rules->header_length);
}
