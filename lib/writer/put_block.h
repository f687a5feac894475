/* SPDX-License-Identifier: MIT */
/**
 * \file writer/put_block.h
 * \brief Ends the block that was built, compresses it, and writes it to the sink.
 */
#ifndef WRITER_PUT_BLOCK_H
#define WRITER_PUT_BLOCK_H

#include <mprof/writer.h>

#include "codec/packer.h"
#include "format/blocks/block_encode.h"
#include "writer/writer_internal.h"

/**
 * Encodes \p block, to which block_encode_end() was not applied yet, as a COMPRESSED block in \p out, likewise without
 * its end, and returns 1. Returns 0 if the block may not be compressed, is short, or would not become shorter, and also
 * if out of memory: a block that is not compressed has the same content, and must not be lost. It needs no writer, so
 * several threads with a packer and a buffer each can compress blocks at the same time.
 *
 * \p middle has what is between head and tail of the block, if another thread has compressed that already with the same
 * codec; NULL or empty: \p packer compresses it.
 */
int block_compress(codec_packer *packer, const block_encoding *encoding, const encode_buffer *block,
		   const packed_middle *middle, encode_buffer *out);

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

/** As writer_put_index(), if there are enough blocks. Call this before an EVENTS block begins. */
mprof_status writer_put_index_if_due(mprof_writer *writer);

/**
 * Writes the last INDEX block, after the clock pair of END was read. \p distance receives its length, in bytes; 0 if
 * the log has no index, or none that can be used.
 */
mprof_status writer_put_last_index(mprof_writer *writer, uint64_t *distance);

#endif
