/* SPDX-License-Identifier: MIT */
/* Loads the content of the block whose header was read. */
#include "parser/load.h"

#include "base/options.h"
#include "parser/content.h"
#include "parser/detect.h"
#include "parser/errors.h"
#include "parser/events.h"
#include "parser/framing.h"
#include "parser/log_state.h"
#include "parser/parser_internal.h"
#include "parser/search.h"

#include <string.h>

/*
 * Returns the block kinds whose layout is unknown after a DIRECTIVES block that could not be read. No directive
 * concerns heap snapshots in dialects that store a snapshot as one block.
 */
static uint64_t kinds_of_directives(const dialect_rules *rules)
{
	return rules->has_heap_records ? BLOCK_KINDS_OF_DIRECTIVES | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA)
				       : BLOCK_KINDS_OF_DIRECTIVES;
}

static const char no_memory[] = "out of memory while loading a block";

/* Called for a block that cannot be read. */
static void note_unread(mprof_parser *parser)
{
	if (parser->block.kind == MPROF_BLOCK_DIRECTIVES)
		parser_directives_add(parser, 0, 0, 1);
	if (parser->block.kind == MPROF_BLOCK_INTRO)
		parser_intro_done(parser);
}

static mprof_status fail_block(mprof_parser *parser, mprof_status status, uint64_t offset_in_block, const char *what)
{
	note_unread(parser);
	return parser_fail(parser, status, MPROF_SEVERITY_BLOCK, offset_in_block, what);
}

/* Refuses a block. The caller can remove the reason and load the block again, or skip it. */
static mprof_status refuse_block(mprof_parser *parser, mprof_status status, uint64_t offset_in_block, const char *what)
{
	parser->state = PARSER_REFUSED;
	return fail_block(parser, status, offset_in_block, what);
}

static mprof_status check_readable(mprof_parser *parser)
{
	uint64_t kind = MPROF_BLOCK_BIT(parser->block.kind);

	if ((parser->directives.in_force.unreadable_kinds & kind) != 0)
		return refuse_block(parser, MPROF_ERR_UNSUPPORTED, 0,
				    "the log declares an unknown directive for this kind of block: a later version of "
				    "libmprof may read it");
	if (parser->directives.in_force.is_lost && (kinds_of_directives(parser->decoding.rules) & kind) != 0)
		return refuse_block(parser, MPROF_ERR_UNSUPPORTED, 0,
				    "the DIRECTIVES block that may declare how to read this one could not be read");
	if (parser->block.length > parser->max_block_length)
		return refuse_block(parser, MPROF_ERR_LIMIT, 2,
				    "the block is longer than the limit: raise max_block_length");
	return MPROF_OK;
}

/* If the block has a list whose items are checked only when they are fetched, prepares for it. */
static void begin_list(mprof_parser *parser, size_t end)
{
	const block_content *content = block_content_get(parser->block.kind);

	if (content->begin_list != NULL)
		content->begin_list(parser, end - parser->body.list_start);
}

/* Allocates the memory that loading and fetching the block need. */
static int reserve_memory(mprof_parser *parser)
{
	const block_content *content = block_content_get(parser->block.kind);

	if (parser->block.kind == MPROF_BLOCK_DIRECTIVES)
		return parser_directives_reserve(parser);
	return content->reserve == NULL || content->reserve(parser);
}

/* Applies what a decoded block specifies for the blocks after it. Returns 0 if out of memory. */
static int apply_to_later_blocks(mprof_parser *parser)
{
	parser_infer_layouts(parser);
	switch (parser->block.kind) {
	case MPROF_BLOCK_INTRO:
		parser_intro_done(parser);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		parser_directives_add(parser, parser->block.as.directives.declared, parser->body.unreadable_kinds, 0);
		break;
	case MPROF_BLOCK_MAPPING:
		return parser_store_object_sizes(parser);
	case MPROF_BLOCK_EVENTS:
		return parser_events_start(parser);
	case MPROF_BLOCK_END:
		parser->log_end = parser->block.offset + parser->span;
		break;
	default:
		break;
	}
	return 1;
}

/*
 * Decompresses a COMPRESSED block, of which \p length bytes of content are in the buffer. If the block is truncated,
 * decompresses what there is.
 */
static mprof_status unpack_content(mprof_parser *parser, size_t length)
{
	const dialect_rules *rules = parser->decoding.rules;
	size_t stored_length = (size_t)(parser->span - rules->header_length - rules->checksum_length);
	compressed_block packed;
	content_cursor cursor;
	mprof_status status;

	if (parser->block.unpacked_length > parser->max_block_length)
		return refuse_block(parser, MPROF_ERR_LIMIT, rules->header_length,
				    "the decompressed block is longer than the limit: raise max_block_length");
	content_cursor_init(&cursor, parser_buffer_bytes(&parser->buffer) + rules->header_length, length, UINT64_MAX);
	/* The fields were decoded with the header. */
	(void)compressed_block_decode(rules, &cursor, stored_length, &packed);
	status = block_unpack(&parser->unpacker, &packed, &parser->unpacked);
	if (status == MPROF_OK)
		return MPROF_OK;
	if (status == MPROF_ERR_MEMORY)
		return parser_fail_memory(parser, block_unpack_fault(status, packed.codec));
	parser->state = status == MPROF_ERR_UNSUPPORTED ? PARSER_REFUSED : PARSER_FAILED;
	return fail_block(parser, status, rules->header_length + cursor.position,
			  block_unpack_fault(status, packed.codec));
}

/* Clears everything in the block except its header. */
static void forget_content(mprof_parser *parser)
{
	const mprof_block header = parser->block;

	memset(&parser->block, 0, sizeof(parser->block));
	parser->block.struct_size = header.struct_size;
	parser->block.kind = header.kind;
	parser->block.code = header.code;
	parser->block.offset = header.offset;
	parser->block.header_length = header.header_length;
	parser->block.length = header.length;
	parser->block.counter_delta = header.counter_delta;
	parser->block.codec = header.codec;
	parser->block.unpacked_length = header.unpacked_length;
}

/*
 * Loads a block whose list has no end, so that the items before the fault can be fetched, if the start of the block can
 * be decoded. Returns 0 if out of memory.
 */
static int load_until_fault(mprof_parser *parser, size_t length, parser_state state)
{
	content_cursor cursor;

	forget_content(parser);
	if (block_decode_list_start(&parser->decoding, parser_content(parser), length, &parser->block, &parser->body,
				    &cursor) != MPROF_OK) {
		forget_content(parser);
		return 1;
	}
	begin_list(parser, length);
	if (parser->block.kind == MPROF_BLOCK_EVENTS && !parser_events_start(parser)) {
		forget_content(parser);
		return 0;
	}
	parser->block.loaded = 1;
	parser->state = state;
	block_content_rewind(parser);
	return 1;
}

/* Called if the content of the block, which has \p length bytes, violates the grammar or exceeds a limit. */
static mprof_status fail_content(mprof_parser *parser, size_t length, const content_cursor *cursor)
{
	mprof_severity severity = MPROF_SEVERITY_BLOCK;

	forget_content(parser);
	parser->state = cursor->status == MPROF_ERR_LIMIT ? PARSER_REFUSED : PARSER_FAILED;
	/* Nothing but a readable INTRO identifies a log that begins like mail as a log. */
	if (parser->state == PARSER_FAILED && parser->block.kind == MPROF_BLOCK_INTRO &&
	    parser_may_be_mail_or_drop(parser))
		severity = MPROF_SEVERITY_FATAL;
	else
		note_unread(parser);
	if (parser->state == PARSER_FAILED && parser->block.kind == MPROF_BLOCK_EVENTS &&
	    !load_until_fault(parser, length, PARSER_BROKEN))
		return parser_fail_memory(parser, no_memory);
	return parser_fail_content(parser, cursor->status, severity, cursor->position, cursor->what);
}

/* If the block was prepared, takes over what was decoded. Returns whether it was. */
static int take_prepared(mprof_parser *parser)
{
	const prepared_source *source = &parser->prepared_source;

	if (source->find == NULL || parser->block.kind != MPROF_BLOCK_EVENTS ||
	    (parser->is_packed && parser->block.unpacked_length > parser->max_block_length))
		return 0;
	parser->prepared = source->find(source->user, parser->block.offset, parser_buffer_bytes(&parser->buffer),
					(size_t)parser->span);
	if (parser->prepared == NULL)
		return 0;
	parser->block = parser->prepared->block;
	parser->body = parser->prepared->body;
	parser->unpacked = parser->prepared->unpacked;
	return 1;
}

/* Called after a valid block was decoded. */
static mprof_status complete_load(mprof_parser *parser)
{
	begin_list(parser, parser->body.list_end);
	if (!apply_to_later_blocks(parser)) {
		forget_content(parser);
		return parser_fail_memory(parser, no_memory);
	}
	parser->block.loaded = 1;
	parser->state = PARSER_LOADED;
	parser_block_is_valid(parser);
	block_content_rewind(parser);
	return MPROF_OK;
}

static int may_have_definitions(uint32_t kind)
{
	return kind == MPROF_BLOCK_MAPPING || block_has_records(kind);
}

/* Decodes the content of the block, and passes its definitions on if the reader stores them. */
static mprof_status decode_content(mprof_parser *parser, size_t length, content_cursor *cursor)
{
	const parser_definitions *definitions = &parser->definitions;
	const int is_stored = definitions->begin != NULL && may_have_definitions(parser->block.kind) &&
			      definitions->begin(definitions->sink.user, &parser->block);
	mprof_status status;

	parser->decoding.sink = is_stored ? &definitions->sink : NULL;
	status = block_decode(&parser->decoding, parser_content(parser), length, &parser->block, &parser->body, cursor);
	parser->decoding.sink = NULL;
	if (is_stored)
		definitions->end(definitions->sink.user, status == MPROF_OK);
	return status;
}

static mprof_status load_whole(mprof_parser *parser)
{
	size_t length;
	content_cursor cursor;

	if (take_prepared(parser))
		return complete_load(parser);
	if (parser->decoding.rules->checksum_length > 0 && !parser->ignore_checksums &&
	    !parser_checksum_is_valid(parser, parser_buffer_bytes(&parser->buffer), parser->span)) {
		parser->state = PARSER_DAMAGED;
		return fail_block(parser, MPROF_ERR_CHECKSUM, parser->span - parser->decoding.rules->checksum_length,
				  "the block does not match its checksum");
	}
	if (parser->is_packed) {
		mprof_status status = unpack_content(parser, parser_content_length(parser));

		if (status != MPROF_OK)
			return status;
	}
	length = parser_content_length(parser);
	if (decode_content(parser, length, &cursor) != MPROF_OK)
		return fail_content(parser, length, &cursor);
	return complete_load(parser);
}

/* Called if the log ends inside the block. Loads the part that exists, if its kind permits that. */
static mprof_status load_truncated(mprof_parser *parser)
{
	size_t available = parser_buffer_length(&parser->buffer);
	size_t header_length = parser->decoding.rules->header_length;
	size_t length = available - header_length;
	size_t longest = (size_t)parser->block.length - parser->decoding.rules->checksum_length;
	size_t next = parser_search_inside(parser);

	if (next > 0) {
		/* The length of the block is wrong: a valid block starts inside it. */
		parser->span = next;
		parser->state = PARSER_FAILED;
		return fail_block(parser, MPROF_ERR_MALFORMED, 2,
				  "the length of the block is wrong: bytes are skipped to the next valid block");
	}
	/* The log may end inside the checksum. */
	if (length > longest)
		length = longest;
	if (parser->is_packed) {
		mprof_status status = unpack_content(parser, length);

		if (status == MPROF_ERR_MEMORY)
			return status;
		length = parser->unpacked.length;
	}
	if ((!parser->is_packed || parser->unpacked.bytes != NULL) && block_list_may_be_truncated(parser->block.kind) &&
	    !load_until_fault(parser, length, PARSER_TRUNCATED))
		return parser_fail_memory(parser, no_memory);
	return parser_fail(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL, available, "the log ends inside a block");
}

mprof_status parser_load(mprof_parser *parser)
{
	mprof_status status;

	parser->prepared = NULL;
	if (!reserve_memory(parser))
		return parser_fail_memory(parser, no_memory);
	status = check_readable(parser);
	if (status != MPROF_OK)
		return status;
	if (parser_buffer_length(&parser->buffer) >= parser->span)
		return load_whole(parser);
	return parser->is_finished ? load_truncated(parser) : parser_wait(parser, parser->span);
}

mprof_status mprof_parser_load(mprof_parser *parser, mprof_block *block)
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
	if (parser->state == PARSER_LOADED) {
		block_content_rewind(parser);
		status = MPROF_OK;
	} else if (parser->state == PARSER_HAS_HEADER || parser->state == PARSER_OPENED ||
		   parser->state == PARSER_REFUSED) {
		status = parser_load(parser);
	} else {
		return parser_refuse(parser, MPROF_ERR_STATE, "no block header was read before mprof_parser_load()");
	}
	if (status != MPROF_AGAIN)
		(void)struct_copy_out(block, &parser->block, sizeof(parser->block));
	return status;
}
