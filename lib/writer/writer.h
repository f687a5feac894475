/* SPDX-License-Identifier: MIT */
/**
 * \file writer/writer.h
 * \brief Functions of a writer for the recorder and the converter, in addition to the public ones. The struct is
 * private to lib/writer.
 */
#ifndef WRITER_WRITER_H
#define WRITER_WRITER_H

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

/**
 * Limits the log to \p max_bytes bytes, as stored. A block is refused with #MPROF_ERR_LIMIT if it does not fit together
 * with the LOST and END blocks that must follow it. Every later block is then refused, apart from LOST and END if there
 * is room, and pending definitions are dropped. Returns #MPROF_ERR_LIMIT if the log has no room even now.
 */
mprof_status writer_set_limit(mprof_writer *writer, uint64_t max_bytes);

/** Whether a block was refused because of the limit. */
int writer_is_full(const mprof_writer *writer);

/** Releases the room reserved for LOST, so that one more LOST block can be written. */
void writer_release_reserve(mprof_writer *writer);

/**
 * Returns the number of events since the last call that were accepted, but are in no block because of the limit: those
 * of heap snapshots, in dialects in which a snapshot is one block.
 */
uint64_t writer_take_refused_events(mprof_writer *writer);

/** From now on, the log goes on without index if there is no memory for it. */
void writer_let_index_end(mprof_writer *writer);

/** In a child created by fork(): closes the file that the parent writes, and changes nothing else. */
void writer_give_up(mprof_writer *writer);

/** From now on, heap data are of a process (directive 39). */
void writer_set_heap_process(mprof_writer *writer, uint64_t process);

/** Whether a class was defined. */
int writer_has_class(const mprof_writer *writer, uint32_t id);

/** Whether a method was defined. */
int writer_has_method(const mprof_writer *writer, uint32_t id);

/** Whether the dialect has a kind of block. */
int writer_has_block(const mprof_writer *writer, mprof_block_kind kind);

/** The length of the block being built, in bytes. */
size_t writer_block_length(const mprof_writer *writer);

/** The counts of information left out or shortened. The caller may add to them. */
mprof_writer_stats *writer_losses(mprof_writer *writer);

/** Records an error after which the writer can still be used. Returns \p status. */
mprof_status writer_refuse(mprof_writer *writer, mprof_status status, const char *what);

/**
 * Handles a block that the dialect does not have: a lossy writer counts it as left out and returns #MPROF_OK; otherwise
 * the block is refused with #MPROF_ERR_UNSUPPORTED and \p what as the message.
 */
mprof_status writer_leave_out(mprof_writer *writer, mprof_block_kind kind, const char *what);

/** Declares further directives from here on, as far as the dialect has them. */
mprof_status writer_declare_more(mprof_writer *writer, uint64_t directives);

/** Writes the pending definitions, if there are any. */
mprof_status writer_put_definitions(mprof_writer *writer);

/** Forgets the pending definitions: no block that uses them will be written. */
void writer_drop_definitions(mprof_writer *writer);

/** Writes the part of an unfinished heap snapshot collected so far. */
mprof_status writer_end_snapshot(mprof_writer *writer);

/**
 * After #MPROF_ERR_IO: writes a SESSION block with \p cause, the losses of thread 0, and END, so that the log itself
 * states what it lacks. Where the system refuses the room for these blocks, the last blocks of the log are removed, as
 * many as it takes; their events are added to \p counts [\p failed] and to \p removed. Definitions that were not
 * written yet are dropped: no event in the log refers to them. The error of the writer stays.
 *
 * Returns #MPROF_OK if the log has its end, #MPROF_ERR_UNSUPPORTED if it cannot have one: it is not a regular file, it
 * is compressed as a whole, or its dialect has no losses; and another status if the system refused.
 */
mprof_status writer_end_after_error(mprof_writer *writer, const mprof_property *cause, uint64_t *counts, size_t count,
				    mprof_loss_cause failed, uint64_t *removed);

#endif
