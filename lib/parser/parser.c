/* SPDX-License-Identifier: MIT */
/* Creates parsers, takes the bytes that callers feed, and keeps those that are not consumed. */
#include "parser/parser.h"

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/error.h"
#include "parser/errors.h"
#include "parser/items.h"
#include "parser/log_state.h"
#include "parser/parser_internal.h"

#include <string.h>

/* Of the buffer, in bytes. */
#define SMALLEST_CAPACITY 4096

static void parser_buffer_init(parser_buffer *buffer, const mprof_allocator *allocator)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->allocator = *allocator;
}

static void parser_buffer_destroy(parser_buffer *buffer)
{
	allocator_release(&buffer->allocator, buffer->memory, buffer->capacity);
	buffer->memory = NULL;
	buffer->bytes = NULL;
	buffer->capacity = 0;
}

/* Allocates new memory instead of resizing the old, so that only the bytes kept are copied. */
static int buffer_grow(parser_buffer *buffer, size_t needed)
{
	size_t length = parser_buffer_length(buffer);
	size_t capacity = buffer->capacity < SMALLEST_CAPACITY ? SMALLEST_CAPACITY : buffer->capacity;
	uint8_t *memory;

	while (capacity < needed) {
		if (!checked_multiply(capacity, 2, &capacity))
			return 0;
	}
	memory = allocator_allocate(&buffer->allocator, capacity);
	if (memory == NULL)
		return 0;
	if (length > 0)
		memcpy(memory, parser_buffer_bytes(buffer), length);
	allocator_release(&buffer->allocator, buffer->memory, buffer->capacity);
	buffer->memory = memory;
	buffer->capacity = capacity;
	buffer->bytes = memory;
	buffer->begin = 0;
	buffer->end = length;
	return 1;
}

/* Moves the bytes kept to the start of the buffer's own memory, which must have room for them. */
static void buffer_move_to_start(parser_buffer *buffer)
{
	size_t length = parser_buffer_length(buffer);

	if (length > 0)
		memmove(buffer->memory, parser_buffer_bytes(buffer), length);
	buffer->bytes = buffer->memory;
	buffer->begin = 0;
	buffer->end = length;
}

/*
 * Makes room in the buffer's own memory for minimum bytes after those kept, which may move. Returns 0 and changes
 * nothing if out of memory. The cost is amortized even if the bytes are fed in small pieces: the bytes kept are moved
 * to the front of the memory only if they fill at most half of it; otherwise the memory is doubled.
 */
static int parser_buffer_reserve(parser_buffer *buffer, size_t minimum)
{
	size_t length = parser_buffer_length(buffer);
	size_t together;
	size_t needed;

	if (buffer->bytes == buffer->memory && buffer->capacity - buffer->end >= minimum)
		return 1;
	if (length <= buffer->capacity / 2 && buffer->capacity - length >= minimum) {
		buffer_move_to_start(buffer);
		return 1;
	}
	/* At least twice the bytes kept, so that as many bytes can be fed before these are moved again. */
	if (!checked_multiply(length, 2, &needed) || !checked_add(length, minimum, &together))
		return 0;
	return buffer_grow(buffer, needed > together ? needed : together);
}

/*
 * Appends bytes without a copy, if nothing is kept or the bytes kept were appended like this and end where bytes
 * starts. Otherwise copies them. They must remain valid and unchanged until they are discarded. Returns 0 and changes
 * nothing if out of memory.
 */
static int parser_buffer_append_borrowed(parser_buffer *buffer, const uint8_t *bytes, size_t length)
{
	const int is_empty = parser_buffer_length(buffer) == 0;

	if (!is_empty && (buffer->bytes == buffer->memory || buffer->bytes + buffer->end != bytes)) {
		if (!parser_buffer_reserve(buffer, length))
			return 0;
		memcpy(buffer->memory + buffer->end, bytes, length);
	} else if (is_empty) {
		buffer->bytes = bytes;
		buffer->begin = 0;
		buffer->end = 0;
	}
	buffer->end += length;
	return 1;
}

/* Discards all bytes and continues at another offset of the log. */
static void parser_buffer_restart(parser_buffer *buffer, uint64_t offset)
{
	buffer->bytes = buffer->memory;
	buffer->begin = 0;
	buffer->end = 0;
	buffer->reserved = 0;
	buffer->offset = offset;
}

#define DEFAULT_MAX_BLOCK_LENGTH (UINT64_C(64) << 20)
#define DEFAULT_MAX_NAME_LENGTH (UINT64_C(1) << 20)

/*
 * Minimum size of the buffer that mprof_parser_reserve() returns, so that a caller that asks for little does not read
 * in small pieces.
 */
#define MIN_ROOM 4096

static const char no_memory_for_input[] = "out of memory for the bytes that are fed";

void mprof_parser_options_init(mprof_parser_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_parser_create(const mprof_parser_options *options, mprof_parser **parser)
{
	mprof_parser_options copy;
	mprof_allocator allocator;
	mprof_parser *created;

	if (parser == NULL)
		return MPROF_ERR_ARGUMENT;
	*parser = NULL;
	if (struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || copy.ignore_checksums > 1 ||
	    copy.reserved != 0 || !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	created->allocator = allocator;
	created->ignore_checksums = (int)copy.ignore_checksums;
	created->decoding.max_name_length = copy.max_name_length != 0 ? copy.max_name_length : DEFAULT_MAX_NAME_LENGTH;
	mprof_parser_set_max_block_length(created, copy.max_block_length);
	parser_buffer_init(&created->buffer, &allocator);
	block_unpacker_init(&created->unpacker, &allocator);
	id_map_init(&created->object_sizes, &allocator);
	thread_counters_init(&created->counters, &allocator);
	error_clear(&created->error);
	error_clear(&created->fatal_error);
	if (!codec_set_add(&created->unpacker.codecs, copy.codecs, copy.codec_count)) {
		mprof_parser_destroy(created);
		return MPROF_ERR_ARGUMENT;
	}
	*parser = created;
	return MPROF_OK;
}

void mprof_parser_destroy(mprof_parser *parser)
{
	mprof_allocator allocator;

	if (parser == NULL)
		return;
	allocator = parser->allocator;
	parser_buffer_destroy(&parser->buffer);
	block_unpacker_destroy(&parser->unpacker);
	allocator_release(&allocator, parser->expanded, parser->expanded_capacity);
	id_map_destroy(&parser->object_sizes);
	allocator_release(&allocator, parser->directives.changes,
			  parser->directives.capacity * sizeof(*parser->directives.changes));
	allocator_release(&allocator, parser->batch.details, PARSER_DETAIL_CAPACITY * sizeof(*parser->batch.details));
	allocator_release(&allocator, parser->batch.sections, PARSER_DETAIL_CAPACITY * sizeof(*parser->batch.sections));
	allocator_release(&allocator, parser->batch.frames,
			  parser->batch.frame_capacity * sizeof(*parser->batch.frames));
	allocator_release(&allocator, parser->arrays, sizeof(*parser->arrays));
	thread_counters_destroy(&parser->counters);
	allocator_release(&allocator, parser->batch.references,
			  PARSER_REFERENCE_CAPACITY * sizeof(*parser->batch.references));
	allocator_release(&allocator, parser->batch.offsets,
			  PARSER_REFERENCE_CAPACITY * sizeof(*parser->batch.offsets));
	allocator_release(&allocator, parser, sizeof(*parser));
}

/* Discards bytes of a block that is skipped. Returns how many of the \p length bytes fed belong to that block. */
static size_t skip_fed_bytes(mprof_parser *parser, size_t length)
{
	size_t skipped = length;

	if (parser->state != PARSER_SKIPPING || parser_buffer_length(&parser->buffer) > 0)
		return 0;
	if (skipped > parser->skip_left)
		skipped = (size_t)parser->skip_left;
	parser->skip_left -= skipped;
	parser->buffer.offset += skipped;
	return skipped;
}

mprof_status mprof_parser_feed(mprof_parser *parser, const void *bytes, size_t length)
{
	parser_buffer *buffer;
	size_t skipped;

	if (parser_check(parser, length > 0 ? bytes : parser) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	buffer = &parser->buffer;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (parser->is_finished)
		return parser_refuse(parser, MPROF_ERR_STATE, "mprof_parser_feed() called after mprof_parser_finish()");
	skipped = skip_fed_bytes(parser, length);
	length -= skipped;
	buffer->reserved = 0;
	if (length == 0)
		return MPROF_OK;
	if (!parser_buffer_reserve(buffer, length))
		return parser_fail_memory(parser, no_memory_for_input);
	memcpy(buffer->memory + buffer->end, (const uint8_t *)bytes + skipped, length);
	buffer->end += length;
	return MPROF_OK;
}

mprof_status parser_feed_borrowed(mprof_parser *parser, const uint8_t *bytes, size_t length)
{
	size_t skipped;

	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	skipped = skip_fed_bytes(parser, length);
	parser->buffer.reserved = 0;
	if (length > skipped && !parser_buffer_append_borrowed(&parser->buffer, bytes + skipped, length - skipped))
		return parser_fail_memory(parser, no_memory_for_input);
	return MPROF_OK;
}

mprof_status mprof_parser_reserve(mprof_parser *parser, size_t minimum, void **room, size_t *length)
{
	parser_buffer *buffer;

	if (parser_check(parser, room) != MPROF_OK || parser_check(parser, length) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	buffer = &parser->buffer;
	*room = NULL;
	*length = 0;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (parser->is_finished)
		return parser_refuse(parser, MPROF_ERR_STATE,
				     "mprof_parser_reserve() called after mprof_parser_finish()");
	if (!parser_buffer_reserve(buffer, minimum < MIN_ROOM ? MIN_ROOM : minimum))
		return parser_fail_memory(parser, no_memory_for_input);
	buffer->reserved = buffer->capacity - buffer->end;
	*room = buffer->memory + buffer->end;
	*length = buffer->reserved;
	return MPROF_OK;
}

mprof_status mprof_parser_commit(mprof_parser *parser, size_t length)
{
	if (parser == NULL)
		return MPROF_ERR_ARGUMENT;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (length > parser->buffer.reserved)
		return parser_refuse(
			parser, MPROF_ERR_ARGUMENT,
			"mprof_parser_commit() called for more bytes than mprof_parser_reserve() returned");
	parser->buffer.end += length;
	parser->buffer.reserved = 0;
	return MPROF_OK;
}

mprof_status mprof_parser_finish(mprof_parser *parser)
{
	if (parser == NULL)
		return MPROF_ERR_ARGUMENT;
	parser->is_finished = 1;
	parser->buffer.reserved = 0;
	return parser_is_out_of_memory(parser) ? MPROF_ERR_MEMORY : MPROF_OK;
}

uint64_t mprof_parser_get_needed(const mprof_parser *parser)
{
	uint64_t fed;

	if (parser == NULL)
		return 0;
	fed = parser->buffer.offset + parser_buffer_length(&parser->buffer);
	return parser->wait_until > fed ? parser->wait_until - fed : 0;
}

uint64_t mprof_parser_get_skippable(const mprof_parser *parser)
{
	if (parser == NULL || parser->state != PARSER_SKIPPING || parser_buffer_length(&parser->buffer) > 0)
		return 0;
	return parser->skip_left;
}

mprof_status mprof_parser_skip(mprof_parser *parser, uint64_t length)
{
	if (parser == NULL)
		return MPROF_ERR_ARGUMENT;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (length > mprof_parser_get_skippable(parser))
		return parser_refuse(
			parser, MPROF_ERR_ARGUMENT,
			"mprof_parser_skip() called for more bytes than mprof_parser_get_skippable() returned");
	parser->skip_left -= length;
	parser->buffer.offset += length;
	parser->buffer.reserved = 0;
	return MPROF_OK;
}

void parser_unskip(mprof_parser *parser, uint64_t length)
{
	parser->skip_left += length;
	parser->buffer.offset -= length;
}

/* Clears the state of the block at the start of the buffer. Definitions and inferred layouts are kept. */
static void reset_block_state(mprof_parser *parser, uint64_t offset)
{
	parser->is_finished = 0;
	parser->wait_until = 0;
	parser->state = PARSER_AT_HEADER;
	parser->prepared = NULL;
	parser_directives_restore(parser, offset);
	error_clear(&parser->fatal_error);
}

mprof_status mprof_parser_restart(mprof_parser *parser, uint64_t offset)
{
	if (parser == NULL)
		return MPROF_ERR_ARGUMENT;
	if (parser_is_out_of_memory(parser))
		return MPROF_ERR_MEMORY;
	if (!parser_is_past_intro(parser))
		return parser_refuse(parser, MPROF_ERR_STATE, "mprof_parser_restart() called before INTRO was read");
	thread_counters_jump(&parser->counters, parser->buffer.offset, offset);
	parser_buffer_restart(&parser->buffer, offset);
	reset_block_state(parser, offset);
	return MPROF_OK;
}

int parser_restart_inside(mprof_parser *parser, uint64_t offset)
{
	parser_buffer *buffer = &parser->buffer;

	if (!parser_is_past_intro(parser) || offset < buffer->offset ||
	    offset - buffer->offset >= parser_buffer_length(buffer))
		return 0;
	thread_counters_jump(&parser->counters, buffer->offset, offset);
	buffer->reserved = 0;
	parser_buffer_drop(buffer, (size_t)(offset - buffer->offset));
	reset_block_state(parser, offset);
	return 1;
}

mprof_status mprof_parser_next_block(mprof_parser *parser, mprof_block *block)
{
	mprof_block header = {.struct_size = sizeof(header)};
	mprof_status status = parser_check(parser, block);

	if (status != MPROF_OK)
		return status;
	/* After MPROF_AGAIN the header was already read. */
	if (parser->state != PARSER_OPENED) {
		status = mprof_parser_next_header(parser, &header);
		if (status != MPROF_OK)
			return status;
		parser->state = PARSER_OPENED;
	}
	return mprof_parser_load(parser, block);
}

void mprof_parser_set_max_block_length(mprof_parser *parser, uint64_t length)
{
	if (parser == NULL)
		return;
	parser->max_block_length = length != 0 ? length : DEFAULT_MAX_BLOCK_LENGTH;
}

mprof_dialect mprof_parser_get_dialect(const mprof_parser *parser)
{
	return parser != NULL && parser_is_past_intro(parser) ? parser->decoding.rules->dialect : MPROF_DIALECT_DEFAULT;
}

int mprof_parser_is_complete(const mprof_parser *parser)
{
	return parser != NULL && parser->log_end != 0 && !parser->is_damaged;
}

uint64_t mprof_parser_get_valid_bytes(const mprof_parser *parser)
{
	if (parser == NULL)
		return 0;
	return parser->valid_bytes;
}

mprof_status mprof_parser_get_error(const mprof_parser *parser, mprof_error *error)
{
	return parser != NULL && error != NULL ? error_copy(&parser->error, error) : MPROF_ERR_ARGUMENT;
}

const mprof_error *parser_last_error(const mprof_parser *parser)
{
	return &parser->error;
}

int parser_has_failed(const mprof_parser *parser)
{
	return parser->fatal_error.status != MPROF_OK;
}

int parser_is_past_intro(const mprof_parser *parser)
{
	return parser->log_phase >= PARSER_LOG_MAIL_OR_DROP;
}

uint32_t parser_version(const mprof_parser *parser)
{
	return parser_is_past_intro(parser) ? parser->decoding.rules->version : 0;
}

const mprof_block *parser_block(const mprof_parser *parser)
{
	return &parser->block;
}

int parser_has_content(const mprof_parser *parser)
{
	return parser_is_loaded(parser);
}

void parser_rewind(mprof_parser *parser)
{
	block_content_rewind(parser);
}

const uint8_t *parser_block_bytes(const mprof_parser *parser, size_t *length)
{
	*length = (size_t)parser->span;
	return parser_buffer_bytes(&parser->buffer);
}

void parser_set_definitions(mprof_parser *parser, const parser_definitions *definitions)
{
	parser->definitions = *definitions;
}

void parser_set_prepared_source(mprof_parser *parser, const prepared_source *source)
{
	parser->prepared_source = *source;
}

int parser_prepared_context(const mprof_parser *parser, prepared_context *context)
{
	return parser_is_past_intro(parser) && parser_events_context(parser, context);
}

int parser_prepared_context_is_current(const mprof_parser *parser, const prepared_context *context)
{
	return parser_events_context_is_current(parser, context);
}

mprof_status parser_lend_events(mprof_parser *parser, mprof_event *events, size_t capacity, mprof_event **borrowed,
				size_t *count)
{
	*count = 0;
	*borrowed = parser_is_out_of_memory(parser) ? NULL : parser_events_lend(parser, capacity, count);
	if (*borrowed != NULL)
		return MPROF_OK;
	*borrowed = events;
	return mprof_parser_next_events(parser, events, capacity, count);
}

void *parser_visit(const mprof_parser *parser, int *is_whole)
{
	const prepared_block *prepared = parser->prepared;

	*is_whole = prepared != NULL && prepared->is_whole;
	return prepared != NULL && prepared->is_visited ? prepared->visit : NULL;
}

void parser_pass_visited(mprof_parser *parser)
{
	parser_events_pass(parser);
}

const id_map *parser_object_sizes(const mprof_parser *parser)
{
	return &parser->object_sizes;
}

uint64_t parser_directives_declared(const mprof_parser *parser)
{
	return parser->directives.in_force.declared;
}

parser_event_details parser_last_details(const mprof_parser *parser)
{
	const parser_batch *batch = &parser->batch;

	return (parser_event_details){batch->details, batch->detail_count, batch->sections, batch->section_count};
}

void parser_details_set_stack(mprof_parser *parser, size_t first, size_t end, uint32_t stack_id)
{
	for (size_t i = first; i < end; i++)
		parser->batch.details[i].stack = stack_id;
}

void parser_event_set_stack(mprof_parser *parser, const mprof_event *event, uint32_t stack_id)
{
	const size_t index = (size_t)(event->more.detail - parser->batch.details);

	parser->batch.details[index].stack = stack_id;
}

uint64_t parser_offset(const mprof_parser *parser)
{
	return parser->buffer.offset;
}

uint64_t parser_fed_end(const mprof_parser *parser)
{
	return parser_buffer_end(&parser->buffer);
}

uint64_t parser_next_offset(const mprof_parser *parser)
{
	if (parser->state == PARSER_AT_HEADER)
		return parser->buffer.offset;
	if (parser->state == PARSER_SKIPPING)
		return parser->buffer.offset + parser->skip_left;
	if (parser->state == PARSER_SEARCHING || parser_has_failed(parser))
		return parser->block.offset;
	return parser->block.offset + parser->span;
}

int parser_is_at_log_end(const mprof_parser *parser)
{
	return parser->state == PARSER_AT_HEADER && parser->log_end != 0 && parser->log_end == parser->buffer.offset &&
	       parser_buffer_length(&parser->buffer) == 0;
}
