/* SPDX-License-Identifier: MIT */
/* Ends a log after an error of the system, and makes room for that. */
#include "writer/failed_end.h"

#include "base/error.h"
#include "io/sink_descriptor.h"
#include "writer/put_block.h"
#include "writer/writer.h"
#include "writer/writer_internal.h"

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
