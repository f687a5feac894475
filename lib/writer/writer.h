/* SPDX-License-Identifier: MIT */
/**
 * \file writer/writer.h
 * \brief What the recorder and the converter ask of a writer besides its public functions. The struct itself stays
 * private to lib/writer.
 */
#ifndef WRITER_PARTS_H
#define WRITER_PARTS_H

#include <mprof/writer.h>

/**
 * Ends the log before it comes to be longer than so many bytes, as stored: the first block that does not fit, with room
 * for what comes after it, is refused with #MPROF_ERR_LIMIT, and so is any other from then on; only LOST and END are
 * written where there is room. Definitions that wait are dropped then. Refuses the same way if there is no room now.
 */
mprof_status writer_set_limit(mprof_writer *writer, uint64_t max_bytes);

/** Whether a block was refused for the limit. */
int writer_is_full(const mprof_writer *writer);

/** Lets one more LOST block have the room that was kept for it. */
void writer_open_reserve(mprof_writer *writer);

/** Events that were taken and are in no block for the limit, since the last call: of shots that are one block. */
uint64_t writer_take_refused_events(mprof_writer *writer);

/** In a child made by fork(): closes the file that the parent writes, and leaves all else as it is. */
void writer_give_up(mprof_writer *writer);

/** Whether a class was defined. */
int writer_has_class(const mprof_writer *writer, uint32_t id);

/** Whether a method was defined. */
int writer_has_method(const mprof_writer *writer, uint32_t id);

/** Whether the dialect has a kind of block. */
int writer_has_block(const mprof_writer *writer, mprof_block_kind kind);

/** The bytes of the block that is being built. */
size_t writer_block_length(const mprof_writer *writer);

/** The counts of what was left out or shortened, for the caller to add to. */
mprof_writer_stats *writer_losses(mprof_writer *writer);

/** Notes an error after which the writer can be used as before. Returns \p status. */
mprof_status writer_refuse(mprof_writer *writer, mprof_status status, const char *what);

/** The status for a block that the dialect lacks: refuses it, or counts it and returns #MPROF_OK when lossy. */
mprof_status writer_leave_out(mprof_writer *writer, mprof_block_kind kind, const char *what);

/** Declares more directives, as far as the dialect has them, from here on. */
mprof_status writer_declare_more(mprof_writer *writer, uint64_t directives);

/** Writes the pending definitions, if there are any. */
mprof_status writer_put_definitions(mprof_writer *writer);

/** Writes what there is of a heap shot that is not ended. */
mprof_status writer_end_shot(mprof_writer *writer);

#endif
