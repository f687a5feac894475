/* SPDX-License-Identifier: MIT */
/* Finds the next block, reads its header, and decodes its content. */
#include <mprof/parser.h>

#include "base/bytes.h"
#include "base/caller_structs.h"
#include "base/checksum.h"
#include "base/error.h"
#include "format/blocks/block_decode.h"
#include "parser/errors.h"
#include "parser/items.h"
#include "parser/log_state.h"
#include "parser/parser_internal.h"

#include <string.h>

/*
 * Blocks with an unknown code are skipped by their length. A code above this bound is damage rather than a later
 * version of the format.
 */
#define MAX_PLAUSIBLE_CODE 255

/*
 * Whether the header of a block other than the first one is plausible: it has a possible code and a possible length.
 */
static int parser_header_is_plausible(const mprof_parser *parser, const block_header *header)
{
	return header->code > 0 && header->code <= MAX_PLAUSIBLE_CODE &&
	       header->length >= parser->decoding.rules->checksum_length;
}

/* Whether a block of span bytes, header included, matches its checksum. */
static int parser_checksum_is_valid(const mprof_parser *parser, const uint8_t *block, uint64_t span)
{
	size_t checked = (size_t)span - parser->decoding.rules->checksum_length;

	return checksum_update(0, block, checked) == bytes_load_32(block + checked);
}

/* Skips bytes up to the end of the block. Returns MPROF_OK, MPROF_AGAIN, or MPROF_ERR_TRUNCATED. */
static mprof_status parser_skip_rest(mprof_parser *parser)
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

/* Result of a search for a valid block. */
typedef enum parser_search_result {
	PARSER_SEARCH_FOUND,
	PARSER_SEARCH_NONE,
	PARSER_SEARCH_MORE /* More bytes are needed to decide. */
} parser_search_result;

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

/*
 * Searches the buffer from position on for a block of a known kind with a matching checksum, and sets position
 * to it. On PARSER_SEARCH_MORE, position is where to continue, and needed is the number of bytes that the buffer
 * must contain by then.
 */
static parser_search_result parser_search_buffer(mprof_parser *parser, size_t *position, uint64_t *needed)
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

/*
 * Starts a search at a position of the buffer, whose start is the start of the damage. claimed_end is the offset in
 * the log of the end of the block, by its length field, if the block may only be longer than the limit, and 0
 * otherwise.
 */
static void parser_search_begin(mprof_parser *parser, size_t position, uint64_t claimed_end)
{
	parser->state = PARSER_SEARCHING;
	parser->search.start = parser->block.offset;
	parser->search.checked = 0;
	parser->search.claimed_end = claimed_end;
	parser_buffer_drop(&parser->buffer, position);
}

/*
 * Returns the position in the buffer of the first valid block that starts after the start of the buffer; 0 if there is
 * none.
 */
static size_t parser_search_inside(mprof_parser *parser)
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
	size_t remaining = parser_buffer_length(&parser->buffer);

	if (parser->search.claimed_end > parser->buffer.offset + remaining || !parser->is_finished) {
		/*
		 * The search was abandoned, or the log ends inside the block. The length field is all that is left to
		 * find the next block by.
		 */
		if (parser->search.claimed_end > parser->buffer.offset) {
			parser->state = PARSER_SKIPPING;
			parser->skip_left = parser->search.claimed_end - parser->buffer.offset;
			return parser_skip_rest(parser);
		}
	} else if (parser->search.claimed_end == parser->buffer.offset + remaining) {
		parser_buffer_drop(&parser->buffer, remaining);
		return end_without_damage(parser);
	}
	return parser_fail(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, 0,
			   "the log is damaged from here: no valid block follows");
}

/* Continues the search. Returns MPROF_AGAIN, the error that reports the damage, or MPROF_OK if none occurred. */
static mprof_status parser_search_continue(mprof_parser *parser)
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
		parser_directives_add(parser, parser->block.as.directives.declared.bits[0],
				      parser->body.unreadable_kinds, 0);
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

/* As mprof_parser_load(), with parser::block as the result. */
static mprof_status parser_load(mprof_parser *parser)
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

/* What each function that returns a block begins with. */
static mprof_status begin_call(mprof_parser *parser, const mprof_block *block)
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
	return MPROF_OK;
}

mprof_status mprof_parser_load(mprof_parser *parser, mprof_block *block)
{
	mprof_status status = begin_call(parser, block);

	if (status != MPROF_OK)
		return status;
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
	mprof_status status = begin_call(parser, block);

	if (status != MPROF_OK)
		return status;
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
