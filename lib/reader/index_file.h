/* SPDX-License-Identifier: MIT */
/**
 * \file reader/index_file.h
 * \brief Saves and loads the index.
 */
#ifndef READER_INDEX_FILE_H
#define READER_INDEX_FILE_H

#include <mprof/reader.h>

/** Discards the index and the open calls of all stacks, whose nodes belong to it. */
void reader_discard_index(mprof_reader *reader);

#endif
