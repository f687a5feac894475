/* SPDX-License-Identifier: MIT */
/* Searches damaged bytes for the next valid block. */
#include "parser/search.h"

#include "parser/errors.h"
#include "parser/framing.h"
#include "parser/parser_internal.h"

/*
 * Maximum number of bytes checksummed for each byte searched. It bounds the time for a log that was crafted to look
 * full of headers.
 */
#define CHECKED_PER_BYTE 16

static int is_candidate(const mprof_parser *parser, const uint8_t *bytes, block_header *header)
{
	const dialect_rules *rules = parser->decoding.rules;
	mprof_block_kind kind;

	block_header_decode(bytes, header);
	if (header->length < rules->checksum_length || header->length > parser->max_block_length)
		return 0;
	if (block_is_compressed(rules, header->code))
		return 1;
	kind = dialect_block_kind(rules, header->code);
	return kind != MPROF_BLOCK_UNKNOWN && kind != MPROF_BLOCK_INTRO;
}

/*
 * Whether the position is the end of a block that may only be longer than the limit, and a plausible header is there.
 * No valid checksum is required: the next block may be just as long.
 */
static int is_claimed_successor(const mprof_parser *parser, const uint8_t *bytes, size_t position)
{
	block_header header;

	if (parser->search.claimed_end == 0 || parser->buffer.offset + position != parser->search.claimed_end)
		return 0;
	block_header_decode(bytes, &header);
	return parser_header_is_plausible(parser, &header);
}

parser_search_result parser_search_buffer(mprof_parser *parser, size_t *position, uint64_t *needed)
{
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer);
	size_t length = parser_buffer_length(&parser->buffer);
	uint64_t searched = parser->buffer.offset + length - parser->search.start;
	uint32_t header_length = parser->decoding.rules->header_length;

	for (; length - *position >= header_length; ++*position) {
		block_header header;
		uint64_t span;

		if (is_claimed_successor(parser, bytes + *position, *position))
			return PARSER_SEARCH_FOUND;
		/* The high byte of all known codes is 0. This test rejects most positions immediately. */
		if (bytes[*position + 1] != 0 || !is_candidate(parser, bytes + *position, &header))
			continue;
		span = header_length + (uint64_t)header.length;
		if (length - *position < span) {
			if (parser->is_finished)
				continue;
			*needed = *position + span;
			return PARSER_SEARCH_MORE;
		}
		if (parser->search.checked > searched * CHECKED_PER_BYTE)
			return PARSER_SEARCH_NONE;
		parser->search.checked += span;
		if (parser_checksum_is_valid(parser, bytes + *position, span))
			return PARSER_SEARCH_FOUND;
	}
	*needed = *position + (uint64_t)header_length;
	return parser->is_finished ? PARSER_SEARCH_NONE : PARSER_SEARCH_MORE;
}

void parser_search_begin(mprof_parser *parser, size_t position, uint64_t claimed_end)
{
	parser->state = PARSER_SEARCHING;
	parser->search.start = parser->block.offset;
	parser->search.checked = 0;
	parser->search.claimed_end = claimed_end;
	parser_buffer_drop(&parser->buffer, position);
}

size_t parser_search_inside(mprof_parser *parser)
{
	size_t position = 1;
	uint64_t needed;

	if (parser->decoding.rules->checksum_length == 0)
		return 0;
	parser->search.start = parser->block.offset;
	parser->search.checked = 0;
	parser->search.claimed_end = 0;
	return parser_search_buffer(parser, &position, &needed) == PARSER_SEARCH_FOUND ? position : 0;
}

/*
 * Ends a search that found the next block where the length field specifies it: nothing is damaged, the block was only
 * longer than the limit.
 */
static mprof_status end_without_damage(mprof_parser *parser)
{
	parser_block_is_valid(parser);
	parser->state = PARSER_AT_HEADER;
	return MPROF_OK;
}

static mprof_status end_found(mprof_parser *parser)
{
	if (parser->buffer.offset == parser->search.claimed_end)
		return end_without_damage(parser);
	parser->state = PARSER_AT_HEADER;
	return parser_fail(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, 0,
			   "the log is damaged here: bytes are skipped to the next valid block");
}

static mprof_status end_not_found(mprof_parser *parser)
{
	size_t left = parser_buffer_length(&parser->buffer);

	if (parser->search.claimed_end > parser->buffer.offset + left || !parser->is_finished) {
		/*
		 * The search was abandoned, or the log ends inside the block. The length field is all that is left to
		 * find the next block by.
		 */
		if (parser->search.claimed_end > parser->buffer.offset) {
			parser->state = PARSER_SKIPPING;
			parser->skip_left = parser->search.claimed_end - parser->buffer.offset;
			return parser_skip_rest(parser);
		}
	} else if (parser->search.claimed_end == parser->buffer.offset + left) {
		parser_buffer_drop(&parser->buffer, left);
		return end_without_damage(parser);
	}
	return parser_fail(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, 0,
			   "the log is damaged from here: no valid block follows");
}

mprof_status parser_search_continue(mprof_parser *parser)
{
	size_t position = 0;
	uint64_t needed = 0;
	parser_search_result result = parser_search_buffer(parser, &position, &needed);

	/* The bytes that were searched are discarded. */
	parser_buffer_drop(&parser->buffer, position);
	switch (result) {
	case PARSER_SEARCH_FOUND:
		return end_found(parser);
	case PARSER_SEARCH_MORE:
		return parser_wait(parser, needed - position);
	default:
		return end_not_found(parser);
	}
}
