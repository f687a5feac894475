/* SPDX-License-Identifier: MIT */
/* Ends the block that was built, compresses it, and writes it to the sink, within the size limit. */
#include "writer/put_block.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "format/blocks/block_decode.h"
#include "format/events/event_kinds.h"
#include "writer/errors.h"

#include <string.h>

/*
 * Encodes blocks as COMPRESSED blocks (doc/format.md, 3.23).
 */

/* Shorter contents gain too little for the fields that are added, and for the time. */
#define MIN_LENGTH 128

/* Where the CLOCK at the end of the content begins; the end of the content if there is none after the head. */
static size_t find_tail(const encode_buffer *block, size_t header_length, size_t head_length)
{
	if (block->clock_end != block->length || block->clock_start < header_length + head_length)
		return block->length;
	return block->clock_start;
}

static mprof_status compress_middle(codec_packer *packer, const uint8_t *bytes, size_t length, encode_buffer *out)
{
	size_t produced;
	mprof_status status;

	/* Data that does not become shorter does not fit. */
	if (!encode_buffer_reserve(out, length))
		return out->status;
	status = codec_pack(packer, bytes, length, out->bytes + out->length, length, &produced);
	if (status == MPROF_OK)
		out->length += produced;
	return status;
}

static mprof_status compress_content(codec_packer *packer, const block_encoding *encoding, const encode_buffer *block,
				     const packed_middle *middle, encode_buffer *out)
{
	const size_t header_length = encoding->rules->header_length;
	const uint8_t *content = block->bytes + header_length;
	const size_t length = block->length - header_length;
	const uint32_t code = bytes_load_16(block->bytes);
	const size_t head_length = compressed_block_head_length(encoding->rules, code, content, length);
	const size_t tail = find_tail(block, header_length, head_length) - header_length;
	mprof_status status;

	block_encode_begin_code(out, encoding, encoding->rules->compressed_code);
	encode_varint(out, code);
	encode_varint(out, packer->codec);
	encode_varint(out, length);
	encode_varint(out, head_length);
	encode_varint(out, length - tail);
	encode_bytes(out, content, head_length);
	if (out->status != MPROF_OK)
		return out->status;
	if (middle != NULL && middle->length > 0 && middle->unpacked_length == tail - head_length) {
		encode_bytes(out, middle->bytes, middle->length);
		status = out->status;
	} else {
		status = compress_middle(packer, content + head_length, tail - head_length, out);
	}
	if (status != MPROF_OK)
		return status;
	encode_bytes(out, content + tail, length - tail);
	return out->status;
}

int block_compress(codec_packer *packer, const block_encoding *encoding, const encode_buffer *block,
		   const packed_middle *middle, encode_buffer *out)
{
	const size_t header_length = encoding->rules->header_length;

	if (packer->codec == MPROF_CODEC_NONE || block->status != MPROF_OK ||
	    block->length < header_length + MIN_LENGTH || block->length - header_length > UINT32_MAX ||
	    !compressed_block_may_store(encoding->rules, bytes_load_16(block->bytes)))
		return 0;
	return compress_content(packer, encoding, block, middle, out) == MPROF_OK && out->length < block->length &&
	       encode_buffer_reserve(out, encoding->rules->checksum_length);
}

void writer_limit_blocks(mprof_writer *writer, uint64_t max_block_length)
{
	uint64_t limit = writer->encoding.rules->header_length + max_block_length;

	writer->block.limit = limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

void writer_read_clock(mprof_writer *writer, mprof_clock *clock)
{
	clock->counter = 0;
	clock->time = 0;
	writer->clock(writer->clock_user, clock);
	log_index_note_clock(&writer->index, clock);
}

/* Computes the counter delta of the header: the time since the previous block was written, in some dialects. */
static void note_header_counter(mprof_writer *writer)
{
	mprof_clock clock;

	if (!block_header_has_delta(writer->encoding.rules))
		return;
	writer_read_clock(writer, &clock);
	writer->encoding.counter_delta =
		writer->stats.blocks == 0 ? 0 : (uint32_t)(clock.counter - writer->header_counter);
	writer->header_counter = clock.counter;
}

/* Blocks that may still be written when the log has reached its limit. */
#define BLOCKS_AFTER_LIMIT 4

/* Whether a block of \p length bytes fits into the limit, together with the blocks that must follow it. */
static mprof_status check_limit(mprof_writer *writer, size_t length)
{
	const uint64_t index = writer->index.is_used ? log_index_bound(&writer->index, BLOCKS_AFTER_LIMIT) : 0;
	uint64_t needed = length + writer->kept_bytes + index;
	mprof_status status;

	if (writer->max_bytes == 0 || sink_bound(&writer->sink, needed) <= writer->max_bytes)
		return MPROF_OK;
	/* The length of a compressed log is known only after a flush. */
	status = writer_check_sink(writer, sink_flush(&writer->sink), "cannot flush the log");
	if (status != MPROF_OK || sink_bound(&writer->sink, needed) <= writer->max_bytes)
		return status;
	writer->is_full = 1;
	return writer_refuse(writer, MPROF_ERR_LIMIT, "the log has reached its size limit");
}

/* Ends the block, as a COMPRESSED block if that is shorter. \p ended receives the one to write. */
static mprof_status end_block(mprof_writer *writer, encode_buffer **ended)
{
	const int is_packed =
		block_compress(&writer->packer, &writer->encoding, &writer->block, &writer->middle, &writer->packed);
	mprof_status status;

	writer->middle.length = 0;
	*ended = is_packed ? &writer->packed : &writer->block;
	status = block_encode_end(*ended, &writer->encoding);
	if (status != MPROF_OK)
		return writer_refuse(writer, status,
				     status == MPROF_ERR_LIMIT ? "the block is too long" : "out of memory for a block");
	return MPROF_OK;
}

mprof_status writer_end_index(mprof_writer *writer)
{
	if (!writer->index.is_optional)
		return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for the index");
	log_index_end(&writer->index);
	return MPROF_OK;
}

void writer_let_index_end(mprof_writer *writer)
{
	writer->index.is_optional = 1;
}

/* Notes the end of the log before a block, in case that it must be removed. */
static void note_mark(mprof_writer *writer)
{
	if (writer->mark_count == WRITER_MARKS)
		memmove(&writer->marks[0], &writer->marks[1], --writer->mark_count * sizeof(writer->marks[0]));
	writer->marks[writer->mark_count++] =
		(writer_mark){writer->stats.bytes, writer->stats.blocks, writer->stats.events};
}

/* Writes the block that was built. */
static mprof_status put_checked_block(mprof_writer *writer)
{
	uint64_t header_counter = writer->header_counter;
	const size_t content_length = writer->block.length - writer->encoding.rules->header_length;
	encode_buffer *block;
	mprof_status status;

	note_header_counter(writer);
	status = end_block(writer, &block);
	if (status != MPROF_OK)
		return status;
	if (writer->index.is_used && !log_index_reserve(&writer->index))
		status = writer_end_index(writer);
	if (status != MPROF_OK)
		return status;
	status = check_limit(writer, block->length);
	if (status != MPROF_OK) {
		writer->header_counter = header_counter;
		return status;
	}
	note_mark(writer);
	status = writer_check_sink(writer, sink_write(&writer->sink, block->bytes, block->length),
				   "cannot write the log");
	if (status != MPROF_OK)
		return status;
	if (writer->index.is_used)
		log_index_add(&writer->index, writer->encoding.rules, &writer->block, content_length,
			      block->length - writer->encoding.rules->header_length);
	if (writer->stats.blocks == 0)
		writer->first_checksum =
			checksum_update(0, block->bytes, block->length - writer->encoding.rules->checksum_length);
	writer->stats.bytes += block->length;
	writer->stats.blocks++;
	return MPROF_OK;
}

mprof_status writer_put_last_block(mprof_writer *writer)
{
	mprof_status status = put_checked_block(writer);

	if (status != MPROF_OK)
		log_index_lose(&writer->index);
	return status;
}

/* Writes an INDEX block of the blocks since the last one. */
static mprof_status writer_put_index(mprof_writer *writer)
{
	const uint64_t offset = writer->stats.bytes;
	const encode_buffer *block = &writer->index.block;
	mprof_status status = log_index_encode(&writer->index, &writer->encoding, offset);

	if (status != MPROF_OK)
		return writer_end_index(writer);
	status = writer_check_sink(writer, sink_write(&writer->sink, block->bytes, block->length),
				   "cannot write the log");
	if (status != MPROF_OK)
		return status;
	writer->stats.bytes += block->length;
	writer->stats.blocks++;
	log_index_restart(&writer->index, offset);
	return MPROF_OK;
}

mprof_status writer_put_index_if_due(mprof_writer *writer)
{
	return log_index_is_due(&writer->index) && !writer->is_full ? writer_put_index(writer) : MPROF_OK;
}

mprof_status writer_put_last_index(mprof_writer *writer, uint64_t *distance)
{
	const uint64_t offset = writer->stats.bytes;
	const uint64_t needed = log_index_bound(&writer->index, 0) + writer->kept_bytes;
	mprof_status status = MPROF_OK;

	*distance = 0;
	if (!writer->index.is_used || !log_index_is_in_order(&writer->index))
		return MPROF_OK;
	/* A log without room for the index is complete without it. */
	if (writer->max_bytes != 0 && sink_bound(&writer->sink, needed) > writer->max_bytes)
		return MPROF_OK;
	status = writer_put_index(writer);
	/* Without memory there is no block. */
	if (status == MPROF_OK)
		*distance = writer->stats.bytes - offset;
	return status;
}

mprof_status writer_put_block(mprof_writer *writer)
{
	mprof_status status;

	if (writer->is_full)
		status = writer_refuse(writer, MPROF_ERR_LIMIT, "the log has reached its size limit");
	else
		status = writer_put_index_if_due(writer);
	if (status == MPROF_OK)
		return writer_put_last_block(writer);
	log_index_lose(&writer->index);
	return status;
}

/* The longest LOST block: header, clocks, and a number and a count for each cause. */
#define MAX_LOSSES 24
#define LOST_LENGTH (64 + MAX_LOSSES * 2 * MPROF_VARINT_MAX_LENGTH)
#define END_LENGTH 64

mprof_status writer_set_limit(mprof_writer *writer, uint64_t max_bytes)
{
	_Static_assert(LOSS_CAUSE_COUNT <= MAX_LOSSES, "all causes fit the room that is kept for them");
	writer->max_bytes = max_bytes;
	writer->kept_bytes = LOST_LENGTH + END_LENGTH;
	encode_buffer_clear(&writer->block);
	return check_limit(writer, 0);
}

int writer_is_full(const mprof_writer *writer)
{
	return writer->is_full;
}

void writer_release_reserve(mprof_writer *writer)
{
	writer->kept_bytes = END_LENGTH;
}

uint64_t writer_take_refused_events(mprof_writer *writer)
{
	uint64_t refused = writer->refused_events;

	writer->refused_events = 0;
	return refused;
}
