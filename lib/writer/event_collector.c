/* SPDX-License-Identifier: MIT */
/* Collects the events of a block apart from the writer, and writes them. */
#include "writer/event_collector.h"

#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

void event_collector_init(event_collector *collector, const mprof_allocator *allocator)
{
	memset(collector, 0, sizeof(*collector));
	event_columns_init(&collector->columns, allocator);
	encode_buffer_init(&collector->content, allocator, UINT32_MAX);
	codec_packer_init(&collector->packer, allocator, MPROF_CODEC_NONE, 0);
	encode_buffer_init(&collector->packed, allocator, UINT32_MAX);
}

void event_collector_destroy(event_collector *collector)
{
	event_columns_destroy(&collector->columns);
	encode_buffer_destroy(&collector->content);
	codec_packer_destroy(&collector->packer);
	encode_buffer_destroy(&collector->packed);
}

void event_collector_begin(event_collector *collector, const mprof_writer *writer, uint64_t thread,
			   uint64_t base_counter)
{
	if (!collector->is_ready || collector->directives != writer->encoding.directives) {
		collector->encoder = writer->events;
		collector->encoder.checker.defined.any = 1;
		collector->packer.codec = writer->packer.codec;
		collector->packer.level = writer->packer.level;
		collector->directives = writer->encoding.directives;
		collector->is_ready = 1;
	}
	event_columns_clear(&collector->columns);
	collector->columns.shapes = writer_shapes(writer);
	collector->thread = thread;
	collector->base_counter = base_counter;
	collector->latest_counter = base_counter;
	collector->goes_back = 0;
	collector->calls.is_known = 0;
	collector->calls.begins_thread = 0;
	collector->calls.ends_all = 0;
	collector->encoder.last_counter = base_counter;
	collector->encoder.last_address = 0;
	collector->encoder.last_object = 0;
	collector->encoder.written = 0;
}

void event_collector_note_times(event_collector *collector, uint64_t last, const uint64_t *times, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		last += times[i];
		event_collector_note_counter(collector, last);
	}
}

/* Columns that do not become shorter, or for which there is no memory, are left to the writer. */
static void compress_columns(event_collector *collector)
{
	const encode_buffer *content = &collector->content;
	const size_t length = collector->columns_length;
	size_t produced = 0;

	encode_buffer_clear(&collector->packed);
	if (collector->packer.codec == MPROF_CODEC_NONE || content->status != MPROF_OK || length == 0 ||
	    !encode_buffer_reserve(&collector->packed, length))
		return;
	if (codec_pack(&collector->packer, content->bytes + content->length - length, length, collector->packed.bytes,
		       length, &produced) == MPROF_OK)
		collector->packed.length = produced;
}

mprof_status event_collector_encode(event_collector *collector)
{
	encode_buffer_clear(&collector->content);
	collector->columns_length = event_columns_encode(&collector->columns, &collector->content);
	compress_columns(collector);
	return collector->content.status;
}

int writer_has_columns(const mprof_writer *writer)
{
	return writer->encoding.has_columns;
}

/* The index gets an entry for the block. */
static mprof_status begin_entry(mprof_writer *writer, const event_collector *collector)
{
	mprof_status status = writer_put_index_if_due(writer);

	if (status == MPROF_OK && writer->index.is_used &&
	    !log_index_begin_block(&writer->index, collector->thread, collector->base_counter,
				   collector->latest_counter, collector->goes_back, &collector->calls))
		status = writer_end_index(writer);
	return status;
}

mprof_status writer_put_collected(mprof_writer *writer, const event_collector *collector)
{
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status == MPROF_OK)
		status = begin_entry(writer, collector);
	if (status != MPROF_OK)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_events_start(&writer->block, &writer->encoding, &clock, collector->thread,
				  collector->base_counter);
	encode_bytes(&writer->block, collector->content.bytes, collector->content.length);
	block_encode_events_end(&writer->block, &writer->encoding, &clock);
	writer->middle = (packed_middle){.bytes = collector->packed.bytes,
					 .length = collector->packed.length,
					 .unpacked_length = collector->columns_length};
	status = writer_put_block(writer);
	writer->middle.length = 0;
	if (status == MPROF_OK)
		writer->stats.events += collector->encoder.written;
	return status;
}
