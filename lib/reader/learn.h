/* SPDX-License-Identifier: MIT */
/**
 * \file reader/learn.h
 * \brief What blocks say about the log: names, definitions, clocks, losses.
 */
#ifndef READER_LEARN_H
#define READER_LEARN_H

#include <mprof/reader.h>

/** The kinds of blocks that are loaded even if the caller does not want them, as #MPROF_BLOCK_BIT. */
uint64_t reader_learnt_kinds(void);

/** Learns what a loaded block says. */
mprof_status reader_learn(mprof_reader *reader, const mprof_block *block);

#endif
