/* SPDX-License-Identifier: MIT */
/**
 * \file reader/index.h
 * \brief Loads the index that the log contains, or builds one in one pass, which a later pass continues.
 */
#ifndef READER_INDEX_H
#define READER_INDEX_H

#include <mprof/reader.h>

/** Discards the index and the open calls of all stacks, whose nodes belong to it. */
void reader_discard_index(mprof_reader *reader);

#endif
