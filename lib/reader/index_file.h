/* SPDX-License-Identifier: MIT */
/**
 * \file reader/index_file.h
 * \brief Saves the index, and loads a saved one.
 */
#ifndef READER_INDEX_FILE_H
#define READER_INDEX_FILE_H

#include <mprof/reader.h>

/** Drops the index, and all that is known of call stacks. */
void reader_forget_index(mprof_reader *reader);

#endif
