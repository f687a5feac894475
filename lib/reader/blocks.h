/* SPDX-License-Identifier: MIT */
/**
 * \file reader/blocks.h
 * \brief Moves from block to block.
 */
#ifndef READER_BLOCKS_H
#define READER_BLOCKS_H

#include <mprof/reader.h>

/** Moves to the next block and loads it if its kind is in \p wanted. Otherwise as mprof_reader_next_block(). */
mprof_status reader_next(mprof_reader *reader, uint64_t wanted, mprof_block *block);

/** Reads INTRO and keeps it for the first mprof_reader_next_block(). */
mprof_status reader_read_intro(mprof_reader *reader);

/** Returns the offset of the block that mprof_reader_next_block() delivers next. */
uint64_t reader_next_offset(const mprof_reader *reader);

/** Loads the block whose header was read, and stores its definitions. As mprof_reader_load(). */
mprof_status reader_load(mprof_reader *reader, mprof_block *block);

/** Clears everything in a block except the fields of its header. */
void reader_strip_block(mprof_block *block);

#endif
