/* SPDX-License-Identifier: MIT */
/**
 * \file reader/learn.h
 * \brief Stores what blocks contain about the log as a whole: names, definitions, clocks, losses.
 */
#ifndef READER_LEARN_H
#define READER_LEARN_H

#include <mprof/reader.h>

/**
 * The kinds of blocks that are loaded for their definitions even if the caller does not want them, as #MPROF_BLOCK_BIT.
 */
uint64_t reader_defining_kinds(void);

/** Makes the parser of a new reader pass on the definitions of the blocks that it loads. */
void reader_learn_init(mprof_reader *reader);
void reader_learn_destroy(mprof_reader *reader);

/** Whether all definitions of the block are in the tables, so that it need not be loaded unless the caller wants it. */
int reader_has_learned(mprof_reader *reader, const mprof_block *block);

/**
 * Called when a block was loaded, and the parser has passed on its definitions. Returns why one of them could not be
 * stored, and stores clocks and losses.
 */
mprof_status reader_learn(mprof_reader *reader, const mprof_block *block);

#endif
