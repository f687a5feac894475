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

/** Stores the names, definitions, clocks and losses of a loaded block. */
mprof_status reader_learn(mprof_reader *reader, const mprof_block *block);

#endif
