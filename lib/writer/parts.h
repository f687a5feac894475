/* SPDX-License-Identifier: MIT */
/**
 * \file writer/parts.h
 * \brief What the recorder asks of a writer besides its public functions.
 */
#ifndef STREAM_WRITER_PARTS_H
#define STREAM_WRITER_PARTS_H

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

#endif
