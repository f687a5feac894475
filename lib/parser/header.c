/* SPDX-License-Identifier: MIT */
/* Moves from block to block: leaves the last one and decodes the header of the next. */
#include "base/error.h"
#include "base/options.h"
#include "parser/detect.h"
#include "parser/errors.h"
#include "parser/events.h"
#include "parser/framing.h"
#include "parser/load.h"
#include "parser/parser_internal.h"
#include "parser/search.h"

#include <string.h>

/*
 * Kinds of blocks that are decoded even if the caller skips them: they change how later blocks are decoded, or mark the
 * log as complete.
 */
#define ALWAYS_READ_KINDS                                                                                              \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_END))

static mprof_status fail_fatal(mprof_parser *parser, mprof_status status, uint64_t offset_in_block, const char *what)
{
	return parser_fail(parser, status, MPROF_SEVERITY_FATAL, offset_in_block, what);
}

/* Clears the block: nothing is known yet about the bytes at the start of the buffer. */
static void clear_block(mprof_parser *parser)
{
	parser->prepared = NULL;
	memset(&parser->block, 0, sizeof(parser->block));
	memset(&parser->unpacked, 0, sizeof(parser->unpacked));
	parser->is_packed = 0;
	parser->block.struct_size = sizeof(parser->block);
	parser->block.offset = parser->buffer.offset;
}

static mprof_status leave_by_length(mprof_parser *parser)
{
	parser->state = PARSER_SKIPPING;
	parser->skip_left = parser->span;
	return parser_skip_rest(parser);
}

/* What follows a damaged block, provided that its length field is right. */
typedef enum successor {
	SUCCESSOR_VALID,     /* A valid block, or the end of the log. */
	SUCCESSOR_PLAUSIBLE, /* Possibly a block that is also damaged, or truncated. */
	SUCCESSOR_NONE,
	SUCCESSOR_UNKNOWN /* More bytes are needed to decide. */
} successor;

static successor successor_of(mprof_parser *parser, uint64_t *needed)
{
	const dialect_rules *rules = parser->decoding.rules;
	size_t length = parser_buffer_length(&parser->buffer);
	const uint8_t *bytes = parser_buffer_bytes(&parser->buffer) + parser->span;
	block_header next;

	*needed = parser->span + rules->header_length;
	if (length < *needed) {
		if (!parser->is_finished)
			return SUCCESSOR_UNKNOWN;
		return length == parser->span ? SUCCESSOR_VALID : SUCCESSOR_NONE;
	}
	block_header_decode(bytes, &next);
	if (!parser_header_is_plausible(parser, &next) || next.length > parser->max_block_length)
		return SUCCESSOR_NONE;
	*needed += next.length;
	if (length < *needed)
		return parser->is_finished ? SUCCESSOR_PLAUSIBLE : SUCCESSOR_UNKNOWN;
	return parser_checksum_is_valid(parser, bytes, *needed - parser->span) ? SUCCESSOR_VALID : SUCCESSOR_PLAUSIBLE;
}

/*
 * Moves past a block that is longer than the limit. A damaged length field is more likely than a block of such a
 * length, so the next valid block is searched inside it. In a log without checksums, no search is possible, and the
 * length is trusted.
 */
static mprof_status leave_too_long(mprof_parser *parser)
{
	if (parser->decoding.rules->checksum_length == 0)
		return leave_by_length(parser);
	parser_search_begin(parser, 1, parser->block.offset + parser->span);
	return parser_search_continue(parser);
}

/*
 * Moves past a block with a wrong checksum, or with malformed fields before its data. If its length is right, a valid
 * block follows. If not, nothing in the block can be trusted, and the next valid block may even start inside it.
 */
static mprof_status leave_damaged(mprof_parser *parser)
{
	uint64_t needed;
	successor next;

	/* Such a block is not kept in memory, so the one after it cannot be examined. */
	if (parser->block.length > parser->max_block_length)
		return leave_too_long(parser);
	next = successor_of(parser, &needed);
	if (next == SUCCESSOR_UNKNOWN)
		return parser_wait(parser, needed);
	if (next == SUCCESSOR_VALID ||
	    (next == SUCCESSOR_PLAUSIBLE && parser->is_finished && parser_search_inside(parser) == 0))
		return leave_by_length(parser);
	parser_search_begin(parser, 1, 0);
	return parser_search_continue(parser);
}

/* Whether the last block is still at the start of the buffer, or will be once it is fed. */
static int has_block(const mprof_parser *parser)
{
	return parser->state != PARSER_AT_HEADER && parser->state != PARSER_SKIPPING &&
	       parser->state != PARSER_SEARCHING;
}

/* Whether a block that the caller skips has to be read for the blocks after it. */
static int must_read(const mprof_parser *parser)
{
	const parser_definitions *definitions = &parser->definitions;

	return (ALWAYS_READ_KINDS & MPROF_BLOCK_BIT(parser->block.kind)) != 0 &&
	       (definitions->has == NULL || !definitions->has(definitions->sink.user, &parser->block));
}

/* Moves past the last block, whether it was loaded, skipped, refused or damaged. */
static mprof_status leave_block(mprof_parser *parser)
{
	mprof_status status;

	if (parser->block.kind == MPROF_BLOCK_EVENTS && has_block(parser)) {
		status = parser_events_finish(parser);
		if (status != MPROF_OK)
			return status;
	}
	switch (parser->state) {
	case PARSER_AT_HEADER:
		return MPROF_OK;
	case PARSER_HAS_HEADER:
		if (must_read(parser)) {
			status = parser_load(parser);
			if (status != MPROF_OK)
				return status;
		}
		return leave_by_length(parser);
	case PARSER_REFUSED:
		return parser->block.length > parser->max_block_length ? leave_too_long(parser)
								       : leave_by_length(parser);
	case PARSER_DAMAGED:
		return leave_damaged(parser);
	case PARSER_SKIPPING:
		return parser_skip_rest(parser);
	case PARSER_SEARCHING:
		return parser_search_continue(parser);
	default:
		return leave_by_length(parser);
	}
}

/*
 * Called if the bytes where a header is expected are not a header: searches for the next valid block, which needs
 * checksums.
 */
static mprof_status fail_header(mprof_parser *parser)
{
	if (parser->decoding.rules->checksum_length == 0)
		return fail_fatal(parser, MPROF_ERR_MALFORMED, 0,
				  "the log is damaged from here: no block header found");
	parser_search_begin(parser, 0, 0);
	return parser_search_continue(parser);
}

/*
 * Only the first block may be an INTRO. In a log with checksums, this one may also be another block with a damaged
 * code.
 */
static mprof_status refuse_intro(mprof_parser *parser)
{
	size_t length = parser_buffer_length(&parser->buffer);

	if (parser->decoding.rules->checksum_length > 0) {
		if (parser->block.length > parser->max_block_length)
			return fail_header(parser);
		if (length < parser->span)
			return parser->is_finished ? fail_header(parser) : parser_wait(parser, parser->span);
		if (!parser_checksum_is_valid(parser, parser_buffer_bytes(&parser->buffer), parser->span))
			return fail_header(parser);
	}
	return fail_fatal(parser, MPROF_ERR_MALFORMED, 0, "a second INTRO block: another log was appended here");
}

/*
 * Decodes the fields of a COMPRESSED block, so that the caller gets the kind of the block that is stored. A fault in
 * them is damage like a wrong checksum: the length of the block is not trusted.
 */
static mprof_status decode_compressed_fields(mprof_parser *parser)
{
	const dialect_rules *rules = parser->decoding.rules;
	size_t content_length = (size_t)(parser->span - rules->header_length - rules->checksum_length);
	size_t wanted = content_length < COMPRESSED_FIELDS_LENGTH ? content_length : COMPRESSED_FIELDS_LENGTH;
	size_t available = parser_buffer_length(&parser->buffer) - rules->header_length;
	compressed_block packed;
	content_cursor cursor;

	if (available < wanted && !parser->is_finished)
		return parser_wait(parser, rules->header_length + wanted);
	content_cursor_init(&cursor, parser_buffer_bytes(&parser->buffer) + rules->header_length,
			    available < wanted ? available : wanted, UINT64_MAX);
	parser->is_packed = 1;
	if (compressed_block_decode(rules, &cursor, content_length, &packed) != MPROF_OK) {
		if (cursor.ran_out && available < wanted)
			return fail_fatal(parser, MPROF_ERR_TRUNCATED, rules->header_length + available,
					  "the log ends inside a block");
		parser->state = PARSER_DAMAGED;
		return parser_fail(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK,
				   rules->header_length + cursor.position, cursor.what);
	}
	parser->block.code = packed.code;
	parser->block.kind = dialect_block_kind(rules, packed.code);
	parser->block.codec = packed.codec < UINT32_MAX ? (uint32_t)packed.codec : UINT32_MAX;
	parser->block.unpacked_length = packed.unpacked_length;
	parser->state = PARSER_HAS_HEADER;
	return MPROF_OK;
}

/* Decodes the header at the start of the buffer. */
static mprof_status decode_header(mprof_parser *parser)
{
	uint32_t header_length = parser->decoding.rules->header_length;
	size_t length = parser_buffer_length(&parser->buffer);
	block_header header;
	mprof_status status;

	if (length == 0 && parser->is_finished)
		return MPROF_END;
	if (length > 0 && parser->log_end != 0 && parser->buffer.offset == parser->log_end)
		return fail_fatal(parser, MPROF_ERR_MALFORMED, 0, "bytes follow the END block");
	if (length < header_length) {
		if (parser->is_finished)
			return fail_fatal(parser, MPROF_ERR_TRUNCATED, length,
					  "the log ends inside the header of a block");
		return parser_wait(parser, header_length);
	}
	block_header_decode(parser_buffer_bytes(&parser->buffer), &header);
	parser->block.code = header.code;
	if (!parser_header_is_plausible(parser, &header))
		return fail_header(parser);
	parser->block.header_length = header_length;
	parser->block.length = header.length;
	parser->block.counter_delta =
		block_header_counter_delta(parser->decoding.rules, parser_buffer_bytes(&parser->buffer));
	parser->span = header_length + (uint64_t)header.length;
	if (parser->log_phase == PARSER_LOG_MAIL_OR_DROP) {
		status = parser_decide_mail_or_drop(parser, &header);
		if (status != MPROF_OK)
			return status;
	}
	if (block_is_compressed(parser->decoding.rules, header.code))
		return decode_compressed_fields(parser);
	parser->block.kind = dialect_block_kind(parser->decoding.rules, header.code);
	if (parser->block.kind == MPROF_BLOCK_INTRO && parser->buffer.offset > 0)
		return refuse_intro(parser);
	parser->state = PARSER_HAS_HEADER;
	return MPROF_OK;
}

mprof_status mprof_parser_next_header(mprof_parser *parser, mprof_block *block)
{
	mprof_status status = parser_check(parser, block);

	if (status != MPROF_OK)
		return status;
	if (parser->fatal_error.status != MPROF_OK) {
		parser->error = parser->fatal_error;
		return (mprof_status)parser->error.status;
	}
	if (block->struct_size < sizeof(block->struct_size))
		return parser_refuse(parser, MPROF_ERR_ARGUMENT,
				     "struct_size of the block is not set: call mprof_block_init() first");
	parser->wait_until = 0;
	/*
	 * A block whose loading mprof_parser_next_block() has not finished is left like one whose header was returned.
	 */
	if (parser->state == PARSER_OPENED)
		parser->state = PARSER_HAS_HEADER;
	status = leave_block(parser);
	if (status != MPROF_OK)
		return status;
	clear_block(parser);
	if (parser->log_phase == PARSER_LOG_UNKNOWN)
		status = parser_detect(parser);
	if (status == MPROF_OK)
		status = decode_header(parser);
	if (status == MPROF_OK)
		status = struct_copy_out(block, &parser->block, sizeof(parser->block));
	return status;
}
