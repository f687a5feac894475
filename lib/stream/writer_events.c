/* SPDX-License-Identifier: MIT */
#include "stream/writer_internal.h"

mprof_status mprof_writer_begin_events(mprof_writer *writer, uint64_t thread, uint64_t base_counter)
{
	encode_buffer *block;
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	block = &writer->block;
	writer_read_clock(writer, &clock);
	block_encode_begin(block, &writer->encoding, MPROF_BLOCK_EVENTS);
	encode_clock(block, &clock);
	encode_int(block, thread);
	encode_int(block, base_counter);
	if (!encode_buffer_reserve(block, EVENTS_TAIL_ROOM))
		return writer_refuse(writer, block->status, "no memory for a block");
	writer->events.last_counter = base_counter;
	writer->events.written = 0;
	writer->state = WRITER_IN_EVENTS;
	return MPROF_OK;
}

static const char *reason_of(mprof_status status)
{
	switch (status) {
	case MPROF_ERR_UNDEFINED_ID:
		return "an event uses a method, a class or a call chain that is not defined";
	case MPROF_ERR_ARGUMENT:
		return "a handle is none: its number or its type is too large";
	case MPROF_ERR_UNSUPPORTED:
		return "the dialect and its directives have no such event";
	case MPROF_ERR_LIMIT:
		return "a block of events is too long";
	default:
		return "no memory for a block of events";
	}
}

mprof_status mprof_writer_events(mprof_writer *writer, const mprof_event *events, size_t count, size_t *written)
{
	size_t taken = 0;
	mprof_status status;

	if (written != NULL)
		*written = 0;
	status = writer_enter(writer, WRITER_IN_EVENTS);
	if (status != MPROF_OK)
		return status;
	if (events == NULL && count > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a list of events is NULL");
	status = events_encode(&writer->events, &writer->block, events, count, &taken);
	writer->stats.left_out += writer->events.left_out;
	writer->events.left_out = 0;
	if (written != NULL)
		*written = taken;
	return status == MPROF_OK ? MPROF_OK : writer_refuse(writer, status, reason_of(status));
}

mprof_status mprof_writer_end_events(mprof_writer *writer)
{
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_IN_EVENTS);

	if (status != MPROF_OK)
		return status;
	writer->state = WRITER_BETWEEN_BLOCKS;
	writer_read_clock(writer, &clock);
	/* The list's end is a BYTE, 00: no event has that code. Room for all of this was kept. */
	encode_byte(&writer->block, 0);
	encode_clock(&writer->block, &clock);
	status = writer_put_block(writer);
	if (status == MPROF_OK)
		writer->stats.events += writer->events.written;
	return status;
}
