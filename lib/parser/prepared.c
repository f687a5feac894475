/* SPDX-License-Identifier: MIT */
/* Decodes blocks of events in advance. */
#include "parser/prepared.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "format/event_columns_decode.h"

#include <string.h>

static int checksum_is_valid(const prepared_block *prepared, const dialect_rules *rules)
{
	const size_t checked = prepared->length - rules->checksum_length;

	return checksum_update(0, prepared->bytes, checked) == bytes_load_32(prepared->bytes + checked);
}

/* Decompresses a COMPRESSED block. Returns whether it is valid. */
static int unpack_content(prepared_block *prepared, const prepared_context *context, size_t length)
{
	const dialect_rules *rules = context->decoding.rules;
	mprof_block *block = &prepared->block;
	content_cursor cursor;
	compressed_block packed;

	content_cursor_init(&cursor, prepared->bytes + rules->header_length, length, UINT64_MAX);
	/* The length may not be the one that memory was reserved for: the source may return other bytes now. */
	if (!context->may_unpack || compressed_block_decode(rules, &cursor, length, &packed) != MPROF_OK ||
	    !block_unpacker_has_room(&prepared->unpacker, packed.unpacked_length) ||
	    block_unpack(&prepared->unpacker, &packed, &prepared->unpacked) != MPROF_OK)
		return 0;
	block->code = packed.code;
	block->kind = dialect_block_kind(rules, packed.code);
	block->codec = (uint32_t)packed.codec;
	block->unpacked_length = packed.unpacked_length;
	return 1;
}

/* The content of the block, without its checksum. */
static const uint8_t *content_of(const prepared_block *prepared, const dialect_rules *rules)
{
	return prepared->unpacked.bytes != NULL ? prepared->unpacked.bytes : prepared->bytes + rules->header_length;
}

/* Bytes from the start of the content that may be read. */
static size_t readable_of(const prepared_block *prepared, const dialect_rules *rules)
{
	return prepared->unpacked.bytes != NULL ? prepared->unpacked.readable : prepared->length - rules->header_length;
}

/* Decodes the header and the fields before the events. Returns whether the block is a valid EVENTS block. */
static int decode_start(prepared_block *prepared, const prepared_context *context)
{
	const dialect_rules *rules = context->decoding.rules;
	mprof_block *block = &prepared->block;
	content_cursor cursor;
	block_header header;
	size_t length;

	block_header_decode(prepared->bytes, &header);
	if (prepared->length < (size_t)rules->header_length + rules->checksum_length ||
	    prepared->length - rules->header_length != header.length ||
	    (!context->ignore_checksums && !checksum_is_valid(prepared, rules)))
		return 0;
	memset(block, 0, sizeof(*block));
	block->struct_size = sizeof(*block);
	block->kind = dialect_block_kind(rules, header.code);
	block->code = header.code;
	block->offset = prepared->offset;
	block->header_length = rules->header_length;
	block->length = header.length;
	block->counter_delta = block_header_counter_delta(rules, prepared->bytes);
	length = header.length - rules->checksum_length;
	if (block_is_compressed(rules, header.code)) {
		if (!unpack_content(prepared, context, length))
			return 0;
		length = prepared->unpacked.length;
	}
	return block->kind == MPROF_BLOCK_EVENTS && block_decode(&context->decoding, content_of(prepared, rules),
								 length, block, &prepared->body, &cursor) == MPROF_OK;
}

/* Prepares for the first part. */
static void start_events(prepared_block *prepared, const prepared_context *context)
{
	const block_body *body = &prepared->body;
	events_decode_state *state = &prepared->state;

	memset(state, 0, sizeof(*state));
	state->bytes = content_of(prepared, context->decoding.rules) + body->list_start;
	state->length = body->list_end - body->list_start;
	state->readable = readable_of(prepared, context->decoding.rules) - body->list_start;
	state->counter = prepared->block.as.events.base_counter;
	state->earliest = state->counter;
	state->latest = prepared->block.end.counter;
	state->has_latest = prepared->block.has_clocks != 0;
	state->numbers = context->numbers;
	prepared->columns = body->columns;
}

static void decode_part(prepared_block *prepared, const prepared_context *context)
{
	const size_t index = (size_t)(prepared->decoded % PREPARED_PARTS);
	events_decode_batch batch = {.events = prepared->events + index * PREPARED_PART_EVENTS,
				     .capacity = PREPARED_PART_EVENTS};
	events_decode_result result;

	if (prepared->details != NULL) {
		batch.details = prepared->details + index * PREPARED_PART_DETAILS;
		batch.detail_capacity = PREPARED_PART_DETAILS;
	}
	if (prepared->body.has_columns)
		result = event_columns_decode(&context->table, &prepared->columns,
					      content_of(prepared, context->decoding.rules), &prepared->state, &batch);
	else
		result = events_decode(&context->table, &prepared->state, &batch);
	prepared->parts[index].count = batch.count;
	prepared->parts[index].numbers = prepared->state.numbers;
	prepared->decoded += batch.count > 0;
	prepared->is_over = batch.count == 0 || result != EVENTS_DECODE_FULL;
}

/* An empty batch with the details of a thread. */
static events_decode_batch visited_batch(visit_memory *memory, mprof_event *events, size_t capacity)
{
	const events_decode_batch batch = {
		.events = events, .capacity = capacity, .details = memory->details, .detail_capacity = VISITED_EVENTS};

	return batch;
}

/* Whether no event follows, and no error. */
static int is_at_end(prepared_block *prepared, const prepared_context *context)
{
	mprof_event event;
	events_decode_batch batch = visited_batch(prepared->memory, &event, 1);

	return prepared->columns.position == prepared->columns.event_count &&
	       event_columns_decode(&context->table, &prepared->columns, content_of(prepared, context->decoding.rules),
				    &prepared->state, &batch) == EVENTS_DECODE_DONE;
}

/* Passes the events of a block of columns to the visitor. Returns whether it has all of them. */
static int visit_columns(prepared_block *prepared, const prepared_context *context)
{
	const event_visitor *visitor = prepared->visitor;
	event_arrays *arrays = &prepared->memory->arrays;
	mprof_columns columns = {.struct_size = sizeof(columns)};
	events_decode_batch batch = visited_batch(prepared->memory, arrays->rows, EVENT_ARRAYS_ROWS);

	event_arrays_point(arrays, visitor->columns, &columns);
	while (event_columns_read(&context->table, &prepared->columns, content_of(prepared, context->decoding.rules),
				  &prepared->state, visitor->columns, arrays, &batch, &columns)) {
		if (!visitor->add_columns(prepared->visit, &columns))
			return 0;
		batch = visited_batch(prepared->memory, arrays->rows, EVENT_ARRAYS_ROWS);
	}
	return is_at_end(prepared, context);
}

/* As visit_columns(), for a block of rows. */
static int visit_rows(prepared_block *prepared, const prepared_context *context)
{
	events_decode_batch batch;
	events_decode_result result;

	for (;;) {
		batch = visited_batch(prepared->memory, prepared->memory->events, VISITED_EVENTS);
		result = events_decode(&context->table, &prepared->state, &batch);
		if (batch.count == 0)
			return result == EVENTS_DECODE_DONE;
		if (!prepared->visitor->add_events(prepared->visit, batch.events, batch.count))
			return 0;
	}
}

static void visit_events(prepared_block *prepared, const prepared_context *context)
{
	prepared->is_visited = 1;
	prepared->visitor->begin(prepared->visit, prepared->memory->scratch, prepared->state.counter);
	prepared->is_whole =
		prepared->body.has_columns ? visit_columns(prepared, context) : visit_rows(prepared, context);
	if (prepared->is_whole)
		prepared->visitor->end(prepared->visit);
	/* There are no parts: what the visitor does not have, the parser decodes from the start. */
	prepared->is_over = 1;
}

void prepared_block_init(prepared_block *prepared, uint64_t offset, size_t length)
{
	prepared->offset = offset;
	prepared->length = length;
	prepared->until = PREPARED_PARTS;
	prepared->known = 0;
	prepared->current = 0;
	prepared->taken = 0;
	prepared->is_begun = 0;
	prepared->is_started = 0;
	prepared->is_valid = 0;
	prepared->decoded = 0;
	prepared->is_over = 0;
	memset(&prepared->unpacked, 0, sizeof(prepared->unpacked));
	prepared->visitor = NULL;
	prepared->is_visited = 0;
	prepared->is_whole = 0;
}

void prepared_block_decode(prepared_block *prepared, const prepared_context *context)
{
	if (!prepared->is_started) {
		prepared->is_started = 1;
		prepared->is_valid = decode_start(prepared, context);
		if (prepared->is_valid)
			start_events(prepared, context);
		if (prepared->is_valid && prepared->visitor != NULL)
			visit_events(prepared, context);
	}
	while (prepared->is_valid && !prepared->is_over && prepared->decoded < prepared->until)
		decode_part(prepared, context);
}
