/* SPDX-License-Identifier: MIT */
/* Records errors of the writer, and checks the state and the names that each call needs. */
#include "writer/errors.h"

#include "base/error.h"
#include "format/values/losses.h"
#include "writer/writer_internal.h"

#include <errno.h>
#include <string.h>

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
			     status == MPROF_ERR_MEMORY ? "out of memory for a copy of the array"
							: "the array is NULL, or the size of its elements is invalid");
}

mprof_status writer_fail(mprof_writer *writer, mprof_status status, const char *what)
{
	return note_error(writer, status, MPROF_SEVERITY_FATAL, what);
}

mprof_status writer_check_sink(mprof_writer *writer, int system_error, const char *what)
{
	if (system_error == 0)
		return MPROF_OK;
	/* The block being built is lost with the sink, so the error is at the end of what was written. */
	writer->state = WRITER_BETWEEN_BLOCKS;
	if (system_error == ENOMEM && sink_is_memory(&writer->sink))
		return writer_fail(writer, MPROF_ERR_MEMORY, "out of memory for the log");
	writer_fail(writer, MPROF_ERR_IO, what);
	writer->error.system_error = system_error;
	return MPROF_ERR_IO;
}

mprof_status writer_enter(mprof_writer *writer, writer_state state)
{
	static const char *const reasons[] = {
		[WRITER_BETWEEN_BLOCKS] = "no EVENTS block is open: call mprof_writer_begin_events() first",
		[WRITER_IN_EVENTS] = "an EVENTS block is open: call mprof_writer_end_events() first",
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
	losses_shorten_block(&writer->stats, kind);
}

mprof_status writer_check_name(mprof_writer *writer, const char *name, size_t length)
{
	if (name == NULL && length > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the name is NULL although its length is not 0");
	if (length > writer->max_name_length)
		return writer_refuse(writer, MPROF_ERR_NAME, "the name is longer than max_name_length");
	if (length > 0 && memchr(name, 0, length) != NULL)
		return writer_refuse(writer, MPROF_ERR_NAME, "the name contains a NUL byte");
	return MPROF_OK;
}

mprof_status writer_check_text(mprof_writer *writer, const char *text)
{
	return text == NULL ? MPROF_OK : writer_check_name(writer, text, strlen(text));
}
