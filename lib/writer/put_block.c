/* SPDX-License-Identifier: MIT */
/* Ends the block that was built and writes it to the sink, within the size limit. */
#include "writer/put_block.h"

#include "format/kind_counts.h"
#include "writer/errors.h"
#include "writer/writer_internal.h"

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

/* Whether the block that was built fits into the limit, together with the blocks that must follow it. */
static mprof_status check_limit(mprof_writer *writer)
{
	uint64_t needed = writer->block.length + writer->kept_bytes;
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

mprof_status writer_put_last_block(mprof_writer *writer)
{
	uint64_t header_counter = writer->header_counter;
	mprof_status status;

	note_header_counter(writer);
	status = block_encode_end(&writer->block, &writer->encoding);
	if (status != MPROF_OK)
		return writer_refuse(writer, status,
				     status == MPROF_ERR_LIMIT ? "the block is too long" : "out of memory for a block");
	status = check_limit(writer);
	if (status != MPROF_OK) {
		writer->header_counter = header_counter;
		return status;
	}
	status = writer_check_sink(writer, sink_write(&writer->sink, writer->block.bytes, writer->block.length),
				   "cannot write the log");
	if (status != MPROF_OK)
		return status;
	writer->stats.bytes += writer->block.length;
	writer->stats.blocks++;
	return MPROF_OK;
}

mprof_status writer_put_block(mprof_writer *writer)
{
	if (writer->is_full)
		return writer_refuse(writer, MPROF_ERR_LIMIT, "the log has reached its size limit");
	return writer_put_last_block(writer);
}

/* The longest LOST block: header, clocks, and a number and a count for each cause. */
#define MOST_LOSSES 24
#define LOST_LENGTH (64 + MOST_LOSSES * 2 * MPROF_VARINT_MAX_LENGTH)
#define END_LENGTH 64

mprof_status writer_set_limit(mprof_writer *writer, uint64_t max_bytes)
{
	_Static_assert(LOSS_CAUSE_COUNT <= MOST_LOSSES, "all causes fit the room that is kept for them");
	writer->max_bytes = max_bytes;
	writer->kept_bytes = LOST_LENGTH + END_LENGTH;
	encode_buffer_clear(&writer->block);
	return check_limit(writer);
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
