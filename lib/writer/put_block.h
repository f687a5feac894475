/* SPDX-License-Identifier: MIT */
/**
 * \file writer/put_block.h
 * \brief Ends the block that was built and writes it to the sink.
 */
#ifndef WRITER_PUT_BLOCK_H
#define WRITER_PUT_BLOCK_H

#include <mprof/writer.h>

/** Sets the maximum length of a block, in bytes after the header. */
void writer_limit_blocks(mprof_writer *writer, uint64_t max_block_length);

/** Reads the clock of the caller. */
void writer_read_clock(mprof_writer *writer, mprof_clock *clock);

/**
 * Ends the block and writes it. Returns #MPROF_ERR_LIMIT if the block is too long, or if the log is full or would
 * exceed its size limit: see writer_set_limit().
 */
mprof_status writer_put_block(mprof_writer *writer);

/** As writer_put_block(), also if the log is full: for LOST and END, for which room was kept. */
mprof_status writer_put_last_block(mprof_writer *writer);

/**
 * There is no memory for the index. Returns #MPROF_OK if the log goes on without it, #MPROF_ERR_MEMORY if the caller
 * asked for it.
 */
mprof_status writer_end_index(mprof_writer *writer);

/** Writes an INDEX block of the blocks since the last one. */
mprof_status writer_put_index(mprof_writer *writer);

/** As writer_put_index(), if there are enough blocks. Call this before an EVENTS block begins. */
mprof_status writer_put_index_if_due(mprof_writer *writer);

/**
 * Writes the last INDEX block, after the clock pair of END was read. \p distance receives its length, in bytes; 0 if
 * the log has no index, or none that can be used.
 */
mprof_status writer_put_last_index(mprof_writer *writer, uint64_t *distance);

#endif
