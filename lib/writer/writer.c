/* SPDX-License-Identifier: MIT */
/*
 * Flushes, closes and frees writers, and returns their statistics. Ends a log after an error of the system, and makes
 * room for that.
 */
#include "writer/writer.h"

#include "base/error.h"
#include "base/options.h"
#include "format/events/event_kinds.h"
#include "io/sink.h"
#include "writer/errors.h"
#include "writer/events.h"
#include "writer/heap.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

mprof_status mprof_writer_flush(mprof_writer *writer)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status == MPROF_OK)
		status = writer_check_sink(writer, sink_flush(&writer->sink), "cannot flush the log");
	return status;
}

mprof_status mprof_writer_close(mprof_writer *writer)
{
	mprof_clock clock;
	uint64_t distance;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	status = writer_put_definitions(writer);
	if (status == MPROF_OK || writer->is_full)
		status = writer_end_snapshot(writer);
	/* Even if the log is full, there is room for END. */
	if (status != MPROF_OK && !writer->is_full)
		return status;
	writer_read_clock(writer, &clock);
	status = writer_put_last_index(writer, &distance);
	if (status != MPROF_OK)
		return status;
	block_encode_end_of_log(&writer->block, &writer->encoding, &clock, distance);
	writer->kept_bytes = 0;
	status = writer_put_last_block(writer);
	if (status != MPROF_OK)
		return status;
	writer->state = WRITER_CLOSED;
	status = writer_check_sink(writer, sink_finish(&writer->sink), "cannot finish the log");
	if (status == MPROF_OK)
		status = writer_check_sink(writer, sink_flush(&writer->sink), "cannot flush the log");
	return status;
}

/* The first blocks describe the log, and stay. */
#define BLOCKS_KEPT 3

static int can_be_ended(const mprof_writer *writer)
{
	return writer->error.severity == MPROF_SEVERITY_FATAL && writer->error.status == MPROF_ERR_IO &&
	       writer->state != WRITER_CLOSED && writer->sink.inner == NULL && writer->sink.fd_may_be_cut &&
	       writer_has_block(writer, MPROF_BLOCK_LOST) && writer_has_block(writer, MPROF_BLOCK_SESSION);
}

/* The writer is between blocks, and the file ends with a whole block: both follow from how a write fails. */
static mprof_status write_end(mprof_writer *writer, const mprof_property *cause, const uint64_t *counts, size_t count)
{
	mprof_status status;

	error_clear(&writer->error);
	writer->is_full = 0;
	status = mprof_writer_write_session(writer, cause, sizeof(*cause), 1);
	/* No other block follows. */
	writer->is_full = 1;
	if (status == MPROF_OK)
		status = mprof_writer_write_losses(writer, 0, counts, count);
	return status == MPROF_OK ? mprof_writer_close(writer) : status;
}

/* Removes the last block, and what was written after it. Returns 0 if there is none that may be removed. */
static int remove_last_block(mprof_writer *writer)
{
	const writer_mark *mark;

	while (writer->mark_count > 0 && writer->marks[writer->mark_count - 1].bytes >= writer->stats.bytes)
		writer->mark_count--;
	if (writer->mark_count == 0)
		return 0;
	mark = &writer->marks[--writer->mark_count];
	if (mark->blocks < BLOCKS_KEPT || sink_descriptor_cut(&writer->sink, mark->bytes) != 0)
		return 0;
	writer->stats.events = mark->events;
	writer->stats.blocks = mark->blocks;
	writer->stats.bytes = mark->bytes;
	return 1;
}

/* Like write_end(), but nothing stays of an end that does not fit. */
static mprof_status try_end(mprof_writer *writer, const mprof_property *cause, const uint64_t *counts, size_t count)
{
	const uint64_t bytes = writer->stats.bytes;
	const uint64_t blocks = writer->stats.blocks;
	mprof_status status = write_end(writer, cause, counts, count);

	if (status == MPROF_OK || writer->stats.bytes == bytes)
		return status;
	if (sink_descriptor_cut(&writer->sink, bytes) != 0)
		return MPROF_ERR_STATE;
	writer->stats.bytes = bytes;
	writer->stats.blocks = blocks;
	return status;
}

mprof_status writer_end_after_error(mprof_writer *writer, const mprof_property *cause, uint64_t *counts, size_t count,
				    mprof_loss_cause failed, uint64_t *removed)
{
	const mprof_error error = writer->error;
	const uint64_t events = writer->stats.events;
	mprof_status status;

	*removed = 0;
	if (!can_be_ended(writer))
		return MPROF_ERR_UNSUPPORTED;
	writer_drop_definitions(writer);
	log_index_end(&writer->index);
	writer->max_bytes = 0;
	do {
		counts[failed] += events - writer->stats.events - *removed;
		*removed = events - writer->stats.events;
		status = try_end(writer, cause, counts, count);
	} while (status == MPROF_ERR_IO && remove_last_block(writer));
	writer->error = error;
	return status;
}

mprof_status mprof_writer_destroy(mprof_writer *writer)
{
	mprof_allocator allocator;
	mprof_status status = MPROF_OK;
	int error = 0;

	if (writer == NULL)
		return MPROF_OK;
	if (writer->error.severity == MPROF_SEVERITY_FATAL)
		status = (mprof_status)writer->error.status;
	else if (writer->state != WRITER_CLOSED)
		error = sink_finish(&writer->sink);
	if (error == 0)
		error = sink_close(&writer->sink);
	else
		sink_close(&writer->sink);
	if (status == MPROF_OK && error != 0)
		status = MPROF_ERR_IO;
	encode_buffer_destroy(&writer->block);
	codec_packer_destroy(&writer->packer);
	encode_buffer_destroy(&writer->packed);
	event_columns_destroy(&writer->columns);
	encode_buffer_destroy(&writer->classes);
	encode_buffer_destroy(&writer->methods);
	id_set_destroy(&writer->class_ids);
	id_set_destroy(&writer->method_ids);
	source_files_destroy(&writer->sources);
	id_map_destroy(&writer->object_sizes);
	id_map_destroy(&writer->double_metrics);
	type_shapes_destroy(&writer->shapes);
	id_map_destroy(&writer->function_numbers);
	writer_heap_destroy(writer);
	writer_events_destroy(writer);
	log_index_destroy(&writer->index);
	definition_table_destroy(&writer->code);
	name_table_destroy(&writer->code_names);
	allocator = writer->allocator;
	allocator_release(&allocator, writer, sizeof(*writer));
	return status;
}

void writer_give_up(mprof_writer *writer)
{
	sink_descriptor_abandon(&writer->sink);
}

mprof_status mprof_writer_get_memory(const mprof_writer *writer, const uint8_t **bytes, size_t *length)
{
	const log_sink *bottom;

	if (writer == NULL || bytes == NULL || length == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!sink_is_memory(&writer->sink))
		return MPROF_ERR_STATE;
	bottom = sink_bottom(&writer->sink);
	*bytes = bottom->memory;
	*length = bottom->memory_length;
	return MPROF_OK;
}

mprof_status mprof_writer_get_stats(const mprof_writer *writer, mprof_writer_stats *stats)
{
	mprof_writer_stats copy;

	if (writer == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	copy = writer->stats;
	copy.sink_bytes = sink_bottom(&writer->sink)->taken;
	return struct_copy_out(stats, &copy, sizeof(copy));
}

mprof_status mprof_writer_get_error(const mprof_writer *writer, mprof_error *error)
{
	if (writer == NULL || error == NULL)
		return MPROF_ERR_ARGUMENT;
	return error_copy(&writer->error, error);
}

int writer_has_class(const mprof_writer *writer, uint32_t id)
{
	return id_set_has(&writer->class_ids, id);
}

int writer_has_method(const mprof_writer *writer, uint32_t id)
{
	return id_set_has(&writer->method_ids, id);
}

size_t writer_block_length(const mprof_writer *writer)
{
	return writer->block.length;
}

mprof_writer_stats *writer_losses(mprof_writer *writer)
{
	return &writer->stats;
}
