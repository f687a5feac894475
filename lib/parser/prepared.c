/* SPDX-License-Identifier: MIT */
/* Decodes blocks ahead, on any thread. */
#include "parser/prepared.h"

#include "base/bytes.h"
#include "base/checksum.h"

#include <string.h>

/* Zeros after the content, so that decoders of events can read whole words up to its end. */
#define SLACK 64

void block_unpacker_init(block_unpacker *unpacker, const mprof_allocator *allocator)
{
	memset(unpacker, 0, sizeof(*unpacker));
	codec_set_init(&unpacker->codecs, allocator);
}

void block_unpacker_destroy(block_unpacker *unpacker)
{
	allocator_release(&unpacker->codecs.allocator, unpacker->memory, unpacker->capacity);
	unpacker->memory = NULL;
	unpacker->capacity = 0;
	codec_set_destroy(&unpacker->codecs);
}

/* Whether the memory of the unpacker has room for a content of this length. */
static int block_unpacker_has_room(const block_unpacker *unpacker, size_t unpacked_length)
{
	return unpacker->capacity >= SLACK && unpacker->capacity - SLACK >= unpacked_length;
}

/* The bytes of earlier blocks are not kept, so they are not copied either. */
static int reserve_content(block_unpacker *unpacker, size_t length)
{
	const mprof_allocator *allocator = &unpacker->codecs.allocator;

	if (block_unpacker_has_room(unpacker, length))
		return 1;
	allocator_release(allocator, unpacker->memory, unpacker->capacity);
	unpacker->capacity = 0;
	unpacker->memory = allocator_allocate(allocator, length + SLACK);
	if (unpacker->memory == NULL)
		return 0;
	unpacker->capacity = length + SLACK;
	return 1;
}

int block_unpacker_reserve(block_unpacker *unpacker, uint64_t codec, size_t unpacked_length)
{
	return codec_set_reserve(&unpacker->codecs, codec) && reserve_content(unpacker, unpacked_length);
}

static void append_part(const block_unpacker *unpacker, unpacked_content *content, const uint8_t *part, size_t length)
{
	if (length > 0)
		memcpy(unpacker->memory + content->length, part, length);
	content->length += length;
}

mprof_status block_unpack(block_unpacker *unpacker, const compressed_block *block, unpacked_content *content)
{
	const int is_truncated = block->tail == NULL;
	const size_t packed_length = block->unpacked_length - block->head_length - block->tail_length;
	size_t produced = 0;
	mprof_status status = MPROF_OK;

	if (!codec_set_has(&unpacker->codecs, block->codec))
		return MPROF_ERR_UNSUPPORTED;
	if (!reserve_content(unpacker, block->unpacked_length))
		return MPROF_ERR_MEMORY;
	content->length = 0;
	append_part(unpacker, content, block->head, block->head_available);
	if (block->packed_available > 0 || !is_truncated)
		status = codec_unpack(&unpacker->codecs, block->codec, block->packed, block->packed_available,
				      unpacker->memory + content->length, packed_length, &produced);
	if (status == MPROF_ERR_MEMORY)
		return status;
	content->length += produced;
	if (!is_truncated) {
		if (status != MPROF_OK)
			return MPROF_ERR_MALFORMED;
		append_part(unpacker, content, block->tail, block->tail_length);
	}
	memset(unpacker->memory + content->length, 0, SLACK);
	content->bytes = unpacker->memory;
	content->readable = content->length + SLACK;
	return MPROF_OK;
}

const char *block_unpack_fault(mprof_status status, uint64_t codec)
{
	switch (status) {
	case MPROF_ERR_MEMORY:
		return "out of memory for decompressing a block";
	case MPROF_ERR_UNSUPPORTED:
		if (codec == MPROF_CODEC_DEFLATE)
			return "the block is compressed with deflate, which this build of libmprof cannot decompress";
		if (codec == MPROF_CODEC_ZSTD)
			return "the block is compressed with zstd, which this build of libmprof cannot decompress";
		return "the block is compressed with an unknown codec: a later version of libmprof may read it";
	default:
		return "the compressed data of the block is damaged";
	}
}

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

/* Puts the arguments of events of types together. Returns 0 if the memory does not suffice. */
static int expand_arguments(prepared_block *prepared, const dialect_rules *rules)
{
	event_columns_state *columns = &prepared->body.columns;
	const size_t needed = prepared->body.has_columns ? event_columns_memory(columns) : 0;

	if (needed > prepared->expanded_capacity)
		return 0;
	if (needed > 0)
		event_columns_expand(columns, content_of(prepared, rules), prepared->expanded);
	return 1;
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
	return block->kind == MPROF_BLOCK_EVENTS &&
	       block_decode(&context->decoding, content_of(prepared, rules), length, block, &prepared->body, &cursor) ==
		       MPROF_OK &&
	       expand_arguments(prepared, rules);
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
