/* SPDX-License-Identifier: MIT */
/**
 * \file writer/open.h
 * \brief Opens writers that continue a log.
 */
#ifndef WRITER_OPEN_H
#define WRITER_OPEN_H

#include <mprof/writer.h>

#include "io/sink.h"

/** Metrics whose type is kept, by ID. Values of later ones cannot be written after a resumption. */
#define RESUME_METRICS 256

/** The state from earlier blocks that later blocks depend on: plain numbers, so that it can be stored in a file. */
typedef struct writer_resume_state {
	uint64_t blocks;
	uint64_t header_counter;
	uint32_t defined[32];                       /**< Last ID defined, by #mprof_record_kind. */
	uint32_t collection;                        /**< event_encoder::collection. */
	uint32_t last_number;                       /**< event_encoder::last_number. */
	uint8_t has_counted;                        /**< event_encoder::has_counted. */
	uint8_t is_numbered;                        /**< event_encoder::is_numbered. */
	uint8_t has_sized_metrics;                  /**< Directive 38 is in force. */
	uint8_t reserved[5];                        /**< 0. */
	uint8_t double_metrics[RESUME_METRICS / 8]; /**< Bits: metrics whose values are doubles. */
} writer_resume_state;

/** Saves the state between two blocks. Pending definitions are written first; returns the status of that. */
mprof_status writer_save(mprof_writer *writer, writer_resume_state *state);

/** Whether the log is a regular file to which only the writer appends. */
int writer_is_regular_file(const mprof_writer *writer);

/** The length of the log in its file, in bytes, as stored. */
uint64_t writer_stored_length(const mprof_writer *writer);

/** Ends a writer that has written nothing since it was restored, so that destroying it writes nothing, either. */
void writer_discard(mprof_writer *writer);

/**
 * The checksum of the first block, which no other log has: it contains the time in counters and microseconds at which
 * the log began. Requires that the block was written by this writer.
 */
uint32_t writer_first_checksum(const mprof_writer *writer);

/** Has \p observer called with everything that is written from now on, before compression. */
void writer_observe(mprof_writer *writer, sink_observer observer, void *user);

/** Ends the current member of a compressed log: see sink_gzip_end_member(). */
mprof_status writer_end_member(mprof_writer *writer);

/** Writes whole blocks that are counted in the state which was restored. */
mprof_status writer_put_again(mprof_writer *writer, const void *blocks, size_t length);

/**
 * Opens a writer that continues the log in \p fd after its last byte, like mprof_writer_open_fd(). IDs are not checked.
 * Returns #MPROF_ERR_UNSUPPORTED for dialects whose blocks depend on earlier blocks beyond \p state.
 */
mprof_status writer_open_resumed_fd(int fd, const mprof_writer_options *options, const writer_resume_state *state,
				    mprof_writer **writer);

/** Like writer_open_resumed_fd(), for a sink to which the log is continued. */
mprof_status writer_open_resumed_sink(const mprof_sink *sink, const mprof_writer_options *options,
				      const writer_resume_state *state, mprof_writer **writer);

#endif
