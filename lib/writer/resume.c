/* SPDX-License-Identifier: MIT */
/* Saves the state that later blocks depend on, and restores it in a writer that continues the log. */
#include "writer/resume.h"

#include "io/sink_gzip.h"
#include "writer/errors.h"
#include "writer/writer_internal.h"

#include <string.h>

static void save_metrics(const mprof_writer *writer, writer_resume_state *state)
{
	uint32_t count = writer->defined[MPROF_RECORD_METRIC];

	for (uint32_t id = 1; id <= count && id < RESUME_METRICS; id++) {
		if (id_map_get(&writer->double_metrics, id) != 0)
			state->double_metrics[id / 8] |= (uint8_t)(1U << id % 8);
	}
}

mprof_status writer_save(mprof_writer *writer, writer_resume_state *state)
{
	mprof_status status = writer_put_definitions(writer);

	_Static_assert(sizeof(writer->defined) <= sizeof(state->defined), "all kinds of records fit");
	memset(state, 0, sizeof(*state));
	state->blocks = writer->stats.blocks;
	state->header_counter = writer->header_counter;
	memcpy(state->defined, writer->defined, sizeof(writer->defined));
	state->collection = writer->events.collection;
	state->last_number = writer->events.last_number;
	state->has_counted = writer->events.has_counted != 0;
	state->is_numbered = writer->events.is_numbered != 0;
	save_metrics(writer, state);
	return status;
}

mprof_status writer_restore(mprof_writer *writer, const writer_resume_state *state)
{
	/* In other dialects, blocks depend on more: on base counters of threads, and on what was defined inline. */
	if (writer->encoding.rules->checksum_length == 0)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, "logs of this dialect cannot be continued");
	/* The blocks before are not known, and an index covers all blocks. */
	writer->index.is_used = 0;
	writer->stats.blocks = state->blocks;
	writer->header_counter = state->header_counter;
	memcpy(writer->defined, state->defined, sizeof(writer->defined));
	writer->events.collection = state->collection;
	writer->events.last_number = state->last_number;
	writer->events.has_counted = state->has_counted;
	writer->events.is_numbered = state->is_numbered;
	for (uint32_t id = 1; id < RESUME_METRICS; id++) {
		if ((state->double_metrics[id / 8] >> id % 8 & 1) != 0 && !id_map_put(&writer->double_metrics, id, 1))
			return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for metrics");
	}
	return MPROF_OK;
}

int writer_is_regular_file(const mprof_writer *writer)
{
	return sink_bottom(&writer->sink)->fd_may_be_cut;
}

uint64_t writer_stored_length(const mprof_writer *writer)
{
	const log_sink *bottom = sink_bottom(&writer->sink);

	return bottom->fd_start + bottom->taken;
}

void writer_discard(mprof_writer *writer)
{
	writer->state = WRITER_CLOSED;
}

uint32_t writer_first_checksum(const mprof_writer *writer)
{
	return writer->first_checksum;
}

void writer_observe(mprof_writer *writer, sink_observer observer, void *user)
{
	writer->sink.observer = observer;
	writer->sink.observer_user = user;
}

mprof_status writer_end_member(mprof_writer *writer)
{
	return writer_check_sink(writer, sink_gzip_end_member(&writer->sink), "cannot write the log");
}

mprof_status writer_put_again(mprof_writer *writer, const void *blocks, size_t length)
{
	return writer_check_sink(writer, sink_write(&writer->sink, blocks, length), "cannot write the log");
}
