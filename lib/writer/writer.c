/* SPDX-License-Identifier: MIT */
#include "writer/writer_internal.h"

#include "base/error.h"
#include "base/options.h"
#include "format/kind_counts.h"
#include "format/losses.h"
#include "writer/writer.h"

#include <errno.h>
#include <string.h>

void writer_limit_blocks(mprof_writer *writer, uint64_t max_block_length)
{
	uint64_t limit = writer->encoding.rules->header_length + max_block_length;

	writer->block.limit = limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

static mprof_status note_error(mprof_writer *writer, mprof_status status, mprof_severity severity, const char *what)
{
	error_set(&writer->error, status, severity, what);
	writer->error.offset = writer->stats.bytes;
	writer->error.block_offset = writer->stats.bytes;
	if (writer->state == WRITER_IN_EVENTS) {
		writer->error.block_code = dialect_block_code(writer->encoding.rules, MPROF_BLOCK_EVENTS);
		writer->error.offset_in_block = writer->block.length;
		writer->error.offset += writer->block.length;
	}
	return status;
}

mprof_status writer_refuse(mprof_writer *writer, mprof_status status, const char *what)
{
	return note_error(writer, status, MPROF_SEVERITY_BLOCK, what);
}

mprof_status writer_refuse_elements(mprof_writer *writer, mprof_status status)
{
	return writer_refuse(writer, status,
			     status == MPROF_ERR_MEMORY ? "no memory for what is passed"
							: "an array is NULL, or the size of its elements is wrong");
}

mprof_status writer_fail(mprof_writer *writer, mprof_status status, const char *what)
{
	return note_error(writer, status, MPROF_SEVERITY_FATAL, what);
}

/* What a sink said, 0 included. */
static mprof_status take_sink_error(mprof_writer *writer, int system_error, const char *what)
{
	if (system_error == 0)
		return MPROF_OK;
	/* The block under construction is lost with the sink: the place is the end of what was written. */
	writer->state = WRITER_BETWEEN_BLOCKS;
	if (system_error == ENOMEM && sink_is_memory(&writer->sink))
		return writer_fail(writer, MPROF_ERR_MEMORY, "no memory for the log");
	writer_fail(writer, MPROF_ERR_IO, what);
	writer->error.system_error = system_error;
	return MPROF_ERR_IO;
}

mprof_status writer_enter(mprof_writer *writer, writer_state state)
{
	static const char *const reasons[] = {
		[WRITER_BETWEEN_BLOCKS] = "no block of events was begun",
		[WRITER_IN_EVENTS] = "a block of events is not ended",
		[WRITER_CLOSED] = "the log is closed",
	};

	if (writer == NULL)
		return MPROF_ERR_ARGUMENT;
	if (writer->error.severity == MPROF_SEVERITY_FATAL)
		return (mprof_status)writer->error.status;
	if (writer->state != state)
		return writer_refuse(writer, MPROF_ERR_STATE, reasons[writer->state]);
	return MPROF_OK;
}

mprof_status writer_leave_out(mprof_writer *writer, mprof_block_kind kind, const char *what)
{
	if (!writer->lossy)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, what);
	losses_leave_out_block(&writer->stats, kind);
	return MPROF_OK;
}

void writer_shorten_block(mprof_writer *writer, mprof_block_kind kind)
{
	if (writer->lossy)
		losses_shorten_block(&writer->stats, kind);
}

mprof_status writer_check_name(mprof_writer *writer, const char *name, size_t length)
{
	if (name == NULL && length > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a name is NULL");
	if (length > writer->max_name_length)
		return writer_refuse(writer, MPROF_ERR_NAME, "a name is longer than the limit");
	if (length > 0 && memchr(name, 0, length) != NULL)
		return writer_refuse(writer, MPROF_ERR_NAME, "a name holds a NUL byte");
	return MPROF_OK;
}

mprof_status writer_check_text(mprof_writer *writer, const char *text)
{
	return text == NULL ? MPROF_OK : writer_check_name(writer, text, strlen(text));
}

void writer_read_clock(mprof_writer *writer, mprof_clock *clock)
{
	clock->counter = 0;
	clock->time = 0;
	writer->clock(writer->clock_user, clock);
}

/* Takes the moment of writing for headers that tell how long the block before is ago. */
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

/* Whether the block that is built fits below the limit, and what must come after it. */
static mprof_status check_limit(mprof_writer *writer)
{
	uint64_t needed = writer->block.length + writer->kept_bytes;
	mprof_status status;

	if (writer->max_bytes == 0 || sink_bound(&writer->sink, needed) <= writer->max_bytes)
		return MPROF_OK;
	/* How long the log is by now is only known after a flush where it is compressed. */
	status = take_sink_error(writer, sink_flush(&writer->sink), "the log could not be flushed");
	if (status != MPROF_OK || sink_bound(&writer->sink, needed) <= writer->max_bytes)
		return status;
	writer->is_full = 1;
	return writer_refuse(writer, MPROF_ERR_LIMIT, "the log has reached its greatest size");
}

mprof_status writer_put_last_block(mprof_writer *writer)
{
	uint64_t header_counter = writer->header_counter;
	mprof_status status;

	note_header_counter(writer);
	status = block_encode_end(&writer->block, &writer->encoding);
	if (status != MPROF_OK)
		return writer_refuse(writer, status,
				     status == MPROF_ERR_LIMIT ? "a block is too long" : "no memory for a block");
	status = check_limit(writer);
	if (status != MPROF_OK) {
		writer->header_counter = header_counter;
		return status;
	}
	status = take_sink_error(writer, sink_write(&writer->sink, writer->block.bytes, writer->block.length),
				 "the log could not be written");
	if (status != MPROF_OK)
		return status;
	writer->stats.bytes += writer->block.length;
	writer->stats.blocks++;
	return MPROF_OK;
}

mprof_status writer_put_block(mprof_writer *writer)
{
	if (writer->is_full)
		return writer_refuse(writer, MPROF_ERR_LIMIT, "the log has reached its greatest size");
	return writer_put_last_block(writer);
}

/* Headers, clocks and, for each cause, its number and a count, each as long as it can be. */
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

void writer_open_reserve(mprof_writer *writer)
{
	writer->kept_bytes = END_LENGTH;
}

uint64_t writer_take_refused_events(mprof_writer *writer)
{
	uint64_t refused = writer->refused_events;

	writer->refused_events = 0;
	return refused;
}

mprof_status mprof_writer_flush(mprof_writer *writer)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status == MPROF_OK)
		status = take_sink_error(writer, sink_flush(&writer->sink), "the log could not be flushed");
	return status;
}

mprof_status mprof_writer_close(mprof_writer *writer)
{
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	status = writer_put_definitions(writer);
	if (status == MPROF_OK || writer->is_full)
		status = writer_end_shot(writer);
	/* There is room for the end of a log that is full. */
	if (status != MPROF_OK && !writer->is_full)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_end_of_log(&writer->block, &writer->encoding, &clock);
	writer->kept_bytes = 0;
	status = writer_put_last_block(writer);
	if (status != MPROF_OK)
		return status;
	writer->state = WRITER_CLOSED;
	status = take_sink_error(writer, sink_finish(&writer->sink), "the log could not be finished");
	if (status == MPROF_OK)
		status = take_sink_error(writer, sink_flush(&writer->sink), "the log could not be flushed");
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
	encode_buffer_destroy(&writer->classes);
	encode_buffer_destroy(&writer->methods);
	id_set_destroy(&writer->class_ids);
	id_set_destroy(&writer->method_ids);
	source_files_destroy(&writer->sources);
	id_map_destroy(&writer->object_sizes);
	id_map_destroy(&writer->double_metrics);
	id_map_destroy(&writer->function_numbers);
	heap_shot_destroy(&writer->shot);
	written_threads_destroy(&writer->threads);
	stack_sections_destroy(&writer->sections);
	definition_table_destroy(&writer->code);
	name_table_destroy(&writer->code_names);
	allocator = writer->allocator;
	allocator_release(&allocator, writer, sizeof(*writer));
	return status;
}

void writer_give_up(mprof_writer *writer)
{
	sink_give_up(&writer->sink);
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
	mprof_writer_stats own;

	if (writer == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	own = writer->stats;
	own.sink_bytes = sink_bottom(&writer->sink)->taken;
	return struct_copy_out(stats, &own, sizeof(own));
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
